// SPDX-License-Identifier: Apache-2.0
// Servers that stand still: their silence is told, and is not taken for work.
#include "alert_reports.h"
#include "inspect/answer_cost.h"
#include "inspect/looking_watcher.h"
#include "runtime/virtual_runtime.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;

namespace {

/// Watches a server that answers after as long as it is told to.
class PretendWatcher final : public LookingWatcher {
public:
    PretendWatcher(Runtime& runtime, WatchOptions options)
        : LookingWatcher(runtime, QStringLiteral("pretend"), std::move(options)) {}
    Nanos answersAfter = 5ms;
    bool answers = true;
    std::uint64_t requestsSent() const { return m_requests; }

private:
    Answer<void> connect(std::stop_token) override { co_return std::expected<void, WatchTrouble>(); }
    Answer<Look> look(Depth, Progress, std::stop_token stop) override {
        ++m_requests;
        const Nanos began = runtime().monotonic();
        co_await runtime().sleep(answersAfter, stop); // in virtual time
        spent(runtime().monotonic() - began);
        if (!answers) co_return std::unexpected(WatchTrouble{WatchTrouble::Kind::Unreachable, {}, QStringLiteral("-")});
        co_return Look();
    }
    std::uint64_t requests() const override { return m_requests; }
    std::uint64_t m_requests = 0;
};

struct Scene {
    Scene() {
        runtime.spawn([this] { return watch(); });
    }
    ~Scene() {
        stop.request_stop();
        scheduler.runUntil(scheduler.now() + 1h);
    }
    QCoro::Task<> watch() {
        const LookingWatcher::Callback note = [this](const LockReport& report) {
            if (!report.trouble) seenAt.push_back(report.at);
        };
        try {
            co_await watcher.watch(note, stop.get_token());
        } catch (const Cancelled&) {
        }
    }
    VirtualScheduler scheduler;
    VirtualRuntime runtime{scheduler, 1};
    PretendWatcher watcher{runtime, WatchOptions()};
    std::vector<Nanos> seenAt;
    std::stop_source stop;
};

} // namespace

