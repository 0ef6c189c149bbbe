// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_reentrant.h"

namespace lockscope::recipes {

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
