// SPDX-License-Identifier: Apache-2.0
// Readers, permits and every Redis recipe, in contention.
#include "program_runs.h"
#include "recipes/recipe_info.h"
#include "sim/fitting_recipes.h"

#include <numeric>

using namespace lockscope;
using namespace lockscope::tests;
using trace::Belief;
using trace::EventKind;
using trace::HoldMode;
using verdict::Invariant;
using verdict::Outcome;

namespace {

// Sanitizers take many times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kSeeds = 5;
#else
constexpr std::uint64_t kSeeds = 50;
#endif

/// The holds of one lock, by mode.
struct Holds {
    int exclusive = 0, shared = 0;
    std::int64_t permits = 0;
};
Holds holdsOf(const trace::State& state, trace::EntityId lock) {
    Holds holds;
    for (const auto& [key, belief] : state.beliefs) {
        if (key.first != lock || belief.phase != Belief::Phase::Holding) continue;
        holds.exclusive += belief.mode == HoldMode::Exclusive ? 1 : 0;
        holds.shared += belief.mode == HoldMode::Shared ? 1 : 0;
        holds.permits += belief.mode == HoldMode::Permit ? belief.permits : 0;
    }
    return holds;
}

scenario::Scenario readersAndWriters() {
    return programs("redis-rw", {{4, {step(Do::Think), take("", Hold::Shared), step(Do::Work), step(Do::Release)}},
                                 {2, {step(Do::Think), take(), step(Do::Work), step(Do::Release)}}});
}

scenario::Scenario poolOfThree() {
    auto pool = programs(
        "redis-semaphore",
        {{3, {step(Do::Think), take("", Hold::Permits), step(Do::Work), step(Do::Release)}},
         {2, {step(Do::Think), take("", Hold::Permits, 2), lasting(Do::Work, 20ms, 200ms), step(Do::Release)}}});
    pool.lock.permits = 3;
    return pool;
}

QByteArrayList clientsIn(const trace::Trace& trace) {
    QByteArrayList names;
    for (trace::EntityId id = 1; id < trace.entityCount(); ++id)
        if (trace.entity(id).kind == trace::EntityKind::Client) names += trace.entity(id).name;
    return names;
}

/// A scenario in which that recipe can show all that it offers.
scenario::Scenario suiting(const recipes::RecipeInfo& recipe) {
    scenario::Scenario made;
    if (recipe.permits)
        made = poolOfThree();
    else if (recipe.shared)
        made = readersAndWriters();
    else
        made = programs(recipe.id.constData(), {{3, {step(Do::Think), take(), step(Do::Work), step(Do::Release)}}});
    if (recipe.id == "redis-redlock")
        made.setServices({scenario::defaultService(QStringLiteral("redis"), scenario::ServiceSpec::Shape::Masters)});
    if (recipe.id == "redis-multi") made.lock.name = QStringLiteral("a,b");
    return made;
}

} // namespace

