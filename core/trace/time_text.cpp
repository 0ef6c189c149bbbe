// SPDX-License-Identifier: Apache-2.0
#include "trace/time_text.h"

#include "trace/reckoned_length.h"

#include <QCoreApplication>

namespace lockscope {

namespace {

struct Format {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

constexpr std::int64_t kMicro = 1000, kMilli = 1000 * kMicro, kSecond = 1000 * kMilli;
constexpr std::int64_t kMinute = 60 * kSecond, kHour = 60 * kMinute, kDay = 24 * kHour;

/// n / unit with `decimals` digits, rounded down, in integers: no surprise like "10.0 s" for 9.96 s.
QString floored(std::int64_t n, std::int64_t unit, int decimals) {
    std::int64_t scale = 1;
    for (int i = 0; i < decimals; ++i)
        scale *= 10;
    // unit is a power of ten times at most 60: unit / scale is exact for the decimals used here.
    const std::int64_t ticks = n / (unit / scale);
    QString text = QString::number(ticks / scale);
    if (decimals > 0)
        text += QLatin1Char('.') + QString::number(ticks % scale).rightJustified(decimals, QLatin1Char('0'));
    return text;
}

QString two(std::int64_t n) {
    return QString::number(n).rightJustified(2, QLatin1Char('0'));
}

QString minusSign() {
    return QString(QChar(0x2212));
}

/// The number of an instant without unit below a minute, "m:ss" and up from there.
QString axisText(Nanos t, int decimals) {
    const std::int64_t n = t.count();
    if (n < kMinute) return floored(n, kSecond, decimals);
    const QString seconds = floored(n % kMinute, kSecond, decimals);
    const QString padded = n % kMinute < 10 * kSecond ? QLatin1Char('0') + seconds : seconds;
    if (n < kHour) return QString::number(n / kMinute) + QLatin1Char(':') + padded;
    return QString::number(n / kHour) + QLatin1Char(':') + two(n % kHour / kMinute) + QLatin1Char(':') + padded;
}

int decimalsFor(Nanos scale) {
    if (scale >= 1s) return 1;
    return scale >= 10ms || scale <= 0ns ? 3 : 6;
}

//: No deadline: it never expires.
QString never() {
    return Format::tr("never");
}

} // namespace

QString durationText(Nanos d) {
    if (d == kNever) return never();
    const std::int64_t n = d.count();
    if (n < 0) return minusSign() + durationText(-d);
    if (n == 0) return Format::tr("%1 s").arg(0);
    if (n < kMicro) return Format::tr("%1 ns").arg(n);
    if (n < kMilli) return Format::tr("%1 µs").arg(n / kMicro);
    if (n < 10 * kMilli) return Format::tr("%1 ms").arg(floored(n, kMilli, 1));
    if (n < kSecond) return Format::tr("%1 ms").arg(n / kMilli);
    if (n < kMinute) return Format::tr("%1 s").arg(floored(n, kSecond, 1));
    if (n < kHour) return Format::tr("%1 m %2 s").arg(QString::number(n / kMinute), two(n % kMinute / kSecond));
    if (n < kDay) return Format::tr("%1 h %2 m").arg(QString::number(n / kHour), two(n % kHour / kMinute));
    return Format::tr("%1 d %2 h").arg(QString::number(n / kDay), QString::number(n % kDay / kHour));
}

QString spanText(Nanos d) {
    return durationText(d).replace(QLatin1String(".0 "), QLatin1String(" "));
}

QString instantText(Nanos t, Nanos scale) {
    if (t == kNever) return never();
    if (t.count() < 0) return minusSign() + instantText(-t, scale);
    const QString text = axisText(t, decimalsFor(scale));
    return t < 1min ? Format::tr("%1 s").arg(text) : text;
}

QString intervalText(Nanos from, Nanos to, Nanos now) {
    const Nanos end = to == kNever ? now : to;
    const Nanos scale = end == kNever ? kNever : end - from;
    if (to == kNever) return Format::tr("%1 – now").arg(instantText(from, scale));
    if (to < 1min && from.count() >= 0)
        return Format::tr("%1 – %2 s").arg(axisText(from, decimalsFor(scale)), axisText(to, decimalsFor(scale)));
    return Format::tr("%1 – %2").arg(instantText(from, scale), instantText(to, scale));
}

Nanos reckonedLength(Nanos from, Nanos to) {
    Q_ASSERT(to != kNever);
    std::int64_t step = kSecond;
    for (int i = 0; i < decimalsFor(to - from); ++i)
        step /= 10;
    const auto shown = [step](Nanos t) { return t.count() / step * step; };
    return Nanos(shown(to) - shown(from));
}

QString lengthText(Nanos from, Nanos to) {
    Q_ASSERT(to >= from);
    return durationText(reckonedLength(from, to));
}

QString clockText(Nanos t) {
    const std::int64_t ms = std::max<std::int64_t>(0, t.count()) / kMilli;
    const QString fraction = QLatin1Char('.') + QString::number(ms % 1000).rightJustified(3, QLatin1Char('0'));
    const std::int64_t s = ms / 1000;
    const QString rest = two(s / 60 % 60) + QLatin1Char(':') + two(s % 60) + fraction;
    return s < 3600 ? rest : QString::number(s / 3600) + QLatin1Char(':') + rest;
}

} // namespace lockscope
