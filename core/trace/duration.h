// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <optional>

namespace lockscope {

/// "5s", "1.5 s", "250ms", "2m", "3h", "150us", "10ns" → exact nanoseconds; nullopt when the text is not a duration.
std::optional<Nanos> parseDuration(QStringView text);
/// The shortest text that parseDuration() reads as the same duration.
QString formatDuration(Nanos duration);

} // namespace lockscope
