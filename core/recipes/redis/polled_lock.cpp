// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/polled_lock.h"

#include "recipes/backoff.h"

#include <utility>

namespace lockscope::recipes {

namespace {
const redis::Script& compareDelete() {
    static const redis::Script script = redis::Script::load("compare_delete");
    return script;
}
} // namespace

RecipeInfo naiveRedisInfo(const char* id, const QString& summary) {
    RecipeInfo info;
    info.id = id;
    info.backend = "redis";
    info.summary = summary;
    info.naive = true;
    info.simulated = true;
    return info;
}

QCoro::Task<bool> PolledLock::withdraw(QByteArray value) {
    const redis::Result reply =
        co_await m_lock.port.eval(compareDelete(), redis::argsOf(m_lock.name), redis::argsOf(std::move(value)));
    co_return reply.has_value() || reply.error().wrongType();
}

Outcome<std::optional<Grant>> PolledLock::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    Backoff backoff;
    QByteArray doubtful; // what may stand there of a try whose outcome is not known
    for (;;) {
        if (!doubtful.isEmpty()) {
            const bool gone = co_await withdraw(doubtful);
            if (gone) doubtful.clear();
        }
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        const Nanos askedAt = runtime.monotonic();
        QByteArray value;
        const auto taken = co_await attempt(request, value);
        const bool unknown = !taken && taken.error().kind == LockError::Kind::OutcomeUnknown;
        if (unknown || (taken && *taken && stop.stop_requested())) {
            const bool gone = co_await withdraw(value);
            if (!gone) doubtful = value;
        }
        if (stop.stop_requested()) {
            request.steps.leave();
            throw Cancelled(Cancelled::Why::Stopped);
        }
        const Nanos now = runtime.monotonic();
        if (!taken && (!passes(taken.error()) || now >= giveUpAt)) co_return std::unexpected(taken.error());
        if (taken && *taken) {
            request.steps.at(m_steps.work);
            co_return Grant{request.thread, value, askedAt, request.lease, 1, 0, request.steps};
        }
        if (now >= giveUpAt) {
            request.steps.leave();
            co_return std::nullopt;
        }
        request.steps.at(m_steps.wait);
        if (taken) backoff.reset();
        const Nanos nap =
            taken ? runtime.random(m_lock.polling.low, m_lock.polling.high) : backoff.next(runtime, giveUpAt);
        try {
            co_await runtime.sleep(giveUpAt == kNever ? nap : std::min(nap, giveUpAt - now), stop);
        } catch (const Cancelled& cancelled) { // stopped: there may be something to withdraw first
            if (cancelled.why() == Cancelled::Why::Killed) throw;
        }
    }
}

Outcome<int> PolledLock::release(Grant grant, std::stop_token stop) {
    grant.steps.at(m_steps.release);
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop); // whoever's it is: the flaw
    grant.steps.leave();
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return 0;
}

Outcome<bool> PolledLock::forceRelease(std::stop_token stop) {
    return forceStringLock(m_lock.port, m_lock.name, redis::argsOf(valuesAreNumbers() ? "number" : "text"),
                           std::move(stop));
}

Outcome<bool> PolledLock::isLocked(std::stop_token stop) {
    return keyIsThere(m_lock.port, m_lock.name, "string", std::move(stop));
}

} // namespace lockscope::recipes
