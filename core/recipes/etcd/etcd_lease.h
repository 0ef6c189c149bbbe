// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/etcd/etcd_keys.h"

namespace lockscope::recipes {

/// Everything that an etcd recipe needs.
struct EtcdLock {
    etcd::Port& port;
    QByteArray name; ///< as the user wrote it; not empty
    /// The connection's leases; nullptr: this lock shares its lease with no other lock.
    std::shared_ptr<EtcdLeases> leases = nullptr;
};

/// The recipe with that id over an etcd; nullptr when there is none.
std::unique_ptr<Recipe> makeEtcdRecipe(const QByteArray& id, EtcdLock lock);

/// `etcd-lease`: the layout of etcd's concurrency.Mutex, `etcdctl lock` and the server's own Lock service; it excludes
/// their clients, and they exclude it. (Source: etcd-io/etcd client/v3/concurrency/mutex.go.)
///
/// Each contender puts a key `<name>/<lease in hex>` under a lease. The keys form a queue by creation revision: the
/// oldest one holds, and each other one waits only for the next older one. The holder's creation revision is its
/// fencing token.
///
/// A request that nobody renews gets a lease of its own, as with `etcdctl lock`: in whole seconds, rounded up
/// (Grant::lease says if the server gave more). One revocation takes back key and lease together, whatever state an
/// interrupted attempt is in. Locks that a watchdog renews share one lease, as the locks of one session of etcd's own
/// client do: see EtcdLeases. A second lock of the same name in this process always queues up like a stranger's; it
/// does not share the key.
///
/// As with etcd's own client, `jobs` also waits behind older keys of `jobs/sub/…`, because its prefix covers them;
/// never the reverse. Keys of other kinds directly under the name (an election's, a read/write lock's, plain data) are
/// refused. A key with exactly the lock's name, as ShedLock uses, is refused too: each request looks for it. But a
/// client that creates such a key while we hold does not look for ours.
///
/// A waiter waits out members that cannot be reached. If an unanswered request put its key, that key counts when they
/// are back.
///
/// A stop request interrupts an attempt's reads and waits, but not its writes: an abandoned write could still run after
/// its own undoing. Writes are bounded by the driver's request time-out.
class EtcdLease final : public Recipe {
public:
    explicit EtcdLease(EtcdLock lock);
    ~EtcdLease() override;
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    CallList::Registration onReconnect(CallList::Callback ask) override;
    bool listens() const override { return true; }
    /// Listens by a watch on the hold's own key. Each watch needs a connection of its own, so only the first
    /// EtcdLeases::kMostListeners holds get one; the others learn of a forced release by their renewals.
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    /// The format names the holder's lease only, in hex: that stands as HolderInfo::client.
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

private:
    class Contender;
    EtcdLock m_lock;
    EtcdKeys m_keys;
    std::shared_ptr<EtcdLeases> m_leases;
};

} // namespace lockscope::recipes
