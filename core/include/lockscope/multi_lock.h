// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/exclusive_lock.h>

namespace lockscope::blocking {

/// One lock of several that are taken together.
struct LockPart {
    std::reference_wrapper<const Client> client; ///< all share one service thread: ClientOptions::beside
    std::string name;
    std::string recipe = {}; ///< empty: LockOptions::recipe, or the client's default
};

/// Several locks as one, all of them or none, on servers of any kind. Satisfies TimedLockable, so the standard's guards
/// work:
///
///     blocking::Client redis("redis://127.0.0.1");
///     blocking::Client zooKeeper("zookeeper://127.0.0.1", {.beside = &redis});
///     blocking::MultiLock both({{redis, "orders"}, {zooKeeper, "stock"}});
///     const std::unique_lock lock(both, 5s);
///     if (lock) ship(both.tokens());
///
/// The parts are always taken in the order of backend, server and name, regardless of the order given. So no circular
/// wait arises as long as all processes write a server's hosts alike. If a process writes them differently, or locks
/// single parts in another order, time-outs resolve the deadlock; that costs seconds. Other clients may lock single
/// parts with the same recipes. The hold is lost when any part is lost, or when a part's server was away for longer
/// than the lease; the other parts are then given back. Reentrant where all parts are; otherwise as Mutex.
///
/// std::scoped_lock over several Mutexes also takes them together, but each of them can then be lost alone, and under
/// contention it is many times slower: see Mutex. Thread-safe.
class MultiLock : public ExclusiveLock {
public:
    /// `options` apply to all parts. Throws RefusedException when there is no part, when one lock is named twice, or
    /// when the clients do not share a service thread; NotSupportedException when a server lacks the recipe.
    explicit MultiLock(const std::vector<LockPart>& parts, LockOptions options = {})
        : ExclusiveLock(parts, std::move(options)) {}

    /// The fencing tokens of this thread's hold, one per part in their order, to send with each write. 0 = none: the
    /// part gives none, or LockOptions::token is false. Empty when this thread does not hold the lock. Asks the service
    /// thread.
    std::vector<std::int64_t> tokens() const { return m_handle.tokens(LockMode::Exclusive); }
    /// Deleted: several locks have no common token; use tokens().
    std::int64_t token() const = delete;
};

static_assert(TimedLockable<MultiLock>);

} // namespace lockscope::blocking
