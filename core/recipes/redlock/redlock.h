// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"
#include "recipes/redlock/ballot.h"
#include "recipes/redlock/nodes.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

/// Settings of a Redlock; the defaults suit servers on one network.
struct RedlockOptions {
    /// The longest pause between tries (PollingRests). Releases notify nobody, and a waiter should get the lock within
    /// 200 ms of a release, round trip included.
    Nanos longestRest = 100ms;
    Nanos perNode{}; ///< longest wait for one node's answer; 0: nodeTimeout() of the lease
};

/// `redis-redlock`: SET NX PX with a unique value on N independent masters at once. The lock is held while a majority
/// has it: for the lease, less the time that taking took, less the allowed drift of the servers' clocks.
///
/// Sources: "Distributed Locks with Redis" in Redis' documentation (the Redlock algorithm); keys and values are those
/// of node-redlock 5, so its clients, redsync's and ours exclude each other.
///
/// A node that answers too late is not awaited. Its grant is withdrawn when it answers, or ends with its lease.
class Redlock final : public Recipe {
public:
    Redlock(std::shared_ptr<RedlockNodes> nodes, QByteArray name, RedlockOptions options = {})
        : m_nodes(std::move(nodes)), m_name(std::move(name)), m_options(options) {}

    const RecipeInfo& info() const override;
    /// nullopt: another client has it. Kind::Unreachable: too few servers answered, or so late that nothing was left of
    /// the lease; it tries a few times while there is time to wait. Kind::Refused: the lease is shorter than the drift
    /// allows.
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    /// True when a majority extended the lock. Kind::OutcomeUnknown when too few servers answered.
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    /// As Recipe::onReconnect(), for any of the servers.
    CallList::Registration onReconnect(CallList::Callback ask) override;
    bool listens() const override { return true; }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    /// Deletes the lock on all servers. Success when a majority answered; on the others it ends with its lease.
    /// NotOwner when a majority did not have it.
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Deletes this recipe's locks on all servers; other data are left alone. Kind::ForeignFormat when other data are
    /// on so many servers that nobody can get a majority; on fewer they do no harm.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// True when one value is on a majority of servers. A server that does not answer counts as having it too, because
    /// a holder's majority may include it. Kind::Unreachable when no majority answers.
    Outcome<bool> isLocked(std::stop_token stop) override;

    /// The time to subtract for the drift of the servers' clocks: 1 % of the lease and 2 ms, as in node-redlock.
    static Nanos drift(Nanos lease) { return lease / 100 + 2ms; }
    /// The longest wait for one node's answer: a twentieth of the lease, from 10 ms to 500 ms.
    static Nanos nodeTimeout(Nanos lease) { return std::clamp<Nanos>(lease / 20, 10ms, 500ms); }
    /// The least time that a grant must have left, else it is given back: a tenth of the lease.
    static Nanos leastRest(Nanos lease) { return lease / 10; }

    /// Pings all nodes: success when a majority answers within `timeout`; otherwise the error says which nodes did not,
    /// and why.
    static Outcome<void> reach(std::shared_ptr<RedlockNodes> nodes, Nanos timeout, std::stop_token stop);

private:
    struct Round;
    Nanos perNode(Nanos lease) const { return m_options.perNode > Nanos(0) ? m_options.perNode : nodeTimeout(lease); }
    std::shared_ptr<Round> beginRound(Nanos lease) const;
    class Contender;
    /// Takes a round back; at the end of a request it waits for all servers that may have the key, else only for
    /// servers that are known to have it.
    QCoro::Task<> withdraw(std::shared_ptr<Round> round, Then then);

    std::shared_ptr<RedlockNodes> m_nodes;
    QByteArray m_name;
    RedlockOptions m_options;
};

} // namespace lockscope::recipes
