// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/named_lock.h"

#include <functional>

namespace lockscope {

/// One lock of several that are taken together.
struct LockPart {
    std::reference_wrapper<Connection> connection;
    QByteArray name;
    QByteArray recipe = {}; ///< RecipeInfo::id; empty: LockOptions::recipe, or the connection's default
};

/// Several locks as one, all of them or none, on servers of any kind:
///
///     DistributedMultiLock both({{*redis, "orders"}, {*zooKeeper, "stock"}});
///     auto guard = co_await both.tryLockFor(5s);
///     if (guard && *guard) ship(guard->tokens());
///
/// The parts are always taken in the order of backend, server and name, regardless of the order given. So no circular
/// wait arises as long as all processes write a server's hosts alike. If a process writes them differently, or locks
/// single parts in another order, time-outs resolve the deadlock; that costs seconds (see recipes::MultiRecipe). Other
/// clients may lock single parts with the same recipes. The hold is lost when any part is lost, or when a part's server
/// was away for longer than the lease; the other parts are then given back. Reentrant where all parts are.
///
/// Single-threaded; must not outlive its connections, which must share one runtime. For threads that block:
/// blocking::MultiLock.
class DistributedMultiLock final : public LazyLock {
public:
    /// Sends nothing. Errors in the parts (see makeMultiLock) show at first use. `options` apply to all parts; with
    /// LockOptions::token, each part that can gives a token: LockGuard::tokens().
    explicit DistributedMultiLock(std::vector<LockPart> parts, LockOptions options = {})
        : m_parts(std::move(parts)), m_options(std::move(options)) {}

    /// The parts, in the order given.
    const std::vector<LockPart>& parts() const { return m_parts; }

    /// Takes all parts, however long that takes; waits out servers that are away. A stop request ends it with Cancelled
    /// and leaves nothing behind.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// Tries each part once, in turn. An empty guard, and nothing held, when any of them is taken.
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    /// Takes all parts within `wait` (kNever: no bound); an empty guard when not in time.
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread)), std::move(stop));
    }
    /// As tryLockFor(), with its own lease of at least 1 ms that no watchdog renews: see LockRequest::lease.
    Outcome<LockGuard> tryLockWithLease(Nanos wait, Nanos lease, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread), lease), std::move(stop));
    }
    /// True while the thread holds all parts: false once any is lost, given back, or past its deadline. Compares
    /// clocks, does not ask the servers.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    /// How many holds the thread has on all parts through this object; 0 = none.
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }

private:
    std::expected<std::unique_ptr<AnyLock>, LockError> make() override;
    std::vector<LockPart> m_parts;
    LockOptions m_options;
};

/// Makes the recipe behind makeMultiLock(): the parts as one, taken in the order that all processes take them in.
std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeMultiRecipe(const std::vector<LockPart>& parts,
                                                                           const LockOptions& options);

/// Makes the lock behind a DistributedMultiLock. Kind::Refused when there is no part, one lock is named twice, or the
/// connections have different runtimes; otherwise the errors of makeLock, for the first part that has one.
std::expected<std::unique_ptr<DistributedLock>, LockError> makeMultiLock(const std::vector<LockPart>& parts,
                                                                         LockOptions options);

} // namespace lockscope
