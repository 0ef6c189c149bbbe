// SPDX-License-Identifier: Apache-2.0
#include "sim/process_inbox.h"

namespace lockscope::sim {

void ProcessInbox::arrived(std::function<void()> work) {
    if (doesAtOnce()) return work();
    const std::shared_ptr<State> state = m_state;
    if (!state->runtime.alive()) return;
    const bool first = state->waiting.empty();
    state->waiting.push_back(std::move(work));
    if (first) state->runtime.spawn([state] { return readLater(state); });
}

QCoro::Task<> ProcessInbox::readLater(std::shared_ptr<State> state) {
    // A paused process reads when it runs again: no sleep ends before.
    co_await state->runtime.sleep(Nanos(0));
    while (!state->waiting.empty()) {
        const std::function<void()> work = std::move(state->waiting.front());
        state->waiting.pop_front();
        work();
    }
}

} // namespace lockscope::sim
