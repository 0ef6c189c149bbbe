// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/violation_bands.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::views {

void ViolationBands::setVerdict(std::shared_ptr<const verdict::Verdict> verdict) {
    if (verdict == m_verdict) return;
    m_verdict = std::move(verdict);
    m_bands.clear();
    for (std::size_t i = 0; i < violationCount(); ++i) {
        const verdict::Violation& v = m_verdict->violations[i];
        const std::int64_t from = v.from.count(), to = std::max(v.to.count(), v.from.count());
        if (!m_bands.empty() && from <= m_bands.back().to) {
            m_bands.back().to = std::max(m_bands.back().to, to);
            ++m_bands.back().count;
        } else {
            m_bands.push_back({from, to, i, 1});
        }
    }
}

std::size_t ViolationBands::firstEndingAfter(std::int64_t t) const {
    const auto it = std::partition_point(m_bands.begin(), m_bands.end(), [t](const Band& band) { return band.to < t; });
    return std::size_t(it - m_bands.begin());
}

std::vector<std::size_t> ViolationBands::at(std::int64_t t, std::int64_t slack, std::int64_t now) const {
    std::vector<std::size_t> found;
    constexpr std::size_t most = 64; // zoomed far out, a pixel may stand for thousands
    for (std::size_t b = firstEndingAfter(t - slack); b < m_bands.size() && m_bands[b].from <= t + slack; ++b) {
        if (found.size() >= most) break;
        for (std::size_t i = m_bands[b].first; i < m_bands[b].first + m_bands[b].count; ++i) {
            const verdict::Violation& v = violation(i);
            const std::int64_t to = std::min(v.to.count(), std::max(now, v.from.count()));
            if (v.from.count() <= t + slack && to >= t - slack) found.push_back(i);
        }
    }
    std::reverse(found.begin(), found.end());
    return found;
}

QString violationWord(verdict::Invariant invariant) {
    using verdict::Invariant;
    switch (invariant) {
    case Invariant::MutualExclusion:
        return QCoreApplication::translate("Timeline", "double belief");
    case Invariant::StaleWrite:
        return QCoreApplication::translate("Timeline", "stale write");
    case Invariant::Ownership:
        return QCoreApplication::translate("Timeline", "not its own");
    case Invariant::Progress:
        return QCoreApplication::translate("Timeline", "no progress");
    case Invariant::Reentrancy:
        return QCoreApplication::translate("Timeline", "hold count");
    case Invariant::Fifo:
        return QCoreApplication::translate("Timeline", "out of turn");
    case Invariant::TokenOrder:
        return QCoreApplication::translate("Timeline", "old token");
    case Invariant::NoDeadlock:
        return QCoreApplication::translate("Timeline", "deadlock");
    }
    return {};
}

} // namespace lockscope::views
