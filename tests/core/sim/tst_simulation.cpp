// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"
#include "sim/world.h"
#include "trace/state.h"

#include <QTest>

using namespace lockscope;
using trace::EventKind;

namespace {

scenario::Scenario builtin(const char* id) {
    const auto loaded = scenario::loadScenario(QString::fromLatin1(id));
    if (!loaded) qFatal("%s", qPrintable(loaded.error().at(0).toString()));
    return *loaded;
}

std::shared_ptr<trace::Trace> simulate(const scenario::Scenario& scenario, std::uint64_t seed, Nanos until) {
    auto trace = std::make_shared<trace::Trace>();
    sim::World world(scenario, seed, trace);
    world.runUntil(until);
    return trace;
}

int count(const trace::Trace& trace, EventKind kind) {
    int n = 0;
    for (std::size_t i = 0; i < trace.size(); ++i)
        n += trace.kindAt(i) == kind ? 1 : 0;
    return n;
}

std::vector<Nanos> timesOf(const trace::Trace& trace, EventKind kind) {
    std::vector<Nanos> times;
    for (std::size_t i = 0; i < trace.size(); ++i)
        if (trace.kindAt(i) == kind) times.emplace_back(trace.timeAt(i));
    return times;
}

scenario::Fault faultAt(Nanos at, scenario::Action action, const char* target) {
    scenario::Fault fault;
    fault.at = at;
    fault.action = action;
    fault.target = QString::fromLatin1(target);
    return fault;
}

} // namespace

