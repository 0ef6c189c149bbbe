// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "client/qt/connection_impl.h"
#include "lock/named_lock.h"

#include <lockscope/qt/locks.h>
#include <map>

namespace lockscope::qt {

/// The lock behind a qt::Lock: knows which threads hold it or wait for it, measures that, and passes its events on.
class LockUse final : public std::enable_shared_from_this<LockUse> {
public:
    /// `place`: unlike that of any other lock over the first backing, which counts its measures.
    LockUse(std::vector<std::shared_ptr<Backing>> backings, QByteArray place, QByteArray name,
            std::unique_ptr<LazyLock> lock);
    ~LockUse();
    LockUse(const LockUse&) = delete;
    LockUse& operator=(const LockUse&) = delete;

    /// For questions that change no hold.
    LazyLock& lock() const { return *m_lock; }
    /// As LazyLock::take(), measured; ErrorKind::Refused where another object has the thread's hold.
    Outcome<Hold> take(LockRequest request, std::stop_token stop);
    /// As Lock::onEvent().
    void listen(std::function<void(HoldEvent event, const QString& reason)> listener) {
        m_listener = std::move(listener);
    }
    /// Begins a release that a coroutine awaits: only that one need hear how it fails. `use` may be gone.
    static Outcome<int> awaited(std::weak_ptr<LockUse> use, QByteArray thread,
                                const std::function<recipes::Outcome<int>()>& release);

private:
    using Thread = QByteArray;
    using Kind = LockMeasure::Kind;
    Backing& backing() const { return *m_backings.front(); }
    void measure(Kind kind, Nanos duration = {}) const { backing().measure(kind, m_name, duration); }
    bool uses(const Thread& thread) const;
    std::size_t holdsOf(const Thread& thread) const;
    /// Why a request would share another object's hold, instead of waiting for its end; nullopt: it would not.
    std::optional<Error> wouldShare(const LockRequest& request) const;
    static Outcome<Hold> taken(std::weak_ptr<LockUse> use, Thread thread, Nanos begun,
                               recipes::Outcome<LockGuard> taking);
    static Outcome<int> ended(std::weak_ptr<LockUse> use, Thread thread, recipes::Outcome<int> release);
    void hear(HoldEvent event, const Thread& thread, const QString& reason);
    void ended(Kind how, const Thread& thread);

    std::vector<std::shared_ptr<Backing>> m_backings; ///< outlive the lock
    QByteArray m_place, m_name;
    std::unique_ptr<LazyLock> m_lock;
    std::function<void(HoldEvent, const QString&)> m_listener;
    std::map<Thread, int> m_waiting;              ///< requests that have not ended
    std::map<Thread, int> m_awaited;              ///< releases that coroutines await
    std::map<Thread, std::vector<Nanos>> m_since; ///< each thread's holds: when they began
};

} // namespace lockscope::qt
