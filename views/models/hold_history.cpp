// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/hold_history.h"

#include <algorithm>

namespace lockscope::views {

namespace {
qint64 median(QList<qint64> values) {
    Q_ASSERT(!values.isEmpty());
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}
} // namespace

void HoldHistory::moveTo(const std::shared_ptr<const trace::Trace>& trace, Nanos t) {
    const std::size_t end = trace->upperBound(t);
    const std::size_t most = std::max(trace->lowerBound(t - kReach), end > kRows ? end - kRows : 0);
    if (m_trace.lock() != trace || end < m_row || m_row < most) {
        m_trace = trace;
        m_pasts.clear();
        m_seen = {};
        m_row = most;
    }
    for (; m_row < end; ++m_row)
        take(*trace, m_row);
}

void HoldHistory::take(const trace::Trace& trace, std::size_t row) {
    using trace::EventKind;
    const EventKind kind = trace.kindAt(row);
    if (kind != EventKind::RecordRenewed && !trace::SeenHolds::needs(kind)) return;
    const trace::Event event = trace.at(row);
    Past& past = m_pasts[event.subject];
    if (kind == EventKind::RecordRenewed) {
        if (past.beats.size() == kMost) past.beats.removeFirst();
        past.beats += event.at;
        return;
    }
    if (const auto held = m_seen.take(event)) {
        if (past.holds.size() == kHolds) past.holds.removeFirst();
        past.holds += held->count();
    }
    past.beats.clear();
}

QList<qint64> HoldHistory::beatsOf(trace::EntityId lock) const {
    const auto found = m_pasts.find(lock);
    return found == m_pasts.end() ? QList<qint64>() : found->second.beats;
}

Nanos HoldHistory::usualOf(trace::EntityId lock) const {
    const auto found = m_pasts.find(lock);
    return found == m_pasts.end() || found->second.holds.size() < kEnough ? Nanos(0)
                                                                          : Nanos(median(found->second.holds));
}

qint64 Pulse::period() const {
    QList<qint64> gaps;
    for (qsizetype i = 1; i < beats.size(); ++i)
        gaps += beats[i] - beats[i - 1];
    return gaps.isEmpty() ? 0 : median(std::move(gaps));
}

} // namespace lockscope::views
