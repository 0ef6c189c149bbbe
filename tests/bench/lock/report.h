// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ours.h"
#include "samples.h"

#include <optional>

namespace lockscope::bench {

/// One measurement.
struct Measurement {
    QByteArray recipe;
    Workload workload;
    Samples ours;
    std::optional<Samples> raw;
    std::optional<Ours::Keeping> keeping;
};

/// One JSON object on one line.
QByteArray toJson(const Measurement& measurement, bool events);
/// The head of the table.
QByteArray tableHead();
QByteArray tableRow(const Measurement& measurement);

} // namespace lockscope::bench
