// SPDX-License-Identifier: Apache-2.0
#include "inspect/report_feed.h"

#include "inspect/seen_by_waiters.h"
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
    const std::map<QByteArray, Before> before = std::exchange(m_before, {});
    for (const LockRow& row : report.locks) {
        m_before.emplace(row.name, Before{row.server, seenByItsWaiters(row)});
        Sight sight;
        if (report.concerns(row))
            sight.freedBy = trace::FreedBy::NodeLoss; // a new holder got it from no client
        else if (row.state != LockRow::State::Held)
            sight.freedBy = endOf(row.name);
        sight.failedOver = report.failedOver(row);
        sight.sawAllBefore = m_sawAll && !report.concerns(row);
        m_feed.update(row.name, withPlaces(row), sight);
    }
    for (const auto& [name, then] : before) {
        if (m_before.contains(name)) continue;
        LockRow was;
        was.server = then.server;
        const bool copyLost = report.together && !report.events.empty();
        if (copyLost || report.concerns(was))
            m_feed.lost(name); // with the server's data, not by a release
        else if (const auto end = endOf(name); !end && then.byWaiters)
            m_feed.noLongerShown(name);
        else
            m_feed.update(name, std::nullopt, {.freedBy = end});
    }
    m_sawAll = report.complete;
}

} // namespace lockscope::inspect
