// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

namespace lockscope {

/// See unlessStopped().
template <typename T>
class UnlessStopped {
public:
    using Result = std::conditional_t<std::is_void_v<T>, bool, std::optional<T>>;

    explicit UnlessStopped(QCoro::Task<T> task) : m_task(std::move(task)) {}
    bool await_ready() const noexcept { return m_task.isReady(); }
    void await_suspend(std::coroutine_handle<> handle) const noexcept {
        m_task.operator co_await().await_suspend(handle);
    }
    Result await_resume() const {
        try {
            if constexpr (std::is_void_v<T>) {
                m_task.operator co_await().await_resume();
                return true;
            } else {
                return m_task.operator co_await().await_resume();
            }
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            return {};
        }
    }

private:
    QCoro::Task<T> m_task;
};

/// For a caller that has something to tidy up, or to undo, before a stop request ends it: `co_await
/// unlessStopped(task)` is the task's result, or nullopt (false, of a task without a result) when it was stopped. The
/// caller then tidies up and throws Cancelled(Stopped) itself. A kill is thrown: a dead client tidies up nothing.
template <typename T>
UnlessStopped<T> unlessStopped(QCoro::Task<T> task) {
    return UnlessStopped<T>(std::move(task));
}

} // namespace lockscope
