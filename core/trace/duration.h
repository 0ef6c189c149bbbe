// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <optional>

namespace lockscope {

/// "5s", "1.5 s", "250ms", "2m", "3h", "150us", "10ns" → exact nanoseconds; nullopt when the text is not a duration.
std::optional<Nanos> parseDuration(QStringView text);
/// The text that a person would write and parseDuration() reads as the same duration: whole hours and minutes, else
/// seconds with a fraction, below one second milliseconds and smaller units.
QString formatDuration(Nanos duration);

} // namespace lockscope
