// SPDX-License-Identifier: Apache-2.0
#include "inspect/report_feed.h"

#include "inspect/seen_content.h"
#include "inspect/trace_feed.h"

#include <utility>

namespace lockscope::inspect {

std::optional<trace::FreedBy> ReportFeed::endOf(const QByteArray& lock) const {
    return m_forced && m_feed.isHeld(lock) && m_forced(lock) ? std::optional(trace::FreedBy::Force) : std::nullopt;
}

void ReportFeed::write(const LockReport& report) {
    if (report.trouble) {
        m_feed.unobserved();
        m_sawAll = false;
        return;
    }
    m_feed.observed();
    const std::map<QByteArray, QByteArray> before = std::exchange(m_places, {});
    for (const LockRow& row : report.locks) {
        m_places.emplace(row.name, row.server);
        Sight sight;
        if (report.concerns(row))
            sight.freedBy = trace::FreedBy::NodeLoss; // a new holder got it from no client
        else if (row.state != LockRow::State::Held)
            sight.freedBy = endOf(row.name);
        sight.failedOver = report.failedOver(row);
        sight.sawAllBefore = m_sawAll && !report.concerns(row);
        m_feed.update(row.name, withPlaces(row), sight);
    }
    for (const auto& [name, server] : before) {
        if (m_places.contains(name)) continue;
        LockRow was;
        was.server = server;
        const bool copyLost = report.together && !report.events.empty();
        if (copyLost || report.concerns(was))
            m_feed.lost(name); // with the server's data, not by a release
        else
            m_feed.update(name, std::nullopt, {.freedBy = endOf(name)});
    }
    m_sawAll = report.complete;
}

} // namespace lockscope::inspect
