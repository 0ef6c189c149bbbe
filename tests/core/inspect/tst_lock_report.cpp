// SPDX-License-Identifier: Apache-2.0
#include "inspect/lock_change.h"
#include "inspect/report_feed.h"
#include "inspect/trace_feed.h"
#include "trace/event.h"
#include "trace/recorder.h"

#include <QJsonArray>
#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

LockRow held(const char* name, const char* client, std::int64_t ttlMs) {
    LockRow row;
    row.name = name;
    row.format = "redisson";
    row.state = LockRow::State::Held;
    row.ttlMs = ttlMs;
    row.holders = {{client, "1", 1, {}, "exclusive"}};
    row.raw = {{name, "hash", ttlMs, QStringLiteral("x")}};
    return row;
}

LockReport report(Nanos at, std::vector<LockRow> locks) {
    LockReport report;
    report.at = at;
    report.locks = std::move(locks);
    return report;
}

std::vector<std::pair<LockChange::Kind, QByteArray>> summary(const std::vector<LockChange>& changes) {
    std::vector<std::pair<LockChange::Kind, QByteArray>> all;
    for (const LockChange& change : changes)
        all.emplace_back(change.kind, change.row.name);
    return all;
}

using Summary = std::vector<std::pair<LockChange::Kind, QByteArray>>;
using Kind = LockChange::Kind;

/// A trace into which reports are written, at instants that the test sets.
struct Written {
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    Nanos now{};
    trace::Recorder recorder{trace, [this] { return now; }};
    TraceFeed feed{recorder, trace::kNoEntity,
                   [this](const Party& party) { return trace->intern(trace::EntityKind::Thread, party.client); }};
    ReportFeed reports{feed};
};

} // namespace
Q_DECLARE_METATYPE(lockscope::inspect::LockRow)

