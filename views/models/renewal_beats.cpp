// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/renewal_beats.h"

#include <algorithm>

namespace lockscope::views {

void RenewalBeats::moveTo(const std::shared_ptr<const trace::Trace>& trace, Nanos t) {
    const std::size_t end = trace->upperBound(t);
    const std::size_t most = std::max(trace->lowerBound(t - kReach), end > kRows ? end - kRows : 0);
    if (m_trace.lock() != trace || end < m_row || m_row < most) {
        m_trace = trace;
        m_beats.clear();
        m_row = most;
    }
    for (; m_row < end; ++m_row)
        take(*trace, m_row);
}

void RenewalBeats::take(const trace::Trace& trace, std::size_t row) {
    using trace::EventKind;
    const EventKind kind = trace.kindAt(row);
    if (kind == EventKind::RecordHeld || kind == EventKind::RecordFreed) m_beats.erase(trace.at(row).subject);
    if (kind != EventKind::RecordRenewed) return;
    const trace::Event event = trace.at(row);
    QList<qint64>& beats = m_beats[event.subject];
    if (beats.size() == kMost) beats.removeFirst();
    beats += event.at;
}

QList<qint64> RenewalBeats::of(trace::EntityId lock) const {
    const auto found = m_beats.find(lock);
    return found == m_beats.end() ? QList<qint64>() : found->second;
}

qint64 Pulse::period() const {
    QList<qint64> gaps;
    for (qsizetype i = 1; i < beats.size(); ++i)
        gaps += beats[i] - beats[i - 1];
    if (gaps.isEmpty()) return 0;
    const auto middle = gaps.begin() + gaps.size() / 2;
    std::nth_element(gaps.begin(), middle, gaps.end());
    return *middle;
}

} // namespace lockscope::views