class TestUnanswered : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A server that stood still is looked at again at once, though it took long to answer.
    void aStallIsNoWork() {
        Scene s;
        s.scheduler.runUntil(20s);
        s.watcher.answersAfter = 9s;
        s.scheduler.runUntil(23s); // it is asked
        s.watcher.answersAfter = 5ms;
        s.scheduler.runUntil(32s);
        QVERIFY(s.seenAt.back() > 25s); // it has answered
        const std::size_t looks = s.seenAt.size();
        s.scheduler.runUntil(40s);
        QVERIFY2(s.seenAt.size() >= looks + 2, qPrintable(QString::number(s.seenAt.size() - looks)));
    }

    /// Answers that stay dear are looked at as rarely as the budget says.
    void whatStaysDearIsWork() {
        Scene s;
        s.watcher.answersAfter = 300ms;
        s.scheduler.runUntil(600s);
        const double share = double(s.seenAt.size()) * 0.3 / 600;
        QVERIFY2(share < 0.035, qPrintable(QString::number(share)));
        QVERIFY2(share > 0.02, qPrintable(QString::number(share)));
        const double counted = double(s.watcher.load().serverTime.count()) / 600e9;
        QVERIFY2(qAbs(counted - share) < 0.005, qPrintable(QString::number(counted)));
    }

    /// A person who has changed something sees at once what came of it; the budget is kept all the same.
    void aLookThatIsWantedDoesNotWaitForTheBudget() {
        Scene s;
        s.watcher.answersAfter = 300ms; // ten seconds' share
        const auto untilLook = [&s](std::size_t looks) {
            while (s.seenAt.size() < looks)
                s.scheduler.runUntil(s.scheduler.now() + 10ms);
        };
        untilLook(5);
        s.scheduler.runUntil(s.scheduler.now() + 2s);
        QCOMPARE(s.seenAt.size(), std::size_t(5));
        s.watcher.lookSoon();
        s.scheduler.runUntil(s.scheduler.now() + 310ms);
        QCOMPARE(s.seenAt.size(), std::size_t(6));
        s.scheduler.runUntil(s.scheduler.now() + 8s);
        QCOMPARE(s.seenAt.size(), std::size_t(6)); // it is paid for now
    }

    /// A look that has begun may be from before the change.
    void anotherLookFollowsTheOneThatHasBegun() {
        Scene s;
        s.watcher.answersAfter = 300ms;
        s.scheduler.runUntil(30s);
        const std::uint64_t begun = s.watcher.requestsSent();
        while (s.watcher.requestsSent() == begun)
            s.scheduler.runUntil(s.scheduler.now() + 10ms);
        const std::size_t looks = s.seenAt.size();
        s.watcher.lookSoon();
        s.scheduler.runUntil(s.scheduler.now() + 620ms);
        QCOMPARE(s.seenAt.size(), looks + 2);
    }

    /// It is asked again soon after a time-out, but has time to breathe.
    void aServerThatDoesNotAnswerIsAskedAgain() {
        Scene s;
        s.scheduler.runUntil(20s);
        s.watcher.answers = false;
        s.watcher.answersAfter = 5s; // a time-out
        s.scheduler.runUntil(60s);
        s.watcher.answers = true;
        s.watcher.answersAfter = 5ms;
        s.scheduler.runUntil(68s);
        QVERIFY(s.seenAt.back() > 60s);
        QVERIFY(s.watcher.load().serverTime < 2s);
    }

    void silenceBeginsWithTheQuestion() {
        Scene s;
        s.scheduler.runUntil(20s);
        s.watcher.answersAfter = 9s;
        std::optional<Nanos> since;
        for (Nanos at = 20s; at <= 25s; at += 50ms) { // as a session asks
            s.scheduler.runUntil(at);
            since = s.watcher.unansweredSince();
        }
        QVERIFY(since && *since > 20s && *since < 23s);
        s.watcher.answersAfter = 5ms;
        s.scheduler.runUntil(33s);
        QVERIFY(!s.watcher.unansweredSince());
    }

    /// Time-outs and new questions do not begin the silence anew.
    void silenceOutlastsTimeOuts() {
        Scene s;
        s.scheduler.runUntil(20s);
        s.watcher.answers = false;
        s.watcher.answersAfter = 3s; // a time-out
        std::optional<Nanos> first;
        for (Nanos at = 20s; at <= 40s; at += 50ms) { // as a session asks
            s.scheduler.runUntil(at);
            const auto since = s.watcher.unansweredSince();
            if (!first) first = since;
            QCOMPARE(since, first);
        }
        QVERIFY(first && *first < 23s);
        s.watcher.answers = true;
        s.watcher.answersAfter = 5ms;
        s.scheduler.runUntil(50s);
        QVERIFY(!s.watcher.unansweredSince());
    }

    /// A look that does not end is trouble before it fails.
    void theAlertDoesNotWaitForTheTimeOut() {
        AlertWatch watch = watching("unreachable>2s");
        watch.observe(report(0s, {held("orders", "A")}));
        watch.setUnanswered(1s);
        QCOMPARE(told(watch.check(2900ms)), QString());
        QCOMPARE(told(watch.check(3100ms)), u"unreachable>2s "_qs);
        LockReport away;
        away.at = 6s;
        away.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"no answer"_qs};
        watch.observe(away);
        watch.setUnanswered({});
        QCOMPARE(told(watch.check(6100ms)), QString()); // it goes on
        const AlertBoard board = watch.board(7s, kWall, {}, 9);
        QCOMPARE(board.alerts.size(), std::size_t(1));
        QVERIFY2(board.alerts.front().sentence.contains(u"6.0 s"), qPrintable(board.alerts.front().sentence));
        watch.observe(report(8s, {held("orders", "A")}));
        QCOMPARE(told(watch.check(8s)), u"over unreachable>2s "_qs);
    }

    void answersAreChargedByWhatIsUsual() {
        AnswerCost cost;
        QCOMPARE(cost.charged(300ms), Nanos(300ms)); // nothing is known yet
        QCOMPARE(cost.charged(310ms), Nanos(310ms));
        QCOMPARE(cost.charged(60s), Nanos(1240ms));
        QCOMPARE(cost.charged(290ms), Nanos(290ms));
        Nanos last{};
        for (int i = 0; i < 6; ++i)
            last = cost.charged(5s);
        QCOMPARE(last, Nanos(5s)); // it is dear now
    }
};

QTEST_GUILESS_MAIN(TestUnanswered)
#include "tst_unanswered.moc"
