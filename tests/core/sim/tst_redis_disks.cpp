// SPDX-License-Identifier: Apache-2.0
// A record says nothing of Redis servers that die and keep their data on their disks, until they are back.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using scenario::Action;
using scenario::ServiceSpec;
using trace::Event;
using trace::EventKind;
using trace::FreedBy;
using verdict::Invariant;
using verdict::Outcome;
using Persistence = ServiceSpec::Persistence;

namespace {

constexpr Nanos kDead = 2s; ///< how long servers stay dead

/// Redis servers that keep their data so; the holder of the first grant holds for a while.
scenario::Scenario onRedis(const char* recipe, Persistence persistence, int masters = 1) {
    scenario::Scenario s;
    s.id = s.title = QStringLiteral("disks");
    s.recipe = QString::fromLatin1(recipe);
    s.until = 30s;
    s.lock.lease = 10s;
    s.workload.clients = 2;
    s.workload.hold = {8s, 8s};
    ServiceSpec service = scenario::defaultService(QStringLiteral("redis"), masters == 1 ? ServiceSpec::Shape::Single
                                                                                         : ServiceSpec::Shape::Masters);
    service.nodes = masters;
    service.persistence = persistence;
    s.setServices({service});
    return s;
}

void strike(scenario::Scenario& s, Action action, int servers, Nanos after, Nanos dead = kDead) {
    for (int i = 1; i <= servers; ++i) {
        scenario::Fault f;
        f.when = scenario::Trigger{scenario::Trigger::On::Granted, 1, after};
        f.action = action;
        f.target = QStringLiteral("redis-%1").arg(i);
        f.duration = dead;
        s.faults.push_back(f);
    }
}

/// The rows about the record of the lock itself, not of its copies.
struct Story {
    std::vector<Event> held, freed, unobserved, observed;
    std::vector<Nanos> killed, started; ///< servers
    explicit Story(const trace::Trace& trace) {
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const Event e = trace.at(i);
            if (e.kind == EventKind::NodeKilled) killed.push_back(e.time());
            if (e.kind == EventKind::NodeStarted && e.at > 0) started.push_back(e.time());
            if (!isRecord(e.kind) || trace.copyOf(e.subject) != trace::kNoEntity) continue;
            if (e.kind == EventKind::RecordHeld) held.push_back(e);
            if (e.kind == EventKind::RecordFreed) freed.push_back(e);
            if (e.kind == EventKind::RecordUnobserved) unobserved.push_back(e);
            if (e.kind == EventKind::RecordObserved) observed.push_back(e);
        }
    }
};

} // namespace

