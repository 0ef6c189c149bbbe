// SPDX-License-Identifier: Apache-2.0
// The cost of an event with many clients: counted in steps of the server, equal on every machine.
#include "scenario/scenario_file.h"
#include "sim/fitting_recipes.h"
#include "sim/world.h"

#include <QElapsedTimer>
#include <QTest>
#include <cmath>

using namespace lockscope;

class TestSimulationCost : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void costPerEventGrowsNoFasterThanTheLogarithm_data() {
        QTest::addColumn<QString>("recipe");
        for (const auto& recipe : sim::recipesFor({}))
            QTest::newRow(recipe.id.constData()) << QString::fromUtf8(recipe.id);
    }
    void costPerEventGrowsNoFasterThanTheLogarithm() {
        QFETCH(QString, recipe);
        const double few = stepsPerEvent(recipe, 10), some = stepsPerEvent(recipe, 50),
                     many = stepsPerEvent(recipe, 200);
        qInfo("%s: %.2f, %.2f, %.2f steps an event with 10, 50, 200 clients", qPrintable(recipe), few, some, many);
        constexpr double kSlack = 1.3;
        QVERIFY(some <= few * kSlack * std::log(50) / std::log(10));
        QVERIFY(many <= few * kSlack * std::log(200) / std::log(10));
    }

    /// A change of a setting costs the same, however many others the scenario has.
    void manyChangesCostNoMoreEach() {
        auto scenario = scenario::loadScenario(QStringLiteral("contention")).value();
        constexpr int kChanges = 10'000;
        for (int i = 0; i < kChanges; ++i) {
            scenario::Fault fault;
            fault.at = 1s + i * 1ms;
            fault.action = scenario::Action::Set;
            fault.setting = QStringLiteral("lease");
            fault.text = QStringLiteral("%1s").arg(10 + i % 5);
            scenario.faults.push_back(fault);
        }
        QElapsedTimer clock;
        clock.start();
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(scenario, 1, trace);
        world.runUntil(20s);
        QCOMPARE(world.settings().lock.lease, Nanos(14s));
        qInfo("%d changes: %lld ms", kChanges, clock.elapsed());
        QVERIFY(clock.elapsed() < 30'000); // some minutes, where each copies all of them
    }

private:
    static double stepsPerEvent(const QString& recipe, int clients) {
        auto scenario = scenario::loadScenario(QStringLiteral("contention")).value();
        scenario.recipe = recipe;
        scenario.workload.clients = clients;
        auto trace = std::make_shared<trace::Trace>();
        sim::World world(scenario, 1, trace);
        world.runUntil(20s);
        return double(world.serverSteps()) / double(trace->size());
    }
};

QTEST_GUILESS_MAIN(TestSimulationCost)
#include "tst_simulation_cost.moc"
