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

double GrantPace::perMinute(Nanos from, Nanos to) const {
    from = std::max(from, Nanos(0));
    if (to <= from) return 0;
    double all = 0;
    for (auto i = std::size_t(from / m_stretch); i < m_counts.size() && m_stretch * std::int64_t(i) < to; ++i) {
        const Nanos begin = m_stretch * std::int64_t(i), end = begin + m_stretch;
        all += m_counts[i] * double((std::min(end, to) - std::max(begin, from)).count()) / double(m_stretch.count());
    }
    return all / std::chrono::duration<double, std::ratio<60>>(to - from).count();
}

std::vector<double> GrantPace::curve(Nanos from, Nanos to, int parts) const {
    Q_ASSERT(parts > 0);
    std::vector<double> values;
    for (int i = 0; i < parts; ++i)
        values.push_back(perMinute(from + (to - from) * i / parts, from + (to - from) * (i + 1) / parts));
    return values;
}

} // namespace lockscope::trace
