// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <memory>
#include <optional>
#include <utility>

namespace lockscope {

/// A value that arrives once, later, from a callback: a reply, a confirmation. Copies share it; one coroutine may wait.
template <typename T>
class Completion {
public:
    Completion() : m_state(std::make_shared<State>()) {}

    /// Sets the value. False when it was set before: the first one wins.
    bool complete(T value) const {
        if (m_state->value) return false;
        m_state->value.emplace(std::move(value));
        if (m_state->waiter) m_state->waiter->wake();
        return true;
    }
    bool done() const { return m_state->value.has_value(); }
    /// Takes the value; nullopt: it has not come.
    std::optional<T> take() const { return std::exchange(m_state->value, std::nullopt); }

    /// The value; nullopt when none came within `timeout` of this process's monotonic time. Throws Cancelled.
    QCoro::Task<std::optional<T>> wait(Runtime& runtime, Nanos timeout = kNever, std::stop_token stop = {}) const {
        const std::shared_ptr<State> state = m_state; // the completion itself may be destroyed during the wait
        if (state->value && runtime.alive()) co_return std::move(state->value);
        Place place(*this, runtime, timeout, std::move(stop));
        co_await place.end();
        co_return std::move(state->value);
    }

private:
    struct State {
        std::optional<T> value;
        Waiter* waiter = nullptr;
    };
    std::shared_ptr<State> m_state;

public:
    /// The wait of a coroutine, in its own frame, for code that must be fast. `co_await place.end()` or
    /// `place.howEnded()` as with a Waiter; afterwards the completion is done, or the time is over.
    class Place {
    public:
        Place(const Completion& completion, Runtime& runtime, Nanos timeout, std::stop_token stop)
            : m_state(completion.m_state), m_waiter(runtime, timeout, std::move(stop)) {
            m_state->waiter = &m_waiter;
            if (m_state->value) m_waiter.wake();
        }
        ~Place() { m_state->waiter = nullptr; }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;
        /// The object to await; see Waiter::end() and Waiter::howEnded().
        Waiter::End end() { return m_waiter.end(); }
        Waiter::HowEnded howEnded() { return m_waiter.howEnded(); }

    private:
        std::shared_ptr<State> m_state; // the completion itself may be destroyed meanwhile
        Waiter m_waiter;
    };
};

} // namespace lockscope
