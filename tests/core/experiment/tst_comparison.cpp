// SPDX-License-Identifier: Apache-2.0
#include "experiment/comparison.h"
#include "experiment/promise.h"
#include "scenario/scenario_file.h"

#include <QTest>

using namespace lockscope;
using experiment::Cell;
using experiment::CellOutcome;

namespace {

scenario::Scenario builtin(const char* id, const char* recipe) {
    auto scenario = scenario::loadScenario(QString::fromLatin1(id)).value();
    scenario.recipe = QString::fromLatin1(recipe);
    return scenario;
}

std::vector<Cell> cellsOf(const std::vector<scenario::Scenario>& pairings, std::uint64_t first, std::uint64_t last) {
    std::vector<Cell> cells;
    experiment::compare(pairings, first, last, [&](const Cell& cell) { cells.push_back(cell); });
    return cells;
}

Cell cellOf(const char* id, const char* recipe) {
    return cellsOf({builtin(id, recipe)}, 1, 10).at(0);
}

verdict::Outcome invariantOf(const Cell& cell, verdict::Invariant invariant) {
    return cell.invariants[static_cast<std::size_t>(invariant)];
}

} // namespace

class tst_comparison : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A path is one of the simulator, a kind of event, or a kind with a word of it.
    void aRunIsHeldToThePathsThatItShouldTake() {
        const auto run = experiment::run(builtin("crash-holder", "redis-set"), 1);
        const auto measures = experiment::measure(*run.trace);
        const auto complaint = [&](const char* path) {
            scenario::Expectation promised;
            promised.reaches << QLatin1String(path);
            return experiment::differenceFrom(promised, run, measures);
        };
        for (const char* path : {"client-killed", "record-freed", "record-freed/expiry"})
            QCOMPARE(complaint(path), QString());
        for (const char* path : {"record-freed/overwrite", "record-held/expiry", "lost", "zookeeper/session/ended"})
            QVERIFY2(complaint(path).contains(QLatin1String(path)), path);
    }

    /// A's client dies while it holds and B waits; B gets the lock four seconds later.
    void anOutageLastsUntilSomebodyHolds() {
        trace::Trace trace;
        using enum trace::EventKind;
        const auto client = [&](const char* name) { return trace.intern(trace::EntityKind::Client, name); };
        const auto a = client("A"), b = client("B");
        const auto threadA = trace.intern(trace::EntityKind::Thread, "1", a);
        const auto threadB = trace.intern(trace::EntityKind::Thread, "1", b);
        const auto lock = trace.intern(trace::EntityKind::Lock, "orders");
        const auto add = [&](Nanos at, trace::EventKind kind, trace::EntityId actor, trace::EntityId subject = 0,
                             std::uint16_t flags = 0) {
            trace::Event event;
            event.at = at.count();
            event.kind = kind;
            event.actor = actor;
            event.subject = subject;
            event.aux = kind == Granted;
            event.flags = decltype(event.flags)(flags);
            trace.append(event);
        };
        add(0s, ClientStarted, a);
        add(0s, ClientStarted, b);
        add(1s, Requested, threadA, lock);
        add(2s, Granted, threadA, lock);
        add(3s, Requested, threadB, lock);
        add(5s, ClientKilled, a, 0, trace::kFault);
        add(9s, Granted, threadB, lock);
        trace.reach(12s);
        const experiment::Measures measures = experiment::measure(trace);
        QCOMPARE(measures.waits, (std::vector<Nanos>{1s, 6s}));
        QCOMPARE(measures.longestWait, 6s);
        QCOMPARE(measures.firstFault, 5s);
        QCOMPARE(measures.recovery(), 4s);
        QCOMPARE(measures.outage, 4s);
        QVERIFY(!measures.waitedInVain);

        add(13s, ClientKilled, b, 0, trace::kFault);
        add(14s, ClientStarted, a);
        add(15s, Requested, threadA, lock);
        trace.reach(40s);
        const experiment::Measures later = experiment::measure(trace);
        QCOMPARE(later.outage, 25s);
        QCOMPARE(later.longestWait, 25s);
        QVERIFY(later.waitedInVain);
        QCOMPARE(later.recovery(), 4s); // after the first fault
    }

    void aCellSaysHowItCameOut_data() {
        QTest::addColumn<QByteArray>("scenario");
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<CellOutcome>("outcome");
        const auto row = [](const char* scenario, const char* recipe, CellOutcome outcome) {
            QTest::addRow("%s with %s", scenario, recipe) << QByteArray(scenario) << QByteArray(recipe) << outcome;
        };
        row("contention", "redis-set", CellOutcome::Safe);
        row("gc-pause", "redis-set", CellOutcome::Violated);
        row("crash-holder", "redis-reentrant", CellOutcome::Recovered);
        row("crash-holder", "zk-mutex", CellOutcome::Recovered);
        row("crash-before-expire", "redis-setnx-expire", CellOutcome::Stalled);
        row("redlock-slow", "redis-redlock", CellOutcome::Recovered); // overdue for a time, and then granted
        row("watchdog-zombie", "redis-reentrant", CellOutcome::Stalled);
        row("zk-suspended", "zk-mutex", CellOutcome::Safe);
        row("sql-optimistic-storm", "sql-version",
            CellOutcome::Safe); // there is no hold that one could end for another
        row("museum-renewal-in-failover", "redis-set", CellOutcome::Safe); // written while no master had the lock
        row("rw-writer-starvation", "redis-rw", CellOutcome::Stalled);
        row("rw-writer-starvation", "zk-rw", CellOutcome::Safe);
    }
    void aCellSaysHowItCameOut() {
        QFETCH(QByteArray, scenario);
        QFETCH(QByteArray, recipe);
        QFETCH(CellOutcome, outcome);
        const Cell cell = cellOf(scenario, recipe);
        QCOMPARE(experiment::outcomeId(cell.outcome), experiment::outcomeId(outcome));
        QVERIFY2(cell.asExpected, qPrintable(cell.difference));
        QVERIFY(cell.expected.has_value());
        QCOMPARE(experiment::outcomeId(*cell.expected), experiment::outcomeId(outcome));
        QCOMPARE(cell.seeds, std::uint64_t(10));
        QCOMPARE(cell.starved, scenario == "rw-writer-starvation" && recipe == "redis-rw" ? cell.seeds : 0U);
        QCOMPARE(cell.unknown, QString());
        const bool violated = outcome == CellOutcome::Violated;
        QCOMPARE(invariantOf(cell, verdict::Invariant::MutualExclusion),
                 violated ? verdict::Outcome::Violated : verdict::Outcome::Holds);
    }

    void recoveryIsTheLongestOfAllSeeds() {
        const scenario::Scenario scenario = builtin("crash-holder", "redis-set");
        Nanos longest{};
        std::uint64_t acquisitions = 0, requests = 0;
        for (std::uint64_t seed = 3; seed <= 9; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const auto measures = experiment::measure(*report.trace);
            longest = std::max(longest, measures.recovery());
            acquisitions += report.acquisitions;
            requests += measures.requests;
        }
        const Cell cell = cellsOf({scenario}, 3, 9).at(0);
        QCOMPARE(cell.recovery, longest);
        QVERIFY(longest > 0s && longest < 10s);
        QCOMPARE(cell.acquisitions, acquisitions);
        QCOMPARE(cell.requests, requests);
        QVERIFY(cell.waitP50 > 0s && cell.waitP50 <= cell.waitP99);
        QCOMPARE(cellOf("contention", "redis-set").recovery, kNever);
    }

    void aPromiseThatIsNotKeptNamesItsSeed() {
        scenario::Scenario scenario = builtin("contention", "redis-set");
        scenario::Expectation never;
        never.violates = {QStringLiteral("mutual-exclusion")};
        scenario.expect = {{QStringLiteral("redis-set"), never}};
        const Cell cell = cellsOf({scenario}, 4, 6).at(0);
        QVERIFY(!cell.asExpected);
        QVERIFY2(cell.difference.startsWith(QStringLiteral("seed 4: mutual-exclusion")), qPrintable(cell.difference));
        QCOMPARE(*cell.expected, CellOutcome::Violated);
        QCOMPARE(cell.outcome, CellOutcome::Safe);
    }

    void whereNothingIsPromisedNothingIsExpected() {
        scenario::Scenario scenario = builtin("contention", "redis-set");
        scenario.expect.clear();
        const Cell cell = cellsOf({scenario}, 1, 2).at(0);
        QVERIFY(!cell.promised && !cell.expected && !cell.asExpected);
        QVERIFY(cell.difference.isEmpty());
    }

    void whatAPromiseLeavesOpenMayComeOutAnyhow() {
        scenario::Scenario scenario = builtin("gc-pause", "redis-set");
        scenario::Expectation little;
        little.holds = {QStringLiteral("ownership"), QStringLiteral("progress")};
        scenario.expect = {{QStringLiteral("redis-set"), little}};
        const Cell open = cellsOf({scenario}, 1, 2).at(0);
        QVERIFY(open.promised && open.asExpected && !open.expected);
        QCOMPARE(open.outcome, CellOutcome::Violated);
    }

    /// Each invariant that is promised holds, but the run comes out worse than such promises say.
    void anOutcomeWorseThanPromisedIsNotAsExpected() {
        scenario::Scenario scenario = builtin("crash-holder", "redis-set");
        scenario::Expectation safe;
        safe.holds = {QStringLiteral("mutual-exclusion"), QStringLiteral("stale-write"), QStringLiteral("ownership"),
                      QStringLiteral("progress")};
        scenario.expect = {{QStringLiteral("redis-set"), safe}};
        const Cell late = cellsOf({scenario}, 1, 2).at(0);
        QCOMPARE(late.outcome, CellOutcome::Recovered);
        QCOMPARE(late.expected, std::optional(CellOutcome::Safe));
        QVERIFY(!late.asExpected);
        QVERIFY2(late.difference.startsWith(QStringLiteral("seed 1: it came out as recovered")),
                 qPrintable(late.difference));
        safe.recoversWithin = 20s;
        scenario.expect = {{QStringLiteral("redis-set"), safe}};
        QVERIFY(cellsOf({scenario}, 1, 2).at(0).asExpected);
    }

    void cellsComeInOrderAndAlikeEachTime() {
        const auto scenarios = {builtin("contention", ""), builtin("gc-pause", "")};
        const auto pairings = experiment::pairingsOf(
            scenarios, [](const QString& recipe) { return recipe.startsWith(QLatin1String("redis-set")); });
        QVERIFY(pairings.size() >= 4);
        const auto cells = cellsOf(pairings, 1, 3), again = cellsOf(pairings, 1, 3);
        QCOMPARE(cells.size(), pairings.size());
        for (std::size_t i = 0; i < cells.size(); ++i) {
            QCOMPARE(cells[i].scenario, pairings[i].id);
            QCOMPARE(cells[i].recipe, pairings[i].recipe);
            QCOMPARE(again[i].requests, cells[i].requests);
            QCOMPARE(again[i].waitP99, cells[i].waitP99);
        }
    }

    /// The seed of a cell is one that came through as the cell says, and with an outage as long.
    void aCellNamesASeedThatShowsIt_data() {
        QTest::addColumn<QString>("scenario");
        QTest::addColumn<QString>("recipe");
        for (const auto& [scenario, recipe] : {std::pair{"gc-pause", "redis-set"},
                                               {"crash-holder", "redis-set"},
                                               {"crash-holder", "sql-row"},
                                               {"failover-async", "redis-set"},
                                               {"failover-async", "zk-mutex"}})
            QTest::addRow("%s %s", scenario, recipe)
                << QString(QLatin1String(scenario)) << QString(QLatin1String(recipe));
    }
    void aCellNamesASeedThatShowsIt() {
        QFETCH(QString, scenario);
        QFETCH(QString, recipe);
        const scenario::Scenario run = builtin(qPrintable(scenario), qPrintable(recipe));
        const Cell cell = cellsOf({run}, 3, 8).at(0);
        QVERIFY(cell.told >= 3 && cell.told <= 8);
        const Cell alone = cellsOf({run}, cell.told, cell.told).at(0);
        QCOMPARE(alone.outcome, cell.outcome);
        if (cell.outcome == CellOutcome::Recovered) QCOMPARE(alone.recovery, cell.recovery);
    }

    void nothingToCompareIsNoCell() { QVERIFY(cellsOf({}, 1, 10).empty()); }
};

QTEST_GUILESS_MAIN(tst_comparison)
#include "tst_comparison.moc"
