// SPDX-License-Identifier: GPL-3.0-or-later
#include "servers/watch_clock.h"

#include "cli/output.h"
#include "cli/text.h"
#include "trace/zone_text.h"

#include <QDateTime>

namespace lockscope::cli {

QString WatchClock::timeOf(std::int64_t wallMs) {
    if (const QString zone = zoneText(wallMs); zone != m_zone) {
        //: A heading above lines that begin with a time. %1 is a zone: "UTC+1".
        say(tr("Local times, %1").arg(zone));
        m_zone = zone;
    }
    return QDateTime::fromMSecsSinceEpoch(wallMs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
}

} // namespace lockscope::cli
