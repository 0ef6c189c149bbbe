// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/hold_event.h>
#include <lockscope/holder.h>
#include <lockscope/lock_options.h>
#include <lockscope/qt/outcome.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace lockscope {
class LazyLock;
class LockGuard;
} // namespace lockscope

namespace lockscope::qt {

class Connection;
class Manager;
class LockUse;
struct Inside;

/// Owns one hold of a lock, or some permits: the destructor gives it back in the background, or unlock() sooner.
/// Movable; empty when nothing was taken. Must not outlive its lock object.
class [[nodiscard]] Hold {
public:
    Hold();
    ~Hold();
    Hold(Hold&&) noexcept;
    /// Gives back the hold that this object had before, as its destructor does.
    Hold& operator=(Hold&& other) noexcept;

    /// True from the grant until unlock(), even when the hold was lost meanwhile.
    explicit operator bool() const;
    /// False once lost, given back, or past the deadline. Compares clocks, does not ask the server.
    bool stillMine() const;
    /// Stopped when the hold is lost, not when it is given back.
    std::stop_token lost() const;
    /// Time left by the local clock; 0 when no longer held, nanoseconds::max() when nothing ends it.
    std::chrono::nanoseconds remaining() const;
    /// The fencing token to send with each write; 0 = none.
    std::int64_t token() const;
    /// One token per part of a MultiLock, in their order; with other locks the one of token().
    std::vector<std::int64_t> tokens() const;
    /// Asks the server to keep the hold for `lease` from now: see blocking::Mutex::extend().
    Outcome<void> extend(std::chrono::nanoseconds lease);
    /// Gives the hold back; returns the holds that its thread has left. ErrorKind::NotOwner when it was lost. The
    /// object is empty afterwards, even after an error.
    Outcome<int> unlock();
    /// How many permits of a semaphore it owns; 1 of another lock, 0 when empty.
    int permits() const;
    /// Gives some of its permits back and keeps the others; returns how many it has left, and is empty when none is.
    /// ErrorKind::Refused for fewer than one or more than it has, otherwise as unlock(): after any other error, too,
    /// those permits are not its own any more.
    Outcome<int> release(int permits);

private:
    friend class LockUse;
    Hold(LockGuard guard, std::weak_ptr<LockUse> use, QByteArray thread);
    std::unique_ptr<LockGuard> m_guard;
    std::weak_ptr<LockUse> m_use;
    QByteArray m_thread;
};

/// The common base of all locks. A lock can be made before its connection is open, and keeps it. Errors in name or
/// options show at first use.
class Lock {
public:
    using Nanoseconds = std::chrono::nanoseconds;
    static constexpr Nanoseconds kForever = Nanoseconds::max();

    /// Frees the lock, regardless of its holder; false when it was free. The holder hears of it as of any loss:
    /// HoldEvent::Lost, and its stop token stops.
    Outcome<bool> forceUnlock();
    /// Asks the server whether the lock, or any permit of it, is held in any mode. For display, not for decisions.
    Outcome<bool> isLocked(std::stop_token stop = {});
    /// Asks the server who holds the lock, or each of the taken permits; empty when it is free. Holder has a table of
    /// what each recipe tells. ErrorKind::NotSupported where the lock's format does not say.
    Outcome<std::vector<Holder>> holders(std::stop_token stop = {});
    /// Calls `listener` at each event of any of its holds; it must not use this lock. `reason` is a translated sentence
    /// with Lost, Suspended and ReleaseFailed, else empty.
    void onEvent(std::function<void(HoldEvent event, const QString& reason)> listener);

protected:
    explicit Lock(std::shared_ptr<LockUse> use);
    ~Lock();
    Outcome<Hold> take(LockMode mode, Nanoseconds wait, int thread, std::stop_token stop,
                       std::optional<Nanoseconds> lease = std::nullopt, int permits = 1);
    LazyLock& inner() const;

private:
    std::shared_ptr<LockUse> m_use;
};

/// The common base of Mutex, SharedMutex and MultiLock: a hold that one thread of one process has alone.
class ExclusiveLock : public Lock {
public:
    /// Takes the lock, however long that takes. A stop request ends it with ErrorKind::Interrupted and leaves nothing
    /// behind. Other errors as the exceptions of blocking::Mutex::lock().
    Outcome<Hold> lock(std::stop_token stop = {}, int thread = 1) {
        return tryLockFor(kForever, std::move(stop), thread);
    }
    /// Tries once; an empty hold when the lock is taken.
    Outcome<Hold> tryLock(int thread = 1) { return tryLockFor(Nanoseconds(0), {}, thread); }
    /// Takes the lock within `wait`; an empty hold when not in time.
    Outcome<Hold> tryLockFor(Nanoseconds wait, std::stop_token stop = {}, int thread = 1) {
        return take(LockMode::Exclusive, wait, thread, std::move(stop));
    }
    /// As tryLockFor(), with its own lease of at least 1 ms (else ErrorKind::Refused) that no watchdog renews.
    Outcome<Hold> tryLockWithLease(Nanoseconds wait, Nanoseconds lease, std::stop_token stop = {}, int thread = 1) {
        return take(LockMode::Exclusive, wait, thread, std::move(stop), lease);
    }

protected:
    using Lock::Lock;
};

/// A mutex that many processes share:
///
///     qt::Mutex mutex(*connection, "orders");
///     auto hold = co_await mutex.lock();
///     if (!hold) co_return complain(hold.error().message);
///     ship(hold->token());
///     co_await hold->unlock();
///
/// Reentrant per thread where its recipe is. To the servers, objects of one name over one connection are one holder: if
/// one of them holds or awaits the lock for a thread, taking it by another one for that thread is ErrorKind::Refused.
class Mutex : public ExclusiveLock {
public:
    Mutex(Connection& connection, const QString& name, LockOptions options = {});
    /// A lock of a manager's namespace, which has its options.
    Mutex(Manager& manager, const QString& space, const QString& name);

private:
    friend class Condition;
};

/// A readers-writer mutex that many processes share, over recipes with shared holds. The recipe decides whether a
/// waiting writer keeps new readers out.
class SharedMutex : public ExclusiveLock {
public:
    SharedMutex(Connection& connection, const QString& name, LockOptions options = {});
    /// A lock of a manager's namespace, which has its options.
    SharedMutex(Manager& manager, const QString& space, const QString& name);