class TestRedisDisks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void keptRecordIsUnobservedAndThenTheSame_data() {
        QTest::addColumn<int>("persistence");
        QTest::addColumn<bool>("crash");
        QTest::newRow("always, killed") << int(Persistence::Always) << false;
        QTest::newRow("always, crashed") << int(Persistence::Always) << true;
        QTest::newRow("everysec, killed") << int(Persistence::EverySecond) << false;
        QTest::newRow("everysec, crashed long after the write") << int(Persistence::EverySecond) << true;
    }
    void keptRecordIsUnobservedAndThenTheSame() {
        QFETCH(int, persistence);
        QFETCH(bool, crash);
        auto s = onRedis("redis-set", Persistence(persistence));
        strike(s, crash ? Action::CrashNode : Action::KillNode, 1, 2500ms);
        const auto report = experiment::run(s, 1);
        const Story story(*report.trace);
        QCOMPARE(story.killed.size(), 1u);
        QCOMPARE(story.unobserved.size(), 1u);
        QCOMPARE(story.observed.size(), 1u);
        QCOMPARE(story.unobserved[0].time(), story.killed[0]);
        QCOMPARE(story.observed[0].time(), story.started[0]);
        // The hold went on: no row ended it before its holder gave it back, or, where no client was told that its
        // connection is dead, before its lease ended.
        QVERIFY(story.freed.size() >= 1);
        QCOMPARE(reasonOf(story.freed[0]), crash ? FreedBy::Expiry : FreedBy::Release);
        QVERIFY(story.freed[0].time() > story.started[0]);
        QCOMPARE(story.freed[0].aux, story.held[0].actor);
    }

    void unwrittenRecordIsLostWhenTheServerIsBack() {
        auto s = onRedis("redis-set", Persistence::EverySecond);
        s.workload.think = {100ms, 100ms}; // the grant comes between two flushes
        strike(s, Action::CrashNode, 1, 50ms);
        const auto report = experiment::run(s, 1);
        const Story story(*report.trace);
        QCOMPARE(story.unobserved.size(), 1u);
        QCOMPARE(story.unobserved[0].time(), story.killed[0]);
        QVERIFY(!story.freed.empty());
        QCOMPARE(reasonOf(story.freed[0]), FreedBy::NodeLoss);
        QCOMPARE(story.freed[0].time(), story.started[0]);
    }

    void recordWithoutADiskIsLostAtOnce() {
        auto s = onRedis("redis-set", Persistence::None);
        strike(s, Action::KillNode, 1, 2500ms);
        const auto report = experiment::run(s, 1);
        const Story story(*report.trace);
        QVERIFY(story.unobserved.empty());
        QCOMPARE(reasonOf(story.freed[0]), FreedBy::NodeLoss);
        QCOMPARE(story.freed[0].time(), story.killed[0]);
    }

    void leaseThatEndsMeanwhileHasExpired() {
        auto s = onRedis("redis-set", Persistence::Always);
        s.lock.lease = 3s;
        strike(s, Action::KillNode, 1, 2500ms);
        const auto report = experiment::run(s, 1);
        const Story story(*report.trace);
        QVERIFY(!story.freed.empty());
        QCOMPARE(reasonOf(story.freed[0]), FreedBy::Expiry);
        QCOMPARE(story.freed[0].time(), story.started[0]);
    }

    void majorityOnDisksIsUnobservedUntilItsLeaseEnds() {
        constexpr int kMasters = 5, kDeadMasters = 3;
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            auto s = onRedis("redis-redlock", Persistence::Always, kMasters);
            strike(s, Action::KillNode, kDeadMasters, 1s, 20s);
            const auto report = experiment::run(s, seed);
            const Story story(*report.trace);
            QCOMPARE(story.killed.size(), std::size_t(kDeadMasters));
            QCOMPARE(story.unobserved.size(), 1u);
            QCOMPARE(story.unobserved[0].time(), story.killed.back());
            QCOMPARE(story.observed.size(), 1u);
            // The copies on the disks end with their lease: from then on nobody can hold the lock.
            QVERIFY(story.observed[0].time() < story.started[0]);
            QCOMPARE(story.observed[0].time(), story.freed[0].time());
            QCOMPARE(reasonOf(story.freed[0]), FreedBy::Expiry);
            QVERIFY(std::ranges::none_of(story.freed, [](const Event& e) { return reasonOf(e) == FreedBy::NodeLoss; }));
            QVERIFY(outcome(report, Invariant::StaleWrite) != Outcome::Violated);
            QVERIFY(outcome(report, Invariant::Progress) != Outcome::Violated);
        }
    }

    void majorityThatRunsIsObserved() {
        auto s = onRedis("redis-redlock", Persistence::Always, 5);
        strike(s, Action::KillNode, 2, 1s, 20s);
        const auto report = experiment::run(s, 1);
        const Story story(*report.trace);
        QCOMPARE(story.killed.size(), 2u);
        // While a release goes from server to server, the copies on disks may make up a majority for a moment.
        constexpr Nanos kRelease = 10ms;
        QCOMPARE(story.observed.size(), story.unobserved.size());
        for (std::size_t i = 0; i < story.observed.size(); ++i)
            QVERIFY(story.observed[i].time() - story.unobserved[i].time() < kRelease);
        QVERIFY(story.held.size() > 1);
        QCOMPARE(outcome(report, Invariant::StaleWrite), Outcome::Holds);
        QCOMPARE(outcome(report, Invariant::Progress), Outcome::Holds);
    }

    void majorityOnDisksIsTheSameWhenItIsBack() {
        auto s = onRedis("redis-redlock", Persistence::Always, 5);
        strike(s, Action::KillNode, 3, 1s);
        const auto report = experiment::run(s, 1);
        const Story story(*report.trace);
        QCOMPARE(story.unobserved.size(), 1u);
        QCOMPARE(story.observed.size(), 1u);
        QCOMPARE(story.observed[0].time(), story.started[0]);
        QVERIFY(!story.freed.empty());
        QVERIFY(story.freed[0].time() > story.started[0]);
        QCOMPARE(reasonOf(story.freed[0]), FreedBy::Release);
    }
};

QTEST_GUILESS_MAIN(TestRedisDisks)
#include "tst_redis_disks.moc"
