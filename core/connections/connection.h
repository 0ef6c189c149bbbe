// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/lock_client.h"
#include "connections/record_store.h"
#include "ports/diallers.h"
#include "recipes/condition.h"

namespace lockscope {

/// Names a lock, beyond what each request says.
struct LockSpec {
    QByteArray name;
    int permits = 1; ///< a semaphore's number of permits
};

/// One client process's connection to the servers of a URL, and the recipes that work over it: the one place where a
/// program says which backend it uses. Single-threaded, on its runtime's thread. It must outlive the locks made over
/// it. Recipes share what they need of it, so a release in progress still completes after it is destroyed.
class Connection {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    virtual ~Connection() = default;

    /// The runtime on whose thread the connection is used.
    virtual Runtime& runtime() = 0;
    /// This process's identity on the servers: 36 characters, or the caller's own.
    virtual const QByteArray& client() const = 0;
    virtual const ConnectionUrl& url() const = 0;
    /// "redis", "zookeeper", "sql", "memcached", "etcd": RecipeInfo::backend.
    virtual QByteArray backend() const = 0;
    /// The recipe to use when the program names none.
    virtual QByteArray defaultRecipe() const = 0;

    /// Connects and logs in; the error says what failed, where, and what to do. Later the driver reconnects by itself.
    virtual Outcome<void> open(std::stop_token stop = {}) = 0;
    /// Ends the connection's own session or lease on the server. Locks held by it become free at once, before their
    /// holders notice. Locks with leases of their own are still renewed by their watchdogs while the lock objects live,
    /// so destroy those first. The sockets close with the connection and its last lock.
    virtual Outcome<void> close() = 0;
    /// Asks the server for a sign of life that also shows whether it could grant a lock now.
    virtual Outcome<void> ping(std::stop_token stop = {}) = 0;

    /// The statements (DDL) that create what the recipes need on the server; empty: they need nothing.
    virtual QString schema() const { return {}; }
    /// Runs schema()'s statements and updates an older layout. Success when there is nothing to do.
    virtual Outcome<void> prepare(std::stop_token stop = {});

    /// The recipe for one lock. Kind::NotSupported with a sentence when this server does not offer it, Kind::Refused
    /// for a name that the backend does not allow.
    virtual std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                                  LockSpec spec) = 0;
    /// The condition of one lock of that recipe. Kind::NotSupported when the recipe has none: RecipeInfo::condition.
    virtual std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& recipe,
                                                                                              LockSpec spec);

    /// The store of records on this server; nullptr when it has none.
    virtual RecordStore* records() { return nullptr; }

    /// From now on, locking over this connection is written to `recorder`'s trace with `client` as the actor; nullptr:
    /// no longer. The recorder must outlive the connection and its locks.
    void record(trace::Recorder* recorder, trace::EntityId client) {
        m_recorder = recorder;
        m_client = client;
    }
    /// Whether holders of locks made from now on listen for forced releases, which costs a subscription for each hold
    /// that lasts; they do until told otherwise.
    void setHoldersListen(bool listen) { m_holdersListen = listen; }
    bool holdersListen() const { return m_holdersListen; }
    /// This process, as its locks need to know it.
    LockClient lockClient() { return {runtime(), client(), m_recorder, m_client}; }
    /// The lock's entity in the trace; kNoEntity without a recorder.
    trace::EntityId lockEntity(const QByteArray& name) const {
        return m_recorder ? m_recorder->trace().intern(trace::EntityKind::Lock, name) : trace::kNoEntity;
    }

private:
    trace::Recorder* m_recorder = nullptr;
    trace::EntityId m_client = trace::kNoEntity;
    bool m_holdersListen = true;
};

/// A connection for a URL, not opened yet, in the world that the diallers are of: all that follows Sentinels, slots,
/// majorities and rings of keys is here, and the same in every world. `client`: identity on the servers; empty: a new
/// one.
std::unique_ptr<Connection> makeConnectionOver(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                               QByteArray client = {});

/// The error for a recipe without conditions: names recipes that have them.
LockError noConditions(const QByteArray& recipe);

/// The error for an unknown recipe: names the recipes of this connection.
LockError noSuchRecipe(const QByteArray& id, const Connection& connection);

} // namespace lockscope
