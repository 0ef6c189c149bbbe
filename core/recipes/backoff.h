// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <utility>

namespace lockscope::recipes {

/// Whether what an error says may be over soon: then whoever has time left tries again.
inline bool passes(const LockError& error) {
    return error.kind == LockError::Kind::Unreachable || error.kind == LockError::Kind::OutcomeUnknown;
}

/// The pauses of a waiter whose server can not be asked: longer each time, and random, so that those who lost it
/// together do not come back together.
class Backoff {
public:
    /// The next one; never beyond `giveUpAt`, by the own monotonic clock.
    Nanos next(Runtime& runtime, Nanos giveUpAt) {
        const Nanos pause = runtime.random(kShortest, m_longest);
        m_longest = std::min(m_longest * 2, kLongest);
        return giveUpAt == kNever ? pause : std::clamp(giveUpAt - runtime.monotonic(), Nanos(0), pause);
    }
    /// The server has answered.
    void reset() { m_longest = kFirst; }
    /// No pause is longer.
    static constexpr Nanos kLongest = 500ms;

private:
    static constexpr Nanos kShortest = 50ms, kFirst = 100ms;
    Nanos m_longest = kFirst;
};

} // namespace lockscope::recipes
