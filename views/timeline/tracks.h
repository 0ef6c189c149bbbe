// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "timeline/chunked.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

namespace lockscope::views {

/// The end of a span that is still going on.
inline constexpr std::int64_t kOpenEnd = std::numeric_limits<std::int64_t>::max();
/// How many children a node of a pyramid has: 8 keeps the extra memory at a seventh, and a frame visits at most
/// 8 × width nodes of a level.
inline constexpr std::size_t kFanShift = 3;
inline constexpr std::size_t kFan = std::size_t(1) << kFanShift;

/// Something that lasts, on one lane. Times in ns of the trace.
struct Span {
    std::int64_t from = 0;
    std::int64_t to = kOpenEnd;   ///< kOpenEnd while it goes on
    std::uint32_t row = 0;        ///< the trace row that began it
    std::uint32_t label : 24 = 0; ///< a number to print; its meaning belongs to the lane's kind
    std::uint32_t state : 4 = 0;  ///< its meaning belongs to the lane's kind; below kStates
    std::uint32_t flags : 4 = 0;
    bool open() const { return to == kOpenEnd; }
};
inline constexpr std::size_t kStates = 5;

/// Something that happens at an instant, on one lane.
struct Tick {
    std::int64_t at = 0;
    std::uint32_t row = 0;
    std::uint32_t label : 24 = 0;
    std::uint32_t kind : 8 = 0; ///< below 16
};

/// The sum of consecutive spans that are too narrow to be drawn singly.
struct SpanSum {
    std::int64_t from = 0, to = 0;        ///< of the first and the last; kept here so that a walk reads memory in order
    std::array<float, kStates> covered{}; ///< ns per state
    std::uint32_t states = 0;             ///< bit per state that occurs, however short: nothing is merged away
    std::uint32_t count = 0;
    static SpanSum of(const Span& span, std::int64_t now);
    /// Precondition: `other` follows.
    void add(const SpanSum& other);
};

/// The sum of consecutive ticks.
struct TickSum {
    std::int64_t from = 0, to = 0;
    std::uint32_t count = 0;
    std::uint32_t kinds = 0; ///< bit per kind that occurs
};

/// Spans that follow each other without overlap, with a pyramid of sums over 8, 64, 512, … of them, so that a picture
/// costs by its width and not by the number of spans. Append-only; only the last span may be open.
class SpanTrack {
public:
    /// Preconditions: the last span is closed, and span.from is not before its end.
    void push(const Span& span);
    /// Ends the last span, which is open, at `to` >= its from. One that lasted no time disappears.
    void close(std::int64_t to);
    bool hasOpen() const { return !m_spans.empty() && m_spans.back().open(); }

    std::size_t size() const { return m_spans.size(); }
    bool empty() const { return m_spans.empty(); }
    const Span& operator[](std::size_t i) const { return m_spans[i]; }
    const Span& back() const { return m_spans.back(); }
    /// The first span that ends after t; size() when there is none. O(log n).
    std::size_t firstEndingAfter(std::int64_t t) const;
    std::size_t memoryBytes() const;

    /// Walks over what lies in [from, to): `each(index, span)` for spans of at least `pixel` ns, and
    /// `merged(sum)` for stretches below that. `now` closes the open span for sums.
    template <typename Each, typename Merged>
    void visit(std::int64_t from, std::int64_t to, std::int64_t pixel, std::int64_t now, Each&& each,
               Merged&& merged) const;

private:
    Chunked<Span> m_spans;
    std::vector<Chunked<SpanSum>> m_levels; ///< level k: one sum per 8^(k+1) spans
};

/// Instants in order of time, with a pyramid as SpanTrack has.
class TickTrack {
public:
    /// Precondition: not before the last tick.
    void push(const Tick& tick);
    std::size_t size() const { return m_ticks.size(); }
    bool empty() const { return m_ticks.empty(); }
    const Tick& operator[](std::size_t i) const { return m_ticks[i]; }
    /// The first tick at or after t; size() when there is none. O(log n).
    std::size_t lowerBound(std::int64_t t) const;
    std::size_t memoryBytes() const;

    /// Walks over what lies in [from, to): `each(index, tick)` for ticks on their own, `merged(sum)` for several within
    /// less than `pixel` ns.
    template <typename Each, typename Merged>
    void visit(std::int64_t from, std::int64_t to, std::int64_t pixel, Each&& each, Merged&& merged) const;

private:
    Chunked<Tick> m_ticks;
    std::vector<Chunked<TickSum>> m_levels; ///< level k: one sum per 8^(k+1) ticks
};

/// The level of the widest complete sum that begins at element i and is narrower than a pixel; 0 = none. The search
/// starts at the level of the last answer: along a lane it hardly changes.
template <typename Level>
std::size_t widestLevel(const std::vector<Level>& levels, std::size_t i, std::size_t hint, std::int64_t pixel) {
    const auto fits = [&](std::size_t level) {
        const std::size_t node = i >> (kFanShift * level);
        if (i != node << (kFanShift * level) || node >= levels[level - 1].size()) return false;
        const auto& sum = levels[level - 1][node];
        return sum.to - sum.from < pixel;
    };
    std::size_t level = std::min(hint, levels.size());
    if (level > 0 && !fits(level)) {
        do
            --level;
        while (level > 0 && !fits(level));
        return level;
    }
    while (level < levels.size() && fits(level + 1))
        ++level;
    return level;
}

template <typename Each, typename Merged>
void SpanTrack::visit(std::int64_t from, std::int64_t to, std::int64_t pixel, std::int64_t now, Each&& each,
                      Merged&& merged) const {
    const std::size_t count = m_spans.size();
    std::size_t level = 0;
    for (std::size_t i = firstEndingAfter(from); i < count;) {
        level = widestLevel(m_levels, i, level, pixel);
        if (level > 0) {
            const SpanSum& sum = m_levels[level - 1][i >> (kFanShift * level)];
            if (sum.from >= to) return;
            merged(sum);
            i += std::size_t(1) << (kFanShift * level);
            continue;
        }
        const Span& span = m_spans[i];
        if (span.from >= to) return;
        if (span.open() || span.to - span.from >= pixel)
            each(i, span);
        else
            merged(SpanSum::of(span, now));
        ++i;
    }
}

template <typename Each, typename Merged>
void TickTrack::visit(std::int64_t from, std::int64_t to, std::int64_t pixel, Each&& each, Merged&& merged) const {
    const std::size_t count = m_ticks.size();
    std::size_t level = 0;
    for (std::size_t i = lowerBound(from); i < count;) {
        level = widestLevel(m_levels, i, level, pixel);
        if (level > 0) {
            const TickSum& sum = m_levels[level - 1][i >> (kFanShift * level)];
            if (sum.from >= to) return;
            merged(sum);
            i += std::size_t(1) << (kFanShift * level);
            continue;
        }
        const Tick& tick = m_ticks[i];
        if (tick.at >= to) return;
        each(i, tick);
        ++i;
    }
}

} // namespace lockscope::views
