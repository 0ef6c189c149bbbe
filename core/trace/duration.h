// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <optional>

namespace lockscope {

/// "5s", "1.5 s", "250ms", "2m", "3h", "150us", "10ns" → nanoseconds, exactly; nullopt when it is not a duration.
std::optional<Nanos> parseDuration(QStringView text);
/// The shortest such text that parses back to the same duration.
QString formatDuration(Nanos duration);

} // namespace lockscope
