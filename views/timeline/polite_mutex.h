// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <atomic>
#include <mutex>
#include <thread>

namespace lockscope::views {

/// A mutex that prefers the painter: a thread that works in slices lets go of it, and waits as long as the painter
/// wants it. A plain mutex is often taken again by the thread that just let go, and a frame would wait for many slices.
class PoliteMutex {
public:
    /// For the painter: gets it after at most one slice.
    void lock() {
        m_wanted.fetch_add(1, std::memory_order_relaxed);
        m_mutex.lock();
        m_wanted.fetch_sub(1, std::memory_order_relaxed);
    }
    void unlock() { m_mutex.unlock(); }

    /// For the worker, before each slice.
    void lockForSlice() {
        while (m_wanted.load(std::memory_order_relaxed) > 0)
            std::this_thread::yield();
        m_mutex.lock();
    }

private:
    std::mutex m_mutex;
    std::atomic<int> m_wanted{0};
};

} // namespace lockscope::views
