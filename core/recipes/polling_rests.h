// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <algorithm>

namespace lockscope::recipes {

/// The rests of a waiter that nobody wakes: short at first, for locks that are held for a moment, then each time longer
/// for the server's sake; and random, so that waiters come apart.
class PollingRests {
public:
    explicit PollingRests(Nanos longest) : m_most(std::min(kFirst, longest)), m_longest(longest) {}
    /// The next one: at least half of the most that it could be, which doubles up to `longest`.
    Nanos next(Runtime& runtime) {
        const Nanos nap = runtime.random(m_most / 2, m_most);
        m_most = std::min(m_most * 2, m_longest);
        return nap;
    }

private:
    static constexpr Nanos kFirst = 5ms;
    Nanos m_most, m_longest;
};

} // namespace lockscope::recipes
