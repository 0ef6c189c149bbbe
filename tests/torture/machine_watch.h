// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QString>
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace lockscope::torture {

/// Watches whether the machine ran and kept its time. A second in which no process ran is a stop of all clients that
/// nobody wrote down, and leases end in it; a wall clock that is set moves the servers' expiries and their reports.
class MachineWatch {
public:
    /// Until this object goes.
    MachineWatch() : m_thread([this](const std::stop_token& over) { run(over); }) {}

    /// Its doing that takes the value from a complaint about leases of this length; empty: none.
    QString disturbance(Nanos lease) const {
        const std::lock_guard held(m_lock);
        if (m_longestStill > lease / 2)
            return QStringLiteral("the machine stood still for %1 ms").arg(m_longestStill / 1ms);
        if (m_farthestSet > kMostSet)
            return QStringLiteral("the machine's wall clock was set, by %1 ms").arg(m_farthestSet / 1ms);
        return {};
    }

private:
    static constexpr Nanos kTick = 5ms;
    static constexpr Nanos kMostSet = 20ms; ///< clocks that are only made faster or slower move less in a run

    static Nanos wallAhead() {
        return std::chrono::system_clock::now().time_since_epoch() -
               std::chrono::steady_clock::now().time_since_epoch();
    }
    void run(const std::stop_token& over) {
        const Nanos ahead = wallAhead();
        auto last = std::chrono::steady_clock::now();
        std::unique_lock held(m_lock);
        while (!m_over.wait_for(held, over, kTick, [&over] { return over.stop_requested(); })) {
            const auto now = std::chrono::steady_clock::now();
            m_longestStill = std::max(m_longestStill, Nanos(now - last) - kTick);
            m_farthestSet = std::max(m_farthestSet, std::chrono::abs(wallAhead() - ahead));
            last = now;
        }
    }

    mutable std::mutex m_lock;
    std::condition_variable_any m_over; ///< nobody notifies: it is the tick's
    Nanos m_longestStill{};
    Nanos m_farthestSet{};
    std::jthread m_thread; ///< last: it uses the rest
};

} // namespace lockscope::torture
