// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/tracks.h"

#include <QtGlobal>
#include <algorithm>

namespace lockscope::views {

SpanSum SpanSum::of(const Span& span, std::int64_t now) {
    SpanSum sum;
    sum.from = span.from;
    sum.to = span.open() ? std::max(now, span.from) : span.to;
    sum.covered[span.state] = float(sum.to - sum.from);
    sum.states = 1u << span.state;
    sum.count = 1;
    return sum;
}

void SpanSum::add(const SpanSum& other) {
    if (count == 0) from = other.from;
    to = other.to;
    for (std::size_t s = 0; s < kStates; ++s)
        covered[s] += other.covered[s];
    states |= other.states;
    count += other.count;
}

namespace {

/// Adds sums of eight to every level whose eight are complete. `base(first)` sums up elements [first, first + 8).
template <typename Sum, typename Base>
void grow(std::vector<Chunked<Sum>>& levels, std::size_t elements, Base&& base) {
    std::size_t below = elements;
    for (std::size_t level = 0; below % kFan == 0; ++level) {
        if (level == levels.size()) levels.emplace_back();
        // A span that lasted no time was taken back after its predecessors had been summed up.
        if (levels[level].size() * kFan >= below) return;
        levels[level].push_back(base(level, below - kFan));
        below = levels[level].size();
    }
}

} // namespace

void SpanTrack::push(const Span& span) {
    Q_ASSERT(m_spans.empty() || (!m_spans.back().open() && m_spans.back().to <= span.from));
    Q_ASSERT(span.state < kStates);
    // The eight spans before this one are closed for good: their sum can be taken.
    if (!m_spans.empty() && m_spans.size() % kFan == 0)
        grow(m_levels, m_spans.size(), [this](std::size_t level, std::size_t first) {
            SpanSum sum;
            for (std::size_t i = first; i < first + kFan; ++i)
                sum.add(level == 0 ? SpanSum::of(m_spans[i], 0) : m_levels[level - 1][i]);
            return sum;
        });
    m_spans.push_back(span);
}

void SpanTrack::close(std::int64_t to) {
    Span& last = m_spans.back();
    Q_ASSERT(last.open());
    last.to = std::max(to, last.from);
    // Sums are taken of spans before the last only, so one that lasted no time can be taken back.
    if (last.to == last.from) m_spans.pop_back();
}

std::size_t SpanTrack::firstEndingAfter(std::int64_t t) const {
    std::size_t low = 0, high = m_spans.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (m_spans[middle].to <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::size_t SpanTrack::memoryBytes() const {
    std::size_t bytes = m_spans.memoryBytes();
    for (const auto& level : m_levels)
        bytes += level.memoryBytes();
    return bytes;
}

void TickTrack::push(const Tick& tick) {
    Q_ASSERT(m_ticks.empty() || m_ticks.back().at <= tick.at);
    Q_ASSERT(tick.kind < 16);
    m_ticks.push_back(tick);
    if (m_ticks.size() % kFan != 0) return;
    grow(m_levels, m_ticks.size(), [this](std::size_t level, std::size_t first) {
        TickSum sum;
        if (level == 0) {
            sum = {m_ticks[first].at, m_ticks[first + kFan - 1].at, kFan, 0};
            for (std::size_t i = first; i < first + kFan; ++i)
                sum.kinds |= 1u << m_ticks[i].kind;
        } else {
            const auto& below = m_levels[level - 1];
            sum = {below[first].from, below[first + kFan - 1].to, 0, 0};
            for (std::size_t i = first; i < first + kFan; ++i) {
                sum.count += below[i].count;
                sum.kinds |= below[i].kinds;
            }
        }
        return sum;
    });
}

std::size_t TickTrack::lowerBound(std::int64_t t) const {
    std::size_t low = 0, high = m_ticks.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (m_ticks[middle].at < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::size_t TickTrack::memoryBytes() const {
    std::size_t bytes = m_ticks.memoryBytes();
    for (const auto& level : m_levels)
        bytes += level.memoryBytes();
    return bytes;
}

} // namespace lockscope::views
