// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "experiment/comparison.h"
#include "lesson/lesson.h"

#include <expected>

namespace lockscope::lesson {

/// Why nothing was played in a cell.
enum class NotPlayed : std::uint8_t {
    No,       ///< it was
    NoFault,  ///< the recipe can begin with none of the column's scenarios
    NoTokens, ///< the recipe gives no fencing tokens that the resource could check
};

/// How one way of locking came through the failure of a column.
struct TableCell {
    NotPlayed notPlayed = NotPlayed::No;
    QString scenario; ///< the column's scenario that was played; empty: none
    experiment::CellOutcome outcome = experiment::CellOutcome::Unknown;
    /// With Violated: two held the lock at once and nothing else went wrong; no old write was accepted.
    bool harmless = false;
    Nanos outage{};         ///< with Recovered: from the failure to the next grant, the longest of all seeds
    std::uint64_t seed = 1; ///< of the run that came through so
    friend bool operator==(const TableCell&, const TableCell&) = default;
};

/// The run of a cell; nothing: this recipe does not play there, and why. Row and column from 0.
std::expected<scenario::Scenario, NotPlayed> runOf(const Table& table, int row, int column);

/// Plays every cell of the table with a few seeds, on all cores: some tenths of a second for a table that fits into a
/// lesson. By rows. Any thread.
std::vector<std::vector<TableCell>> computed(const Table& table);

} // namespace lockscope::lesson
