// SPDX-License-Identifier: Apache-2.0
// Worlds of several services: each lock is kept by one of them.
#include "program_runs.h"
#include "sim/fitting_recipes.h"

using namespace lockscope;
using namespace lockscope::tests;
using scenario::ServiceSpec;
using trace::EntityKind;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

namespace {

/// "a" is on a Redis, "b" on a ZooKeeper.
scenario::Scenario twoKinds(const std::vector<Group>& groups) {
    scenario::Scenario made = programs("redis-set", groups);
    std::vector<ServiceSpec> services{scenario::defaultService(QStringLiteral("redis"))};
    services.push_back(scenario::defaultService(QStringLiteral("zookeeper")));
    made.setServices(services);
    addLock(made, "b", "zk-mutex");
    made.moreLocks.back().settings.service = QStringLiteral("zookeeper");
    return made;
}

/// The names of the servers that a client has a link to.
QByteArrayList serversOf(const trace::Trace& trace, const QByteArray& client) {
    QByteArrayList names;
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id) {
        const trace::Entity& link = trace.entity(id);
        if (link.kind == EntityKind::Link && trace.entity(link.parent).name == client)
            names += trace.entity(link.other).name;
    }
    std::ranges::sort(names);
    return names;
}

int grantsOf(const trace::Trace& trace, const QByteArray& lock) {
    const trace::EntityId entity = lockOf(trace, lock);
    int grants = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        grants += trace.kindAt(i) == EventKind::Granted && trace.at(i).subject == entity;
    return grants;
}

scenario::Fault killed(const QString& target) {
    scenario::Fault fault;
    fault.at = 5s;
    fault.action = scenario::Action::KillNode;
    fault.target = target;
    return fault;
}

} // namespace

