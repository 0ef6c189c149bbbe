// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <algorithm>

namespace lockscope::recipes {

/// The pauses of a polling waiter: short at first, for locks that are held briefly, then longer to spare the server;
/// random, so that waiters spread out.
class PollingRests {
public:
    explicit PollingRests(Nanos longest) : m_most(std::min(kFirst, longest)), m_longest(longest) {}
    /// The next pause: random between half of a bound and the bound, which doubles from 5 ms up to `longest`.
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
