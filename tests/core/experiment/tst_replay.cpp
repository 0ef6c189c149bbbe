// SPDX-License-Identifier: Apache-2.0
// A stretch of a recording as a scenario: run, it has the same holders in the same order for the same times.
#include "experiment/observed_uses.h"
#include "experiment/replay.h"
#include "experiment/replay_lock.h"
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "session/open_scenario.h"
#include "trace/recorder.h"

#include <QTest>

using namespace lockscope;
using experiment::ObservedUse;
using experiment::replayOf;
using scenario::Action;
using scenario::ProgramStep;
using trace::EntityKind;
using trace::EventKind;

namespace {

constexpr Nanos kTolerance = 50ms; ///< messages and wake-ups are drawn anew

scenario::Scenario builtin(const char* id, const char* recipe) {
    const auto opened = session::openScenario(QString::fromLatin1(id), QString::fromLatin1(recipe));
    if (!opened) qFatal("%s", qPrintable(opened.error().front().toString()));
    return *opened;
}

trace::RecordingMeta metaOf(const scenario::Scenario& scenario) {
    trace::RecordingMeta meta;
    meta.scenario = scenario::toJson(scenario);
    meta.recipe = scenario.recipe;
    return meta;
}

/// The holds of a run, in the order of their beginnings.
std::vector<ObservedUse> holdsOf(const trace::Trace& trace) {
    std::vector<ObservedUse> holds = experiment::observedUses(trace, Nanos(0), trace.reached()).uses;
    std::erase_if(holds, [](const ObservedUse& use) { return use.got == kNever; });
    std::ranges::stable_sort(holds, {}, &ObservedUse::got);
    return holds;
}

/// The client of the replay that stands for a thread: its program has the thread's name.
QString standsFor(const scenario::Scenario& replay, const QString& thread) {
    for (std::size_t i = 0; i < replay.groups.size(); ++i)
        if (replay.groups[i].program == thread) return scenario::clientName(int(i));
    return {};
}

const Nanos kRest = 10s; ///< of a run whose rest is left out: its holds have not ended

} // namespace

