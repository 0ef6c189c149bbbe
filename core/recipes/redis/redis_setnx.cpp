// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_setnx.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

namespace {
enum class Step : std::uint32_t { Set = 1, Look, TakeOver, Work, Delete };
enum class ExpireStep : std::uint32_t { Set = 1, Expire, Wait, Work, Delete };
} // namespace

RecipeInfo redisSetnxInfo() {
    RecipeInfo info = naiveRedisInfo(
        "redis-setnx", Text::tr("SETNX with an expiry time by the client's own clock; GETSET takes an expired one"));
    info.steps = stepTexts<Step>({
        {Step::Set, Text::tr("SETNX {name} (my clock + {lease})")},
        {Step::Look, Text::tr("taken → GET: is its time past? no → wait a little, again 1")},
        {Step::TakeOver, Text::tr("GETSET {name} (my clock + {lease}); was it what I had read?")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("DEL {name}")},
    });
    info.workStep = Step::Work;
    return info;
}

RecipeInfo redisSetnxExpireInfo() {
    RecipeInfo info = naiveRedisInfo("redis-setnx-expire", Text::tr("SETNX, then its expiry as a second command"));
    info.steps = stepTexts<ExpireStep>({
        {ExpireStep::Set, Text::tr("SETNX {name} me")},
        {ExpireStep::Expire, Text::tr("PEXPIRE {name} {lease}")},
        {ExpireStep::Wait, Text::tr("taken → wait a little, again 1")},
        {ExpireStep::Work, Text::tr("work, write to the resource")},
        {ExpireStep::Delete, Text::tr("DEL {name}")},
    });
    info.workStep = ExpireStep::Work;
    return info;
}

RedisSetnx::RedisSetnx(RedisLock lock) : PolledLock(std::move(lock), {Step::Look, Step::Work, Step::Delete}) {
}

const RecipeInfo& RedisSetnx::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-setnx");
    return mine;
}

Outcome<bool> RedisSetnx::attempt(Request& request, QByteArray& value) {
    Runtime& runtime = m_lock.port.runtime();
    const auto lease = std::chrono::duration_cast<std::chrono::milliseconds>(request.lease).count();
    const auto expiryFromNow = [&] { return QByteArray::number(qlonglong(runtime.wallMs() + lease)); };

    request.steps.at(Step::Set);
    value = expiryFromNow();
    const redis::Result set = co_await m_lock.port.call(redis::argsOf("SETNX", m_lock.name, value));
    if (!set) co_return std::unexpected(lockError(set.error(), m_lock.name));
    if (set->integer == 1) co_return true;

    request.steps.at(Step::Look);
    const redis::Result found = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name));
    if (!found) {
        const LockError error = co_await explainedError(m_lock.port, found.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (found->isNil()) co_return false; // freed meanwhile
    bool isNumber = false;
    const std::int64_t expiry = found->text.toLongLong(&isNumber);
    if (!isNumber) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    if (expiry >= runtime.wallMs()) co_return false;

    request.steps.at(Step::TakeOver);
    value = expiryFromNow();
    const redis::Result old = co_await m_lock.port.call(redis::argsOf("GETSET", m_lock.name, value));
    if (!old) co_return std::unexpected(lockError(old.error(), m_lock.name));
    // Another was quicker: the lock is its own, but with our expiry time now. That is the flaw.
    co_return old->text == found->text;
}

Outcome<bool> RedisSetnx::isLocked(std::stop_token stop) {
    const redis::Result found = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name), std::move(stop));
    if (!found) {
        const LockError error = co_await explainedError(m_lock.port, found.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (found->isNil()) co_return false;
    bool isNumber = false;
    const std::int64_t expiry = found->text.toLongLong(&isNumber);
    if (!isNumber) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    co_return expiry >= m_lock.port.runtime().wallMs(); // else the next client takes it over
}

RedisSetnxExpire::RedisSetnxExpire(RedisLock lock)
    : PolledLock(std::move(lock), {ExpireStep::Wait, ExpireStep::Work, ExpireStep::Delete}) {
}

const RecipeInfo& RedisSetnxExpire::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-setnx-expire");
    return mine;
}

Outcome<bool> RedisSetnxExpire::attempt(Request& request, QByteArray& value) {
    request.steps.at(ExpireStep::Set);
    value = m_lock.client + ':' + request.thread;
    const redis::Result set = co_await m_lock.port.call(redis::argsOf("SETNX", m_lock.name, value));
    if (!set) co_return std::unexpected(lockError(set.error(), m_lock.name));
    if (set->integer == 0) co_return false;

    // Until this has run, the lock has no end: the flaw.
    request.steps.at(ExpireStep::Expire);
    const redis::Result expire =
        co_await m_lock.port.call(redis::argsOf("PEXPIRE", m_lock.name, milliseconds(request.lease)));
    if (!expire) {
        LockError error = lockError(expire.error(), m_lock.name);
        if (error.kind == LockError::Kind::Unreachable) error.kind = LockError::Kind::OutcomeUnknown; // it is there
        co_return std::unexpected(error);
    }
    co_return true;
}

} // namespace lockscope::recipes
