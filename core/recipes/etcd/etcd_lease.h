// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/etcd/etcd_leases.h"

namespace lockscope::recipes {

/// What an etcd recipe is made of.
struct EtcdLock {
    etcd::Port& port;
    QByteArray name; ///< as the user wrote it; not empty
    /// Those of the connection; null: this lock shares its lease with no other lock.
    std::shared_ptr<EtcdLeases> leases = nullptr;
};

/// The recipe of that id over an etcd, nullptr when there is none.
std::unique_ptr<Recipe> makeEtcdRecipe(const QByteArray& id, EtcdLock lock);

/// `etcd-lease`: the layout of etcd's concurrency.Mutex, `etcdctl lock` and the server's own Lock service: all of them
/// and we keep each other out. (Source: etcd-io/etcd client/v3/concurrency/mutex.go.)
///
/// A key `<name>/<lease in hex>` under a lease stands in a queue by the revision at which it was created: the oldest
/// holds, each other one waits for the next older one alone. The holder's creation revision is its fencing token.
///
/// A request that nobody will renew has a lease of its own, as `etcdctl lock` has it: in whole seconds, rounded up (the
/// server may give more, Grant::lease says), and one revocation takes back key and lease together whatever state an
/// interrupted attempt is in. Those that a watchdog keeps share one, as the locks of one session of etcd's own client
/// do: see EtcdLeases. A second lock of the same name in the same process queues up like a stranger's in any case,
/// instead of sharing the key.
///
/// As with etcd's own: `jobs` also waits behind older keys of `jobs/sub/…`, because its prefix covers them; never the
/// reverse. Keys of other kinds directly under the name (an election's, a read/write lock's, plain data) are refused,
/// and so is one that has the very name, as ShedLock's locks are: each request looks for it. Whoever makes that one
/// while we hold does not look for ours.
///
/// Who waits, waits out members that can not be reached; what an unanswered request has put counts when they are back.
///
/// An attempt's writes are not interrupted, only its reads and waits: a write whose answer nobody waits for could still
/// run after its own undoing. They are bounded by the driver's request time-out.
class EtcdLease final : public Recipe {
public:
    explicit EtcdLease(EtcdLock lock);
    ~EtcdLease() override;
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    CallList::Registration onReconnect(CallList::Callback ask) override;
    bool listens() const override { return true; }
    /// By a watch on the hold's own key, for the first EtcdLeases::kMostListeners of the connection: each watch is a
    /// connection of its own. Later ones hear of it by their renewals.
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

private:
    using Stand = EtcdLeases::Stand;
    using StandPtr = std::shared_ptr<Stand>;
    enum class Entered : std::uint8_t { Held, Waits, Vain };
    enum class Waited : std::uint8_t { Held, TimedOut, PlaceLost };
    struct Queue;

    /// What stands before everybody else now; nullopt: nothing. ForeignFormat when that is no lock of this kind.
    Outcome<std::optional<etcd::KeyValue>> oldest(std::stop_token stop);
    /// Takes the lock if nobody is there, and changes nothing else. Vain: somebody is.
    Outcome<Entered> enterAlone(StandPtr stand);
    /// Queues up.
    Outcome<Entered> enter(StandPtr stand);
    /// One after the other, and again when that fails by what passes; Vain when the time was over with the first.
    Outcome<Entered> getIn(StandPtr stand, Request request, Nanos giveUpAt, std::stop_token stop);
    /// Whether an error is not the end of a wait.
    bool waitsOut(const LockError& error, Nanos giveUpAt) const;
    /// Runs a transaction with one more condition, that there is no key with the lock's very name. When it does not
    /// hold, and the first that `otherwise` reads, if anything, is not there, that key is what is read last. Without
    /// that condition for users who may not read it. `stand`: whose key it may put; null: none.
    etcd::Result<etcd::TransactionResult> guarded(etcd::Transaction transaction, StandPtr stand, std::stop_token stop);
    Outcome<etcd::TransactionResult> put(StandPtr stand, etcd::Transaction transaction);
    Outcome<Waited> waitInLine(StandPtr stand, Nanos giveUpAt, Steps steps, std::stop_token stop);
    /// How it stands with a place: the next older key, when there is one.
    Outcome<Queue> look(StandPtr stand, std::stop_token stop);

    Outcome<bool> leaveAlone(Stand stand, std::stop_token stop);
    /// It is this lock's, and not one's below it.
    bool isOurs(const etcd::KeyValue& key) const;
    std::optional<LockError> complaint(const etcd::KeyValue& key) const;
    /// About what guarded() has read last.
    std::optional<LockError> complaintOfName(const etcd::TransactionResult& result) const;
    LockError foreign(const etcd::KeyValue& key, const QString& what) const;

    EtcdLock m_lock;
    QByteArray m_prefix;
    std::shared_ptr<EtcdLeases> m_leases;
    bool m_ownLeases;
    bool m_seesName = true; ///< the key with the lock's name may be read, as far as is known
};

} // namespace lockscope::recipes
