// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/condition.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// Conditions of locks on a Redis, for any lock recipe there: nobody else's layout has them.
///
/// Layout, with {name} as Redisson braces it, so that all is in one slot:
/// - list `lockscope_condition:{name}`: the waiters, oldest first, each <client>:<thread>;
/// - string `lockscope_condition_waiter:{name}:<client>:<thread>`: "waiting" or "signalled", with a life of 30 s that
///   the waiter renews;
/// - channel `lockscope_condition_channel:{name}:<client>:<thread>`: a message when it was signalled. It only says
///   "look": what counts is the string, so that a lost message costs 10 s at most, and no signal.
/// Signals go to those who listen: whoever died within its life's last 30 s gets one only when nobody else waits, or
/// when its connection was not closed by its end (its machine died).
/// The list lives as long as its waiters do. Each script is atomic: a signal is in the string of exactly one waiter,
/// and one that stops waiting passes on what it had got.
class RedisCondition final : public ConditionRecipe {
public:
    explicit RedisCondition(RedisLock lock) : m_lock(std::move(lock)) {}
    Outcome<void> enlist(QByteArray thread, std::stop_token stop) override;
    Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) override;
    Outcome<int> signal(int most, std::stop_token stop) override;

private:
    QByteArray id(const QByteArray& thread) const { return m_lock.client + ':' + thread; }
    QByteArray waiters() const { return "lockscope_condition:" + hashTagged(m_lock.name); }
    QByteArray statePrefix() const { return "lockscope_condition_waiter:" + hashTagged(m_lock.name) + ':'; }
    QByteArray channelPrefix() const { return "lockscope_condition_channel:" + hashTagged(m_lock.name) + ':'; }
    Outcome<bool> waitUntil(QByteArray thread, Nanos giveUpAt, std::stop_token stop);
    Outcome<bool> leave(QByteArray thread, bool passOn);
    RedisLock m_lock;
};

} // namespace lockscope::recipes