class tst_program_modes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readersReadTogetherAndNeverBesideAWriter() {
        int mostReaders = 0, writers = 0;
        std::size_t mostRecorded = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(readersAndWriters(), seed);
            const trace::Trace& trace = *report.trace;
            const trace::EntityId lock = lockOf(trace, "a");
            atEachInstant(trace, [&](const trace::State& state) {
                const Holds holds = holdsOf(state, lock);
                QVERIFY(holds.exclusive == 0 || (holds.exclusive == 1 && holds.shared == 0));
                mostReaders = std::max(mostReaders, holds.shared);
                writers += holds.exclusive;
                const auto record = state.records.find(lock);
                if (record == state.records.end()) return;
                mostRecorded = std::max(mostRecorded, record->second.holders.size());
                if (record->second.mode == HoldMode::Exclusive) QVERIFY(record->second.holders.size() <= 1);
            });
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QCOMPARE(outcome(report, Invariant::StaleWrite), Outcome::Holds);
        }
        QCOMPARE(mostReaders, 4); // all of them at once, in some run
        QCOMPARE(mostRecorded, std::size_t(4));
        QVERIFY(writers > 0);
    }

    void readersDoNotWrite() {
        const auto report = experiment::run(readersAndWriters(), 1);
        const trace::Trace& trace = *report.trace;
        int writes = 0;
        for (std::size_t i = 0; i < trace.size(); ++i) {
            if (trace.kindAt(i) != EventKind::WriteAccepted) continue;
            ++writes;
            const QByteArray who = clientOf(trace, trace.at(i).actor);
            QVERIFY2(who == "E" || who == "F", who.constData());
        }
        QVERIFY(writes > 10);
    }

    void permitsAreNeverMoreThanThereAre() {
        std::int64_t most = 0;
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            const auto report = experiment::run(poolOfThree(), seed);
            const trace::Trace& trace = *report.trace;
            const trace::EntityId lock = lockOf(trace, "a");
            atEachInstant(trace, [&](const trace::State& state) {
                const std::int64_t permits = holdsOf(state, lock).permits;
                QVERIFY(permits <= 3);
                most = std::max(most, permits);
            });
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QCOMPARE(trace::StateIndex(report.trace).atRow(trace.size()).capacities.at(lock), 3);
        }
        QCOMPARE(most, 3);
    }

    /// The server keeps permits by random ids; the world has seen who wrote them.
    void aSemaphoresRecordNamesItsHolders() {
        const auto report = experiment::run(poolOfThree(), 1);
        const trace::Trace& trace = *report.trace;
        QCOMPARE(clientsIn(trace), (QByteArrayList{"A", "B", "C", "D", "E"}));
        const trace::EntityId lock = lockOf(trace, "a");
        int several = 0;
        atEachInstant(trace, [&](const trace::State& state) {
            const auto record = state.records.find(lock);
            if (record == state.records.end() || record->second.permitsInAll == 0) return;
            QCOMPARE(record->second.permitsInAll, 3U);
            const std::vector<trace::Holder> holders = record->second.allHolders();
            const auto taken = std::accumulate(holders.begin(), holders.end(), std::int64_t(0),
                                               [](auto sum, const trace::Holder& one) { return sum + one.holds; });
            QCOMPARE(record->second.permitsFree, 3 - taken);
            several += holders.size() > 1 ? 1 : 0;
        });
        QVERIFY(several > 0);
    }

    /// No command tells the server that a lease has ended.
    void aPermitOfADeadClientEndsWithItsLease() {
        auto pool = poolOfThree();
        pool.lock.lease = 3s;
        scenario::Fault kill;
        kill.action = scenario::Action::KillClient;
        kill.target = QStringLiteral("holder");
        kill.when = scenario::Trigger{scenario::Trigger::On::Granted, 5, 1ms};
        pool.faults = {kill};
        const auto report = experiment::run(pool, 2);
        const trace::Trace& trace = *report.trace;
        std::optional<Nanos> killed;
        trace::EntityId dead = trace::kNoEntity;
        int ended = 0;
        for (std::size_t i = 0; i < trace.size(); ++i) {
            const trace::Event event = trace.at(i);
            if (event.kind == EventKind::ClientKilled) {
                killed = event.time();
                dead = event.actor;
            }
            const bool goes = event.kind == EventKind::RecordHolderGone || event.kind == EventKind::RecordFreed;
            if (!killed || !goes || trace.clientOf(event.aux) != dead) continue;
            ++ended;
            QCOMPARE(trace::FreedBy(event.flags & trace::kFreedByMask), trace::FreedBy::Expiry);
            QVERIFY(event.time() - *killed <= 3s);
        }
        QVERIFY(killed.has_value());
        QCOMPARE(ended, 1);
    }

    void everyRedisRecipeRuns_data() {
        QTest::addColumn<QByteArray>("id");
        for (const recipes::RecipeInfo& recipe : recipes::allRecipes())
            if (recipe.backend == "redis") QTest::newRow(recipe.id.constData()) << recipe.id;
    }
    void everyRedisRecipeRuns() {
        QFETCH(const QByteArray, id);
        const recipes::RecipeInfo& recipe = *recipes::findRecipe(id);
        QVERIFY(recipe.simulated);
        const scenario::Scenario scenario = suiting(recipe);
        QVERIFY2(sim::canRun(scenario, QString::fromLatin1(id)),
                 qPrintable(sim::whyNot(scenario, QString::fromLatin1(id))));
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            const auto report = experiment::run(scenario, seed);
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QVERIFY(report.acquisitions >= 20);
            QCOMPARE(count(*report.trace, EventKind::AcquireFailed), 0);
        }
    }

    /// Replicas have the same holders as their master, a little later.
    void everyRecipeRunsOnAGroupOfServers_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"redis-set", "redis-reentrant", "redis-fair", "redis-rw", "redis-semaphore"})
            QTest::newRow(id) << QByteArray(id);
    }
    void everyRecipeRunsOnAGroupOfServers() {
        QFETCH(const QByteArray, id);
        scenario::Scenario scenario = suiting(*recipes::findRecipe(id));
        scenario.setServices(
            {scenario::defaultService(QStringLiteral("redis"), scenario::ServiceSpec::Shape::Sentinel)});
        const int clients = scenario.workload.clients;
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const auto report = experiment::run(scenario, seed);
            const trace::Trace& trace = *report.trace;
            QVERIFY2(report.verdict.violations.empty(), qPrintable(violations(report)));
            QVERIFY(report.acquisitions >= 20);
            QCOMPARE(clientsIn(trace).size(), clients); // and nobody else was seen on any server
            std::size_t copies = 0;
            const trace::State state = trace::StateIndex(report.trace).atRow(trace.size());
            for (const auto& [lock, record] : state.records)
                copies += trace.copyOf(lock) != trace::kNoEntity && record.grants > 5 ? 1 : 0;
            QCOMPARE(copies, std::size_t(3));
        }
    }

    void recipesThatCannotDoWhatAProgramAsksDoNotFit() {
        const auto idsFor = [](const scenario::Scenario& scenario) {
            QByteArrayList ids;
            for (const recipes::RecipeInfo& recipe : sim::recipesFor(scenario))
                ids += recipe.id;
            return ids;
        };
        QCOMPARE(idsFor(readersAndWriters()), QByteArrayList{"redis-rw"});
        QCOMPARE(idsFor(poolOfThree()), QByteArrayList{"redis-semaphore"});
        const auto waits = programs("redis-fair", {{2, {take(), step(Do::Await), step(Do::Release)}}});
        const QByteArrayList conditions{"redis-set", "redis-reentrant", "redis-fenced", "redis-fair", "redis-rw"};
        QCOMPARE(idsFor(waits), conditions);
        QCOMPARE(recipes::simulatedRecipes().size(), std::size_t(26));
        QCOMPARE(sim::recipesFor(scenario::Scenario()).size(), std::size_t(10));
        QVERIFY(sim::whyNot(poolOfThree(), QStringLiteral("redis-set")).contains(QStringLiteral("redis-semaphore")));
    }
};

QTEST_GUILESS_MAIN(tst_program_modes)
#include "tst_program_modes.moc"
