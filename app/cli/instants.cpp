// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/instants.h"

#include "cli/arguments.h"
#include "cli/text.h"
#include "trace/time_text.h"
#include "trace/trace_time.h"

namespace lockscope::cli {

std::expected<Nanos, QString> instantOf(const char* option, const QString& text, const trace::Trace& trace,
                                        Beyond beyond) {
    Nanos at{};
    if (text.contains(u':')) {
        if (!tellsTimeOfDay(trace))
            return std::unexpected(
                tr("--%1: this recording has no clock: give the time since its beginning, such as 90s")
                    .arg(QLatin1String(option)));
        const auto time = instantOfDay(trace, text);
        if (!time)
            return std::unexpected(
                tr("--%1: “%2” is no time of day such as 03:12 or 03:12:30").arg(QLatin1String(option), text));
        if (*time < Nanos(0))
            return std::unexpected(tr("--%1: the recording begins after that, at %2")
                                       .arg(QLatin1String(option), clockText(trace, Nanos(0))));
        at = *time;
    } else {
        const auto duration = durationOf(option, text, Nanos(0));
        if (!duration) return duration;
        at = *duration;
    }
    if (beyond == Beyond::TheEnd) return std::min(at, trace.reached());
    if (at > trace.reached())
        return std::unexpected(tr("--%1: the recording ends before that, after %2")
                                   .arg(QLatin1String(option), durationText(trace.reached())));
    return at;
}

} // namespace lockscope::cli
