// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/lock_client.h"
#include "lock/any_lock.h"

namespace lockscope {

namespace detail {
struct ManagedCore;
}

/// A lock that many processes share. One thread of one client holds it at a time, or several where its recipe offers
/// shared holds or permits.
///
/// To any recipe it adds the watchdog, the client's own deadline, hold counts and events. A holder learns of a loss as
/// early as possible: when a renewal is refused, when its session has ended, or when its own monotonic clock passes the
/// end of the lease (HoldOptions::honourDeadline). Holds are kept separately for each thread and mode.
/// Use one object per lock name and thread: servers distinguish threads, not objects. Where the server counts a
/// thread's holds (Redisson's layouts), a second object gets a hold beside the first one's, and each object counts its
/// own. With other recipes the second object waits for the first.
/// Single-threaded: call it on its runtime's thread; `thread` arguments name logical threads that take turns there.
/// DistributedMutex and its siblings need fewer words; lockscope::blocking is for threads that block.
class DistributedLock final : public AnyLock {
public:
    /// `lockEntity` is the lock in the client's trace; kNoEntity without a trace.
    DistributedLock(LockClient client, std::unique_ptr<recipes::Recipe> recipe, HoldOptions options,
                    trace::EntityId lockEntity = trace::kNoEntity);
    /// Stops watching. Holds end with their lease, session or connection. A hold that LockOptions::minHold keeps is
    /// freed in the background when that time is over, as a LockGuard's is. If a waiting coroutine is granted the lock
    /// later, the grant is given back at once and the coroutine is told "not taken".
    ~DistributedLock() override;
    DistributedLock(const DistributedLock&) = delete;
    DistributedLock& operator=(const DistributedLock&) = delete;

    /// The recipe's facts. Valid while the lock exists.
    const recipes::RecipeInfo& recipe() const;

    /// Takes the lock as requested. True when taken, false when not in time. Kind::NotSupported for a mode that the
    /// recipe does not offer, Kind::Refused for a request with errors. A stop request ends it with Cancelled and leaves
    /// nothing behind. Taking permits again adds a hold of them. In the other modes, a thread that holds the lock
    /// re-enters if the recipe is reentrant; otherwise it waits for itself.
    ///
    /// A waiter waits out servers that are away for a while, except with naive recipes of databases and memcached. A
    /// single try gets the server's error at once; a waiter gets it when its wait is over. Connection::open() says at
    /// once whether a server can be reached.
    Outcome<bool> take(LockRequest request, std::stop_token stop = {}) override;
    /// As take(), for a guard that owns the hold and gives it back when destroyed. Empty when not in time.
    Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop = {}) override;

    /// Takes an exclusive hold within `wait` (0: one try; kNever: no bound).
    Outcome<bool> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {});
    Outcome<bool> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    Outcome<bool> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// Gives one hold up (of permits the latest); returns the holds left. Kind::NotOwner when the thread does not, or
    /// no longer, hold it.
    Outcome<int> unlock(const Thread& thread = "1", Mode mode = Mode::Exclusive) override;
    /// Frees the lock, regardless of its holder; false when it was free. The holder hears of the loss at once where the
    /// server can tell (Redis, ZooKeeper, etcd), otherwise at its next renewal.
    Outcome<bool> forceUnlock() override;
    /// Asks the server whether the lock is held, in any mode, by this object's threads or others. The answer may be
    /// outdated on arrival: use it for display, not for decisions.
    Outcome<bool> isLocked(std::stop_token stop = {}) override;

    Outcome<void> extend(const Thread& thread, Mode mode, Nanos lease) override;
    Outcome<std::vector<recipes::HolderInfo>> holders(std::stop_token stop = {}) override;
    Outcome<std::optional<int>> permitsFree(std::stop_token stop = {}) override;
    Outcome<std::optional<int>> queueLength(std::stop_token stop = {}) override;

    /// False once lost, released, or past the deadline. Compares clocks, does not ask the server. Refers to the
    /// thread's present hold: true again when the thread has taken the lock anew after a loss. For work that began
    /// before, ask its guard or view(), which know only their own hold.
    bool stillMine(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    /// Whether any thread holds it through this object, in any mode.
    bool isHeld() const override;
    /// How many holds the thread has through this object, in that mode.
    int holdCount(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    /// Time left of the lease by the local clock; 0 when not held, kNever when nothing ends it.
    Nanos remaining(const Thread& thread = "1", Mode mode = Mode::Exclusive) const;
    /// The fencing token of the hold, 0 = none.
    std::int64_t token(const Thread& thread = "1", Mode mode = Mode::Exclusive) const;
    /// The tokens of the hold, 0 = none. A multi-lock (DistributedMultiLock) has one per part, in their order; other
    /// locks have the one of token(). Empty when not held.
    std::vector<std::int64_t> tokens(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;

    /// A view of the hold that other threads of this program may read, also after its end; nullptr when not held.
    std::shared_ptr<const HoldView> view(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;

    /// Marks in the trace that the holder is at work: it stands at its recipe's work step.
    void atWork(const Thread& thread = "1") override;

    /// Calls `listener` at each event, on the runtime's thread; it must not throw. It must not use this lock, but may
    /// replace the listener or destroy the lock.
    void listen(Listener listener) override;
    /// Ends all holds: tells every holder that its hold is lost, then gives it back. `reason` is a text of context
    /// "Lock", QT_TRANSLATE_NOOP("Lock", …). Ends when the server has been told.
    QCoro::Task<> loseAll(const char* reason);
    /// One lock may stand for several in the trace: what its threads believe is written for each of these, too. Call it
    /// before the lock is used.
    void recordAlsoAs(std::vector<trace::EntityId> locks);
    /// Fault injection: stops all renewals while the work goes on.
    void stopWatchdog() override;

private:
    friend class DistributedCondition;
    friend struct detail::ManagedCore;
    std::shared_ptr<detail::LockCore> m_core;
};

} // namespace lockscope
