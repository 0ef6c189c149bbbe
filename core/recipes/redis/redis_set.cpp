// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_set.h"

namespace lockscope::recipes {

namespace {
const redis::Script& compareDelete() {
    static const redis::Script script = redis::Script::load("compare_delete");
    return script;
}
const redis::Script& compareExtend() {
    static const redis::Script script = redis::Script::load("compare_extend");
    return script;
}
const redis::Script& setWithToken() {
    static const redis::Script script = redis::Script::load("set_with_token");
    return script;
}
} // namespace

const RecipeInfo& RedisSet::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-set");
    return mine;
}

Outcome<RedisSet::Answer> RedisSet::set(const QByteArray& value, const Request& request, std::stop_token stop) {
    const QByteArray lease = milliseconds(request.lease);
    redis::Result reply;
    if (request.token) {
        const QByteArray counter = "lockscope_token:" + hashTagged(m_lock.name);
        reply = co_await m_lock.port.eval(setWithToken(), redis::argsOf(m_lock.name, counter),
                                          redis::argsOf(value, lease), stop);
    } else {
        reply = co_await m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", lease), stop);
    }
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return Answer{!reply->isNil(), reply->integer};
}

QCoro::Task<> RedisSet::withdraw(QByteArray value) {
    // Whatever became of our SET: if it ran, undo it. An error here leaves a key that ends by its lease.
    co_await m_lock.port.eval(compareDelete(), redis::argsOf(m_lock.name), redis::argsOf(std::move(value)));
}

Outcome<std::optional<Grant>> RedisSet::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos begun = runtime.monotonic();
    const Nanos giveUpAt = laterBy(begun, request.wait);

    request.steps.at(1);
    const QByteArray value = m_lock.client + ':' + request.thread + ':' +
                             QByteArray::number(qulonglong(runtime.random()), 16).rightJustified(16, '0');

    for (;;) {
        request.steps.at(2);
        const Nanos askedAt = runtime.monotonic();
        std::expected<Answer, LockError> answer;
        bool stopped = false;
        try {
            answer = co_await set(value, request, stop);
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            stopped = true;
        }
        if (stopped || (!answer && answer.error().kind == LockError::Kind::OutcomeUnknown)) {
            co_await withdraw(value);
            request.steps.at(0);
            if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        }
        if (!answer) co_return std::unexpected(answer.error());

        if (answer->granted) {
            request.steps.at(3);
            co_return Grant{request.thread, value, askedAt, request.lease, 1, answer->token, request.steps};
        }
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) {
            request.steps.at(0);
            co_return std::nullopt;
        }
        const Nanos nap = runtime.random(m_lock.polling.low, m_lock.polling.high);
        co_await runtime.sleep(giveUpAt == kNever ? nap : std::min(nap, giveUpAt - now), stop);
    }
}

Outcome<bool> RedisSet::renew(Grant grant, std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.eval(compareExtend(), redis::argsOf(m_lock.name),
                                                          redis::argsOf(grant.value, milliseconds(grant.lease)), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> RedisSet::release(Grant grant, std::stop_token stop) {
    grant.steps.at(5);
    const redis::Result reply =
        co_await m_lock.port.eval(compareDelete(), redis::argsOf(m_lock.name), redis::argsOf(grant.value), stop);
    grant.steps.at(0);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    if (reply->integer == 0) co_return std::unexpected(notOwner(m_lock.name));
    co_return 0;
}

Outcome<bool> RedisSet::forceRelease(std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

} // namespace lockscope::recipes
