// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <condition_variable>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lockscope::torture {

/// Interrupts threads that wait, at the time they asked for. Thread-safe.
class AlarmClock {
public:
    AlarmClock() : m_thread([this](const std::stop_token& over) { run(over); }) {}
    void interrupt(std::stop_source who, Nanos after) {
        {
            const std::lock_guard held(m_lock);
            m_alarms.emplace(std::chrono::steady_clock::now() + after, std::move(who));
        }
        m_changed.notify_one();
    }

private:
    void run(const std::stop_token& over) {
        std::unique_lock held(m_lock);
        while (!over.stop_requested()) {
            const auto known = m_alarms.size();
            const auto changed = [&] { return m_alarms.size() != known; };
            if (m_alarms.empty())
                m_changed.wait(held, over, changed);
            else
                m_changed.wait_until(held, over, m_alarms.begin()->first, changed);
            while (!m_alarms.empty() && m_alarms.begin()->first <= std::chrono::steady_clock::now()) {
                std::stop_source due = std::move(m_alarms.extract(m_alarms.begin()).mapped());
                held.unlock();
                due.request_stop();
                held.lock();
            }
        }
    }
    std::mutex m_lock;
    std::condition_variable_any m_changed;
    std::multimap<std::chrono::steady_clock::time_point, std::stop_source> m_alarms;
    std::jthread m_thread; ///< last: it uses the rest
};

} // namespace lockscope::torture
