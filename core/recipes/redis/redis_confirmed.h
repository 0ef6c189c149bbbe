// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// Another recipe whose acquisitions count only when so many replicas have them (WAIT): fewer within a second, and the
/// lock is given back with Kind::Refused. It narrows the window in which a failover loses a lock; it does not close it:
/// a replica that has confirmed may not be the one that is promoted.
///
/// WAIT is about the connection's last write and makes the server hold the connection's later commands back until it is
/// answered: with many locks over one connection each of them waits for the replicas, too. So a process asks with one
/// WAIT at a time: whatever is sent meanwhile, a renewal say, is never held back for longer than one takes.
class RedisConfirmed final : public Recipe {
public:
    RedisConfirmed(std::unique_ptr<Recipe> recipe, const RedisLock& lock)
        : m_recipe(std::move(recipe)),
          m_port(lock.port),
          m_name(lock.name),
          m_doubts(lock.doubts),
          m_replicas(lock.replicas) {}
    const RecipeInfo& info() const override { return m_recipe->info(); }
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<bool> renew(Grant grant, std::stop_token stop) override { return m_recipe->renew(grant, stop); }
    Outcome<HoldNews> news(Grant grant, std::stop_token stop) override { return m_recipe->news(grant, stop); }
    Outcome<int> release(Grant grant, std::stop_token stop) override { return m_recipe->release(grant, stop); }
    Outcome<bool> forceRelease(std::stop_token stop) override { return m_recipe->forceRelease(stop); }
    void abandoned(const Grant& grant) override { m_recipe->abandoned(grant); }

private:
    /// How many replicas have what was written by now, asked in this process's turn. `failures` as they were when it
    /// had been written.
    QCoro::Task<redis::Result> ask(int failures, Nanos giveUpAt, std::stop_token stop);

    std::unique_ptr<Recipe> m_recipe;
    redis::Port& m_port;
    QByteArray m_name;
    std::shared_ptr<Doubts> m_doubts;
    int m_replicas;
};

} // namespace lockscope::recipes
