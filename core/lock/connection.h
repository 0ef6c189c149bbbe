// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/url.h"
#include "lock/lock_client.h"
#include "lock/record_store.h"
#include "recipes/condition.h"

namespace lockscope {

/// Which lock, beyond what each request says.
struct LockSpec {
    QByteArray name;
    int permits = 1; ///< of a semaphore: how many there are in all
};

/// One client process's connection to whatever a URL names, and the recipes that work over it: the one place where a
/// program says which backend it uses. Single-threaded, on its runtime's thread. It outlives the locks made over it;
/// its recipes keep what they work over, so that a release which is under way when it goes still ends.
class Connection {
public:
    template <typename T>
    using Outcome = recipes::Outcome<T>;

    virtual ~Connection() = default;

    /// Where it works: it is used on that runtime's thread.
    virtual Runtime& runtime() = 0;
    /// This process's identity on the servers: 36 characters, or what the caller gave.
    virtual const QByteArray& client() const = 0;
    virtual const ConnectionUrl& url() const = 0;
    /// "redis", "zookeeper", "sql", "memcached", "etcd": RecipeInfo::backend.
    virtual QByteArray backend() const = 0;
    /// The recipe to take when nobody says which.
    virtual QByteArray defaultRecipe() const = 0;

    /// Connects and logs in; an error says what, where and what to do. Reconnecting later is the driver's own business.
    virtual Outcome<void> open(std::stop_token stop = {}) = 0;
    /// Gives back what the connection holds on its own account: its session, its lease. What is still locked by these
    /// is free then, before its holder hears of it; other locks are kept by their watchdogs for as long as the lock
    /// objects are there. So let those go first. The sockets close with the connection and the last of its locks.
    virtual Outcome<void> close() = 0;
    /// Asks the server for a sign of life that also says whether it could grant a lock now.
    virtual Outcome<void> ping(std::stop_token stop = {}) = 0;

    /// What the recipes need on the server before the first lock, as the server's own language (DDL); empty: nothing.
    virtual QString schema() const { return {}; }
    /// Creates that, and brings an older one up to date. Nothing to do: success.
    virtual Outcome<void> prepare(std::stop_token stop = {});

    /// The recipe for one lock. Kind::NotSupported with a sentence when this server does not have it, Kind::Refused for
    /// a name that the backend cannot have.
    virtual std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                                  LockSpec spec) = 0;
    /// The condition of one lock of that recipe. Kind::NotSupported when there is none: RecipeInfo::condition.
    virtual std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& recipe,
                                                                                              LockSpec spec);

    /// Where this server keeps records; nullptr when it has no place for them.
    virtual RecordStore* records() { return nullptr; }

    /// From now on what is locked over this connection is written to a trace, as that client's doings; nullptr: no
    /// longer. The recorder must outlive the connection and its locks.
    void record(trace::Recorder* recorder, trace::EntityId client) {
        m_recorder = recorder;
        m_client = client;
    }
    /// This process as its locks see it.
    LockClient lockClient() { return {runtime(), client(), m_recorder, m_client}; }
    /// A lock's name in the trace.
    trace::EntityId lockEntity(const QByteArray& name) const {
        return m_recorder ? m_recorder->trace().intern(trace::EntityKind::Lock, name) : trace::kNoEntity;
    }

private:
    trace::Recorder* m_recorder = nullptr;
    trace::EntityId m_client = trace::kNoEntity;
};

/// A connection for that URL, not opened yet. `client`: the identity to have, empty: a new one.
std::unique_ptr<Connection> makeConnection(Runtime& runtime, ConnectionUrl url, QByteArray client = {});

/// The error of asking for the condition of a recipe that has none: names those that have.
LockError noConditions(const QByteArray& recipe);

/// The error of asking a connection for a recipe that it does not have: names those it has.
LockError noSuchRecipe(const QByteArray& id, const Connection& connection);

} // namespace lockscope
