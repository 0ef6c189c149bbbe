// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/condition.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// Conditions of locks on a Redis, for any lock recipe there. No other library's layout has them.
///
/// Layout, with {name} in braces as Redisson does, so that all keys are in one slot:
/// - list `lockscope_condition:{name}`: the waiters, oldest first, each <client>:<thread>;
/// - string `lockscope_condition_waiter:{name}:<client>:<thread>`: "waiting" or "signalled", with a TTL of 30 s that
///   the waiter renews;
/// - channel `lockscope_condition_channel:{name}:<client>:<thread>`: a message when it was signalled. The message only
///   means "look"; the string decides. So a lost message costs at most 10 s, never a signal.
/// Signals go to waiters that listen. A waiter that died less than 30 s ago gets one only when nobody else waits, or
/// when its connection was not closed (its machine died).
/// The list lasts as long as its waiters. Each script is atomic: a signal is in the string of exactly one waiter, and a
/// waiter that leaves passes on a signal that it got.
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
    class Contender;
    struct Signalled {};
    Outcome<bool> leave(QByteArray thread, bool passOn);
    RedisLock m_lock;
};

} // namespace lockscope::recipes
