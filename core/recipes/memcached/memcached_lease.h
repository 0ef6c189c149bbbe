// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/left_behind.h"
#include "recipes/memcached/memcached_recipe.h"

namespace lockscope::recipes {

/// `memcached-lease`: `add` with a unique value; renewal and release compare by `cas`, so a client never changes
/// another one's lock. It has the semantics of a versioned put with an expiry (as in Tair or Cellar), on memcached.
///
/// - `gets` follows `add` in the same round trip: its unique number is what later changes compare with. It grows over
/// all
///   items of a server until that is restarted; then it begins again. So the fencing token is this number above the
///   instant at which the server's run began, by its clock (token_start.h), where the server tells its statistics. Two
///   runs that begin in one second cannot be told apart by it.
/// - Releasing is a `cas` with an expiry in the past: memcached has no compare-and-delete in its classic commands, and
///   proxies know no others. The item is gone at once.
/// - A number is of one run of the server, and one connection reaches one run: over a new one the item is looked at
///   again, and its value compared, before a `cas`. (A proxy that keeps our connection while its server is restarted
///   hides that from us.)
/// - The server's clock ticks once a second, so an item ends up to a second before its expiry. Ours is one second
///   longer than the lease, rounded up: a server that runs does not end it while its holder may still believe in it. A
///   dead holder's lock is therefore free after its lease and at most two seconds more. A server that stood still
///   (SIGSTOP, a machine that was put to sleep) stores by the clock of before what it finds waiting, and then lets the
///   clock jump: an item can end right away that was taken shortly before the server went on.
/// - Nobody is woken: waiters look again after pauses that begin short and grow.
/// - What the server throws out for want of memory, or forgets as said above, is free while its holder still believes
///   in it: until its next renewal, which is refused. A restart breaks the connection: the holder asks as soon as there
///   is another one.
/// - A server without numbers (memcached -C) is refused, and so is a key that carries something else than such a value:
///   it is neither waited for nor deleted.
class MemcachedLease final : public Recipe {
public:
    explicit MemcachedLease(MemcachedLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    bool asksAgain(const LockError& error) const override { return passes(error); }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_lock.port.onReconnect(m_lock.name, std::move(ask));
    }
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    /// Our item's latest known state. Shared by all copies of a grant, because renewals change it.
    struct Own {
        std::optional<memcached::Mark> mark;
    };
    /// Changes our item's expiry if it is still ours; false = it is not.
    Outcome<bool> change(std::shared_ptr<Own> own, QByteArray value, memcached::Expiry expiry, std::stop_token stop);
    /// Undoes a possible `add`; without an answer, notes it as left behind.
    Outcome<bool> withdraw(QByteArray value, Nanos lease);
    QCoro::Task<> undoLeftBehind();
    MemcachedLock m_lock;
    LeftBehind m_leftBehind;
};

} // namespace lockscope::recipes
