// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/named_lock.h"

#include <functional>

namespace lockscope {

/// One lock of several that are taken together.
struct LockPart {
    std::reference_wrapper<Connection> connection;
    QByteArray name;
    QByteArray recipe = {}; ///< RecipeInfo::id; empty: LockOptions::recipe, or the one that suits the connection
};

/// Several locks as one, all of them or none, on servers of whichever kinds:
///
///     DistributedMultiLock both({{*redis, "orders"}, {*zooKeeper, "stock"}});
///     auto guard = co_await both.tryLockFor(5s);
///     if (guard && *guard) ship(guard->tokens());
///
/// They are taken in an order of their own, by backend, server and name, in whichever they are given: so nobody waits
/// in a circle, as long as all processes write the hosts of a server alike. Who does not, or locks the parts alone in
/// another order, is got through by time-outs, which costs seconds (recipes::MultiRecipe says how many). Others lock
/// single parts as they like, with the same recipes. The hold is lost when any part is lost, or its server was away for
/// longer than the lease; the other parts are then given back. Reentrant where all parts are.
///
/// Like a DistributedMutex it is single-threaded and must not outlive its connections, which all are of one runtime.
/// For threads that block: blocking::MultiLock.
class DistributedMultiLock final : public LazyLock {
public:
    /// Asks nobody: what makes no sense of the parts (makeMultiLock says what), the first use of it says. `options` are
    /// for all parts; with LockOptions::token each part that can gives one, see LockGuard::tokens().
    explicit DistributedMultiLock(std::vector<LockPart> parts, LockOptions options = {})
        : m_parts(std::move(parts)), m_options(std::move(options)) {}

    /// As they were given.
    const std::vector<LockPart>& parts() const { return m_parts; }

    /// Takes all of them, however long that takes. A stop request ends it with Cancelled and leaves nothing behind. A
    /// server that is away is waited for.
    Outcome<LockGuard> lock(Thread thread = "1", std::stop_token stop = {}) {
        return tryLockFor(kNever, std::move(thread), std::move(stop));
    }
    /// One try of each in turn; an empty guard, and nothing held, when somebody has any of them.
    Outcome<LockGuard> tryLock(Thread thread = "1") { return tryLockFor(Nanos(0), std::move(thread)); }
    /// Takes all of them within `wait` (kNever: no bound); an empty guard when that was too short.
    Outcome<LockGuard> tryLockFor(Nanos wait, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread)), std::move(stop));
    }
    /// The same with a lease of its own, at least 1 ms, that no watchdog renews: LockRequest::lease.
    Outcome<LockGuard> tryLockWithLease(Nanos wait, Nanos lease, Thread thread = "1", std::stop_token stop = {}) {
        return take(asking(recipes::Mode::Exclusive, wait, std::move(thread), lease), std::move(stop));
    }
    /// Of all parts: false once any is lost, or they were given back, or past the own deadline; looks at the clock, not
    /// at the servers.
    bool stillMine(const Thread& thread = "1") const { return held(thread, recipes::Mode::Exclusive); }
    /// How often that thread holds all of them by this object; 0 when it does not.
    int holdCount(const Thread& thread = "1") const { return holdsOf(thread, recipes::Mode::Exclusive); }

private:
    std::expected<std::unique_ptr<DistributedLock>, LockError> make() override;
    std::vector<LockPart> m_parts;
    LockOptions m_options;
};

/// The same without the wrapping. Kind::Refused when there is no part, the same lock is named twice, or the connections
/// are not of one runtime; else as makeLock, of the first part that it says something of.
std::expected<std::unique_ptr<DistributedLock>, LockError> makeMultiLock(const std::vector<LockPart>& parts,
                                                                         LockOptions options);

} // namespace lockscope
