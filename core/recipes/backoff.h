// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "runtime/runtime.h"

#include <algorithm>
#include <utility>

namespace lockscope::recipes {

/// Whether the cause of an error may soon pass, so that a waiter with time left tries again.
inline bool passes(const LockError& error) {
    return error.kind == LockError::Kind::Unreachable || error.kind == LockError::Kind::OutcomeUnknown;
}

/// The pauses of a waiter whose server cannot be asked: longer each time, and random, so that waiters that lost the
/// server together do not return together.
class Backoff {
public:
    /// The next pause: 50 ms to a bound that doubles from 100 ms to 500 ms; never beyond `giveUpAt`, own monotonic
    /// clock.
    Nanos next(Runtime& runtime, Nanos giveUpAt) {
        const Nanos pause = runtime.random(kShortest, m_longest);
        m_longest = std::min(m_longest * 2, kLongest);
        return giveUpAt == kNever ? pause : std::clamp(giveUpAt - runtime.monotonic(), Nanos(0), pause);
    }
    /// Starts over: the server has answered.
    void reset() { m_longest = kFirst; }
    /// The longest pause.
    static constexpr Nanos kLongest = 500ms;

private:
    static constexpr Nanos kShortest = 50ms, kFirst = 100ms;
    Nanos m_longest = kFirst;
};

} // namespace lockscope::recipes
