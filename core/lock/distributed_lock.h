// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/any_lock.h"
#include "lock/lock_client.h"

namespace lockscope {

namespace detail {
struct ManagedCore;
}

/// A lock that many processes share: held by one thread of one client at a time, or by several where its recipe offers
/// shared holds or permits.
///
/// Over any recipe: adds the watchdog, the client's own deadline, hold counts and events. A holder learns of a loss as
/// soon as it can know: a renewal refused, a session that has ended, or its own monotonic clock past the lease
/// (LockOptions::honourDeadline). Holds are kept apart by thread and mode.
/// Best one such object per lock name and thread: servers tell threads apart, not objects. Where they count a thread's
/// holds (Redisson's layouts) a second object holds the lock beside the first, and each counts what it took itself;
/// with other recipes it waits for the first.
/// Single-threaded: call it on its runtime's thread; `thread` arguments name the logical threads that take turns there.
/// DistributedMutex and its siblings are this with fewer words; lockscope::blocking is for threads that block.
class DistributedLock final : public AnyLock {
public:
    /// `lockEntity` is the lock in the client's trace, kNoEntity without one.
    DistributedLock(LockClient client, std::unique_ptr<recipes::Recipe> recipe, LockOptions options,
                    trace::EntityId lockEntity = trace::kNoEntity);
    /// Stops watching; what is still held ends by its lease, or with its session or connection. What was unlocked
    /// sooner than LockOptions::minHold is freed in the background when that is over, as a LockGuard's hold is. What a
    /// coroutine that still waits is granted later is given back at once, and it is told "not taken".
    ~DistributedLock() override;
    DistributedLock(const DistributedLock&) = delete;
    DistributedLock& operator=(const DistributedLock&) = delete;

    /// What it can do. Valid for as long as the lock.
    const recipes::RecipeInfo& recipe() const;

    /// Takes the lock as asked. True when taken, false when not in time. Kind::NotSupported for a mode that the recipe
    /// does not offer, Kind::Refused for a request that makes no sense. A stop request ends it with Cancelled and
    /// leaves nothing behind. A thread that takes permits again has one more hold of them; in the other modes it
    /// re-enters, where the recipe is reentrant, and waits for itself where it is not.
    ///
    /// Whoever waits also waits for servers that are away for a while (but with naive recipes of databases and
    /// memcached): their error comes at once to those who only try, else when the wait is over. Whether a server can be
    /// reached at all, Connection::open() says at once.
    Outcome<bool> take(LockRequest request, std::stop_token stop = {}) override;
    /// As take(), for an object that owns the hold: it gives it back when it goes. Empty when not in time.
    Outcome<LockGuard> acquire(LockRequest request, std::stop_token stop = {}) override;

    /// take() an exclusive hold within `wait` (0: one try; kNever: no bound).
    Outcome<bool> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {});
    Outcome<bool> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    Outcome<bool> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// Gives one hold up, of permits the latest; the holds left. Kind::NotOwner when it is not, or no longer, held.
    Outcome<int> unlock(const Thread& thread = "1", Mode mode = Mode::Exclusive) override;
    /// Frees the lock whoever holds it; false when nobody did. The holder is not told.
    Outcome<bool> forceUnlock() override;
    /// Asks the server whether anybody holds it, in any mode, this object's threads included. The answer may be old
    /// when it is here: for showing and watching, not for deciding what only the lock itself can decide.
    Outcome<bool> isLocked(std::stop_token stop = {}) override;

    /// False once lost, released, or past the own deadline; looks at the clock, not at the server. Of the thread's
    /// present hold: true again when the thread took anew what it had lost. For a piece of work that began before, ask
    /// its guard or its view(), which know of their own hold only.
    bool stillMine(const Thread& thread = "1", Mode mode = Mode::Exclusive) const;
    /// Whether any thread holds it by this object, in any mode.
    bool isHeld() const override;
    /// How often this object holds it for that thread.
    int holdCount(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;
    /// What is left of the lease by the own clock; 0 when not held, kNever when nothing ends it.
    Nanos remaining(const Thread& thread = "1", Mode mode = Mode::Exclusive) const;
    /// The fencing token of the hold, 0 = none.
    std::int64_t token(const Thread& thread = "1", Mode mode = Mode::Exclusive) const;
    /// The tokens of several locks as one (DistributedMultiLock), in the order of its parts; of others the one that
    /// token() is. 0 = none; empty when not held.
    std::vector<std::int64_t> tokens(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;

    /// What other threads of this program may look at while the hold lasts, and after it; nullptr when not held.
    std::shared_ptr<const HoldView> view(const Thread& thread = "1", Mode mode = Mode::Exclusive) const override;

    /// The holder does what the lock is for: for the trace, it stands at its recipe's step for that.
    void atWork(const Thread& thread = "1");

    /// Called at each event, on the runtime's thread; must not throw. Not for calling back into this lock, but it may
    /// be replaced, and the lock destroyed, by a call of it.
    void listen(Listener listener) override;
    /// Every holder is told that its hold is lost, and it is given back; for whoever decides that over their heads.
    /// `reason` is a text of context "Lock", QT_TRANSLATE_NOOP("Lock", …). Ends when the server has been told.
    QCoro::Task<> loseAll(const char* reason);
    /// The renewals end here, the work goes on: a fault to inject.
    void stopWatchdog();

private:
    friend class DistributedCondition;
    friend struct detail::ManagedCore;
    std::shared_ptr<detail::LockCore> m_core;
};

} // namespace lockscope
