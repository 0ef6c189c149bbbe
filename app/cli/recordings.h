// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "experiment/run.h"
#include "scenario/scenario.h"

#include <expected>

namespace lockscope::cli {

/// Writes a finished simulation as a recording, over an older one of that name. An error is a sentence.
std::expected<void, QString> saveRecording(const QString& path, const experiment::RunReport& report,
                                           const scenario::Scenario& scenario, std::uint64_t seed);

} // namespace lockscope::cli
