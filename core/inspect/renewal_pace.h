// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <algorithm>
#include <array>

namespace lockscope::inspect {

/// Whether renewals come so evenly that one time says how often.
constexpr bool isSteady(Nanos longest, Nanos shortest) {
    return 20 * (longest - shortest) <= longest;
}

/// The times between the renewals of one hold, as far as the moves of its end tell of them.
class RenewalPace {
public:
    static constexpr int kFewest = 2; ///< times of which a pace can be told

    /// A look at `at` has seen a renewal.
    void seen(Nanos at) {
        m_last = at;
        m_excused = 0;
    }
    /// The server could not be reached until `at`: a client that could not renew meanwhile does at its next turn.
    void excuse(Nanos at) { m_excused = inMs(at - m_last); }
    bool isExcused() const { return m_excused > 0; }
    /// That renewal came so long after the one before it.
    void learn(Nanos apart) { m_apart[std::size_t(m_count++) % m_apart.size()] = inMs(apart); }
    bool isKnown() const { return m_count >= kFewest; }
    /// The look that saw the last renewal.
    Nanos last() const { return m_last; }
    /// The longest and the shortest one of the latest times; 0: none is known.
    Nanos longest() const { return std::chrono::milliseconds(known() == 0 ? 0 : *std::max_element(begin(), end())); }
    Nanos shortest() const { return std::chrono::milliseconds(known() == 0 ? 0 : *std::min_element(begin(), end())); }
    /// By how much they differ.
    Nanos jitter() const { return longest() - shortest(); }
    /// When the next renewal comes if the client keeps its pace.
    Nanos expected() const { return m_last + std::chrono::milliseconds(m_excused) + longest(); }
    /// When it is due at the latest. A client's timer may be late although it never was before.
    Nanos due() const { return expected() + std::max<Nanos>(jitter(), std::min<Nanos>(longest() / 4, 1s)); }

private:
    static std::int32_t inMs(Nanos time) { return std::int32_t(std::clamp<std::int64_t>(time / 1ms, 0, INT32_MAX)); }
    std::ptrdiff_t known() const { return std::min<std::ptrdiff_t>(m_count, std::ptrdiff_t(m_apart.size())); }
    const std::int32_t* begin() const { return m_apart.data(); }
    const std::int32_t* end() const { return m_apart.data() + known(); }

    std::array<std::int32_t, 6> m_apart{}; ///< in ms; a new one takes the place of the oldest
    std::int32_t m_count = 0;
    std::int32_t m_excused = 0; ///< in ms from m_last on: for so long the server was out of reach
    Nanos m_last{};
};

} // namespace lockscope::inspect
