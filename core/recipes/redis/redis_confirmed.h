// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

#include <functional>

namespace lockscope::recipes {

/// Another recipe whose acquisitions count only when so many replicas have them (WAIT): fewer within a second, and the
/// lock is given back. Who waits tries again after a pause until its wait is over, and without a limit for as long as
/// the replicas are missing: somebody else may have the lock meanwhile. Then, or without a wait, it is Kind::Refused.
/// It narrows the window in which a failover loses a lock; it does not close it: a replica that has confirmed may not
/// be the one that is promoted.
///
/// WAIT is about the last write of one connection; over any other one, to a server that was started again or to the
/// next master, it would be about nothing, and succeed. So it goes over the connection that the acquisition was
/// answered over, or the lock is given back. It also makes the server hold the connection's later commands back until
/// it is answered: with many locks over one connection each of them waits for the replicas, too. So a process asks with
/// one WAIT at a time: whatever is sent meanwhile, a renewal say, is never held back for longer than one takes.
class RedisConfirmed final : public Recipe {
public:
    /// `make` makes the other recipe, of a lock like this one over a port that this one watches. It must end an
    /// acquisition with the reply to its last write, as all do that need one server.
    RedisConfirmed(const RedisLock& lock, const std::function<std::unique_ptr<Recipe>(RedisLock)>& make);
    ~RedisConfirmed() override;
    const RecipeInfo& info() const override { return m_recipe->info(); }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override { return m_recipe->renew(grant, stop); }
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override { return m_recipe->news(grant, stop); }
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_recipe->onReconnect(std::move(ask));
    }
    bool listens() const override { return m_recipe->listens(); }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override {
        return m_recipe->listen(std::move(grant), std::move(ask), std::move(stop));
    }
    Outcome<int> release(Grant grant, std::stop_token stop) override { return m_recipe->release(grant, stop); }
    Outcome<bool> forceRelease(std::stop_token stop) override { return m_recipe->forceRelease(stop); }
    Outcome<bool> isLocked(std::stop_token stop) override { return m_recipe->isLocked(stop); }
    void abandoned(const Grant& grant) override { m_recipe->abandoned(grant); }
    void overdue(const Grant& grant) override { m_recipe->overdue(grant); }

private:
    class WatchedPort;
    /// How many replicas have what was written over this connection by now, asked in this process's turn.
    QCoro::Task<redis::Result> ask(std::uint32_t connection, Nanos giveUpAt, std::stop_token stop);

    redis::Port& m_port;
    std::unique_ptr<WatchedPort> m_watched; ///< what the recipe works over
    std::unique_ptr<Recipe> m_recipe;
    QByteArray m_name;
    std::shared_ptr<Doubts> m_doubts;
    int m_replicas;
    Nanos m_patience;
};

} // namespace lockscope::recipes
