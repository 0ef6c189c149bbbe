// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"
#include "recipes/redlock/ballot.h"
#include "recipes/redlock/nodes.h"

namespace lockscope::recipes {

/// How a Redlock goes about it; the defaults suit servers on one network.
struct RedlockOptions {
    /// The longest pause before another try (PollingRests): nobody tells of a release, and within 200 ms of one
    /// somebody is to have the lock, the way there included.
    Nanos longestRest = 100ms;
    Nanos perNode{}; ///< longest wait for one node's answer; 0: nodeTimeout() of the lease
};

/// `redis-redlock`: SET NX PX with a unique value on N independent masters at once; held while a majority has it, until
/// the lease less what was taken to get it, less the drift that the servers' clocks are allowed.
///
/// Sources: "Distributed Locks with Redis" of Redis' documentation (the Redlock algorithm); the keys and values are
/// those of node-redlock 5, so that its clients and redsync's are kept out, and we by theirs.
///
/// A node that answers too late is not waited for; what it granted is taken back when it does answer, and ends by its
/// lease if it never does.
class Redlock final : public Recipe {
public:
    Redlock(std::shared_ptr<RedlockNodes> nodes, QByteArray name, RedlockOptions options = {})
        : m_nodes(std::move(nodes)), m_name(std::move(name)), m_options(options) {}

    const RecipeInfo& info() const override;
    /// nullopt: somebody else has it. Kind::Unreachable: too few servers answered, or so late that nothing was left of
    /// the lease; tried a few times while there is time to wait.
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    /// True when a majority extended it.
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    /// Of any of the servers.
    CallList::Registration onReconnect(CallList::Callback ask) override;
    bool listens() const override { return true; }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;
    /// On all servers. Success when a majority answered; what the others keep ends by its lease.
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    /// Deletes what locks of this kind write, on all servers; anything else is left alone. Kind::ForeignFormat when
    /// that stands on so many servers that no majority is left for anybody; on fewer it is in nobody's way.
    Outcome<bool> forceRelease(std::stop_token stop) override;
    /// True when one value stands on a majority of servers. Those that do not answer are taken to have it as well: a
    /// holder may have its majority with them. Kind::Unreachable when no majority answers.
    Outcome<bool> isLocked(std::stop_token stop) override;

    /// What a majority of servers must have left of their clocks' rates: 1 % of the lease and 2 ms, as node-redlock.
    static Nanos drift(Nanos lease) { return lease / 100 + 2ms; }
    /// The longest wait for one node: a twentieth of the lease, from 10 ms to 500 ms.
    static Nanos nodeTimeout(Nanos lease) { return std::clamp<Nanos>(lease / 20, 10ms, 500ms); }
    /// A grant with less time left than this is given back: a tenth of the lease.
    static Nanos leastRest(Nanos lease) { return lease / 10; }

    /// Asks all nodes for a sign of life: success when a majority gives it within `timeout`, else which did not and
    /// why.
    static Outcome<void> reach(std::shared_ptr<RedlockNodes> nodes, Nanos timeout, std::stop_token stop);

private:
    struct Round;
    Nanos perNode(Nanos lease) const { return m_options.perNode > Nanos(0) ? m_options.perNode : nodeTimeout(lease); }
    std::shared_ptr<Round> beginRound(Nanos lease) const;
    QCoro::Task<> withdraw(std::shared_ptr<Round> round, bool everywhere);

    std::shared_ptr<RedlockNodes> m_nodes;
    QByteArray m_name;
    RedlockOptions m_options;
};

/// Of the list of recipes.
RecipeInfo redlockInfo();

} // namespace lockscope::recipes
