// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/signal_count.h"

#include <functional>
#include <utility>

namespace lockscope::sim {

/// The connections that all clients of a database share, as the threads of one program do. Lends them in the order of
/// asking. Strangers, such as a report that runs for long, may take all of them.
class SqlSharedPool {
public:
    explicit SqlSharedPool(int connections) {
        for (int i = 0; i < connections; ++i)
            m_free.release();
    }
    /// Takes a free one; false: there is none.
    bool tryTake() {
        const bool had = m_free.tryAcquire();
        if (had) tell(true);
        return had;
    }
    /// True when one was lent, false after `within`. Throws Cancelled.
    QCoro::Task<bool> take(Runtime& runtime, Nanos within, std::stop_token stop) {
        tell(false);
        const bool had = co_await m_free.acquire(runtime, within, std::move(stop));
        if (had && m_free.waiting() == 0) tell(true);
        co_return had;
    }
    /// Called with false when a client asks and there is none left, with true when clients get one again and nobody
    /// waits behind them.
    std::function<void(bool left)> onLeft;
    void giveBack() {
        if (m_exhausted)
            ++m_strangers;
        else
            m_free.release();
    }

    /// Strangers take what is free, and what clients give back from now on.
    void exhaust() {
        m_exhausted = true;
        while (m_free.tryAcquire())
            ++m_strangers;
    }
    /// Strangers give back all that they have.
    void free() {
        m_exhausted = false;
        for (; m_strangers > 0; --m_strangers)
            m_free.release();
    }
    bool isExhausted() const { return m_exhausted; }

private:
    void tell(bool left) {
        if (std::exchange(m_toldLeft, left) != left && onLeft) onLeft(left);
    }

    SignalCount m_free;
    int m_strangers = 0; ///< connections that they have
    bool m_exhausted = false;
    bool m_toldLeft = true;
};

} // namespace lockscope::sim
