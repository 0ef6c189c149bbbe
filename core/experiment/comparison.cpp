// SPDX-License-Identifier: Apache-2.0
#include "experiment/comparison.h"

#include "experiment/parallel.h"
#include "experiment/promise.h"
#include "sim/fitting_recipes.h"
#include "trace/lock_statistics.h"
#include "verdict/why_unknown.h"

#include <algorithm>

namespace lockscope::experiment {

namespace {

/// The figures of one seed that a cell adds up.
struct Result {
    CellOutcome outcome = CellOutcome::Safe;
    std::array<verdict::Outcome, verdict::kInvariants.size()> invariants{};
    Measures measures;
    std::uint64_t acquisitions = 0;
    bool starves = false;
    QString difference, unknown;
};

Result runOnce(const scenario::Scenario& scenario, const scenario::Expectation* promised, std::uint64_t seed) {
    const RunReport report = run(scenario, seed);
    Result result;
    result.measures = measure(*report.trace);
    result.outcome = outcomeOf(report, result.measures);
    result.invariants = report.verdict.outcomes;
    result.acquisitions = report.acquisitions;
    result.starves = starvesAtTheEnd(report);
    for (const verdict::Invariant invariant : verdict::kInvariants)
        if (result.unknown.isEmpty()) result.unknown = verdict::whyUnknown(report.verdict, invariant, *report.trace);
    if (promised) result.difference = differenceFrom(*promised, report, result.measures);
    return result;
}

/// Violated is worse than unknown, and that is worse than held.
verdict::Outcome worse(verdict::Outcome a, verdict::Outcome b) {
    for (const verdict::Outcome worst : {verdict::Outcome::Violated, verdict::Outcome::Unknown})
        if (a == worst || b == worst) return worst;
    return verdict::Outcome::Holds;
}

/// A cell while its seeds come in.
class Sum {
public:
    explicit Sum(const scenario::Scenario& scenario) {
        m_cell.recipe = scenario.recipe;
        m_cell.scenario = scenario.id;
        const auto* const promised = scenario.expectationFor(scenario.recipe);
        m_cell.promised = promised != nullptr;
        if (promised) m_cell.expected = promisedOutcome(*promised);
    }
    void add(std::uint64_t seed, const Result& result) {
        const bool longest = result.outcome == CellOutcome::Recovered && result.measures.recovery() > m_cell.recovery;
        if (m_cell.seeds++ == 0 || result.outcome > m_cell.outcome || (result.outcome == m_cell.outcome && longest))
            m_cell.told = seed;
        m_cell.outcome = std::max(m_cell.outcome, result.outcome);
        std::ranges::transform(m_cell.invariants, result.invariants, m_cell.invariants.begin(), worse);
        m_cell.recovery = std::max(m_cell.recovery, result.measures.recovery());
        m_cell.acquisitions += result.acquisitions;
        m_cell.starved += result.starves;
        m_cell.requests += result.measures.requests;
        m_waits.insert(m_waits.end(), result.measures.waits.begin(), result.measures.waits.end());
        const auto take = [seed](QString& told, const QString& words) {
            if (told.isEmpty() && !words.isEmpty())
                told = QStringLiteral("seed %1: %2").arg(QString::number(seed), words);
        };
        take(m_cell.difference, result.difference);
        take(m_cell.unknown, result.unknown);
    }
    const Cell& finish() {
        m_cell.waitP50 = trace::percentile(m_waits, 50);
        m_cell.waitP99 = trace::percentile(m_waits, 99);
        // No file promises that nobody can tell.
        m_cell.asExpected = m_cell.promised && m_cell.difference.isEmpty() && m_cell.outcome != CellOutcome::Unknown;
        return m_cell;
    }

private:
    Cell m_cell;
    std::vector<Nanos> m_waits;
};

} // namespace

std::vector<scenario::Scenario> pairingsOf(const std::vector<scenario::Scenario>& scenarios,
                                           const std::function<bool(const QString& recipe)>& wanted) {
    std::vector<scenario::Scenario> pairings;
    for (const scenario::Scenario& scenario : scenarios) {
        for (const recipes::RecipeInfo& recipe : sim::recipesToBeginWith(scenario)) {
            const QString id = QString::fromLatin1(recipe.id);
            if (!wanted(id)) continue;
            pairings.push_back(scenario);
            pairings.back().recipe = id;
        }
    }
    return pairings;
}

void compare(const std::vector<scenario::Scenario>& pairings, std::uint64_t first, std::uint64_t last,
             const std::function<void(const Cell&)>& take) {
    Q_ASSERT(first <= last);
    if (pairings.empty()) return;
    const std::uint64_t seeds = last - first + 1;
    const auto work = [&](std::uint64_t number) {
        const scenario::Scenario& scenario = pairings[number / seeds];
        return runOnce(scenario, scenario.expectationFor(scenario.recipe), first + number % seeds);
    };
    std::optional<Sum> sum;
    runInParallel<Result>(0, pairings.size() * seeds - 1, work, [&](std::uint64_t number, const Result& result) {
        if (!sum) sum.emplace(pairings[number / seeds]);
        sum->add(first + number % seeds, result);
        if (number % seeds < seeds - 1) return;
        take(sum->finish());
        sum.reset();
    });
}

} // namespace lockscope::experiment
