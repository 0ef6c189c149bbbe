// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_time.h"

#include "trace/time_text.h"
#include "trace/zone_text.h"

#include <QCoreApplication>
#include <QDateTime>

namespace lockscope {

namespace {

struct Format {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

constexpr std::int64_t kMilli = 1'000'000;

/// The local day and time of an instant, to the millisecond below it.
QDateTime dateOf(const trace::Trace& trace, Nanos t) {
    const std::int64_t ms = t.count() >= 0 ? t.count() / kMilli : -((-t.count() + kMilli - 1) / kMilli);
    return QDateTime::fromMSecsSinceEpoch(trace.originWallMs() + ms);
}

} // namespace

bool tellsTimeOfDay(const trace::Trace& trace) {
    return trace.ofRealServers();
}

QString instantText(const trace::Trace& trace, Nanos t, Nanos scale) {
    if (!tellsTimeOfDay(trace) || t == kNever) return instantText(t, scale);
    const QDateTime date = dateOf(trace, t);
    QString text = date.toString(scale >= 1s ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm:ss.zzz"));
    if (scale > 0ns && scale < 10ms) {
        const std::int64_t within = ((t.count() % kMilli) + kMilli) % kMilli;
        text += QString::number(within / 1000).rightJustified(3, QLatin1Char('0'));
    }
    if (date.date() != dateOf(trace, 0ns).date()) text.prepend(date.toString(QStringLiteral("MM-dd ")));
    return text;
}

QString intervalText(const trace::Trace& trace, Nanos from, Nanos to, Nanos now) {
    if (!tellsTimeOfDay(trace)) return intervalText(from, to, now);
    const Nanos end = to == kNever ? now : to;
    const Nanos scale = end == kNever ? kNever : std::max(end - from, Nanos(1));
    return to == kNever ? Format::tr("%1 – now").arg(instantText(trace, from, scale))
                        : Format::tr("%1 – %2").arg(instantText(trace, from, scale), instantText(trace, to, scale));
}

QString clockText(const trace::Trace& trace, Nanos t) {
    if (!tellsTimeOfDay(trace)) return clockText(t);
    return dateOf(trace, t).toString(QStringLiteral("HH:mm:ss.zzz"));
}

QString dayText(const trace::Trace& trace, Nanos t) {
    if (!tellsTimeOfDay(trace)) return {};
    const QDateTime date = dateOf(trace, t);
    return zoneText(date.toMSecsSinceEpoch()) + QStringLiteral(" · ") + date.date().toString(Qt::ISODate);
}

Nanos timeOfDayAtOrigin(const trace::Trace& trace) {
    if (!tellsTimeOfDay(trace)) return 0ns;
    return std::chrono::milliseconds(dateOf(trace, 0ns).time().msecsSinceStartOfDay());
}

std::optional<Nanos> instantOfDay(const trace::Trace& trace, const QString& text) {
    if (!tellsTimeOfDay(trace)) return std::nullopt;
    QTime time;
    for (const char* form : {"H:mm", "H:mm:ss", "H:mm:ss.z"})
        if (!time.isValid()) time = QTime::fromString(text.trimmed(), QLatin1String(form));
    if (!time.isValid()) return std::nullopt;
    const QDateTime origin = dateOf(trace, 0ns);
    const QDateTime meant(origin.date(), time);
    const auto since = [&origin](const QDateTime& at) -> Nanos {
        return std::chrono::milliseconds(origin.msecsTo(at));
    };
    if (meant >= origin) return since(meant);
    // "03:12" is meant although the trace began at 03:12:20.
    if (meant.addSecs(60) >= origin) return 0ns;
    const QDateTime nextDay = meant.addDays(1);
    return since(since(nextDay) - trace.reached() <= -since(meant) ? nextDay : meant); // the nearer one
}

} // namespace lockscope
