// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/left_behind.h"
#include "recipes/memcached/memcached_recipe.h"

namespace lockscope::recipes {

/// `memcached-lease`: `add` with a unique value; renewal and release compare by `cas`, so a client never changes
/// another one's lock. It has the semantics of a versioned put with an expiry (as in Tair or Cellar), on memcached.
///
/// - `gets` follows `add` in the same round trip. Its unique number is compared by later changes. It grows over all
/// items
///   of a server; after a restart it begins again. So the fencing token is this number, added to the instant at which
///   the server was started, by its clock (token_start.h), if the server tells its statistics. The token cannot tell
///   apart two runs of the server that begin in one second.
/// - Release is a `cas` with an expiry in the past, because memcached's classic commands, the only ones that proxies
///   know, have no compare-and-delete. The item is gone at once.
/// - A number belongs to one run of the server, and one connection reaches one run. Over a new connection the item is
///   read again and its value compared before a `cas`. (A proxy that keeps our connection while its server restarts
///   hides the restart.)
/// - The server's clock ticks once a second, so an item ends up to one second before its expiry. The expiry is the
///   lease rounded up plus one second, so a running server does not end the item while its holder may still trust it. A
///   dead holder's lock is free at most two seconds after its lease. A server that was stopped (SIGSTOP, a suspended
///   machine) first stores the requests that it finds waiting by its old clock, and then its clock jumps: an item that
///   was taken shortly before may end at once.
/// - Waiters are not woken: they look again after pauses that begin short and grow.
/// - If the server evicts the item for lack of memory, or loses it as described above, the lock is free while its
/// holder
///   still trusts it, until its next renewal is refused. A restart breaks the connection: the holder asks the server as
///   soon as there is another connection.
/// - A server without unique numbers (memcached -C) is refused. So is a key whose value is not in this recipe's format:
///   the recipe neither waits for it nor deletes it.
class MemcachedLease final : public Recipe {
public:
    explicit MemcachedLease(MemcachedLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_lock.port.onReconnect(m_lock.name, std::move(ask));
    }
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    class Contender;
    /// Changes our item's expiry if it is still ours; false = it is not.
    Outcome<bool> change(std::shared_ptr<MemcachedHold> own, QByteArray value, memcached::Expiry expiry,
                         std::stop_token stop);
    /// Undoes a possible `add`; without an answer, notes it as left behind.
    Outcome<bool> withdraw(QByteArray value, Nanos lease);
    QCoro::Task<> undoLeftBehind();
    MemcachedLock m_lock;
    LeftBehind m_leftBehind;
};

} // namespace lockscope::recipes
