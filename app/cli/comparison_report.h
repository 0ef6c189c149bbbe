// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "experiment/comparison.h"

namespace lockscope::cli {

// Cells of a comparison as text. Columns of CSV and ids are never translated: programs read them.

QByteArray csvHeader();
QByteArray csvLine(const experiment::Cell& cell);
/// A line for people, with columns of a constant width.
QString textLine(const experiment::Cell& cell);
/// The sum of all cells, one sentence.
QString summaryText(const std::vector<experiment::Cell>& cells);
/// Three tables: the outcomes by scenario and recipe; what each recipe cost and kept; sorts of servers side by side.
QString markdownOf(const std::vector<experiment::Cell>& cells);
/// As markdownOf(), as a page that needs nothing else.
QString htmlOf(const std::vector<experiment::Cell>& cells);

/// The outcome that the scenario's file promises: an id of outcomeId(), or "any", if it leaves that open.
/// Precondition: it promises something for this recipe.
QByteArray expectedId(const experiment::Cell& cell);

/// Precondition: there was an acquisition.
double requestsPerAcquisition(const experiment::Cell& cell);

} // namespace lockscope::cli
