// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/blocking/mutex.h"

namespace lockscope::blocking {

/// One lock of several that are taken together.
struct LockPart {
    std::reference_wrapper<const Client> client; ///< all share one service thread: ClientOptions::beside
    std::string name;
    std::string recipe = {}; ///< RecipeInfo::id; empty: LockOptions::recipe, or the client's default
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
/// Order of taking and loss of a part: see DistributedMultiLock; otherwise as Mutex. std::scoped_lock over several
/// Mutexes also takes them together, but each of them can then be lost alone, and under contention it is many times
/// slower: see Mutex. Thread-safe.
class MultiLock : public detail::AloneLock {
public:
    /// `options` apply to all parts. Throws RefusedException when there is no part, when one lock is named twice, or
    /// when the clients do not share a service thread; NotSupportedException when a server lacks the recipe.
    explicit MultiLock(const std::vector<LockPart>& parts, LockOptions options = {})
        : AloneLock(parts, std::move(options)) {}

    /// The fencing tokens of this thread's hold, one per part in their order, to send with each write. 0 = none: the
    /// part gives none, or LockOptions::token is false. Empty when this thread does not hold the lock. Asks the service
    /// thread.
    std::vector<std::int64_t> tokens() const { return m_handle.tokens(recipes::Mode::Exclusive); }
    /// Deleted: several locks have no common token; use tokens().
    std::int64_t token() const = delete;
};

static_assert(TimedLockable<MultiLock>);

} // namespace lockscope::blocking
