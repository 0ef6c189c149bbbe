// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_client.h"
#include "lock/lock_options.h"

#include <functional>

namespace lockscope {

/// A lock that many processes share, held by one thread of one client at a time.
///
/// Over any recipe: adds the watchdog, the client's own deadline, hold counts and events. A holder learns of a loss as
/// soon as it can know: a renewal refused, or its own monotonic clock past the lease (LockOptions::honourDeadline).
/// One such object per lock name and thread: servers tell threads apart, not objects.
/// Single-threaded: call it on its runtime's thread; `thread` arguments name the logical threads that take turns there.
class DistributedLock {
public:
    using Thread = QByteArray; ///< decimal, "1"
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    enum class Event : std::uint8_t { Acquired, Reentered, Renewed, Lost, Released };
    using Listener = std::function<void(Event, const Thread&, const QString& reason)>;

    /// `lockEntity` is the lock in the client's trace, kNoEntity without one.
    DistributedLock(LockClient client, std::unique_ptr<recipes::Recipe> recipe, LockOptions options,
                    trace::EntityId lockEntity = trace::kNoEntity);
    /// Stops watching; what is still held ends by its lease. What a coroutine that still waits is granted later is
    /// given back at once, and it is told "not taken".
    ~DistributedLock();
    DistributedLock(const DistributedLock&) = delete;
    DistributedLock& operator=(const DistributedLock&) = delete;

    /// Takes the lock within `wait` (0: one try; kNever: no bound). True when taken, false when not in time.
    /// A stop request ends it with Cancelled and leaves nothing behind.
    Outcome<bool> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {});
    Outcome<bool> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    Outcome<bool> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// Gives one hold up; the holds left. Kind::NotOwner when it is not, or no longer, held.
    Outcome<int> unlock(Thread thread = "1");
    /// Frees the lock whoever holds it; false when nobody did. The holder is not told.
    Outcome<bool> forceUnlock();

    /// False once lost, released, or past the own deadline; looks at the clock, not at the server.
    bool stillMine(const Thread& thread = "1") const;
    int holdCount(const Thread& thread = "1") const;
    /// What is left of the lease by the own clock; 0 when not held.
    Nanos remaining(const Thread& thread = "1") const;
    /// The fencing token of the hold, 0 = none.
    std::int64_t token(const Thread& thread = "1") const;

    /// The holder does what the lock is for: for the trace, it stands at its recipe's step for that.
    void atWork(const Thread& thread = "1");

    /// Called at each event, on the runtime's thread. Not for calling back into this lock.
    void listen(Listener listener);
    /// The renewals end here, the work goes on: a fault to inject.
    void stopWatchdog();

private:
    struct Core;
    struct Hold;
    std::shared_ptr<Core> m_core;
};

} // namespace lockscope
