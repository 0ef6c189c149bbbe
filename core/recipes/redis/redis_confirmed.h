// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

#include <functional>

namespace lockscope::recipes {

/// Wraps a recipe so that an acquisition counts only when enough replicas have it (WAIT). If fewer have it within a
/// second, the lock is given back. A waiter tries again after a pause, until its wait is over, and without a limit as
/// long as replicas are missing; another client may get the lock meanwhile. At the end of the wait, or at once without
/// a wait, the result is Kind::Refused. This narrows the window in which a failover loses a lock but does not close it:
/// the promoted replica may be one that has not confirmed.
///
/// WAIT refers to the last write of one connection. Over another connection, or after a restart or failover of the
/// server, it would refer to nothing and succeed. So it is sent over the connection on which the acquisition was
/// answered; if that is gone, the lock is given back. WAIT also delays the connection's later commands until it is
/// answered. So a process has one WAIT in flight at a time: a command sent meanwhile, such as a renewal, is delayed by
/// at most one of them.
class RedisConfirmed final : public Recipe {
public:
    /// `make` makes the wrapped recipe, for a lock like `lock` over a port that this class watches. Its acquisition
    /// must end with the reply to its last write, as with all recipes on one server.
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
    Grant takePart(Grant& grant, int permits) override { return m_recipe->takePart(grant, permits); }
    Outcome<bool> forceRelease(std::stop_token stop) override { return m_recipe->forceRelease(stop); }
    Outcome<bool> isLocked(std::stop_token stop) override { return m_recipe->isLocked(stop); }
    bool prolongs() const override { return m_recipe->prolongs(); }
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override { return m_recipe->holders(stop); }
    Outcome<std::optional<int>> permitsFree(std::stop_token stop) override { return m_recipe->permitsFree(stop); }
    void abandoned(const Grant& grant) override { m_recipe->abandoned(grant); }
    void overdue(const Grant& grant) override { m_recipe->overdue(grant); }

private:
    class WatchedPort;
    class Contender;
    /// How many replicas have the writes of this connection; asked in this process's turn.
    QCoro::Task<redis::Result> ask(std::uint32_t connection, Nanos giveUpAt, std::stop_token stop);

    redis::Port& m_port;
    std::unique_ptr<WatchedPort> m_watched; ///< the port of the wrapped recipe
    std::unique_ptr<Recipe> m_recipe;
    QByteArray m_name;
    std::shared_ptr<Doubts> m_doubts;
    int m_replicas;
    Nanos m_patience;
};

} // namespace lockscope::recipes
