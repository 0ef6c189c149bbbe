// SPDX-License-Identifier: Apache-2.0
#include "alert_reports.h"
#include "inspect/alert_history.h"
#include "inspect/report_feed.h"
#include "inspect/server_teller.h"
#include "inspect/trace_feed.h"
#include "trace/connection.h"
#include "trace/recorder.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::test;
using trace::EntityKind;
using trace::EventKind;

namespace {

const QStringList kRules{u"held>5s"_qs,   u"no-expiry"_qs,   u"waiters>2"_qs,      u"waited>3s"_qs,
                         u"dead-head"_qs, u"token-back"_qs,  u"unreachable>2s"_qs, u"failed-over"_qs,
                         u"deadlock"_qs,  u"holder-gone"_qs, u"hand-overs>2"_qs,   u"renewal-late>2s"_qs,
                         u"left<2s"_qs,   u"may-evict"_qs};

std::vector<AlertRule> rules() {
    std::vector<AlertRule> all;
    for (const QString& text : kRules)
        all.push_back(*parseAlertRule(text));
    return all;
}

/// A server whose reports go to the rules and into a trace, as while watching.
struct Watched {
    struct World {
        std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder{trace, [this] { return now; }};
        World() { trace->setOriginWallMs(kWall); }
    };

    explicit Watched(World& world, const QByteArray& name = "shop")
        : in(world),
          connection(trace::internConnection(*in.trace, name, "redis://" + name)),
          node(in.trace->intern(EntityKind::Node, name, connection)),
          feed(
              in.recorder, node,
              [this](const Party& party) {
                  const trace::EntityId client = in.trace->intern(EntityKind::Client, party.client);
                  return in.trace->intern(EntityKind::Thread, party.thread.value_or(QByteArray()), client);
              },
              2ms),
          reports(feed),
          teller(in.recorder, node) {}

    void look(const LockReport& report) {
        in.now = report.at;
        for (const LateRenewal& late : watch.observe(report))
            feed.renewalLate(late, report.at);
        if (report.trouble && !lost)
            in.recorder.emit(EventKind::ConnectionLost, trace::kNoEntity, node, watch.silentFor(report.at).count(),
                             in.trace->text(report.trouble->message.toUtf8()));
        if (!report.trouble && lost) in.recorder.emit(EventKind::ConnectionRestored, trace::kNoEntity, node);
        lost = report.trouble.has_value();
        if (!lost) teller.write(report);
        reports.write(report);
    }
    void take(const std::vector<Alert>& changes) {
        for (const Alert& alert : changes)
            told << words(alert, in.now);
    }
    /// Takes the report, and checks the rules four times until the next one, as often as while watching.
    void lookAndCheck(const LockReport& report) {
        look(report);
        for (Nanos at = report.at; at < report.at + 1s; at += 250ms) {
            in.now = at;
            take(watch.check(at));
            in.trace->reach(at);
        }
    }

    static QString words(const Alert& alert, Nanos at) {
        const bool over = alert.state == Alert::State::Over;
        return QStringLiteral("%1 s %2%3 %4: %5")
            .arg(at / 1s)
            .arg(over ? QStringLiteral("over ") : QString(), alert.rule.text, QString::fromUtf8(alert.lock),
                 over ? QString() : alert.sentence);
    }

    World& in;
    trace::EntityId connection, node;
    TraceFeed feed;
    ReportFeed reports;
    ServerTeller teller;
    AlertWatch watch{rules()};
    bool lost = false;
    QStringList told; ///< as it happened
};

/// The first line that only one of them has; empty: they are equal.
QString difference(const QStringList& past, const QStringList& told) {
    for (const QString& line : past)
        if (!told.contains(line)) return u"only in the recording: "_qs + line;
    for (const QString& line : told)
        if (!past.contains(line)) return u"only live: "_qs + line;
    return past.size() == told.size() ? QString() : u"some lines are told twice"_qs;
}

/// The alerts that the trace alone gives, in the words of Watched::told.
QStringList again(const std::vector<PastAlert>& past) {
    QStringList all;
    for (const PastAlert& one : past) {
        const bool ring = one.alert.rule.kind == AlertRule::Kind::Deadlock; // it may have closed before it was seen
        all << Watched::words(one.alert,
                              ring ? std::chrono::ceil<std::chrono::seconds>(one.alert.since) : one.alert.since);
        Alert over = one.alert;
        over.state = Alert::State::Over;
        if (one.until) all << Watched::words(over, *one.until);
    }
    return all;
}

QStringList again(const Watched& watched) {
    const auto found = alertsIn(*watched.in.trace, {{watched.connection, rules()}});
    return again(found.front());
}

LockReport down(Nanos at) {
    LockReport report = test::report(at, {});
    report.trouble = WatchTrouble{WatchTrouble::Kind::Unreachable, {}, u"nobody answers"_qs};
    return report;
}

} // namespace

