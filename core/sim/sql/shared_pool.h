// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/signal_count.h"

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
    bool tryTake() { return m_free.tryAcquire(); }
    /// True when one was lent, false after `within`. Throws Cancelled.
    QCoro::Task<bool> take(Runtime& runtime, Nanos within, std::stop_token stop) {
        return m_free.acquire(runtime, within, std::move(stop));
    }
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
    SignalCount m_free;
    int m_strangers = 0; ///< connections that they have
    bool m_exhausted = false;
};

} // namespace lockscope::sim
