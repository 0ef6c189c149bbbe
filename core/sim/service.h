// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/diallers.h"
#include "sim/server.h"

#include <QString>
#include <expected>

namespace lockscope::sim {

/// One or several simulated servers of one kind that are one thing to their clients. Knows which of them decide what
/// the record says. `sim/kinds.h` makes them from scenarios.
class Service {
public:
    virtual ~Service() = default;

    /// As scenarios and RecipeInfo::backend name it: "redis", "zookeeper".
    virtual QByteArray kind() const = 0;
    /// All servers, in the order of their numbers.
    virtual std::vector<Server*> servers() const = 0;
    /// A server by its id, or by its present role ("master", "replica[1]", "leader"); nullptr: there is none.
    virtual Server* find(const QString& target) const = 0;
    /// The URL that clients use.
    virtual QString url() const = 0;
    /// The URL of one server alone; empty: its servers are not used alone.
    virtual QString urlOf(const QString&) const { return {}; }
    /// The diallers of one client process, for addresses of this service. It outlives them and all that they make.
    virtual Diallers diallers(const ClientEnd& client) const = 0;
    /// Whether holders are told when somebody else frees their lock; if not, a subscription for that would hear
    /// nothing.
    virtual bool tellsHolders() const { return true; }

    virtual trace::EntityId lockEntity(const QByteArray& lockName) = 0;
    /// The lock's record is written to the trace from now on. `recipe`: RecipeInfo::id of the one by which clients take
    /// the lock now; it says what on the servers is the lock. May be called again, when the recipe changes.
    virtual void watch(const QByteArray& lockName, const QByteArray& recipe) = 0;
    /// With a lock manager over its servers: the record follows that one from now on.
    virtual void decides(const QByteArray&) {}
    /// With a lock manager over several services: whether this one decides the record from now on.
    virtual void setDecides(bool decides) = 0;
    /// Asks for a failover, as an operator would. The complaint is a sentence: why nobody begins one.
    virtual std::expected<void, QString> failOver(const Server& master) = 0;
    /// Whether evict() and flush() can be done to a server of this service; a sentence: why not.
    virtual std::expected<void, QString> canDrop(const Server& server) const;
    /// The server throws the lock's keys out, as for lack of memory; no more than that, where it has none.
    /// Precondition: canDrop().
    virtual void evict(Server&, const QByteArray& /*lockName*/) {}
    /// All data of the server are deleted, as by an operator's command. Precondition: canDrop().
    virtual void flush(Server&) {}
    /// The pool of connections that all clients share.
    enum class Pool : std::uint8_t {
        None, ///< each client has connections of its own
        Free,
        Exhausted, ///< strangers have all its connections
    };
    virtual Pool pool() const { return Pool::None; }
    /// Precondition: neither the one nor the other is Pool::None.
    virtual void setPool(Pool) {}
    /// Frees a lock as an operator would.
    virtual void forceRelease(const QByteArray& lockName) = 0;
    /// The work that its servers have done so far: a measure of cost that is equal on every machine.
    virtual std::uint64_t steps() const = 0;
};

} // namespace lockscope::sim
