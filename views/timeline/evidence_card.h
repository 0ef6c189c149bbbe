// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/run_picture.h"

#include <utility>
#include <vector>

namespace lockscope::views {

/// One page (A4) that shows what happened to somebody who was not there: the verdict's sentence, the picture, and what
/// is known of the run. It is light in every theme, as paper is.
struct EvidenceCard {
    RunPicture run;
    std::vector<std::pair<QString, QString>> facts; ///< "Time span", "6.0 – 7.2 s", …
};

/// The facts that a trace tells of itself: time span and wall clock of the shown part; clients, locks, servers and
/// events of the whole.
std::vector<std::pair<QString, QString>> factsOf(const TimelinePicture& timeline);
/// The names of the servers that were watched, "shop, bank"; empty: the trace is of no watched server.
QString watchedServers(const trace::Trace& trace);
/// Writes it as a PDF file; false when the device takes nothing.
bool writePdf(const EvidenceCard& card, QIODevice& device);
/// The page with so many device pixels an inch.
QImage imageOf(const EvidenceCard& card, int dotsPerInch);

} // namespace lockscope::views
