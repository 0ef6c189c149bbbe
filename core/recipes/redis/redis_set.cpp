// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_set.h"

#include "recipes/hex_digits.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

#include <QByteArrayList>
#include <algorithm>

namespace lockscope::recipes {

using Step = WokenLock::Step;

RecipeInfo redisSetInfo() {
    RecipeInfo info;
    info.id = "redis-set";
    info.backend = "redis";
    info.summary = Text::tr("SET NX PX with a unique value; release and renewal compare it first");
    info.steps = stepTexts<Step>({
        {Step::Try, Text::tr("SET {name} value NX PX {lease}, a new unique value each time")},
        {Step::Subscribe, Text::tr("taken → SUBSCRIBE its channel, try again")},
        {Step::Wait, Text::tr("wait for a message, a little while; again 1")},
        {Step::Hold, Text::tr("hold until sent + {lease}; watchdog: script: if value is mine, PEXPIRE {lease}")},
        {Step::Release, Text::tr("script: if value is mine, DEL, PUBLISH 0")},
    });
    info.workStep = Step::Hold;
    info.watchdog = true;
    info.token = true;
    info.condition = true;
    info.simulated = true;
    return info;
}

namespace {
const redis::Script& releaseScript() {
    static const redis::Script script = redis::Script::load("set_release");
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

RedisSet::RedisSet(RedisLock lock)
    : WokenLock(std::move(lock)), m_channel("lockscope_lock__channel:" + hashTagged(m_lock.name)) {
}

const RecipeInfo& RedisSet::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-set");
    return mine;
}

/// Our client, the thread, and what makes it another one each time.
QByteArray RedisSet::newValue(const QByteArray& thread) const {
    QByteArray value(m_lock.client.size() + thread.size() + 2 + kHexDigits, Qt::Uninitialized);
    char* at = std::copy(m_lock.client.begin(), m_lock.client.end(), value.data());
    *at++ = ':';
    at = std::copy(thread.begin(), thread.end(), at);
    *at++ = ':';
    writeHexDigits(at, m_lock.port.runtime().random());
    return value;
}

QCoro::Task<redis::Result> RedisSet::set(const QByteArray& value, const Request& request, std::stop_token stop) {
    const QByteArray lease = milliseconds(request.lease);
    if (!request.token)
        return m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", lease), std::move(stop));
    const QByteArray counter = "lockscope_token:" + hashTagged(m_lock.name);
    return m_lock.port.eval(setWithToken(), redis::argsOf(m_lock.name, counter), redis::argsOf(value, lease),
                            std::move(stop));
}

QCoro::Task<redis::Result> RedisSet::giveUp(const QByteArray& value, std::stop_token stop) {
    return m_lock.port.eval(releaseScript(), redis::argsOf(m_lock.name), redis::argsOf(value, m_channel),
                            std::move(stop));
}

void RedisSet::notUndone(const QByteArray& value, Nanos lease) {
    leftBehind(
        redis::evalArgs("EVAL", releaseScript().source(), redis::argsOf(m_lock.name), redis::argsOf(value, m_channel)),
        lease);
}

// The first try stands in here, and not in a coroutine of its own: mostly there is no other.
Outcome<std::optional<Grant>> RedisSet::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    request.steps.at(Step::Try);
    const QByteArray value = newValue(request.thread);
    const Nanos askedAt = runtime.monotonic();
    const Nanos giveUpAt = laterBy(askedAt, request.wait);
    if (const std::int64_t before = politeness(request, askedAt); before > 0)
        co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), before);
    redis::Result reply;
    bool stopped = false;
    try {
        reply = co_await set(value, request, stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (stopped || (!reply && reply.error().outcomeUnknown())) {
        // If it ran, undo it. An error here leaves a key that ends by its lease.
        // By source: a server that stands still may run this when nobody is left to hear that it needs the script.
        redis::Args bySource = redis::evalArgs("EVAL", releaseScript().source(), redis::argsOf(m_lock.name),
                                               redis::argsOf(value, m_channel));
        const redis::Result undone = co_await m_lock.port.call(std::move(bySource));
        if (!undone) notUndone(value, request.lease);
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    }
    const bool troubled = !reply && waitsOut(lockError(reply.error(), m_lock.name), giveUpAt);
    if (!reply && !troubled) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    if (reply && !reply->isNil()) {
        request.steps.at(Step::Hold);
        co_return Grant{request.thread, value, askedAt, request.lease, 1, reply->integer, request.steps};
    }
    if (troubled || !m_isLock || runtime.monotonic() < giveUpAt)
        co_return co_await notFree(std::move(request), giveUpAt, std::move(stop), troubled);
    request.steps.leave();
    co_return std::nullopt;
}

// Whatever stands on the key keeps SET NX away; of what is no lock nobody will ever say that it is free. One look is
// enough: no library makes such data of a lock.
Outcome<std::optional<Grant>> RedisSet::notFree(Request request, Nanos giveUpAt, std::stop_token stop, bool troubled) {
    if (!m_isLock && !troubled) {
        const redis::Result found =
            co_await m_lock.port.eval(whatIs(), redis::argsOf(m_lock.name), redis::Args(), stop);
        static const QByteArrayList waitedFor{"string", "number", "redisson", "redisson-rw", "redisson-fastmulti"};
        const bool isGone = found && found->text == "none";
        m_isLock = !found || waitedFor.contains(found->text); // who may not look waits as others do
        if (!m_isLock && !isGone) {
            request.steps.leave();
            co_return std::unexpected(foreignData(m_lock.name, found->text));
        }
    }
    if (troubled || m_lock.port.runtime().monotonic() < giveUpAt)
        co_return co_await waitFor(std::move(request), giveUpAt, std::move(stop), 0, troubled);
    request.steps.leave();
    co_return std::nullopt;
}

Outcome<WokenLock::Answer> RedisSet::attempt(const Request& request, std::stop_token stop) {
    Request once = request;
    once.wait = Nanos(0);
    once.steps = Steps(); // those who wait stay where they stand
    auto taken = co_await acquire(std::move(once), std::move(stop));
    if (!taken) co_return std::unexpected(taken.error());
    Answer answer;
    answer.grant = std::move(*taken);
    if (answer.grant) {
        answer.grant->steps = request.steps;
        answer.grant->steps.at(Step::Hold);
    } else {
        answer.again = m_lock.port.runtime().random(m_lock.polling.low, m_lock.polling.high);
    }
    co_return answer;
}

Outcome<bool> RedisSet::renew(Grant grant, std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.eval(compareExtend(), redis::argsOf(m_lock.name),
                                                          redis::argsOf(grant.value, milliseconds(grant.lease)), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> RedisSet::release(Grant grant, std::stop_token stop) {
    grant.steps.at(Step::Release);
    const redis::Result reply = co_await giveUp(grant.value, std::move(stop));
    grant.steps.leave();
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    if (reply->integer == 0) co_return std::unexpected(notOwner(m_lock.name));
    gaveUp(grant.thread, reply->integer - 1);
    co_return 0;
}

Outcome<bool> RedisSet::forceRelease(std::stop_token stop) {
    return forceStringLock(m_lock.port, m_lock.name, redis::argsOf("text", m_channel, forcedChannel()),
                           std::move(stop));
}

Outcome<bool> RedisSet::isLocked(std::stop_token stop) {
    return keyIsThere(m_lock.port, m_lock.name, "string", std::move(stop));
}

} // namespace lockscope::recipes
