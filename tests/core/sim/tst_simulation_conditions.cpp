// SPDX-License-Identifier: Apache-2.0
// Faults that strike when something happens, and the two that need it most: a lost message, and work that hangs.
#include "experiment/run.h"
#include "scenario/scenario_file.h"
#include "trace/state.h"

#include <QTest>

using namespace lockscope;
using scenario::Action;
using scenario::Fault;
using scenario::Trigger;
using trace::Event;
using trace::EventKind;

namespace {

scenario::Scenario simple(const char* recipe, const Trigger& when, Action action, const char* target = "same",
                          std::optional<Nanos> duration = {}) {
    scenario::Scenario s;
    s.id = s.title = QStringLiteral("conditions");
    s.recipe = QString::fromLatin1(recipe);
    s.until = 40s;
    s.lock.lease = 5s;
    Fault fault;
    fault.when = when;
    fault.action = action;
    fault.target = QString::fromLatin1(target);
    fault.duration = duration;
    s.faults = {fault};
    return s;
}

std::vector<Event> rows(const trace::Trace& trace, EventKind kind) {
    std::vector<Event> found;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (trace.kindAt(i) == kind) found.push_back(trace.at(i));
    return found;
}

/// The rows of the faults themselves, without what undoes them.
std::vector<Event> struck(const trace::Trace& trace, EventKind kind) {
    std::vector<Event> found = rows(trace, kind);
    std::erase_if(found, [](const Event& e) { return !(e.flags & trace::kFault); });
    return found;
}

QByteArray textOf(const trace::Trace& trace, const Event& e) {
    return trace.entity(e.aux).name;
}

constexpr std::uint64_t kSeeds = 20;

} // namespace

