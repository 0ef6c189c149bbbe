// SPDX-License-Identifier: Apache-2.0
#include "lesson/lesson_table.h"

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

} // namespace

std::vector<std::vector<TableCell>> computed(const Table& table) {
    std::vector<std::vector<TableCell>> rows(table.recipes.size(), std::vector<TableCell>(table.columns.size()));
    std::vector<scenario::Scenario> runs;
    std::vector<TableCell*> cells; // of the runs, in their order
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (std::size_t column = 0; column < table.columns.size(); ++column) {
            auto run = pairing(table.recipes[qsizetype(row)], table.columns[column].scenarios);
            if (!run) continue;
            rows[row][column].scenario = run->id;
            runs.push_back(std::move(*run));
            cells.push_back(&rows[row][column]);
        }
    }
    std::size_t next = 0;
    experiment::compare(runs, 1, kSeeds, [&](const experiment::Cell& cell) {
        cells[next]->outcome = cell.outcome;
        cells[next]->outage = cell.recovery;
        cells[next]->seed = cell.told;
        ++next;
    });
    return rows;
}

} // namespace lockscope::lesson
