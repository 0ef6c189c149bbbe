// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_table.h"

#include "recipes/recipe_info.h"
#include "scenario/scenario_file.h"

namespace lockscope::lesson {

namespace {

constexpr std::uint64_t kSeeds = 3; ///< a cell has to hold for more than one course of events

/// The first of the scenarios that the recipe can begin with, with that recipe.
std::optional<scenario::Scenario> pairing(const QString& recipe, const QStringList& scenarios) {
    for (const QString& id : scenarios) {
        const auto scenario = scenario::loadScenario(id);
        if (!scenario) continue;
        auto fitting = experiment::pairingsOf({*scenario}, [&](const QString& one) { return one == recipe; });
        if (!fitting.empty()) return std::move(fitting.front());
    }
    return std::nullopt;
}

/// Whether two believed that they hold the lock, and no other invariant is broken.
bool onlyBelieved(const experiment::Cell& cell) {
    for (std::size_t i = 0; i < verdict::kInvariants.size(); ++i)
        if (verdict::kInvariants[i] != verdict::Invariant::MutualExclusion &&
            cell.invariants[i] == verdict::Outcome::Violated)
            return false;
    return true;
}

} // namespace

std::expected<scenario::Scenario, NotPlayed> runOf(const Table& table, int row, int column) {
    const QString& recipe = table.recipes.at(row);
    const Table::Column& wanted = table.columns.at(std::size_t(column));
    auto run = pairing(recipe, wanted.scenarios);
    if (!run) return std::unexpected(NotPlayed::NoFault);
    if (!wanted.tokens) return *std::move(run);
    const recipes::RecipeInfo* const info = recipes::findRecipe(recipe.toLatin1());
    if (!info || !info->token) return std::unexpected(NotPlayed::NoTokens);
    run->lock.token = true;
    run->resource.tokenCheck = true;
    run->expect.clear(); // the file promises what comes without the check
    return *std::move(run);
}

std::vector<std::vector<TableCell>> computed(const Table& table) {
    std::vector<std::vector<TableCell>> rows(table.recipes.size(), std::vector<TableCell>(table.columns.size()));
    std::vector<scenario::Scenario> runs;
    std::vector<std::pair<TableCell*, bool>> cells; // of the runs, in their order, and whether tokens are checked there
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            auto run = runOf(table, int(row), int(column));
            if (!run) {
                rows[row][column].notPlayed = run.error();
                continue;
            }
            rows[row][column].scenario = run->id;
            runs.push_back(*std::move(run));
            cells.emplace_back(&rows[row][column], table.columns[column].tokens);
        }
    }
    std::size_t next = 0;
    experiment::compare(runs, 1, kSeeds, [&](const experiment::Cell& cell) {
        const auto [shown, checked] = cells[next++];
        shown->outcome = cell.outcome;
        shown->harmless = checked && cell.outcome == experiment::CellOutcome::Violated && onlyBelieved(cell);
        shown->outage = cell.recovery;
        shown->seed = cell.told;
    });
    return rows;
}

} // namespace lockscope::lesson