class tst_simulation_conditions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// The step is announced, the client stops, and its command leaves only when it goes on.
    void aStepStopsBeforeItsCommand() {
        Trigger when;
        when.on = Trigger::On::Step;
        when.step = 5; // DEL
        when.nth = 2;
        const auto scenario = simple("redis-set-getdel", when, Action::PauseClient, "same", 8s);
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const std::vector<Event> pauses = struck(trace, EventKind::ClientPaused);
            QCOMPARE(pauses.size(), 1u);
            const Event paused = pauses.front();
            std::vector<Event> steps = rows(trace, EventKind::Step);
            std::erase_if(steps, [](const Event& e) { return e.aux != 5; });
            QCOMPARE(steps.at(1).time(), paused.time());
            QCOMPARE(trace.clientOf(steps.at(1).actor), paused.actor);
            for (const Event& request : rows(trace, EventKind::Request)) {
                const bool meanwhile = request.time() >= paused.time() && request.time() < paused.time() + 8s;
                QVERIFY(!(meanwhile && request.actor == paused.actor));
            }
            const std::vector<Event> requests = rows(trace, EventKind::Request);
            QVERIFY(std::ranges::any_of(requests, [&](const Event& request) {
                return request.time() == paused.time() + 8s && request.actor == paused.actor &&
                       textOf(trace, request).startsWith("DEL");
            }));
        }
    }

    void aClientThatDiesAtAStepSendsNothingMore() {
        Trigger when;
        when.on = Trigger::On::Step;
        when.step = 2; // PEXPIRE
        when.client = QStringLiteral("B");
        const auto scenario = simple("redis-setnx-expire", when, Action::KillClient);
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const std::vector<Event> killed = struck(*report.trace, EventKind::ClientKilled);
            QCOMPARE(killed.size(), 1u);
            QCOMPARE(report.trace->entity(killed.front().actor).name, QByteArray("B"));
            for (const Event& request : rows(*report.trace, EventKind::Request))
                QVERIFY(request.actor != killed.front().actor || request.time() < killed.front().time());
        }
    }

    void theRecordNamesAClientThatDoesNotKnowYet() {
        Trigger when;
        when.on = Trigger::On::Recorded;
        when.nth = 3;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(simple("redis-set", when, Action::KillClient), seed);
            const trace::Trace& trace = *report.trace;
            const Event held = rows(trace, EventKind::RecordHeld).at(2);
            const Event killed = struck(trace, EventKind::ClientKilled).at(0);
            QCOMPARE(killed.time(), held.time());
            QCOMPARE(killed.actor, trace.clientOf(held.actor));
            const std::vector<Event> grants = rows(trace, EventKind::Granted);
            QVERIFY(std::ranges::none_of(grants, [&](const Event& e) {
                return e.time() >= killed.time() && trace.clientOf(e.actor) == killed.actor;
            }));
        }
    }

    /// Renewals put it off: with a watchdog the time that is left never gets so small.
    void soMuchOfTheLeaseIsLeft() {
        Trigger when;
        when.on = Trigger::On::LeaseLeft;
        when.left = 3500ms;
        when.nth = 2;
        auto scenario = simple("redis-set", when, Action::StopWatchdog);
        scenario.workload.hold = {2s, 3s};
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            const Event struckAt = struck(trace, EventKind::WatchdogStopped).at(0);
            const Event held = rows(trace, EventKind::RecordHeld).at(1);
            QCOMPARE(struckAt.time(), Nanos(held.value) - 3500ms);
            QCOMPARE(struckAt.actor, trace.clientOf(held.actor));
        }
        scenario.lock.watchdog = 1s;
        QCOMPARE(struck(*experiment::run(scenario, 1).trace, EventKind::WatchdogStopped).size(), 0u);
    }

    /// A condition of one lock counts that one's grants, records and leases, whatever happens to the first one.
    void ofSeveralLocksTheNamedOneIsMeant() {
        using Do = scenario::ProgramStep::Do;
        const auto taking = [](const char* name, const char* lock) {
            scenario::Program program;
            program.name = QString::fromLatin1(name);
            for (const Do act : {Do::Think, Do::Take, Do::Work, Do::Release}) {
                scenario::ProgramStep step;
                step.act = act;
                if (act == Do::Take || act == Do::Release) step.locks += QString::fromLatin1(lock);
                program.steps.push_back(step);
            }
            return program;
        };
        Trigger when;
        when.lock = QStringLiteral("stock");
        when.nth = 2;
        for (const Trigger::On on : {Trigger::On::Granted, Trigger::On::Recorded, Trigger::On::LeaseLeft}) {
            when.on = on;
            when.left = on == Trigger::On::LeaseLeft ? Nanos(4s) : Nanos(0);
            auto scenario = simple("redis-set", when, Action::KillClient);
            scenario.moreLocks = {{.settings = {.name = QStringLiteral("stock"), .lease = 5s}, .recipe = {}}};
            scenario.programs = {taking("orders", "orders"), taking("stock", "stock")};
            scenario.groups = {{QStringLiteral("orders"), 3}, {QStringLiteral("stock"), 2}}; // A to C; D and E
            scenario.workload.clients = 5;
            for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
                const auto report = experiment::run(scenario, seed);
                const trace::Trace& trace = *report.trace;
                const bool granted = on == Trigger::On::Granted;
                std::vector<Event> all = rows(trace, granted ? EventKind::Granted : EventKind::RecordHeld);
                std::erase_if(all, [&](const Event& e) { return trace.entity(e.subject).name != "stock"; });
                const std::vector<Event> killed = struck(trace, EventKind::ClientKilled);
                QCOMPARE(killed.size(), 1u);
                QCOMPARE(killed[0].actor, trace.clientOf(all.at(1).actor));
                QCOMPARE(killed[0].time(),
                         on == Trigger::On::LeaseLeft ? Nanos(all.at(1).value) - 4s : all.at(1).time());
            }
        }
        // The holder is that of the named lock, too: here the same client as the record's, for nobody loses the lock.
        when.client = QStringLiteral("holder");
        auto scenario = simple("redis-set", when, Action::KillClient);
        scenario.moreLocks = {{.settings = {.name = QStringLiteral("stock"), .lease = 5s}, .recipe = {}}};
        scenario.programs = {taking("orders", "orders"), taking("stock", "stock")};
        scenario.groups = {{QStringLiteral("orders"), 3}, {QStringLiteral("stock"), 2}};
        scenario.workload.clients = 5;
        const auto report = experiment::run(scenario, 1);
        const std::vector<Event> killed = struck(*report.trace, EventKind::ClientKilled);
        QCOMPARE(killed.size(), 1u);
        QVERIFY(report.trace->entity(killed[0].actor).name > QByteArray("C"));
    }

    void aServerBecomesTheMaster() {
        Trigger when;
        when.on = Trigger::On::Leader;
        auto scenario = simple("redis-set", when, Action::CutLink, "same", 1s);
        scenario.until = 60s;
        scenario.setServices(
            {scenario::defaultService(QStringLiteral("redis"), scenario::ServiceSpec::Shape::Sentinel)});
        Fault kill;
        kill.at = 5s;
        kill.action = Action::KillNode;
        kill.target = QStringLiteral("master");
        scenario.faults.push_back(kill);
        const auto report = experiment::run(scenario, 1);
        const trace::Trace& trace = *report.trace;
        std::vector<Event> masters = rows(trace, EventKind::NodeRole);
        std::erase_if(masters, [&](const Event& e) { return e.time() < 5s || textOf(trace, e) != "master"; });
        QVERIFY(!masters.empty());
        const std::vector<Event> cuts = struck(trace, EventKind::LinkCut);
        QVERIFY(!cuts.empty());
        for (const Event& cut : cuts) {
            QCOMPARE(cut.time(), masters.front().time());
            const trace::Entity& link = trace.entity(cut.subject);
            QVERIFY(link.parent == masters.front().actor || link.other == masters.front().actor);
        }
    }

    /// Named, a server that leads already is found at once: from the start, from an instant on, and by its role alone.
    void aServerThatLeadsAlreadyIsFoundAtOnce_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("recipe");
        QTest::newRow("redis") << u"redis"_qs << u"redis-set"_qs;
        QTest::newRow("zookeeper") << u"zookeeper"_qs << u"zk-mutex"_qs;
        QTest::newRow("etcd") << u"etcd"_qs << u"etcd-lease"_qs;
    }
    void aServerThatLeadsAlreadyIsFoundAtOnce() {
        QFETCH(QString, kind);
        QFETCH(QString, recipe);
        Trigger when;
        when.on = Trigger::On::Leader;
        scenario::Scenario scenario = simple(recipe.toLatin1().constData(), when, Action::PauseNode, "same", 100ms);
        const bool redis = kind == u"redis"_qs;
        scenario.setServices({redis ? scenario::defaultService(kind, scenario::ServiceSpec::Shape::Sentinel)
                                    : scenario::defaultService(kind)});
        Fault fault = std::exchange(scenario.faults, {}).front();
        const auto leaderAt = [](const trace::Trace& trace, Nanos at) {
            QString name;
            for (const Event& e : rows(trace, EventKind::NodeRole))
                if (e.time() <= at && trace::isMasterRole(textOf(trace, e)))
                    name = QString::fromUtf8(trace.entity(e.actor).name);
            return name;
        };
        const QString leader = leaderAt(*experiment::run(scenario, 1).trace, 10s);
        QVERIFY(!leader.isEmpty());

        fault.at = 10s;
        fault.when->server = leader;
        scenario.faults = {fault};
        const auto at = [](const scenario::Scenario& played) {
            const auto report = experiment::run(played, 1);
            const std::vector<Event> found = struck(*report.trace, EventKind::NodePaused);
            return found.size() == 1 ? std::optional(found.front().time()) : std::nullopt;
        };
        QCOMPARE(at(scenario), Nanos(10s));
        scenario.faults[0].when->after = 250ms;
        QCOMPARE(at(scenario), Nanos(10s + 250ms));
        scenario.faults[0].when->after = {};
        scenario.faults[0].when->nth = 2; // it leads for the first time: nobody else was asked for
        QCOMPARE(at(scenario), std::nullopt);
        scenario.faults[0].when->nth = 1;
        scenario.faults[0].when->server.clear(); // the next one, and there is none
        QCOMPARE(at(scenario), std::nullopt);
        scenario.faults[0].at.reset(); // a master from the start on, or the first that is elected
        scenario.faults[0].when->server = leader;
        const std::optional<Nanos> first = at(scenario);
        QVERIFY(first && *first < 10s);

        // A dead server leads nobody, whatever it said last.
        scenario.faults[0].at = 10s;
        Fault kill;
        kill.at = 9900ms;
        kill.action = Action::KillNode;
        kill.target = leader;
        scenario.faults.push_back(kill);
        QCOMPARE(at(scenario), std::nullopt);

        // Another server is waited for until it leads.
        const auto after = experiment::run(scenario, 1);
        const QString next = leaderAt(*after.trace, 40s);
        QVERIFY(!next.isEmpty() && next != leader);
        scenario.faults[0].when->server = next;
        const std::optional<Nanos> then = at(scenario);
        QVERIFY(then && *then > 9900ms);
        QCOMPARE(leaderAt(*after.trace, *then), next);
        QCOMPARE(leaderAt(*after.trace, *then - 1ns), leader);
    }

    /// Whichever master has the lock's slot decides the record, and after it the replica that takes over.
    void aClustersRecordFollowsTheSlot() {
        for (const char* const name : {"orders", "stock", "a"}) {
            Trigger when;
            when.nth = 3;
            when.after = 200ms;
            auto scenario = simple("redis-set", when, Action::KillNode, "master");
            scenario.until = 60s;
            scenario.lock.name = QString::fromLatin1(name);
            scenario.setServices(
                {scenario::defaultService(QStringLiteral("redis"), scenario::ServiceSpec::Shape::Cluster)});
            const auto report = experiment::run(scenario, 1);
            const Event killed = struck(*report.trace, EventKind::NodeKilled).at(0);
            const std::vector<Event> held = rows(*report.trace, EventKind::RecordHeld);
            const std::vector<Event> grants = rows(*report.trace, EventKind::Granted);
            const auto later = [&](const Event& e) { return e.time() > killed.time() + 1s; };
            QVERIFY(std::ranges::any_of(held, later));
            QVERIFY(std::ranges::any_of(grants, later));
            scenario.faults.clear();
            QVERIFY(experiment::run(scenario, 1).verdict.violations.empty());
        }
    }

    /// One message is lost, and its waiter looks when the lease that it saw is over.
    void aLostMessageCostsTheRestOfTheLease() {
        const auto scenario = scenario::loadScenario(QStringLiteral("missed-wakeup"));
        QVERIFY(scenario.has_value());
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(*scenario, seed);
            const trace::Trace& trace = *report.trace;
            std::vector<Event> lost = rows(trace, EventKind::Push);
            std::erase_if(lost, [](const Event& e) { return e.value != -1; });
            QCOMPARE(lost.size(), 1u);
            const Event released = rows(trace, EventKind::Released).at(0),
                        held = rows(trace, EventKind::RecordHeld).at(0);
            const Event next = rows(trace, EventKind::Granted).at(1);
            QVERIFY(next.time() - released.time() > 4s); // with the message: a round trip
            QVERIFY(next.time() <= Nanos(held.value) + 100ms);
        }
    }

    /// The holder's work hangs and its lease is renewed: nobody else gets in, and the judge says so.
    void hungWorkHoldsTheLockForEver() {
        auto scenario = scenario::loadScenario(QStringLiteral("watchdog-zombie"));
        QVERIFY(scenario.has_value());
        Fault heal;
        heal.at = 35s;
        heal.action = Action::HealAll;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(*scenario, seed);
            const trace::Trace& trace = *report.trace;
            const Event hung = struck(trace, EventKind::WorkHung).at(0);
            const auto after = [&](EventKind kind) {
                std::vector<Event> found = rows(trace, kind);
                std::erase_if(found, [&](const Event& e) { return e.time() <= hung.time() + 1s; });
                return found;
            };
            QCOMPARE(after(EventKind::Granted).size(), 0u);
            QCOMPARE(after(EventKind::WriteAccepted).size(), 0u);
            QVERIFY(after(EventKind::Renewed).size() > 10);
            const auto& violations = report.verdict.violations;
            const auto stall =
                std::ranges::find(violations, verdict::Invariant::Progress, &verdict::Violation::invariant);
            QVERIFY(stall != violations.end());
            QVERIFY(verdict::explain(*stall, trace).contains(QStringLiteral("The work of")));
        }
        scenario->faults.push_back(heal);
        const auto healed = experiment::run(*scenario, 1);
        const std::vector<Event> grants = rows(*healed.trace, EventKind::Granted);
        QVERIFY(std::ranges::any_of(grants, [](const Event& e) { return e.time() > 35s; }));
    }

    void equalSeedsGiveEqualRuns() {
        Trigger when;
        when.on = Trigger::On::Step;
        when.step = 3;
        when.client = QStringLiteral("waiter");
        const auto scenario = simple("redis-set", when, Action::PauseClient, "same", 1s);
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed)
            QCOMPARE(experiment::run(scenario, seed).digest(), experiment::run(scenario, seed).digest());
        QVERIFY(!struck(*experiment::run(scenario, 1).trace, EventKind::ClientPaused).empty());
    }
};

QTEST_GUILESS_MAIN(tst_simulation_conditions)
#include "tst_simulation_conditions.moc"
