// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_set_del.h"

#include "recipes/hex_digits.h"

namespace lockscope::recipes {

Outcome<bool> RedisSetDel::attempt(Request& request, QByteArray& value) {
    request.steps.at(1);
    value = m_lock.client + ':' + request.thread;
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", milliseconds(request.lease)));
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return !reply->isNil();
}

Outcome<bool> RedisSetGetDel::attempt(Request& request, QByteArray& value) {
    request.steps.at(1);
    value = m_lock.client + ':' + request.thread + ':' + hexDigits(m_lock.port.runtime().random());
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", milliseconds(request.lease)));
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return !reply->isNil();
}

Outcome<int> RedisSetGetDel::release(Grant grant, std::stop_token stop) {
    Steps steps = grant.steps;
    steps.at(4);
    const redis::Result found = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name), stop);
    if (!found) {
        steps.at(0);
        const LockError error = co_await explainedError(m_lock.port, found.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (found->text != grant.value) {
        steps.at(0);
        co_return std::unexpected(notOwner(m_lock.name));
    }
    // Whatever happens between the two commands, a lease's end or another's lock, is not seen: the flaw.
    steps.at(5);
    const redis::Result deleted = co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop);
    steps.at(0);
    if (!deleted) co_return std::unexpected(lockError(deleted.error(), m_lock.name));
    co_return 0;
}

} // namespace lockscope::recipes