class TestSimulation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalSeedsGiveEqualDigests() {
        const auto scenario = builtin("contention");
        const auto one = simulate(scenario, 42, 20s), two = simulate(scenario, 42, 20s),
                   other = simulate(scenario, 43, 20s);
        QVERIFY(one->size() > 100);
        QCOMPARE(one->digest(), two->digest());
        QVERIFY(one->digest() != other->digest());
    }

    void stepsAndLeapsGiveTheSameTrace() {
        const auto scenario = builtin("gc-pause");
        const auto leap = simulate(scenario, 7, 15s);
        auto steps = std::make_shared<trace::Trace>();
        sim::World world(scenario, 7, steps);
        while (world.now() < 15s) {
            if (!world.runNext(15s)) world.runUntil(15s);
        }
        QCOMPARE(steps->digest(), leap->digest());
    }

    void everyRecipeHandsTheLockOn_data() {
        QTest::addColumn<QString>("recipe");
        for (const auto& recipe : sim::recipesFor({}))
            QTest::newRow(recipe.id.constData()) << QString::fromUtf8(recipe.id);
    }
    void everyRecipeHandsTheLockOn() {
        QFETCH(QString, recipe);
        auto scenario = builtin("contention");
        scenario.recipe = recipe;
        const auto trace = simulate(scenario, 1, 60s);
        QVERIFY2(count(*trace, EventKind::Granted) >= 10,
                 qPrintable(QString::number(count(*trace, EventKind::Granted))));
        QVERIFY(count(*trace, EventKind::RecordHeld) >= 10);
        QVERIFY(count(*trace, EventKind::WriteAccepted) >= 10);
        QCOMPARE(count(*trace, EventKind::AcquireFailed), 0);
    }

    void whatWasDoneByHandRunsAgainFromItsFile() {
        const auto scenario = builtin("contention");
        auto byHand = std::make_shared<trace::Trace>();
        sim::World world(scenario, 5, byHand);
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("A");
        pause.byHand = true;
        pause.at = 4'200'000'001ns;
        scenario::Fault resume = pause;
        resume.action = scenario::Action::ResumeClient;
        resume.at = 9s;
        scenario::Fault more = pause;
        more.action = scenario::Action::Set;
        more.target.clear();
        more.setting = QStringLiteral("clients");
        more.text = QStringLiteral("6");
        more.at = 9s;
        auto file = scenario;
        for (const auto& fault : {pause, resume, more}) {
            world.runUntil(*fault.at);
            QVERIFY(world.apply(fault).has_value());
            file.faults.push_back(fault);
        }
        world.runUntil(20s);
        const auto reread = scenario::parseScenario(scenario::toJson(file), QStringLiteral("by-hand.json"));
        QVERIFY2(reread.has_value(), reread ? "" : qPrintable(reread.error().at(0).toString()));
        const auto again = simulate(*reread, 5, 20s);
        QCOMPARE(count(*byHand, EventKind::ClientStarted), 6);
        QCOMPARE(again->digest(), byHand->digest());
    }

    void aWatchdogThatComesTooLateIsNotSet() {
        auto scenario = builtin("contention");
        scenario.lock.lease = 5s;
        scenario.lock.watchdog = 1s;
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(scenario, 3, trace);
        world.runUntil(2s);
        const auto set = [&](const char* setting, const char* text) {
            scenario::Fault fault;
            fault.action = scenario::Action::Set;
            fault.setting = QLatin1String(setting);
            fault.text = QLatin1String(text);
            return world.apply(fault);
        };
        const auto late = set("watchdog", "5s");
        QVERIFY(!late);
        QVERIFY2(late.error().contains(QStringLiteral("a lease of 5s ends before a watchdog renews it after 5s")),
                 qPrintable(late.error()));
        const auto brief = set("lease", "800ms");
        QVERIFY(!brief);
        QVERIFY2(brief.error().contains(QStringLiteral("a lease of 800ms ends before a watchdog renews it after 1s")),
                 qPrintable(brief.error()));
        QVERIFY(world.settings() == scenario);
        QCOMPARE(count(*trace, EventKind::SettingChanged), 0);
        QVERIFY(set("watchdog", "4999ms"));
        QVERIFY(set("watchdog", "off"));
        QVERIFY(set("lease", "800ms"));
        QCOMPARE(world.settings().lock.lease, Nanos(800ms));
        QCOMPARE(count(*trace, EventKind::SettingChanged), 3);
    }

    void aKilledClientNeverRunsAgain() {
        const auto scenario = builtin("contention");
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(scenario, 3, trace);
        world.runUntil(5s);
        scenario::Fault kill;
        kill.action = scenario::Action::KillClient;
        kill.target = QStringLiteral("A");
        QVERIFY(world.apply(kill).has_value());
        const std::size_t rows = trace->size();
        world.runUntil(40s);
        for (std::size_t i = rows; i < trace->size(); ++i) {
            const trace::Event event = trace->at(i);
            const bool acts =
                trace::isBelief(event.kind) || event.kind == EventKind::Request || event.kind == EventKind::Step;
            if (acts) QVERIFY(trace->entity(trace->clientOf(event.actor)).name != "A");
        }
    }

    void aPausedClientReceivesNothing() {
        const auto scenario = builtin("contention");
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(scenario, 3, trace);
        world.runUntil(5s);
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("B");
        QVERIFY(world.apply(pause).has_value());
        const std::size_t rows = trace->size();
        world.runUntil(20s);
        pause.action = scenario::Action::ResumeClient;
        QVERIFY(world.apply(pause).has_value());
        const std::size_t resumed = trace->lowerBound(20s);
        int before = 0, after = 0;
        world.runUntil(40s);
        for (std::size_t i = rows; i < trace->size(); ++i) {
            const trace::Event event = trace->at(i);
            if (!trace::isBelief(event.kind) || trace->entity(trace->clientOf(event.actor)).name != "B") continue;
            ++(i < resumed ? before : after);
        }
        QCOMPARE(before, 0);
        QVERIFY(after > 0);
    }

    void aDeadHoldersLockIsFreeWhenItsLeaseEnds() {
        const auto scenario = builtin("crash-holder");
        const auto trace = simulate(scenario, 11, scenario.until);
        bool expired = false;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            const trace::Event event = trace->at(i);
            expired = expired || (event.kind == EventKind::RecordFreed &&
                                  (event.flags & trace::kFreedByMask) == static_cast<int>(trace::FreedBy::Expiry));
        }
        QVERIFY(expired);
    }

    void whoWasKilledStaysDeadWhenSomethingElseIsSet() {
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(builtin("contention"), 3, trace);
        world.runUntil(2s);
        scenario::Fault kill;
        kill.action = scenario::Action::KillClient;
        kill.target = QStringLiteral("A");
        QVERIFY(world.apply(kill).has_value());
        const int started = count(*trace, EventKind::ClientStarted);
        scenario::Fault set;
        set.action = scenario::Action::Set;
        set.setting = QStringLiteral("hold");
        set.text = QStringLiteral("1s");
        QVERIFY(world.apply(set).has_value());
        QCOMPARE(count(*trace, EventKind::ClientStarted), started);
        set.setting = QStringLiteral("clients");
        set.text = QString::number(world.settings().workload.clients + 1);
        QVERIFY(world.apply(set).has_value());
        QCOMPARE(count(*trace, EventKind::ClientStarted), started + 1); // the new one
    }

    void anUndoingDoesNotRestartWhatRunsAgain() {
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(builtin("contention"), 3, trace);
        world.runUntil(2s);
        const auto apply = [&world](scenario::Action action, const char* target, std::optional<Nanos> duration) {
            scenario::Fault fault;
            fault.action = action;
            fault.target = QString::fromLatin1(target);
            fault.duration = duration;
            return world.apply(fault).has_value();
        };
        QVERIFY(apply(scenario::Action::KillNode, "redis-1", 5s));
        QVERIFY(apply(scenario::Action::KillClient, "A", 5s));
        QVERIFY(apply(scenario::Action::PauseClient, "B", 5s));
        world.runUntil(3s);
        QVERIFY(apply(scenario::Action::HealAll, "", std::nullopt));
        QVERIFY(apply(scenario::Action::PauseClient, "B", std::nullopt));
        const int killed = count(*trace, EventKind::NodeKilled), dead = count(*trace, EventKind::ClientKilled),
                  resumed = count(*trace, EventKind::ClientResumed);
        world.runUntil(20s);
        QCOMPARE(count(*trace, EventKind::NodeKilled), killed);
        QCOMPARE(count(*trace, EventKind::ClientKilled), dead);
        QCOMPARE(count(*trace, EventKind::ClientResumed), resumed);

        QVERIFY(apply(scenario::Action::KillNode, "redis-1", 5s));
        QVERIFY(apply(scenario::Action::RestartNode, "redis-1", std::nullopt));
        world.runUntil(40s);
        QCOMPARE(count(*trace, EventKind::NodeKilled), killed + 1);
    }

    void timesOfCenturiesDoNotOverflow() {
        auto scenario = builtin("contention");
        scenario.lock.lease = std::chrono::hours(24 * 365 * 200);
        scenario.lock.wait = kNever - Nanos(1);
        scenario.workload.hold = {1s, kNever - Nanos(1)};
        timesDoNotOverflow(scenario);
        scenario.workload.hold = {9'223'372'036s, 9'223'372'036s};
        scenario.workload.think = {2s, 3s}; // it ends after the last instant
        timesDoNotOverflow(scenario);
    }
    static void timesDoNotOverflow(const scenario::Scenario& scenario) {
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(scenario, 3, trace);
        world.runUntil(2s);
        for (const auto action : {scenario::Action::JumpClock, scenario::Action::DelayLink}) {
            scenario::Fault fault;
            fault.action = action;
            fault.target = QStringLiteral("A");
            fault.value = fault.duration.emplace(kNever - Nanos(1));
            QVERIFY(world.apply(fault).has_value());
        }
        world.runUntil(60s);
        QCOMPARE(count(*trace, EventKind::Granted), 1);
        QVERIFY(count(*trace, EventKind::WriteAccepted) > 10); // it is still at work
    }

    void aRestartedClientRenewsAgain() {
        auto scenario = builtin("contention");
        scenario.workload.clients = 1;
        scenario.workload.hold = {20s, 20s};
        scenario.lock.watchdog = 1s;
        scenario.faults = {faultAt(1s, scenario::Action::StopWatchdog, "A"),
                           faultAt(2s, scenario::Action::RestartClient, "A")};
        const auto trace = simulate(scenario, 4, 20s);
        QCOMPARE(timesOf(*trace, EventKind::ClientStarted).size(), 2u);
        const std::vector<Nanos> renewed = timesOf(*trace, EventKind::Renewed);
        QVERIFY(!renewed.empty() && renewed.front() > 2s);
        QCOMPARE(count(*trace, EventKind::Lost), 0);
    }

    void theEndOfAFaultDoesNotEndALaterOne_data() {
        using scenario::Action;
        QTest::addColumn<int>("fault");
        QTest::addColumn<int>("undoing");
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("undone");
        const auto row = [](const char* name, Action fault, Action undoing, const char* target, EventKind undone) {
            QTest::newRow(name) << int(fault) << int(undoing) << QString::fromLatin1(target) << int(undone);
        };
        row("pause", Action::PauseClient, Action::ResumeClient, "A", EventKind::ClientResumed);
        row("kill", Action::KillClient, Action::RestartClient, "A", EventKind::ClientStarted);
        row("node's pause", Action::PauseNode, Action::ResumeNode, "redis-1", EventKind::NodeResumed);
        row("node's kill", Action::KillNode, Action::RestartNode, "redis-1", EventKind::NodeStarted);
        row("cut", Action::CutLink, Action::MendLink, "A-redis-1", EventKind::LinkMended);
        row("delay", Action::DelayLink, Action::DelayLink, "A-redis-1", EventKind::LinkDelayed);
        row("client's clock", Action::JumpClock, Action::JumpClock, "A", EventKind::ClockJumped);
        row("node's clock", Action::JumpClock, Action::JumpClock, "redis-1", EventKind::ClockJumped);
    }
    void theEndOfAFaultDoesNotEndALaterOne() {
        QFETCH(int, fault);
        QFETCH(int, undoing);
        QFETCH(QString, target);
        QFETCH(int, undone);
        const auto action = static_cast<scenario::Action>(fault);
        auto first = faultAt(1s, action, target.toLatin1()), second = faultAt(4s, action, target.toLatin1());
        first.value = second.value = action == scenario::Action::DelayLink ? 20ms : 3s;
        first.duration = 5s;
        second.duration = 10s;
        auto scenario = builtin("contention");
        scenario.faults = {first, faultAt(2s, static_cast<scenario::Action>(undoing), target.toLatin1()), second};
        const auto trace = simulate(scenario, 4, 20s);
        std::vector<Nanos> times;
        for (std::size_t i = trace->lowerBound(1s); i < trace->size(); ++i) {
            const trace::Event event = trace->at(i);
            if (event.kind == static_cast<EventKind>(undone) && event.value == 0) times.push_back(event.time());
        }
        QCOMPARE(times, (std::vector<Nanos>{2s, 14s}));
    }

    void unknownTargetsAreRefusedInWords() {
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(builtin("contention"), 3, trace);
        scenario::Fault kill;
        kill.action = scenario::Action::KillNode;
        kill.target = QStringLiteral("redis-9");
        const auto done = world.apply(kill);
        QVERIFY(!done.has_value());
        QVERIFY2(done.error().contains(QStringLiteral("redis-1")), qPrintable(done.error()));
    }
};

QTEST_GUILESS_MAIN(TestSimulation)
#include "tst_simulation.moc"
