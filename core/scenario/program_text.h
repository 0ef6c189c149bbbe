// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/fields.h"

namespace lockscope::scenario {

/// A program of a file: an object with its name and its steps. `locks`: the names that its steps may use. Complains
/// about locks that do not exist, and about a program that would take no time.
Program readProgram(const Fields& fields, const Workload& workload, const QStringList& locks);

/// As it stands in a file.
QJsonObject programObject(const Program& program);

/// "3s", or the shortest and the longest time: ["2s", "4s"].
QJsonValue rangeValue(const Range& range);

} // namespace lockscope::scenario
