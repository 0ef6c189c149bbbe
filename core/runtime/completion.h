// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <memory>
#include <optional>

namespace lockscope {

/// A value that arrives once, later, from a callback: a reply, a confirmation. Copies share it; one coroutine may wait.
template <typename T>
class Completion {
public:
    Completion() : m_state(std::make_shared<State>()) {}

    /// Gives the value. False when there is one already: the first wins.
    bool complete(T value) const {
        if (m_state->value) return false;
        m_state->value.emplace(std::move(value));
        if (m_state->waiter) m_state->waiter->wake();
        return true;
    }
    bool done() const { return m_state->value.has_value(); }

    /// The value, nullopt when none came within `timeout` of this process's monotonic time. Throws Cancelled.
    QCoro::Task<std::optional<T>> wait(Runtime& runtime, Nanos timeout = kNever, std::stop_token stop = {}) const {
        const std::shared_ptr<State> state = m_state; // the completion itself may go away while we wait
        if (state->value && runtime.alive()) co_return std::move(state->value);
        Waiter waiter(runtime, timeout, std::move(stop));
        const Registration registration(*state, waiter);
        co_await waiter.end();
        co_return std::move(state->value);
    }

private:
    struct State {
        std::optional<T> value;
        Waiter* waiter = nullptr;
    };
    struct Registration {
        Registration(State& s, Waiter& w) : state(s) { state.waiter = &w; }
        ~Registration() { state.waiter = nullptr; }
        Registration(const Registration&) = delete;
        Registration& operator=(const Registration&) = delete;
        State& state;
    };
    std::shared_ptr<State> m_state;
};

} // namespace lockscope