/// The alerts of a recording are those that were told while it was made.
class TestAlertHistory : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRecordingTellsWhatWasToldLive() {
        Watched::World world;
        Watched shop(world);
        // Looks are a second apart, so that a rule that time alone makes true is seen in the same second.
        for (int second = 1; second <= 60; ++second) {
            const Nanos at = std::chrono::seconds(second);
            if (second >= 30 && second < 36) { // longer than the rule allows
                shop.lookAndCheck(down(at));
                continue;
            }
            std::vector<LockRow> rows;
            LockRow orders = held("orders", second < 20 ? "A" : "B"); // A longer than 5 s, B again
            orders.ttlMs = 60'000 - second * 1000;
            orders.ends = EndsWithin{60'000, 60'000};
            for (const char* waiter : {"C", "D", "E"})
                if (second > 8 && second < 15) waits(orders, waiter); // three, for longer than 3 s
            if (second > 16 && second < 19) {
                waits(orders, "F");
                orders.waiters->front().dead = true;
                orders.waiterCount = 0;
                orders.deadWaiters = 1;
            }
            orders.token = second == 40 ? 5 : 7;
            rows.push_back(orders);
            LockRow never = held("reports", "G");
            never.neverExpires = true;
            never.holders.front().about = "10.0.0.7:4711, redis-py 5.0.1";
            never.holders.front().gone = second > 44;
            if (second > 3) rows.push_back(never);
            LockRow busy = held("busy", second % 2 ? "H" : "I");
            if (second > 50) rows.insert(rows.begin(), busy); // another holder each second
            LockReport report = test::report(at, rows);
            if (second == 25) report.events = {ServerEvent::FailedOver};
            shop.lookAndCheck(report);
        }
        QCOMPARE(difference(again(shop), shop.told), QString());
        const QString all = shop.told.join(u'\n');
        for (const char* kind : {"held>5s", "no-expiry", "waiters>2", "waited>3s", "dead-head", "token-back",
                                 "unreachable>2s", "failed-over", "hand-overs>2", "holder-gone"})
            QVERIFY2(all.contains(QLatin1String(kind)), kind); // else the comparison says nothing about it
        QVERIFY2(all.contains(u"10.0.0.7:4711"_qs), qPrintable(all));
    }

    void renewalsThatStopAreLateInARecordingToo() {
        Watched::World world;
        Watched shop(world);
        std::int64_t endMs = 20'000;
        for (int second = 1; second <= 40; ++second) {
            if (second <= 20 && second % 4 == 0) endMs = second * 1000 + 20'000; // every 4 s, and then no more
            LockRow job = held("job", "A");
            job.ttlMs = endMs - second * 1000;
            job.ends = EndsWithin{endMs, endMs + 2};
            shop.lookAndCheck(
                test::report(std::chrono::seconds(second), *job.ttlMs > 0 ? std::vector{job} : std::vector<LockRow>()));
        }
        const QString told = shop.told.join(u'\n'), past = again(shop).join(u'\n');
        QVERIFY2(told.contains(u"renewal-late>2s job"_qs) && told.contains(u"left<2s job"_qs), qPrintable(told));
        QVERIFY2(past.contains(u"renewal-late>2s job"_qs) && past.contains(u"left<2s job"_qs), qPrintable(past));
    }

    void aDeadlockOverTwoServersIsOneOfBothInARecording() {
        Watched::World world;
        Watched shop(world, "shop"), bank(world, "bank");
        for (Watched* one : {&shop, &bank})
            one->watch.joinClients([](const Party& party) { return party.client; },
                                   QString::fromUtf8(one == &shop ? "shop" : "bank"));
        for (int second = 1; second <= 20; ++second) {
            LockRow orders = held("orders", "A"), accounts = held("accounts", "B");
            if (second >= 4) waits(orders, "B");
            if (second >= 6 && second < 12) waits(accounts, "A");
            const Nanos at = std::chrono::seconds(second);
            shop.look(test::report(at, {orders}));
            bank.look(test::report(at, {accounts}));
            AlertWatch* const both[] = {&shop.watch, &bank.watch};
            AlertWatch::findRings(both);
            for (world.now = at; world.now < at + 1s; world.now += 250ms)
                for (Watched* one : {&shop, &bank})
                    one->take(one->watch.check(world.now, AlertWatch::Rings::Given));
            world.trace->reach(at + 750ms);
        }
        const auto found = alertsIn(*world.trace, {{shop.connection, rules()}, {bank.connection, rules()}});
        QCOMPARE(difference(again(found[0]), shop.told), QString());
        QCOMPARE(difference(again(found[1]), bank.told), QString());
        QVERIFY2(shop.told.join(u'\n').contains(u"6 s deadlock orders"_qs), qPrintable(shop.told.join(u'\n')));
    }

    void otherRulesFindOtherAlerts() {
        Watched::World world;
        Watched shop(world);
        for (int second = 1; second <= 9; ++second)
            shop.lookAndCheck(test::report(std::chrono::seconds(second), {held("orders", "A")}));
        const auto counted = [&](const char* rule) {
            const std::vector<AlertRule> one{*parseAlertRule(QString::fromLatin1(rule))};
            return alertsIn(*world.trace, {{shop.connection, one}}).front().size();
        };
        QCOMPARE(counted("held>5s"), 1u);
        QCOMPARE(counted("held>1m"), 0u);
        QCOMPARE(alertsIn(*world.trace, {}).size(), 0u);
    }

    /// A setting of the server, and no lock's.
    void thatAServerMayDropLocksIsInTheRecording() {
        Watched::World world;
        Watched shop(world);
        for (int second = 1; second <= 12; ++second) {
            LockReport report = test::report(std::chrono::seconds(second), {held("orders", "A")});
            if (second >= 4 && second < 9) report.notes = {{WatchNote::Kind::MayEvict, 0, {"allkeys-lru"}}};
            shop.lookAndCheck(report);
        }
        QCOMPARE(difference(again(shop), shop.told), QString());
        const QString all = shop.told.join(u'\n');
        QVERIFY2(all.contains(u"4 s may-evict"_qs) && all.contains(u"allkeys-lru"_qs), qPrintable(all));
        QVERIFY2(all.contains(u"9 s over may-evict"_qs), qPrintable(all));
    }

    /// It was silent before the question failed: the alert tells that time, too.
    void silenceBeforeTheLossCountsInARecordingToo() {
        Watched::World world;
        Watched shop(world);
        shop.lookAndCheck(test::report(1s, {held("orders", "A")}));
        shop.watch.setUnanswered(2s);
        shop.lookAndCheck(down(7s));
        shop.lookAndCheck(test::report(9s, {held("orders", "A")}));
        const auto past = alertsIn(*world.trace, {{shop.connection, {*parseAlertRule(u"unreachable>4s"_qs)}}}).front();
        QCOMPARE(past.size(), std::size_t(1)); // by the loss alone it would be two seconds
        QCOMPARE(past.front().alert.since, Nanos(7s));
        QVERIFY2(past.front().alert.sentence.contains(u"5.0 s"), qPrintable(past.front().alert.sentence));
    }

    /// Nothing of it shows any more, live and in the recording: no alert goes on about it.
    void aLockThatIsNoLongerShownRaisesNothing() {
        Watched::World world;
        Watched shop(world);
        for (int second = 1; second <= 20; ++second) {
            LockRow row = held("goods:pears", "A");
            row.format = "pg-row";
            waits(row, "B");
            const bool shows = second < 9 || second > 14;
            shop.lookAndCheck(
                test::report(std::chrono::seconds(second), shows ? std::vector{row} : std::vector<LockRow>()));
        }
        const QString told = shop.told.join(u'\n'), past = again(shop).join(u'\n');
        for (const QString& all : {told, past})
            QVERIFY2(all.contains(u"held>5s goods:pears"_qs) && all.contains(u"9 s over held>5s"_qs), qPrintable(all));
    }

    void aSearchThatIsNotWantedAnyMoreEnds() {
        Watched::World world;
        Watched shop(world);
        shop.lookAndCheck(test::report(1s, {held("orders", "A")}));
        world.trace->reach(1000h);
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(alertsIn(*world.trace, {{shop.connection, rules()}}, stop.get_token()).front().size() <= 1);
    }
};

QTEST_GUILESS_MAIN(TestAlertHistory)
#include "tst_alert_history.moc"
