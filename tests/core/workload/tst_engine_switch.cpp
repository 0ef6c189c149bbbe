// SPDX-License-Identifier: Apache-2.0
// A lock manager in the simulator: what a change of engines does to those who hold and wait, by its mode.
#include "program_runs.h"
#include "scenario/scenario_file.h"

using namespace lockscope;
using namespace lockscope::tests;
using scenario::ManagerSpec;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

namespace {

constexpr std::uint64_t kSeeds = 60;

scenario::Scenario switching(std::optional<SwitchMode> mode) {
    scenario::Scenario made = programs("redis-set", {});
    made.programs.clear();
    made.groups.clear();
    made.until = 40s;
    scenario::ServiceSpec masters =
        scenario::defaultService(QStringLiteral("redis"), scenario::ServiceSpec::Shape::Masters);
    masters.nodes = 3;
    made.setServices({masters});
    made.manager = ManagerSpec{.mode = mode,
                               .engines = {QStringLiteral("redis-1"), QStringLiteral("redis-2")},
                               .witnesses = {QStringLiteral("redis-3")}};
    made.lock.name = QStringLiteral("shop:orders");
    made.lock.lease = 3s;
    made.lock.watchdog = 1s;
    made.lock.token = true;
    made.workload.clients = 4;
    made.workload.hold = {2s, 3s};
    made.workload.think = {100ms, 400ms};
    made.workload.writeEvery = {200ms, 300ms};
    made.resource.tokenCheck = true;
    scenario::Fault fault;
    fault.when = scenario::Trigger{};
    fault.when->nth = 3;
    fault.when->after = 500ms;
    fault.action = scenario::Action::SwitchEngine;
    fault.target = QStringLiteral("redis-2");
    made.faults.push_back(fault);
    return made;
}

/// Rows of that kind about the lock, or of the manager with that news.
int count(const trace::Trace& trace, trace::EngineNews news) {
    int number = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event event = trace.at(i);
        number += event.kind == EventKind::EngineChanged && (event.flags & trace::kEngineNewsMask) == unsigned(news);
    }
    return number;
}

/// When the change was asked for, and when the first grant on the new engine came after it; kNever: none.
struct Times {
    Nanos asked = kNever, granted = kNever, lastRelease{};
};
Times timesOf(const trace::Trace& trace) {
    Times times;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const trace::Event event = trace.at(i);
        if (event.kind == EventKind::SettingChanged) times.asked = Nanos(event.at);
        if (times.asked == kNever) continue;
        if (event.kind == EventKind::Granted && times.granted == kNever) times.granted = Nanos(event.at);
    }
    return times;
}

} // namespace

class TestEngineSwitch final : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void drainingLetsTheHolderFinish() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(switching(SwitchMode::Drain), seed);
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QCOMPARE(count(*report.trace, EventKind::Lost), 0);
            QCOMPARE(count(*report.trace, trace::EngineNews::InUse), 8); // four clients, two engines
            // Nobody is granted anything before every hold on the old engine must be over.
            const Times times = timesOf(*report.trace);
            QVERIFY(times.granted != kNever);
            QVERIFY(times.granted - times.asked > 8s);
        }
    }

    void immediatelyTheHolderIsTold() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(switching(SwitchMode::Immediate), seed);
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QCOMPARE(count(*report.trace, EventKind::Lost), 1);
            const Times times = timesOf(*report.trace);
            QVERIFY(times.granted != kNever);
            QVERIFY(times.granted - times.asked < 4s);
        }
    }

    void naivelyTwoHold() {
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(switching(std::nullopt), seed);
            QCOMPARE(outcome(report, Invariant::MutualExclusion), Outcome::Violated);
        }
    }

    void aPausedHolderIsFencedByTheEpoch() {
        int refused = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            scenario::Scenario made = switching(SwitchMode::Immediate);
            made.lock.honourDeadline = false;
            made.workload.stopOnLoss = false;
            scenario::Fault pause;
            pause.when = made.faults.front().when;
            pause.when->after = 400ms;
            pause.action = scenario::Action::PauseClient;
            pause.target = QStringLiteral("holder");
            pause.duration = 12s;
            made.faults.insert(made.faults.begin(), pause);
            const auto report = experiment::run(made, seed);
            refused += count(*report.trace, EventKind::WriteRefused);
            QVERIFY(outcome(report, Invariant::StaleWrite) != Outcome::Violated);
        }
        QVERIFY(refused > 0);
    }

    /// From a Redis to a ZooKeeper: one lock, one record, which follows the engine in use.
    void enginesMayBeOfDifferentKinds() {
        auto loaded = scenario::loadScenario(QStringLiteral("engine-switch-kinds"));
        QVERIFY(loaded.has_value());
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto report = experiment::run(*loaded, seed);
            const trace::Trace& trace = *report.trace;
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            const Times times = timesOf(trace);
            QVERIFY(times.granted != kNever);
            int held = 0;
            std::map<trace::EntityId, QByteArray> recipes; ///< by thread
            trace::EntityId lock = trace::kNoEntity;
            for (std::size_t i = 0; i < trace.size(); ++i) {
                const trace::Event event = trace.at(i);
                if (event.kind == EventKind::Granted) {
                    QVERIFY(lock == trace::kNoEntity || lock == event.subject); // it is one lock to all
                    lock = event.subject;
                    // Also of a client that has waited since before the switch.
                    const bool after = event.time() >= times.granted;
                    QCOMPARE(recipes[event.actor], QByteArray(after ? "zk-mutex" : "redis-set"));
                }
                if (event.kind == EventKind::AsksBy) recipes[event.actor] = trace.entity(event.aux).name;
                if (event.time() < times.granted || event.subject != lock) continue;
                held += event.kind == EventKind::RecordHeld;
            }
            QVERIFY(held > 3);
        }
    }

    void equalSeedsAreEqualRuns() {
        const auto one = experiment::run(switching(SwitchMode::Drain), 7);
        const auto two = experiment::run(switching(SwitchMode::Drain), 7);
        QCOMPARE(one.trace->digest(), two.trace->digest());
    }
};

QTEST_GUILESS_MAIN(TestEngineSwitch)
#include "tst_engine_switch.moc"