class tst_services : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachLockLivesOnItsService() {
        const auto scenario = twoKinds({{2, {step(Do::Think), take("a"), take("b"), step(Do::Work)}},
                                        {2, {step(Do::Think), take("b"), step(Do::Work), step(Do::Release, "b")}}});
        QVERIFY(sim::canRun(scenario, scenario.recipe));
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QVERIFY(grantsOf(trace, "a") >= 20);
            QVERIFY(grantsOf(trace, "b") >= 40);
            QCOMPARE(count(trace, EventKind::AcquireFailed), 0);
            // A client has connections to the services of its own locks only.
            const QByteArrayList all{"redis-1", "zk-1", "zk-2", "zk-3"};
            QCOMPARE(serversOf(trace, "A"), all);
            QCOMPARE(serversOf(trace, "C"), all.mid(1));
            // The record says who holds: by the lock's own service.
            const trace::State state = trace::StateIndex(report.trace).atRow(trace.size());
            QVERIFY(state.records.at(lockOf(trace, "a")).grants >= 20);
            QVERIFY(state.records.at(lockOf(trace, "b")).grants >= 40);
        }
    }

    void locksOfSeveralServicesAreTakenAsOne() {
        const auto scenario = twoKinds({{3, {step(Do::Think), take("a,b"), step(Do::Work), step(Do::Release, "a,b")}},
                                        {1, {step(Do::Think), take("b"), step(Do::Work), step(Do::Release, "b")}}});
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QVERIFY(grantsOf(*report.trace, "a") >= 20);
            QVERIFY(grantsOf(*report.trace, "b") > grantsOf(*report.trace, "a"));
        }
    }

    /// No server sees a circle whose locks are on different ones.
    void aCircleAcrossServicesIsADeadlock() {
        const auto worker = [](const char* first, const char* second) {
            return std::vector{step(Do::Think), take(first), step(Do::Work), take(second), step(Do::Work)};
        };
        const auto scenario = twoKinds({{1, worker("a", "b")}, {1, worker("b", "a")}});
        int circles = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed)
            circles += outcome(experiment::run(scenario, seed), Invariant::NoDeadlock) == Outcome::Violated;
        QCOMPARE(circles, 10);
    }

    void rolesAreFoundInTheServiceThatIsNamed_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QByteArray>("struck");
        QTest::newRow("the only one with a leader") << QStringLiteral("leader") << QByteArray("zk-3");
        QTest::newRow("named") << QStringLiteral("zookeeper/leader") << QByteArray("zk-3");
        QTest::newRow("a follower") << QStringLiteral("zookeeper/follower[1]") << QByteArray("zk-2");
        QTest::newRow("by id") << QStringLiteral("redis-1") << QByteArray("redis-1");
    }
    void rolesAreFoundInTheServiceThatIsNamed() {
        QFETCH(const QString, target);
        QFETCH(const QByteArray, struck);
        auto scenario = twoKinds({{2, {step(Do::Think), take("b"), step(Do::Work)}}});
        scenario.faults = {killed(target)};
        const auto report = experiment::run(scenario, 1);
        QByteArrayList dead;
        for (std::size_t i = 0; i < report.trace->size(); ++i)
            if (report.trace->kindAt(i) == EventKind::NodeKilled)
                dead += report.trace->entity(report.trace->at(i).actor).name;
        QCOMPARE(dead, QByteArrayList{struck});
    }

    void serversAreNumberedThroughAllServices() {
        ServiceSpec first = scenario::defaultService(QStringLiteral("redis"), ServiceSpec::Shape::Sentinel);
        ServiceSpec second = scenario::defaultService(QStringLiteral("redis"));
        second.id = QStringLiteral("second");
        scenario::Scenario made = programs("redis-set", {{2, {step(Do::Think), take("a,b"), step(Do::Work)}}});
        made.setServices({first, second});
        QCOMPARE(made.nodes.back().id, QStringLiteral("redis-4"));
        addLock(made, "b");
        made.moreLocks.back().settings.service = second.id;
        const auto report = experiment::run(made, 1);
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
        QVERIFY(grantsOf(*report.trace, "b") >= 20);
    }

    void aRecipeMustWorkOnTheServersOfItsLock() {
        auto scenario = twoKinds({{2, {step(Do::Think), take("b"), step(Do::Work)}}});
        QVERIFY(sim::worksForLock(scenario, scenario.moreLocks.front()));
        scenario.moreLocks.front().recipe = QStringLiteral("redis-set");
        QVERIFY(!sim::worksForLock(scenario, scenario.moreLocks.front()));
        QVERIFY(!sim::canRun(scenario, QStringLiteral("redis-set")));
    }

    /// A scenario that is not about certain servers begins with recipes of other kinds on servers of theirs.
    void aRecipeBringsItsServers() {
        scenario::Scenario plain = programs("zk-mutex", {{2, {step(Do::Think), take(), step(Do::Work)}}});
        QVERIFY(sim::canRun(plain, plain.recipe));
        QVERIFY(!sim::whyNotNow(plain, plain.recipe).isEmpty()); // a run with a Redis cannot change to it
        const scenario::Scenario moved = sim::onFittingServers(plain);
        QCOMPARE(moved.nodes.size(), std::size_t(3));
        QCOMPARE(moved.nodes.front().id, QStringLiteral("zk-1"));
        QCOMPARE(sim::onFittingServers(moved), moved);
        scenario::Scenario back = moved;
        back.recipe = QStringLiteral("redis-set");
        plain.recipe = back.recipe;
        QCOMPARE(sim::onFittingServers(back), plain);
        const auto report = experiment::run(moved, 3);
        QVERIFY(report.acquisitions >= 20);
        QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
    }
    void aFaultOnARoleStrikesItsCounterpart() {
        scenario::Scenario scenario = programs("zk-mutex", {{2, {step(Do::Think), take(), step(Do::Work)}}});
        scenario.setServices({scenario::defaultService(QStringLiteral("redis"), ServiceSpec::Shape::Sentinel)});
        scenario.faults = {killed(QStringLiteral("master"))};
        QCOMPARE(sim::onFittingServers(scenario).faults.front().target, QStringLiteral("leader"));
        scenario.faults = {killed(QStringLiteral("sentinel[0]"))}; // nobody has its part there
        QVERIFY(!sim::canRun(scenario, scenario.recipe));
        scenario.faults = {killed(QStringLiteral("redis-2"))};
        QVERIFY(!sim::canRun(scenario, scenario.recipe));
    }
};

QTEST_GUILESS_MAIN(tst_services)
#include "tst_services.moc"
