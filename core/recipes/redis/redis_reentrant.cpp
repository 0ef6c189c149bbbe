// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_reentrant.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"

namespace lockscope::recipes {

using Step = WokenLock::Step;

RecipeInfo redisReentrantInfo() {
    RecipeInfo info =
        redissonInfo("redis-reentrant",
                     Text::tr("Redisson's reentrant lock: a hash of holds, woken by messages, renewed by a watchdog"));
    info.steps = stepTexts<Step>({
        {Step::Try, Text::tr("script: free or mine → HINCRBY me 1, PEXPIRE {lease}")},
        {Step::Subscribe, Text::tr("taken → SUBSCRIBE its channel, try again")},
        {Step::Wait, Text::tr("wait for a message, at most PTTL; again 1")},
        {Step::Hold, Text::tr("hold; watchdog: PEXPIRE {lease} if mine")},
        {Step::Release, Text::tr("script: HINCRBY me -1; at 0 DEL, PUBLISH 0")},
    });
    info.token = true;
    return info;
}

RecipeInfo redisFencedInfo() {
    RecipeInfo info = redissonInfo(
        "redis-fenced", Text::tr("Redisson's fenced lock: the reentrant one, and a counter that numbers every grant"));
    info.steps = stepTexts<Step>({
        {Step::Try, Text::tr("script: free or mine → INCR token, HINCRBY me 1, PEXPIRE {lease}")},
        {Step::Subscribe, Text::tr("taken → SUBSCRIBE its channel, try again")},
        {Step::Wait, Text::tr("wait for a message, at most PTTL; again 1")},
        {Step::Hold, Text::tr("hold and show the token; watchdog: PEXPIRE {lease} if mine")},
        {Step::Release, Text::tr("script: HINCRBY me -1; at 0 DEL, PUBLISH 0; the counter stays")},
    });
    info.token = true;
    return info;
}

namespace {
const redis::Script& acquireScript() {
    static const redis::Script script = redis::Script::load("reentrant_acquire");
    return script;
}
const redis::Script& releaseScript() {
    static const redis::Script script = redis::Script::load("reentrant_release");
    return script;
}
const redis::Script& renewScript() {
    static const redis::Script script = redis::Script::load("reentrant_renew");
    return script;
}
const redis::Script& keepScript() {
    static const redis::Script script = redis::Script::load("reentrant_keep");
    return script;
}
const redis::Script& forceScript() {
    static const redis::Script script = redis::Script::load("reentrant_force");
    return script;
}
} // namespace

const RecipeInfo& RedisReentrant::info() const {
    static const RecipeInfo& reentrant = *findRecipe("redis-reentrant");
    static const RecipeInfo& fenced = *findRecipe("redis-fenced");
    return m_kind == Kind::Fenced ? fenced : reentrant;
}

RedisReentrant::Command RedisReentrant::acquireCommand(const Request& request) const {
    std::vector<QByteArray> keys{m_lock.name};
    if (request.token || m_kind == Kind::Fenced) keys.push_back(counter());
    return {&acquireScript(), std::move(keys), redis::argsOf(milliseconds(request.lease), field(request.thread))};
}

RedisReentrant::Command RedisReentrant::renewCommand(const Grant& grant) const {
    return {&renewScript(), redis::argsOf(m_lock.name), redis::argsOf(milliseconds(grant.lease), grant.value)};
}

RedisReentrant::Command RedisReentrant::keepCommand(const QByteArray& thread, Mode, Nanos lease, Keep keep) const {
    if (!keep) {
        return {&releaseScript(), redis::argsOf(m_lock.name),
                redis::argsOf(field(thread), milliseconds(lease), channel())};
    }
    return {&keepScript(), redis::argsOf(m_lock.name),
            redis::argsOf(field(thread), QByteArray::number(*keep), milliseconds(lease), channel())};
}

RedisReentrant::Command RedisReentrant::forceCommand() const {
    return {&forceScript(), redis::argsOf(m_lock.name), redis::argsOf(channel(), forcedChannel())};
}

} // namespace lockscope::recipes
