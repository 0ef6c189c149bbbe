// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/watch_gaps.h"

#include "trace/connection.h"
#include "trace/server_told.h"

namespace lockscope::app {

using trace::EventKind;

void WatchGaps::moveTo(const std::shared_ptr<const trace::Trace>& trace, Nanos t) {
    const std::size_t end = trace->upperBound(t);
    if (m_trace.lock() != trace || end < m_row) {
        *this = {};
        m_trace = trace;
    }
    for (; m_row < end; ++m_row)
        take(*trace, m_row);
    m_at = t;
}

void WatchGaps::take(const trace::Trace& trace, std::size_t row) {
    const EventKind kind = trace.kindAt(row);
    if (kind != EventKind::ConnectionLost && kind != EventKind::ConnectionRestored) return;
    const trace::Event event = trace.at(row);
    if (trace::connectionOf(trace, event.subject) == trace::kNoEntity) return; // of a world of our own
    if (kind == EventKind::ConnectionLost && trace.entity(event.aux).name == trace::kLeftOut) {
        m_leftOut.insert(event.subject);
        return;
    }
    if (kind == EventKind::ConnectionRestored && m_leftOut.erase(event.subject) > 0) {
        m_begins = Nanos(event.at);
        return;
    }
    if (kind == EventKind::ConnectionLost) {
        m_open.emplace(event.subject, event.at);
        return;
    }
    const auto open = m_open.find(event.subject);
    if (open == m_open.end()) return;
    // A server that restarts between two looks is told as lost and there again at one instant.
    if (const Nanos length(event.at - open->second); length > Nanos(0)) {
        ++m_count;
        m_closed += length;
    }
    m_open.erase(open);
}

Nanos WatchGaps::length() const {
    Nanos all = m_closed;
    for (const auto& [server, since] : m_open)
        all += std::max(m_at - Nanos(since), Nanos(0));
    return all;
}

} // namespace lockscope::app
