// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/instants.h"

#include "cli/arguments.h"
#include "cli/text.h"
#include "trace/time_text.h"

#include <QDateTime>

namespace lockscope::cli {

namespace {

std::optional<Nanos> timeOfDay(const QString& text, const trace::Trace& trace) {
    QTime time;
    for (const char* form : {"H:mm", "H:mm:ss", "H:mm:ss.z"})
        if (!time.isValid()) time = QTime::fromString(text, QLatin1String(form));
    if (!time.isValid()) return std::nullopt;
    const QDateTime origin = QDateTime::fromMSecsSinceEpoch(trace.originWallMs());
    QDateTime meant(origin.date(), time);
    // "03:12" is meant although the recording began at 03:12:20.
    if (meant.addSecs(60) < origin) meant = meant.addDays(1);
    return std::max<Nanos>(std::chrono::milliseconds(origin.msecsTo(meant)), Nanos(0));
}

} // namespace

std::expected<Nanos, QString> instantOf(const char* option, const QString& text, const trace::Trace& trace) {
    Nanos at{};
    if (text.contains(u':')) {
        if (trace.originWallMs() == 0)
            return std::unexpected(
                tr("--%1: this recording has no clock: give the time since its beginning, such as 90s")
                    .arg(QLatin1String(option)));
        const auto time = timeOfDay(text, trace);
        if (!time)
            return std::unexpected(
                tr("--%1: “%2” is no time of day such as 03:12 or 03:12:30").arg(QLatin1String(option), text));
        at = *time;
    } else {
        const auto duration = durationOf(option, text, Nanos(0));
        if (!duration) return duration;
        at = *duration;
    }
    if (at > trace.reached())
        return std::unexpected(tr("--%1: the recording ends before that, after %2")
                                   .arg(QLatin1String(option), durationText(trace.reached())));
    return at;
}

} // namespace lockscope::cli