    /// For a reader; otherwise as for a writer: each function below corresponds to that without "Shared".
    Outcome<Hold> lockShared(std::stop_token stop = {}, int thread = 1) {
        return tryLockSharedFor(kForever, std::move(stop), thread);
    }
    Outcome<Hold> tryLockShared(int thread = 1) { return tryLockSharedFor(Nanoseconds(0), {}, thread); }
    Outcome<Hold> tryLockSharedFor(Nanoseconds wait, std::stop_token stop = {}, int thread = 1) {
        return take(LockMode::Shared, wait, thread, std::move(stop));
    }
    Outcome<Hold> tryLockSharedWithLease(Nanoseconds wait, Nanoseconds lease, std::stop_token stop = {},
                                         int thread = 1) {
        return take(LockMode::Shared, wait, thread, std::move(stop), lease);
    }
};

/// A fixed number of permits that many processes share. A thread that acquires again takes more permits.
class Semaphore : public Lock {
public:
    /// `permits`: how many the semaphore has, > 0. Give the same number in all processes. ErrorKind::Refused at first
    /// use for fewer than one.
    Semaphore(Connection& connection, const QString& name, int permits, LockOptions options = {});
    /// A semaphore of a manager's namespace, which has its options.
    Semaphore(Manager& manager, const QString& space, const QString& name, int permits);

    /// Takes `permits` at once, however long that takes. ErrorKind::Refused for fewer than one or more than there are.
    Outcome<Hold> acquire(int permits = 1, std::stop_token stop = {}) {
        return tryAcquireFor(kForever, permits, std::move(stop));
    }
    /// Tries once; an empty hold when fewer than `permits` are free.
    Outcome<Hold> tryAcquire(int permits = 1) { return tryAcquireFor(Nanoseconds(0), permits); }
    /// Asks the server how many permits are free; empty when it cannot be told: see
    /// blocking::Semaphore::availablePermits().
    Outcome<std::optional<int>> availablePermits(std::stop_token stop = {});
    /// Asks the server how many contenders wait for permits; empty where it keeps no queue, as on Redis: see
    /// blocking::Semaphore::queueLength().
    Outcome<std::optional<int>> queueLength(std::stop_token stop = {});
    /// Takes them within `wait`; an empty hold when not in time.
    Outcome<Hold> tryAcquireFor(Nanoseconds wait, int permits = 1, std::stop_token stop = {}) {
        return take(LockMode::Permit, wait, 1, std::move(stop), std::nullopt, permits);
    }
    /// As tryAcquireFor(), with its own lease of at least 1 ms that no watchdog renews.
    Outcome<Hold> tryAcquireWithLease(Nanoseconds wait, Nanoseconds lease, int permits = 1, std::stop_token stop = {}) {
        return take(LockMode::Permit, wait, 1, std::move(stop), lease, permits);
    }
};

/// One lock of several that are taken together.
struct LockPart {
    std::reference_wrapper<Connection> connection;
    QString name;
    QString recipe = {}; ///< empty: LockOptions::recipe, or the connection's default
};

/// Several locks as one, all of them or none, on servers of any kind: see blocking::MultiLock. Parts on several servers
/// need connections that were made beside one another: Connection::make().
class MultiLock : public ExclusiveLock {
public:
    explicit MultiLock(const std::vector<LockPart>& parts, LockOptions options = {});
};

} // namespace lockscope::qt
