// SPDX-License-Identifier: Apache-2.0
#include "trace/grant_pace.h"

#include <QtGlobal>
#include <algorithm>

namespace lockscope::trace {

namespace {
constexpr std::size_t kMost = 1024; ///< stretches
}

void GrantPace::add(Nanos at) {
    Q_ASSERT(at >= Nanos(0));
    while (std::size_t(at / m_stretch) >= kMost) {
        for (std::size_t i = 0; i < m_counts.size(); ++i) {
            const std::uint32_t count = std::exchange(m_counts[i], 0);
            m_counts[i / 2] += count;
        }
        m_counts.resize((m_counts.size() + 1) / 2);
        m_stretch *= 2;
    }
    const auto place = std::size_t(at / m_stretch);
    if (place >= m_counts.size()) m_counts.resize(place + 1);
    ++m_counts[place];
}

void GrantPace::lose(Nanos at) {
    if (m_gaps.empty() || m_gaps.back().to != kNever) m_gaps.push_back({at});
}

void GrantPace::restore(Nanos at) {
    if (m_gaps.empty() || m_gaps.back().to != kNever) return;
    Q_ASSERT(at >= m_gaps.back().from);
    m_gaps.back().to = at;
    if (m_gaps.back().from == at) m_gaps.pop_back(); // a server that was started again between two looks
}

Nanos GrantPace::watched(Nanos from, Nanos to) const {
    from = std::max(from, Nanos(0));
    if (to <= from) return Nanos(0);
    Nanos all = to - from;
    auto gap = std::ranges::partition_point(m_gaps, [from](const Gap& one) { return one.to <= from; });
    for (; gap != m_gaps.end() && gap->from < to; ++gap)
        all -= std::min(gap->to, to) - std::max(gap->from, from);
    return all;
}

double GrantPace::perMinute(Nanos from, Nanos to) const {
    from = std::max(from, Nanos(0));
    const Nanos time = watched(from, to);
    if (time <= Nanos(0)) return 0;
    double all = 0;
    for (auto i = std::size_t(from / m_stretch); i < m_counts.size() && m_stretch * std::int64_t(i) < to; ++i) {
        if (m_counts[i] == 0) continue;
        // Only watched time has counts: a part of a stretch counts by its share of that time.
        const Nanos begin = m_stretch * std::int64_t(i), end = begin + m_stretch;
        const Nanos seen = watched(begin, end), part = watched(std::max(begin, from), std::min(end, to));
        all += m_counts[i] * (seen > Nanos(0) ? double(part.count()) / double(seen.count()) : 0);
    }
    return all / std::chrono::duration<double, std::ratio<60>>(time).count();
}

std::vector<double> GrantPace::curve(Nanos from, Nanos to, int parts) const {
    Q_ASSERT(parts > 0);
    std::vector<double> values;
    for (int i = 0; i < parts; ++i) {
        const Nanos begin = from + (to - from) * i / parts, end = from + (to - from) * (i + 1) / parts;
        values.push_back(watched(begin, end) > Nanos(0) ? perMinute(begin, end) : kNotWatched);
    }
    return values;
}

} // namespace lockscope::trace
