// SPDX-License-Identifier: Apache-2.0
#include "trace/state.h"

#include <algorithm>

namespace lockscope::trace {

namespace {
constexpr std::size_t kMinInterval = 2048; // rows; folding so many takes about a tenth of a millisecond
constexpr double kKeyframeBytesPerRow = 1.0;
} // namespace

StateIndex::StateIndex(std::shared_ptr<const Trace> trace) : m_trace(std::move(trace)) {
}

State StateIndex::at(Nanos t) {
    State state = cursorAt(m_trace->upperBound(t));
    state.passTime(t.count());
    return state;
}

State StateIndex::atRow(std::size_t rows) {
    return cursorAt(std::min(rows, m_trace->size()));
}

bool StateIndex::prepare(std::size_t rows) {
    const std::size_t size = m_trace->size();
    extend(rows < size - m_head.rows ? m_head.rows + rows : size);
    return m_head.rows == size;
}

void StateIndex::fold(State& state, std::size_t rows) const {
    while (state.rows < rows)
        state.apply(m_trace->at(state.rows), *m_trace);
}

void StateIndex::extend(std::size_t rows) {
    while (m_head.rows < rows) {
        const std::size_t bytes = m_head.memoryBytes();
        const auto spaced = static_cast<std::size_t>(static_cast<double>(bytes) / kKeyframeBytesPerRow);
        const std::size_t last = m_keyframes.empty() ? 0 : m_keyframes.back().rows;
        const std::size_t next = last + std::max(kMinInterval, spaced);
        if (m_head.rows >= next) {
            m_keyframes.push_back(m_head);
            m_keyframeBytes += bytes;
            continue;
        }
        // The state may grow on the way; then the next round sets the keyframe further off.
        fold(m_head, std::min(rows, next));
    }
}

const State& StateIndex::cursorAt(std::size_t rows) {
    extend(rows);
    const auto later = std::upper_bound(m_keyframes.begin(), m_keyframes.end(), rows,
                                        [](std::size_t n, const State& keyframe) { return n < keyframe.rows; });
    const bool before = later == m_keyframes.begin();
    const std::size_t keyed = before ? 0 : std::prev(later)->rows;
    if (m_cursor.rows > rows || m_cursor.rows < keyed) m_cursor = before ? State{} : *std::prev(later);
    fold(m_cursor, rows);
    return m_cursor;
}

} // namespace lockscope::trace
