// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_set_del.h"

#include <QCoreApplication>

namespace lockscope::recipes {

const RecipeInfo& RedisSetDel::info() const {
    return *findRecipe("redis-set-del");
}

Outcome<std::optional<Grant>> RedisSetDel::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    const QByteArray value = m_lock.client + ':' + request.thread;
    for (;;) {
        request.steps.at(1);
        const Nanos askedAt = runtime.monotonic();
        const redis::Result reply = co_await m_lock.port.call(
            redis::argsOf("SET", m_lock.name, value, "NX", "PX", milliseconds(request.lease)), stop);
        if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
        if (!reply->isNil()) {
            request.steps.at(3);
            co_return Grant{request.thread, value, askedAt, request.lease, 1, 0, request.steps};
        }
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) {
            request.steps.at(0);
            co_return std::nullopt;
        }
        request.steps.at(2);
        const Nanos nap = runtime.random(m_lock.polling.low, m_lock.polling.high);
        co_await runtime.sleep(giveUpAt == kNever ? nap : std::min(nap, giveUpAt - now), stop);
    }
}

Outcome<bool> RedisSetDel::renew(Grant, std::stop_token) {
    co_return std::unexpected(
        LockError{LockError::Kind::NotSupported,
                  QCoreApplication::translate("LockError",
                                              "redis-set-del cannot renew a lease: nothing tells whose lock it is.")});
}

Outcome<int> RedisSetDel::release(Grant grant, std::stop_token stop) {
    grant.steps.at(4);
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop); // whoever's it is: the flaw
    grant.steps.at(0);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return 0;
}

Outcome<bool> RedisSetDel::forceRelease(std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

} // namespace lockscope::recipes