class TestLockReport : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void printsTheContractsObject() {
        LockReport one = report(0s, {held("orders", "A", 5)});
        one.wallMs = 1'790'000'000'123;
        const QJsonObject json = toJson(one, QStringLiteral("redis://h:6379"));
        QCOMPARE(json.keys(),
                 (QStringList{QStringLiteral("endpoint"), QStringLiteral("locks"), QStringLiteral("observed_at")}));
        QCOMPARE(json[QLatin1String("observed_at")].toString(), QStringLiteral("2026-09-21T14:13:20.123Z"));
        QCOMPARE(json[QLatin1String("locks")].toArray().size(), 1);
    }
    void drainingTtlIsNoChange() {
        const auto before = report(1s, {held("a", "A", 30'000)});
        QVERIFY(changesBetween(before, report(6s, {held("a", "A", 25'000)})).empty());
        QVERIFY(changesBetween(before, report(6s, {held("a", "A", 24'950)})).empty());
    }
    void renewedTtlIsAChange() {
        const auto before = report(1s, {held("a", "A", 30'000)});
        QCOMPARE(summary(changesBetween(before, report(6s, {held("a", "A", 30'000)}))),
                 (Summary{{Kind::Changed, "a"}}));
        QCOMPARE(summary(changesBetween(before, report(6s, {held("a", "A", 10'000)}))),
                 (Summary{{Kind::Changed, "a"}}));
    }
    void locksThatComeGoAndChangeHands() {
        const auto before = report(1s, {held("a", "A", 1000), held("b", "A", 1000), held("d", "A", 1000)});
        const auto after = report(1s, {held("b", "B", 1000), held("c", "A", 1000), held("d", "A", 1000)});
        QCOMPARE(summary(changesBetween(before, after)),
                 (Summary{{Kind::Vanished, "a"}, {Kind::Changed, "b"}, {Kind::Appeared, "c"}}));
    }
    void aLateLookIsNoRenewal() {
        LockRow early = held("a", "A", 30'000), late = held("a", "A", 25'083);
        early.ends = EndsWithin{31'000, 31'002};
        late.ends = EndsWithin{30'998, 31'090}; // it took 92 ms to be told
        QVERIFY(changesBetween(report(1s, {early}), report(6s, {late})).empty());
        late.ends = EndsWithin{31'003, 31'004};
        const auto changes = changesBetween(report(1s, {early}), report(6s, {late}));
        QCOMPARE(changes.size(), 1u);
        QCOMPARE(changes[0].what, LockChange::What::Renewed);
    }
    void aLateLookAtSeveralServersIsNoRenewal() {
        const auto kept = [](std::int64_t ttlMs, const std::vector<EndsWithin>& ends) {
            LockRow all = held("a", "A", ttlMs);
            for (const EndsWithin& end : ends)
                all.copies.emplace_back(held("a", "A", ttlMs)).ends = end;
            return report(1s, {all});
        };
        const EndsWithin exact{31'000, 31'002}, late{30'998, 31'900}, later{41'000, 41'002};
        const auto before = kept(30'000, {exact, exact, exact});
        QVERIFY(changesBetween(before, kept(29'100, {exact, late, late})).empty());
        QVERIFY(changesBetween(before, kept(30'900, {exact, late, late})).empty());
        const auto changes = changesBetween(before, kept(40'000, {exact, later, later}));
        QCOMPARE(changes.size(), 1u);
        QCOMPARE(changes[0].what, LockChange::What::Renewed);
    }
    void whatHappenedHasAWord_data() {
        using What = LockChange::What;
        QTest::addColumn<LockRow>("before");
        QTest::addColumn<LockRow>("after");
        QTest::addColumn<int>("what"); // -1: nothing
        LockRow free = held("a", "A", 0), queued = free, twice = held("a", "A", 25'000), never = twice, shorter = twice;
        for (LockRow* row : {&free, &queued}) {
            row->holders.clear();
            row->ttlMs.reset();
            row->state = LockRow::State::Free;
        }
        queued.state = LockRow::State::Queued;
        queued.waiterCount = 2;
        twice.holders[0].holds = 2;
        never.ttlMs.reset();
        never.neverExpires = true;
        shorter.ttlMs = 1000;
        LockRow waitedFor = held("a", "A", 25'000);
        waitedFor.waiterCount = 1;
        LockRow one = held("a", "A", 25'000), both = one, turned = one, other = one;
        for (LockRow* row : {&one, &both, &turned, &other})
            row->mode = "permit";
        both.holders.push_back({"B", "1", 1, {}, "permit"});
        turned.holders = {both.holders[1], both.holders[0]};
        const LockRow held30 = held("a", "A", 30'000), held25 = held("a", "A", 25'000);
        QTest::newRow("drains") << held30 << held25 << -1;
        QTest::newRow("taken") << free << held25 << int(What::Taken);
        QTest::newRow("renewed") << held30 << held30 << int(What::Renewed);
        QTest::newRow("shortened") << held30 << shorter << int(What::Shortened);
        QTest::newRow("re-entered") << held30 << twice << int(What::Reentered);
        QTest::newRow("held less") << twice << held("a", "A", 20'000) << int(What::HeldLess);
        QTest::newRow("handed over") << held30 << held("a", "B", 30'000) << int(What::ChangedHands);
        QTest::newRow("released") << held30 << free << int(What::Released);
        QTest::newRow("released to a queue") << held30 << queued << int(What::Released);
        QTest::newRow("expired") << held("a", "A", 4'999) << free << int(What::Expired);
        QTest::newRow("queue") << held30 << waitedFor << int(What::Queue);
        LockRow waits = held("a", "A", 25'000), waitsOn = held("a", "A", 20'000);
        waits.waiters.emplace(1).front().client = "W";
        waits.waiters->front().ttlMs = 9000;
        waitsOn.waiters = waits.waiters;
        waitsOn.waiters->front().ttlMs = 4000;
        waitsOn.waiters->front().about = "10.0.0.7";
        QTest::newRow("time passes in the queue") << waits << waitsOn << -1;
        QTest::newRow("no end any more") << held30 << never << int(What::Other);
        QTest::newRow("another permit") << one << both << int(What::Joined);
        QTest::newRow("a permit less") << both << one << int(What::Left);
        // Both permits have the TTL of the same key, which drained by the five seconds between the looks.
        turned.ttlMs = 20'000;
        QTest::newRow("the order of permits") << both << turned << -1;
    }
    void whatHappenedHasAWord() {
        QFETCH(LockRow, before);
        QFETCH(LockRow, after);
        QFETCH(int, what);
        LockReport first = report(1s, {before}), second = report(6s, {after});
        first.complete = true;
        const auto changes = changesBetween(first, second);
        QCOMPARE(changes.size(), what < 0 ? 0u : 1u);
        if (what >= 0) QCOMPARE(int(changes[0].what), what);
    }
    void aLockThatGoesWithItsServerIsNotReleased() {
        LockReport before = report(1s, {held("a", "A", 30'000)}), after = report(6s, {});
        before.complete = true;
        QCOMPARE(changesBetween(before, after).at(0).what, LockChange::What::Released);
        after.events = {ServerEvent::Restarted};
        QCOMPARE(changesBetween(before, after).at(0).what, LockChange::What::Lost);
        after.at = 60s; // its lease has ended while the server was away, whatever became of its data
        QCOMPARE(changesBetween(before, after).at(0).what, LockChange::What::Expired);
    }
    /// Its waiters are still there when it is looked for: its holder is told all the same.
    void aLockThatIsLostLeavesItsQueue() {
        LockRow queued = held("a", "A", 0);
        queued.holders.clear();
        queued.ttlMs.reset();
        queued.state = LockRow::State::Queued;
        queued.waiterCount = 2;
        LockReport before = report(1s, {held("a", "A", 30'000)}), after = report(6s, {queued});
        before.complete = true;
        after.events = {ServerEvent::Emptied};
        const auto changes = changesBetween(before, after);
        QCOMPARE(changes.size(), 2u);
        QCOMPARE(changes[0].what, LockChange::What::Lost);
        QCOMPARE(changes[0].kind, LockChange::Kind::Vanished);
        QCOMPARE(changes[0].row.holders.size(), 1u);
        QCOMPARE(changes[1].what, LockChange::What::Queue);
        QCOMPARE(changes[1].row, queued);
    }
    void aHoldThatStaysThroughAFailoverMayExistTwice() {
        LockReport before = report(1s, {held("a", "A", 30'000), held("b", "A", 30'000), held("c", "A", 30'000)});
        for (LockRow& row : before.locks)
            row.server = "h:1";
        before.locks[2].server = "h:2";
        LockReport after = report(2s, {held("a", "A", 60'000), held("c", "A", 29'000)});
        after.locks[0].server = "h:3";
        after.locks[1].server = "h:2";
        after.events = {ServerEvent::FailedOver};
        after.eventsAt = {"h:3", "h:1"};
        const auto changes = changesBetween(before, after);
        QCOMPARE(summary(changes), (Summary{{Kind::Changed, "a"}, {Kind::Vanished, "b"}}));
        QCOMPARE(changes[0].what, LockChange::What::FailedOver); // and no renewal, by another server's clock
        QCOMPARE(changes[1].what, LockChange::What::Lost);
        after.locks.pop_back(); // on a server to which nothing has happened
        QCOMPARE(changesBetween(before, after).back().what, LockChange::What::Released);
    }
    void whatWasThereBeforeIsFoundNotTaken() {
        LockReport before = report(1s, {}), after = report(6s, {held("a", "A", 30'000)});
        QCOMPARE(changesBetween(before, after).at(0).what, LockChange::What::Found);
        before.complete = true;
        QCOMPARE(changesBetween(before, after).at(0).what, LockChange::What::Taken);
    }
    void ttlThatAppearsIsAChange() {
        LockRow never = held("a", "A", 1000);
        never.ttlMs.reset();
        never.neverExpires = true;
        const auto changes = changesBetween(report(1s, {never}), report(1s, {held("a", "A", 1000)}));
        QCOMPARE(changes.size(), 1u);
    }

    void reportsBecomeARecord() {
        Written written;
        auto& [trace, now, recorder, feed, reports] = written;
        reports.write(report(0s, {held("a", "A", 1000), held("b", "A", 1000)}));
        now = 100ms;
        reports.write(report(100ms, {held("b", "B", 1000)}));
        LockReport trouble;
        trouble.trouble = WatchTrouble{};
        reports.write(trouble);
        reports.write(report(200ms, {held("b", "B", 900)}));
        LockReport empty = report(300ms, {});
        empty.events = {ServerEvent::Emptied};
        reports.write(empty);
        // Freed by that, and then seen to be gone.
        QCOMPARE(trace->at(trace->size() - 1).kind, trace::EventKind::RecordContent);
        QCOMPARE(trace->at(trace->size() - 2).kind, trace::EventKind::RecordFreed);
        QCOMPARE(trace->at(trace->size() - 2).flags, std::uint8_t(trace::FreedBy::NodeLoss));

        using trace::EventKind;
        std::vector<std::pair<EventKind, QByteArray>> seen;
        for (std::size_t i = 0; i < trace->size(); ++i)
            if (trace->kindAt(i) != EventKind::RecordContent)
                seen.emplace_back(trace->at(i).kind, trace->entity(trace->at(i).subject).name);
        const std::vector<std::pair<EventKind, QByteArray>> expected = {
            {EventKind::RecordHeld, "a"},       {EventKind::RecordHeld, "b"},     {EventKind::RecordFreed, "b"},
            {EventKind::RecordHeld, "b"},       {EventKind::RecordFreed, "a"},    {EventKind::RecordUnobserved, "a"},
            {EventKind::RecordUnobserved, "b"}, {EventKind::RecordObserved, "a"}, {EventKind::RecordObserved, "b"},
            {EventKind::RecordDeadline, "b"}, // 100 ms earlier, and by nobody that we know
            {EventKind::RecordFreed, "b"}};
        QCOMPARE(seen.size(), 11u);
        QCOMPARE(seen, expected);
    }

    void aRecordSaysWhichHoldsWereSeenToBegin() {
        Written written;
        LockReport look = report(0s, {held("found", "A", 9000)});
        look.complete = true;
        written.reports.write(look);
        look.locks.push_back(held("taken", "A", 9000));
        written.reports.write(look);
        LockReport trouble;
        trouble.trouble = WatchTrouble{};
        written.reports.write(trouble);
        look.locks.push_back(held("meanwhile", "A", 9000));
        written.reports.write(look);
        std::map<QByteArray, bool> begun;
        for (std::size_t i = 0; i < written.trace->size(); ++i) {
            const trace::Event event = written.trace->at(i);
            if (event.kind == trace::EventKind::RecordHeld)
                begun[written.trace->entity(event.subject).name] = (event.flags & trace::kSeenToBegin) != 0;
        }
        const std::map<QByteArray, bool> expected{{"found", false}, {"taken", true}, {"meanwhile", false}};
        QCOMPARE(begun, expected);
    }

    /// One of several servers restarts: its locks went with its data, and the others' were released.
    void ofSeveralServersOnlyOneLosesItsLocks() {
        Written written;
        auto& [trace, now, recorder, feed, reports] = written;
        LockReport before = report(0s, {held("gone", "A", 9000), held("next", "A", 9000), held("other", "A", 9000)});
        for (LockRow& row : before.locks)
            row.server = row.name == "other" ? "h:2" : "h:1";
        reports.write(before);
        now = 100ms;
        LockReport after = report(100ms, {held("next", "B", 9000)});
        after.locks.front().server = "h:1";
        after.events = {ServerEvent::Restarted};
        after.eventsAt = {"h:1"};
        reports.write(after);
        std::map<QByteArray, trace::FreedBy> freed;
        QByteArray content;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            const trace::Event event = trace->at(i);
            if (event.kind == trace::EventKind::RecordFreed)
                freed[trace->entity(event.subject).name] = trace::FreedBy(event.flags & trace::kFreedByMask);
            if (event.kind == trace::EventKind::RecordContent) content += trace->entity(event.aux).name;
        }
        const std::map<QByteArray, trace::FreedBy> expected{
            {"gone", trace::FreedBy::NodeLoss}, {"next", trace::FreedBy::NodeLoss}, {"other", trace::FreedBy::Release}};
        QVERIFY(freed == expected);
        QVERIFY(content.contains("h:1") && content.contains("h:2")); // the recording says where each lies
    }
};

QTEST_GUILESS_MAIN(TestLockReport)
#include "tst_lock_report.moc"
