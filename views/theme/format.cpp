// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/format.h"

#include "trace/time_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

namespace lockscope::views {
namespace {

struct Format {
    Q_DECLARE_TR_FUNCTIONS(Format)
};

QString minusSign() {
    return QString(QChar(0x2212));
}

QString significant(double n) {
    const int decimals = n < 10 ? 2 : n < 100 ? 1 : 0;
    QString text = QString::number(n, 'f', decimals);
    if (decimals > 0) {
        while (text.endsWith(QLatin1Char('0')))
            text.chop(1);
        if (text.endsWith(QLatin1Char('.'))) text.chop(1);
    }
    return text;
}

} // namespace

QString none() {
    return QString(QChar(0x2014));
}
//: This format of lock does not say.
QString unknown() {
    return Format::tr("unknown");
}
QString never() {
    return durationText(kNever);
}

QString duration(Nanos d) {
    return durationText(d);
}

QString instant(const trace::Trace& trace, Nanos t) {
    return instantText(trace, t);
}

QString instantShort(const trace::Trace& trace, Nanos t) {
    return instantText(trace, t, 1s);
}

QString interval(const trace::Trace& trace, Nanos from, Nanos to, Nanos now) {
    return intervalText(trace, from, to, now);
}

QString count(std::int64_t n) {
    QString digits = QString::number(std::abs(n));
    for (qsizetype i = digits.size() - 3; i > 0; i -= 3)
        digits.insert(i, QChar(0x2009)); // thin space: never mistaken for a decimal sign in any language
    return n < 0 ? minusSign() + digits : digits;
}

QString countShort(double n) {
    if (n >= 999'500'000) return Format::tr("%1 G").arg(significant(n / 1e9));
    if (n >= 999'500) return Format::tr("%1 M").arg(significant(n / 1e6));
    if (n >= 999.5) return Format::tr("%1 k").arg(significant(n / 1e3));
    return significant(n);
}

QString bytes(double n) {
    if (n >= 999'500'000) return Format::tr("%1 GB").arg(significant(n / 1e9));
    if (n >= 999'500) return Format::tr("%1 MB").arg(significant(n / 1e6));
    if (n >= 999.5) return Format::tr("%1 kB").arg(significant(n / 1e3));
    return Format::tr("%1 B").arg(std::lround(n));
}

QString speedText(double speed) {
    return significant(speed) + QChar(0x00d7);
}

} // namespace lockscope::views
