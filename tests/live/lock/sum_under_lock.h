// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/mutex.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>

namespace lockscope::test {

/// The sum that threads add to under the lock, by reading and writing; and the threads that are inside.
class Sum {
public:
    /// `meanwhile`: what else is done inside.
    void add(int thread, blocking::Mutex& mutex, const std::function<void()>& meanwhile) {
        enter(thread);
        const std::int64_t token = mutex.token();
        const int before = value;
        if (lastToken.exchange(token) >= token) ++tokensBack;
        meanwhile();
        value = before + 1;
        ++additions;
        // A thread that another one has joined must know that it has lost the lock.
        if (leave(thread)) ++(mutex.stillMine() ? clashes : toldClashes);
    }
    std::atomic<int> value = 0; ///< atomic, so that two at once are a wrong sum and no undefined behaviour
    std::atomic<int> additions = 0;
    std::atomic<int> clashes = 0, toldClashes = 0;
    std::atomic<std::int64_t> lastToken = 0;
    std::atomic<int> tokensBack = 0; ///< those that were not greater than the one before

private:
    void enter(int thread) {
        const std::lock_guard held(m_guard);
        for (auto& [other, joined] : m_inside)
            joined = true;
        m_inside.emplace(thread, false);
    }
    bool leave(int thread) {
        const std::lock_guard held(m_guard);
        return m_inside.extract(thread).mapped();
    }
    std::mutex m_guard;
    std::map<int, bool> m_inside; ///< thread, and whether another one came in meanwhile
};

} // namespace lockscope::test