class TestReplay : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRunIsRepeated_data() {
        QTest::addColumn<QByteArray>("scenario");
        QTest::addColumn<QByteArray>("recipe");
        // Each grants in the order of its queue, so that chance has no part in who is next.
        QTest::newRow("redis-fair") << QByteArray("contention") << QByteArray("redis-fair");
        QTest::newRow("zk-mutex") << QByteArray("contention") << QByteArray("zk-mutex");
        QTest::newRow("etcd-lease") << QByteArray("contention") << QByteArray("etcd-lease");
    }
    void aRunIsRepeated() {
        QFETCH(const QByteArray, scenario);
        QFETCH(const QByteArray, recipe);
        const scenario::Scenario original = builtin(scenario, recipe);
        const auto before = experiment::run(original, 7);
        const auto replay = replayOf(*before.trace, metaOf(original), Nanos(0), original.until);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        const auto after = experiment::run(replay->scenario, 3);

        const std::vector<ObservedUse> was = holdsOf(*before.trace), is = holdsOf(*after.trace);
        QVERIFY(was.size() > 8);
        std::size_t compared = 0;
        for (std::size_t i = 0; i < std::min(was.size(), is.size()); ++i) {
            if (was[i].ended == kNever || was[i].got > original.until - kRest) break;
            const QString who = standsFor(replay->scenario, before.trace->displayName(was[i].thread));
            QCOMPARE(after.trace->displayName(after.trace->clientOf(is[i].thread)), who);
            const Nanos held = was[i].ended - was[i].got, holds = is[i].ended - is[i].got;
            QVERIFY2(std::chrono::abs(held - holds) < kTolerance,
                     qPrintable(QStringLiteral("hold %1: %2, then %3").arg(i).arg(held.count()).arg(holds.count())));
            const Nanos late = std::chrono::abs(was[i].asked - is[i].asked);
            QVERIFY2(late < kTolerance * int(i + 1),
                     qPrintable(QStringLiteral("hold %1: %2").arg(i).arg(late.count())));
            ++compared;
        }
        QVERIFY2(compared > 8, qPrintable(QString::number(compared)));
    }

    /// The question that it is for: with a longer lease the second holder waits for it, and nobody writes unguarded.
    void aLongerLeaseIsAnotherCourse() {
        scenario::Scenario original = builtin("gc-pause", "redis-set");
        const auto before = experiment::run(original, 1);
        const auto broken = std::size_t(verdict::Invariant::StaleWrite);
        QCOMPARE(before.verdict.outcomes[broken], verdict::Outcome::Violated);
        auto replay = replayOf(*before.trace, metaOf(original), Nanos(0), original.until);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        const auto pauses = std::ranges::count(replay->scenario.faults, Action::PauseClient, &scenario::Fault::action);
        QVERIFY(pauses >= 1);
        QCOMPARE(experiment::run(replay->scenario, 1).verdict.outcomes[broken], verdict::Outcome::Violated);
        replay->scenario.lock.lease = 60s;
        QCOMPARE(experiment::run(replay->scenario, 1).verdict.outcomes[broken], verdict::Outcome::Holds);
    }

    void whatIsWrittenIsRead() {
        const scenario::Scenario original = builtin("crash-holder", "redis-reentrant");
        const auto before = experiment::run(original, 5);
        const auto replay = replayOf(*before.trace, metaOf(original), 3s, 20s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        QCOMPARE(replay->scenario.until, Nanos(17s));
        const auto read = scenario::parseScenario(scenario::toJson(replay->scenario), QString());
        QVERIFY2(read, read ? "" : qPrintable(read.error().front().toString()));
        QCOMPARE(read->programs, replay->scenario.programs);
        QCOMPARE(read->faults, replay->scenario.faults);
        QVERIFY(scenario::toJson(*read).contains("\"lockscope\": 2"));
        const auto kills = std::ranges::count(read->faults, Action::KillClient, &scenario::Fault::action);
        QCOMPARE(kills, std::ptrdiff_t(1));
    }

    void aDiskThatStalledStallsAgain() {
        scenario::Scenario original = builtin("contention", "sql-lease");
        scenario::Fault stall;
        stall.at = 5s;
        stall.duration = 4s;
        stall.action = Action::StallDisk;
        stall.target = QStringLiteral("sql-1");
        original.faults = {stall};
        const auto before = experiment::run(original, 7);
        const auto replay = replayOf(*before.trace, metaOf(original), 2s, 20s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        std::vector<std::pair<Action, Nanos>> disk;
        for (const scenario::Fault& fault : replay->scenario.faults)
            if (fault.target == stall.target) disk.emplace_back(fault.action, *fault.at);
        QCOMPARE(disk, (std::vector<std::pair<Action, Nanos>>{{Action::StallDisk, 3s}, {Action::FreeDisk, 7s}}));
    }

    /// Rows as a watcher writes them: no client says a word, and a holder that is gone lets its lease run out.
    void strangersAreToldByTheRecord() {
        auto trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder(trace, [&now] { return now; });
        trace->setOriginWallMs(1'700'000'000'000);
        const auto lock = trace->intern(EntityKind::Lock, "orders", trace::kNoEntity, trace->text("redisson"));
        const auto thread = [&](const char* client) {
            return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
        };
        const auto a = thread("alpha"), b = thread("beta");
        const auto row = [&](Nanos at, EventKind kind, trace::EntityId actor, std::int64_t value = 0,
                             std::uint32_t aux = 0, std::uint8_t flags = 0) {
            now = at;
            recorder.emit(kind, actor, lock, value, aux, flags);
        };
        const auto endOf = [](Nanos at) { return (at + 9'800ms).count(); };
        row(1s, EventKind::RecordHeld, a, endOf(1s), 1);
        row(2s, EventKind::RecordQueued, b, 0);
        row(4s, EventKind::RecordFreed, trace::kNoEntity, 0, a, std::uint8_t(trace::FreedBy::Release));
        row(4100ms, EventKind::RecordHeld, b, endOf(4100ms), 1);
        row(4100ms, EventKind::RecordUnqueued, b);
        row(7s, EventKind::RecordRenewed, b, endOf(7s), 1);
        row(16800ms, EventKind::RecordFreed, trace::kNoEntity, 0, b, std::uint8_t(trace::FreedBy::Expiry));
        row(18s, EventKind::RecordHeld, a, endOf(18s), 1);
        row(19s, EventKind::RecordFreed, trace::kNoEntity, 0, a, std::uint8_t(trace::FreedBy::Release));
        now = 25s;
        trace->reach(now);

        const auto replay = replayOf(*trace, {}, Nanos(0), 25s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        const scenario::Scenario& scenario = replay->scenario;
        QCOMPARE(scenario.recipe, QStringLiteral("redis-reentrant"));
        QCOMPARE(scenario.lock.lease, Nanos(10s)); // the next whole second
        QCOMPARE(scenario.lock.watchdog, Nanos(2900ms));
        QCOMPARE(scenario.workload.clients, 2);
        const std::vector<ProgramStep>& steps = scenario.programs.front().steps;
        QCOMPARE(steps[0].range->low, Nanos(1s)); // think, take, work, release, think, take, …
        QCOMPARE(steps[2].range->low, Nanos(3s));
        QCOMPARE(steps[4].range->low, Nanos(14s));
        QCOMPARE(scenario.programs[1].steps[0].range->low, Nanos(2s));
        QCOMPARE(scenario.faults.size(), std::size_t(1)); // beta is gone after its last renewal
        QCOMPARE(scenario.faults[0].action, Action::KillClient);
        QCOMPARE(scenario.faults[0].target, QStringLiteral("B"));
        QCOMPARE(*scenario.faults[0].at, Nanos(7100ms));
        QVERIFY(!replay->notes.isEmpty());

        const auto run = experiment::run(scenario, 1);
        const std::vector<ObservedUse> holds = holdsOf(*run.trace);
        QCOMPARE(holds.size(), std::size_t(3));
        QVERIFY(holds[1].died);
        // The lease of a client that is gone runs out by itself, a lease after its last renewal.
        QVERIFY(holds[2].got > 16s);
    }

    /// One renewal soon after the grant and none for long after that is no watchdog of so short a period.
    void aFirstRenewalIsNotThePeriod() {
        auto trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder(trace, [&now] { return now; });
        trace->setOriginWallMs(1'700'000'000'000);
        const auto lock = trace->intern(EntityKind::Lock, "orders", trace::kNoEntity, trace->text("redisson"));
        const auto thread = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "alpha"));
        for (const Nanos from : {1s, 20s, 40s}) {
            for (const Nanos after : {Nanos(0), Nanos(450ms)}) {
                now = from + after;
                recorder.emit(after > 0ns ? EventKind::RecordRenewed : EventKind::RecordHeld, thread, lock,
                              (now + 30s).count(), 1);
            }
            now = from + 8s;
            recorder.emit(EventKind::RecordFreed, trace::kNoEntity, lock, 0, thread,
                          std::uint8_t(trace::FreedBy::Release));
        }
        trace->reach(50s);
        const auto replay = replayOf(*trace, {}, Nanos(0), 50s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        QCOMPARE(replay->scenario.lock.lease, Nanos(30s));
        QCOMPARE(replay->scenario.lock.watchdog, Nanos(10s));
    }

    /// A wait that ended in vain does not begin the program again.
    void aWaitInVainIsPassedOver() {
        auto trace = std::make_shared<trace::Trace>();
        Nanos now{};
        trace::Recorder recorder(trace, [&now] { return now; });
        const auto lock = trace->intern(EntityKind::Lock, "orders");
        const auto a = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "A"));
        const auto b = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "B"));
        const auto row = [&](Nanos at, EventKind kind, trace::EntityId actor, std::int64_t value = 0) {
            now = at;
            recorder.emit(kind, actor, lock, value);
        };
        row(1s, EventKind::Requested, a, -1);
        row(1s, EventKind::Granted, a);
        row(2s, EventKind::Requested, b, std::chrono::nanoseconds(3s).count());
        row(5s, EventKind::TimedOut, b);
        row(9s, EventKind::ReleaseSent, a);
        row(9s, EventKind::Released, a);
        row(10s, EventKind::Requested, b, -1);
        row(10s, EventKind::Granted, b);
        row(12s, EventKind::ReleaseSent, b);
        row(12s, EventKind::Released, b);
        now = 20s;
        trace->reach(now);
        const auto replay = replayOf(*trace, {}, Nanos(0), 20s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        const auto run = experiment::run(replay->scenario, 1);
        const auto uses = experiment::observedUses(*run.trace, Nanos(0), 20s).uses;
        QCOMPARE(uses.size(), std::size_t(3));
        QVERIFY(uses[1].gaveUp);
        QVERIFY(std::chrono::abs(uses[1].ended - Nanos(5s)) < kTolerance);
        QVERIFY(uses[2].got != kNever && std::chrono::abs(uses[2].got - Nanos(10s)) < kTolerance);
        QVERIFY(std::chrono::abs(uses[2].ended - Nanos(12s)) < kTolerance);
    }

    /// Locks that were there at the first look have told only the rest of their leases.
    void aLeaseOfWhichTheRestWasSeenIsAtLeastThat() {
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'700'000'000'000);
        const auto lock = trace->intern(EntityKind::Lock, "jobs", trace::kNoEntity, trace->text("etcd-mutex"));
        const auto a = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, "A"));
        trace->append({Nanos(1s).count(), Nanos(53800ms).count(), a, lock, 1, EventKind::RecordHeld});
        trace->append({Nanos(9s).count(), 0, trace::kNoEntity, lock, a, EventKind::RecordFreed,
                       std::uint8_t(trace::FreedBy::Release)});
        trace->reach(12s);
        const auto replay = replayOf(*trace, {}, Nanos(0), 12s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        QCOMPARE(replay->scenario.lock.lease, Nanos(60s));
        QVERIFY2(replay->notes.join(u' ').contains(u"lease at least"), qPrintable(replay->notes.join(u' ')));
    }

    /// GET_LOCK lasts as long as its session: no lease of it runs out in the replay.
    void aLockOfASessionIsReplayedAsOne() {
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'700'000'000'000);
        const auto lock = trace->intern(EntityKind::Lock, "report", trace::kNoEntity, trace->text("get-lock"));
        const auto thread = [&](const char* client) {
            return trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
        };
        const auto b = thread("B"), m = thread("M");
        trace->append({Nanos(1s).count(), -1, b, lock, 1, EventKind::RecordHeld});
        trace->append({Nanos(2s).count(), 0, m, lock, trace::kNoEntity, EventKind::RecordQueued});
        trace->reach(50s);
        const auto replay = replayOf(*trace, {}, Nanos(0), 50s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        QCOMPARE(replay->scenario.recipe, QStringLiteral("sql-advisory"));
        QVERIFY(replay->scenario.services.front().dialect == scenario::ServiceSpec::Dialect::MariaDb);
        QVERIFY2(!replay->notes.join(u' ').contains(u"lease"), qPrintable(replay->notes.join(u' ')));
        const auto run = experiment::run(replay->scenario, 1);
        const auto holds = holdsOf(*run.trace);
        QCOMPARE(holds.size(), std::size_t(1));
        QCOMPARE(holds.front().ended, kNever);
    }

    /// The file can be played, whatever kinds of servers were watched.
    void locksOfSeveralKindsOfServers() {
        const auto trace = std::make_shared<trace::Trace>();
        trace->setOriginWallMs(1'700'000'000'000);
        const auto hold = [&](const char* name, const char* format, const char* client, trace::HoldMode mode) {
            const auto lock = trace->intern(EntityKind::Lock, name, trace::kNoEntity, trace->text(format));
            const auto thread = trace->intern(EntityKind::Thread, "1", trace->intern(EntityKind::Client, client));
            const Nanos at = 1s + Nanos(trace->size());
            trace->append({at.count(), (at + 30s).count(), thread, lock, 1, EventKind::RecordHeld, std::uint8_t(mode)});
        };
        using Mode = trace::HoldMode;
        hold("a", "redisson", "A", Mode::Exclusive);
        hold("b", "redisson", "B", Mode::Exclusive);
        hold("c", "etcd-mutex", "C", Mode::Exclusive);
        hold("d", "sql-lease", "D", Mode::Shared); // no recipe of the simulator does this
        trace->reach(12s);
        const auto replay = replayOf(*trace, {}, Nanos(0), 12s);
        QVERIFY2(replay, replay ? "" : qPrintable(replay.error()));
        const scenario::Scenario& scenario = replay->scenario;
        QVERIFY(session::recipeProblems(scenario, {}).empty());
        QCOMPARE(scenario.recipe, QStringLiteral("redis-reentrant"));
        QCOMPARE(scenario.moreLocks.size() + 1, std::size_t(2));
        const QString notes = replay->notes.join(u'\n');
        QVERIFY2(notes.contains(u"Only the 2 of 4") && notes.contains(u"sql-lease for 1"), qPrintable(notes));
    }

    void aServersKindIsThatOfItsScheme() {
        for (const auto& [url, kind] : {std::pair("rediss://mysql-cache:6379", "redis"),
                                        {"redis+cluster://h:1", "redis"},
                                        {"zookeeper://redis-1:2181/sql", "zookeeper"},
                                        {"postgresql://h/db", "sql"},
                                        {"memcacheds://h:1", "memcached"},
                                        {"etcds://h:1", "etcd"}})
            QCOMPARE(experiment::kindOfService(url), QByteArray(kind));
    }

    void anEmptyStretchIsRefused() {
        const auto trace = std::make_shared<trace::Trace>();
        trace->reach(10s);
        QVERIFY(!replayOf(*trace, {}, 5s, 5s));
        const auto nobody = replayOf(*trace, {}, 1s, 5s);
        QVERIFY(!nobody && nobody.error().contains(QStringLiteral("nobody used a lock")));
    }
};

QTEST_GUILESS_MAIN(TestReplay)
#include "tst_replay.moc"
