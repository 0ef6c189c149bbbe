// SPDX-License-Identifier: Apache-2.0
// Disks that stall: each kind of server waits where a real one waits, and not elsewhere.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using scenario::Action;
using scenario::Fault;
using scenario::Scenario;
using scenario::ServiceSpec;
using trace::Event;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;
using Persistence = ServiceSpec::Persistence;

namespace {

constexpr Nanos kFrom = 5s, kTo = 15s;
/// Requests that are under way at an instant have come and gone so soon.
constexpr Nanos kUnderWay = 100ms;

Scenario on(const char* recipe, ServiceSpec service, const char* target) {
    Scenario s;
    s.id = s.title = QStringLiteral("stalls");
    s.recipe = QString::fromLatin1(recipe);
    s.until = 40s;
    s.lock.lease = 6s;
    s.lock.watchdog = 2s;
    s.workload.clients = 3;
    s.workload.hold = {300ms, 800ms};
    s.workload.think = {50ms, 300ms};
    s.setServices({std::move(service)});
    Fault stall;
    stall.at = kFrom;
    stall.duration = kTo - kFrom;
    stall.action = Action::StallDisk;
    stall.target = QString::fromLatin1(target);
    s.faults = {stall};
    return s;
}

ServiceSpec redis(Persistence persistence) {
    ServiceSpec service = scenario::defaultService(QStringLiteral("redis"));
    service.persistence = persistence;
    return service;
}

ServiceSpec alone(const char* kind) {
    ServiceSpec service = scenario::defaultService(QString::fromLatin1(kind));
    service.nodes = 1;
    return service;
}

std::ptrdiff_t countIn(const trace::Trace& trace, EventKind kind, Nanos from, Nanos to) {
    return std::ranges::count_if(rows(trace, kind), [&](const Event& e) { return e.time() > from && e.time() < to; });
}

QByteArrayList settings(const trace::Trace& trace) {
    QByteArrayList texts;
    for (const Event& event : rows(trace, EventKind::SettingChanged))
        texts += trace.entity(event.aux).name;
    return texts;
}

} // namespace

