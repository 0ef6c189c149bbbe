// SPDX-License-Identifier: Apache-2.0
#include "trace/zone_text.h"

#include <QDateTime>
#include <cstdlib>

namespace lockscope {

QString zoneText(std::int64_t wallMs) {
    const int minutes = QDateTime::fromMSecsSinceEpoch(wallMs).offsetFromUtc() / 60;
    QString zone = QStringLiteral("UTC");
    if (minutes == 0) return zone;
    zone += (minutes < 0 ? QString(QChar(0x2212)) : QStringLiteral("+")) + QString::number(std::abs(minutes) / 60);
    if (minutes % 60 != 0) zone += QStringLiteral(":%1").arg(std::abs(minutes) % 60, 2, 10, QLatin1Char('0'));
    return zone;
}

} // namespace lockscope
