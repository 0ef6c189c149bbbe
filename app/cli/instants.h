// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "trace/trace.h"

#include <expected>

namespace lockscope::cli {

/// An instant of a recording that an option gives: a duration from its beginning ("90s"), or, where the recording has a
/// clock, a time of day of this account's time zone ("03:12", "03:12:30.5"), its first one after the beginning. The
/// complaint names the option. `beyond` says whether an instant later than the recording's end is refused, or means the
/// end.
enum class Beyond : std::uint8_t { Refused, TheEnd };
std::expected<Nanos, QString> instantOf(const char* option, const QString& text, const trace::Trace& trace,
                                        Beyond beyond = Beyond::Refused);

} // namespace lockscope::cli