class TestStalledDisks final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Where an answer to a write comes after the disk has it, nobody is granted anything, until the disk is free.
    void aWriteWaitsForTheDisk_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<ServiceSpec>("service");
        QTest::addColumn<QByteArray>("target");
        const auto row = [](const char* name, const char* recipe, const ServiceSpec& service, const char* target) {
            QTest::newRow(name) << QByteArray(recipe) << service << QByteArray(target);
        };
        row("redis, always", "redis-set", redis(Persistence::Always), "redis-1");
        row("etcd alone", "etcd-lease", alone("etcd"), "etcd-1");
        row("zookeeper alone", "zk-mutex", alone("zookeeper"), "zk-1");
        ServiceSpec sql = scenario::defaultService(QStringLiteral("sql"));
        row("mariadb", "sql-lease", sql, "sql-1");
        sql.dialect = ServiceSpec::Dialect::PostgreSql;
        row("postgresql", "sql-lease", sql, "sql-1");
    }
    void aWriteWaitsForTheDisk() {
        QFETCH(QByteArray, recipe);
        QFETCH(ServiceSpec, service);
        QFETCH(QByteArray, target);
        const Scenario scenario = on(recipe.constData(), service, target.constData());
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            QCOMPARE(settings(trace), (QByteArrayList{"disk=stalled", "disk=free"}));
            QVERIFY(countIn(trace, EventKind::Granted, 0s, kFrom) > 2);
            QCOMPARE(countIn(trace, EventKind::Granted, kFrom + kUnderWay, kTo), 0);
            QVERIFY(countIn(trace, EventKind::Granted, kTo, 40s) > 2);
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
        }
    }

    /// Each of these goes on: no answer waits for the disk, or enough other servers have one.
    void othersGoOn_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<ServiceSpec>("service");
        QTest::addColumn<QByteArray>("target");
        QTest::newRow("etcd, a follower")
            << QByteArray("etcd-lease") << scenario::defaultService(QStringLiteral("etcd"))
            << QByteArray("follower[0]");
        const ServiceSpec ensemble = scenario::defaultService(QStringLiteral("zookeeper"));
        QTest::newRow("zookeeper, the leader") << QByteArray("zk-mutex") << ensemble << QByteArray("leader");
        QTest::newRow("zookeeper, a follower") << QByteArray("zk-mutex") << ensemble << QByteArray("follower[0]");
        // A lock of a session is no row: nothing is committed.
        QTest::newRow("sql, a named lock")
            << QByteArray("sql-advisory") << scenario::defaultService(QStringLiteral("sql")) << QByteArray("sql-1");
    }
    void othersGoOn() {
        QFETCH(QByteArray, recipe);
        QFETCH(ServiceSpec, service);
        QFETCH(QByteArray, target);
        const Scenario scenario = on(recipe.constData(), service, target.constData());
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QVERIFY(countIn(*report.trace, EventKind::Granted, kFrom, kTo) > 2);
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
        }
    }

    /// Two stalled disks of three leave no majority that has anything on a disk.
    void amongThreeZooKeeperServersTwoDisksAreNeeded() {
        Scenario scenario = on("zk-mutex", scenario::defaultService(QStringLiteral("zookeeper")), "follower[0]");
        Fault second = scenario.faults.front();
        second.target = QStringLiteral("leader");
        scenario.faults.push_back(second);
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QCOMPARE(countIn(*report.trace, EventKind::Granted, kFrom + kUnderWay, kTo), 0);
            QVERIFY(countIn(*report.trace, EventKind::Granted, kTo, 40s) > 2);
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
        }
    }

    /// A flush every second: a hanging one is noticed within a second, and two more pass before the server waits for
    /// it.
    void everySecondWaitsAfterTwoMore() {
        const Scenario scenario = on("redis-set", redis(Persistence::EverySecond), "redis-1");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            QCOMPARE(reachedSoFar(sim::Probe::StoodStill), std::uint64_t(1));
            QVERIFY(countIn(trace, EventKind::Granted, kFrom, kFrom + 2s) > 0);
            // The next flush that has something to do, the next write after it, and two seconds.
            constexpr Nanos kFlush = 2s, kWrite = 1200ms, kPatience = 2s;
            QCOMPARE(countIn(trace, EventKind::Granted, kFrom + kFlush + kWrite + kPatience, kTo), 0);
            QVERIFY(countIn(trace, EventKind::Granted, kTo, 40s) > 2);
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
        }
    }

    void aShortStallIsNotNoticedEverySecond() {
        Scenario scenario = on("redis-set", redis(Persistence::EverySecond), "redis-1");
        scenario.faults.front().duration = 1900ms;
        sim::resetProbes();
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(reachedSoFar(sim::Probe::StoodStill), std::uint64_t(0));
        QVERIFY(countIn(*report.trace, EventKind::Granted, kFrom + 1s, kFrom + 1900ms) > 0);
    }

    /// Sentinels replace a master that stands before its disk, though its process runs.
    void sentinelsReplaceAMasterThatWaits() {
        ServiceSpec service = scenario::defaultService(QStringLiteral("redis"), ServiceSpec::Shape::Sentinel);
        service.persistence = Persistence::Always;
        Scenario scenario = on("redis-set", service, "master");
        scenario.faults.front().duration = 20s;
        const auto report = experiment::run(scenario, 1);
        const auto roles = rows(*report.trace, EventKind::NodeRole);
        QVERIFY(std::ranges::any_of(roles, [&](const Event& e) {
            return e.time() > kFrom && e.time() < kTo && report.trace->entity(e.aux).name == "master";
        }));
        QVERIFY(countIn(*report.trace, EventKind::Granted, kTo, kFrom + 20s) > 0);
    }

    /// E17: a leader whose Raft loop stands sends no heartbeats, so that others elect a new one, and answers
    /// keep-alives all the same. The recipe asks for its key besides, which that leader cannot answer: its holder goes
    /// elsewhere.
    void aStalledLeaderOfEtcdIsReplacedAndAnswersKeepAlives() {
        Scenario scenario = on("etcd-lease", scenario::defaultService(QStringLiteral("etcd")), "leader");
        scenario.faults.front().duration = 20s;
        scenario.workload.hold = {18s, 18s};
        scenario.until = 60s;
        Fault restart; // keep-alives are no entries of the log: a waiter that comes anew writes the first one
        restart.at = 6s;
        restart.action = Action::RestartClient;
        restart.target = QStringLiteral("waiter");
        scenario.faults.push_back(restart);
        int kept = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            QCOMPARE(reachedSoFar(sim::Probe::EtcdLoopStood), std::uint64_t(1));
            const auto grants = messages(trace, EventKind::Request, "lease grant");
            const auto roles = messages(trace, EventKind::NodeRole, "leader");
            const auto late = [](Nanos from) { return [from](const Event& e) { return e.time() > from; }; };
            const auto grant = std::ranges::find_if(grants, late(6s)), elected = std::ranges::find_if(roles, late(6s));
            QVERIFY(grant != grants.end() && elected != roles.end());
            QVERIFY(elected->time() > grant->time() + 500ms && elected->time() < grant->time() + 3s);
            const auto answers = messages(trace, EventKind::Reply, "lease keep-alive");
            kept += std::ranges::any_of(
                answers, [&](const Event& e) { return e.time() > grant->time() + 5ms && e.time() < elected->time(); });
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Holds);
            QVERIFY(countIn(trace, EventKind::Granted, kFrom + 20s, 60s) > 0);
        }
        QVERIFY(kept > 0);
    }

    /// Nothing that was acknowledged is lost with the power; one that the disk never had is.
    void aLossOfPowerLosesWhatTheDiskNeverHad() {
        Scenario scenario = on("redis-set", redis(Persistence::EverySecond), "redis-1");
        scenario.faults.front().duration = 20s;
        scenario.workload.clients = 1;
        scenario.workload.hold = {30s, 30s};
        scenario.workload.think = {6s, 6s};
        scenario.until = 30s;
        Fault crash;
        crash.at = 7500ms; // the grant of 6 s is in the file, and not on the disk
        crash.action = Action::CrashNode;
        crash.target = QStringLiteral("redis-1");
        crash.duration = 1s;
        scenario.faults.push_back(crash);
        const auto lost = [](const experiment::RunReport& report) {
            return std::ranges::any_of(rows(*report.trace, EventKind::RecordFreed),
                                       [](const Event& e) { return reasonOf(e) == trace::FreedBy::NodeLoss; });
        };
        QVERIFY(lost(experiment::run(scenario, 1)));
        scenario.faults.front().duration = 2s; // the disk has it in time
        scenario.faults.back().at = 9s;
        QVERIFY(!lost(experiment::run(scenario, 1)));
    }

    void aNewDiskDoesNotStall() {
        Scenario scenario = on("redis-set", redis(Persistence::Always), "redis-1");
        Fault restart;
        restart.at = 8s;
        restart.action = Action::RestartNodeEmpty;
        restart.target = QStringLiteral("redis-1");
        scenario.faults.push_back(restart);
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(settings(*report.trace), (QByteArrayList{"disk=stalled", "disk=free"}));
        QVERIFY(countIn(*report.trace, EventKind::Granted, 8s, kTo) > 0);
    }

    void healingFreesDisks() {
        Scenario scenario = on("sql-lease", scenario::defaultService(QStringLiteral("sql")), "sql-1");
        scenario.faults.front().duration.reset();
        Fault heal;
        heal.at = 9s;
        heal.action = Action::HealAll;
        scenario.faults.push_back(heal);
        const auto report = experiment::run(scenario, 1);
        QCOMPARE(countIn(*report.trace, EventKind::Granted, kFrom + kUnderWay, 9s), 0);
        QVERIFY(countIn(*report.trace, EventKind::Granted, 9s, 40s) > 2);
    }

    /// The commit of a replica's primary waits for the replica's disk, where it waits for the replica at all.
    void aSynchronousCommitWaitsForTheReplicasDisk() {
        ServiceSpec service = scenario::defaultService(QStringLiteral("sql"), ServiceSpec::Shape::Replicas);
        service.dialect = ServiceSpec::Dialect::PostgreSql;
        for (const bool waits : {true, false}) {
            service.semiSync = waits ? Nanos(1s) : Nanos(0);
            const auto report = experiment::run(on("sql-lease", service, "sql-2"), 1);
            const auto meanwhile = countIn(*report.trace, EventKind::Granted, kFrom + kUnderWay, kTo);
            QVERIFY(waits ? meanwhile == 0 : meanwhile > 2);
        }
    }
};

QTEST_GUILESS_MAIN(TestStalledDisks)
#include "tst_stalled_disks.moc"
