// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_set_del.h"

#include "recipes/hex_digits.h"
#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

namespace {
enum class Step : std::uint32_t { Set = 1, Wait, Work, Delete };
enum class ComparedStep : std::uint32_t { Set = 1, Wait, Work, Compare, Delete };
} // namespace

RecipeInfo redisSetDelInfo() {
    RecipeInfo info = naiveRedisInfo("redis-set-del",
                                     Text::tr("SET NX with an expiry, and a DEL that does not look whose lock it is"));
    info.steps = stepTexts<Step>({
        {Step::Set, Text::tr("SET {name} me NX PX {lease}")},
        {Step::Wait, Text::tr("taken → wait a little, again 1")},
        {Step::Work, Text::tr("work, write to the resource")},
        {Step::Delete, Text::tr("DEL {name}")},
    });
    info.workStep = Step::Work;
    return info;
}

RecipeInfo redisSetGetDelInfo() {
    RecipeInfo info = naiveRedisInfo(
        "redis-set-getdel", Text::tr("SET NX PX with a unique value; GET, compare and DEL as separate commands"));
    info.steps = stepTexts<ComparedStep>({
        {ComparedStep::Set, Text::tr("SET {name} value NX PX {lease}")},
        {ComparedStep::Wait, Text::tr("taken → wait a little, again 1")},
        {ComparedStep::Work, Text::tr("work, write to the resource")},
        {ComparedStep::Compare, Text::tr("GET {name}: is it my value?")},
        {ComparedStep::Delete, Text::tr("DEL {name}")},
    });
    info.workStep = ComparedStep::Work;
    return info;
}

RedisSetDel::RedisSetDel(RedisLock lock) : PolledLock(std::move(lock), {Step::Wait, Step::Work, Step::Delete}) {
}

const RecipeInfo& RedisSetDel::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-set-del");
    return mine;
}

Outcome<bool> RedisSetDel::attempt(Request& request, QByteArray& value) {
    request.steps.at(Step::Set);
    value = m_lock.client + ':' + request.thread;
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", milliseconds(request.lease)));
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return !reply->isNil();
}

// Its release reports its last two steps itself.
RedisSetGetDel::RedisSetGetDel(RedisLock lock)
    : PolledLock(std::move(lock), {ComparedStep::Wait, ComparedStep::Work, ComparedStep::Compare}) {
}

const RecipeInfo& RedisSetGetDel::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-set-getdel");
    return mine;
}

Outcome<bool> RedisSetGetDel::attempt(Request& request, QByteArray& value) {
    request.steps.at(ComparedStep::Set);
    value = m_lock.client + ':' + request.thread + ':' + hexDigits(m_lock.port.runtime().random());
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("SET", m_lock.name, value, "NX", "PX", milliseconds(request.lease)));
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return !reply->isNil();
}

Outcome<int> RedisSetGetDel::release(Grant grant, std::stop_token stop) {
    Steps steps = grant.steps;
    steps.at(ComparedStep::Compare);
    const redis::Result found = co_await m_lock.port.call(redis::argsOf("GET", m_lock.name), stop);
    if (!found) {
        steps.leave();
        const LockError error = co_await explainedError(m_lock.port, found.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (found->text != grant.value) {
        steps.leave();
        co_return std::unexpected(notOwner(m_lock.name));
    }
    // The flaw: nothing that happens between the two commands is seen, neither a lease's end nor another client's lock.
    steps.at(ComparedStep::Delete);
    const redis::Result deleted = co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop);
    steps.leave();
    if (!deleted) co_return std::unexpected(lockError(deleted.error(), m_lock.name));
    co_return 0;
}

} // namespace lockscope::recipes
