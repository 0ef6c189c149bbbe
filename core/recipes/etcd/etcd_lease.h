// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/etcd/port.h"
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// What an etcd recipe is made of.
struct EtcdLock {
    etcd::Port& port;
    QByteArray name; ///< as the user wrote it; not empty
};

/// The recipe of that id over an etcd, nullptr when there is none.
std::unique_ptr<Recipe> makeEtcdRecipe(const QByteArray& id, EtcdLock lock);

/// A server's answer as a lock's error, with what it means for the lock.
LockError lockError(const etcd::Error& error);

/// `etcd-lease`: the layout of etcd's concurrency.Mutex, `etcdctl lock` and the server's own Lock service: all of them
/// and we keep each other out. (Source: etcd-io/etcd client/v3/concurrency/mutex.go.)
///
/// A key `<name>/<lease in hex>` under a lease stands in a queue by the revision at which it was created: the oldest
/// holds, each other one waits for the next older one alone. The holder's creation revision is its fencing token.
///
/// One lease for each waiter and holder, as `etcdctl lock` has it, not one for the process: so each request has the
/// lease it asked for (in whole seconds, rounded up; the server may give more, Grant::lease says), one revocation takes
/// back key and lease together whatever state an interrupted attempt is in, a lock lost takes no other one with it,
/// and a second lock of the same name in the same process queues up like a stranger's instead of sharing the key.
///
/// As with etcd's own: `jobs` also waits behind older keys of `jobs/sub/…`, because its prefix covers them; never the
/// reverse. Keys of other kinds directly under the name (an election's, a read/write lock's, plain data) are refused.
///
/// An attempt's writes are not interrupted, only its reads and waits: a write whose answer nobody waits for could still
/// run after its own undoing. They are bounded by the driver's request time-out.
class EtcdLease final : public Recipe {
public:
    explicit EtcdLease(EtcdLock lock);
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

private:
    /// A place in the queue.
    struct Place {
        std::int64_t lease = 0;
        std::int64_t revision = 0; ///< at which its key was created
        Nanos ttl{};
        Nanos keptAt{}; ///< own monotonic clock just before the last message that made the lease a full one
        bool first = false;
    };
    enum class Waited : std::uint8_t { Held, TimedOut, PlaceLost };
    struct Queue;

    /// What stands before everybody else now; nullopt: nothing. ForeignFormat when that is no lock of this kind.
    Outcome<std::optional<etcd::KeyValue>> oldest(std::stop_token stop);
    Outcome<Place> enter(Nanos lease);
    Outcome<Waited> waitInLine(std::shared_ptr<Place> place, Nanos giveUpAt, Steps steps, std::stop_token stop);
    /// How it stands with a place: the next older key, when there is one.
    Outcome<Queue> look(std::shared_ptr<Place> place, std::stop_token stop);
    Outcome<bool> keep(std::shared_ptr<Place> place, std::stop_token stop);
    QCoro::Task<> withdraw(std::int64_t lease);
    static QCoro::Task<> revokeLater(etcd::Port& port, std::int64_t lease);

    QByteArray keyOf(std::int64_t lease) const;
    std::optional<LockError> complaint(const etcd::KeyValue& key) const;

    EtcdLock m_lock;
    QByteArray m_prefix;
};

} // namespace lockscope::recipes
