// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "experiment/comparison.h"
#include "lesson/lesson.h"

namespace lockscope::lesson {

/// How one way of locking came through the failure of a column.
struct TableCell {
    QString scenario; ///< the column's scenario that was played; empty: the recipe can begin with none of them
    experiment::CellOutcome outcome = experiment::CellOutcome::Unknown;
    Nanos outage{};         ///< with Recovered: from the failure to the next grant, the longest of all seeds
    std::uint64_t seed = 1; ///< of the run that came through so
    friend bool operator==(const TableCell&, const TableCell&) = default;
};

/// Plays every cell of the table with a few seeds, on all cores: some tenths of a second for a table that fits into a
/// lesson. By rows. Any thread.
std::vector<std::vector<TableCell>> computed(const Table& table);

} // namespace lockscope::lesson
