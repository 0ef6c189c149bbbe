// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

namespace lockscope::sim {

/// The arrivals of a simulated client process: handled at once, or, while it is paused, in order when it goes on; a
/// dead one handles nothing.
class ProcessInbox {
public:
    /// The runtime outlives it.
    explicit ProcessInbox(Runtime& runtime) : m_state(std::make_shared<State>(State{runtime, {}})) {}

    /// The work may destroy this object. Work that waits when the object goes is still done: let it look whether its
    /// owner is there.
    void arrived(std::function<void()> work);
    /// Whether work that arrives now is done at once: then its caller may do it itself, without a copy of what arrives.
    bool doesAtOnce() const { return m_state->waiting.empty() && m_state->runtime.life() == Runtime::Life::Running; }

private:
    struct State {
        Runtime& runtime;
        std::deque<std::function<void()>> waiting;
    };
    static QCoro::Task<> readLater(std::shared_ptr<State> state);
    std::shared_ptr<State> m_state;
};

} // namespace lockscope::sim
