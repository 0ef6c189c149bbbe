// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_read_write.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

using Step = WokenLock::Step;

RecipeInfo redisReadWriteInfo() {
    RecipeInfo info = redissonInfo(
        "redis-rw", Text::tr("Redisson's read/write lock: many readers or one writer; writers may starve"));
    info.steps = stepTexts<Step>({
        {Step::Try, Text::tr("script: free, mine, or readers among themselves → HINCRBY me 1, PEXPIRE {lease}")},
        {Step::Subscribe, Text::tr("taken → SUBSCRIBE its channel, try again")},
        {Step::Wait, Text::tr("wait for a message, at most PTTL; again 1")},
        {Step::Hold, Text::tr("hold; watchdog: PEXPIRE {lease} of my own holds")},
        {Step::Release, Text::tr("script: HINCRBY me -1; nobody left → DEL, PUBLISH")},
    });
    info.shared = true;
    return info;
}

namespace {
const redis::Script& readAcquire() {
    static const redis::Script script = redis::Script::load("rw_read_acquire", redis::Script::Sees::WholeSlot);
    return script;
}
const redis::Script& writeAcquire() {
    static const redis::Script script = redis::Script::load("rw_write_acquire");
    return script;
}
const redis::Script& readKeep() {
    static const redis::Script script = redis::Script::load("rw_read_keep", redis::Script::Sees::WholeSlot);
    return script;
}
const redis::Script& writeKeep() {
    static const redis::Script script = redis::Script::load("rw_write_keep", redis::Script::Sees::WholeSlot);
    return script;
}
const redis::Script& renewScript() {
    static const redis::Script script = redis::Script::load("rw_renew", redis::Script::Sees::WholeSlot);
    return script;
}
const redis::Script& forceScript() {
    static const redis::Script script = redis::Script::load("rw_force", redis::Script::Sees::WholeSlot);
    return script;
}
} // namespace

const RecipeInfo& RedisReadWrite::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-rw");
    return mine;
}

Outcome<bool> RedisReadWrite::renew(Grant grant, std::stop_token stop) {
    if (!otherUnsure(grant)) return CountedLock::renew(std::move(grant), std::move(stop));
    return renewAlone(std::move(grant), std::move(stop));
}

Outcome<int> RedisReadWrite::release(Grant grant, std::stop_token stop) {
    if (!otherUnsure(grant)) return CountedLock::release(std::move(grant), std::move(stop));
    return releaseAlone(std::move(grant), std::move(stop));
}

Outcome<bool> RedisReadWrite::renewAlone(Grant grant, std::stop_token stop) {
    co_await settleOther(grant, stop);
    co_return co_await CountedLock::renew(grant, stop);
}

Outcome<int> RedisReadWrite::releaseAlone(Grant grant, std::stop_token stop) {
    co_await settleOther(grant, stop);
    co_return co_await CountedLock::release(grant, stop);
}

RedisReadWrite::Command RedisReadWrite::acquireCommand(const Request& request) const {
    const QByteArray lease = milliseconds(request.lease);
    if (request.mode == Mode::Shared) {
        return {&readAcquire(), redis::argsOf(m_lock.name),
                redis::argsOf(lease, field(request.thread), writer(request.thread), holdKeys(request.thread))};
    }
    return {&writeAcquire(), redis::argsOf(m_lock.name), redis::argsOf(lease, writer(request.thread))};
}

RedisReadWrite::Command RedisReadWrite::renewCommand(const Grant& grant) const {
    const QByteArray lease = milliseconds(grant.lease);
    if (grant.mode == Mode::Shared) {
        return {&renewScript(), redis::argsOf(m_lock.name),
                redis::argsOf(lease, field(grant.thread), holdKeys(grant.thread))};
    }
    return {&renewScript(), redis::argsOf(m_lock.name), redis::argsOf(lease, writer(grant.thread))};
}

RedisReadWrite::Command RedisReadWrite::keepCommand(const QByteArray& thread, Mode mode, Nanos lease, Keep keep) const {
    const QByteArray left = keep ? QByteArray::number(*keep) : QByteArray();
    if (mode == Mode::Shared) {
        return {&readKeep(), redis::argsOf(m_lock.name),
                redis::argsOf(field(thread), left, holdKeys(thread), readers(), channel())};
    }
    return {&writeKeep(), redis::argsOf(m_lock.name),
            redis::argsOf(writer(thread), milliseconds(lease), left, channel(), readers())};
}

RedisReadWrite::Command RedisReadWrite::forceCommand() const {
    return {&forceScript(), redis::argsOf(m_lock.name), redis::argsOf(readers(), channel(), forcedChannel())};
}

} // namespace lockscope::recipes
