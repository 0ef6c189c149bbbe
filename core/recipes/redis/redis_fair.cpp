// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_fair.h"

#include "recipes/recipe_infos.h"
#include "recipes/recipe_text.h"
#include "recipes/redis/script.h"

namespace lockscope::recipes {

using Step = WokenLock::Step;

RecipeInfo redisFairInfo() {
    RecipeInfo info = redissonInfo(
        "redis-fair", Text::tr("Redisson's fair lock: a queue on the server, in which dead waiters time out"));
    info.steps = stepTexts<Step>({
        {Step::Try,
         Text::tr("script: drop dead waiters; free and I am first → HSET me 1, PEXPIRE {lease}; else queue up")},
        {Step::Subscribe, Text::tr("queued → SUBSCRIBE my own channel, try again")},
        {Step::Wait, Text::tr("wait for my message, at most PTTL; again 1")},
        {Step::Hold, Text::tr("hold; watchdog: PEXPIRE {lease} if mine")},
        {Step::Release, Text::tr("script: HINCRBY me -1; at 0 DEL, PUBLISH 0 to the first in the queue")},
    });
    info.fair = true;
    info.deadWaiter = kWaiterPatience;
    return info;
}

namespace {
constexpr auto fairScript = script<"fair", redis::Script::Sees::WholeSlot>;
constexpr auto renewScript = script<"reentrant_renew">;
} // namespace

const RecipeInfo& RedisFair::info() const {
    static const RecipeInfo& mine = *findRecipe("redis-fair");
    return mine;
}

Nanos RedisFair::patience(const QByteArray& thread) const {
    const auto said = m_patience.find(thread);
    return said == m_patience.end() ? m_lock.patience : said->second.said;
}

QByteArray RedisFair::channel(const QByteArray& thread) const {
    return "redisson_lock__channel:" + hashTagged(m_lock.name) + ':' + field(thread);
}

RedisFair::Command RedisFair::command(const char* action, const QByteArray& thread, Nanos lease, const QByteArray& more,
                                      bool waits) const {
    const QByteArray tag = hashTagged(m_lock.name);
    return {&fairScript(),
            redis::argsOf(m_lock.name, "redisson_lock_queue:" + tag, "redisson_lock_timeout:" + tag,
                          "lockscope_lock_alive:" + tag),
            redis::argsOf(action, field(thread), milliseconds(lease), milliseconds(patience(thread)),
                          milliseconds(m_lock.patience), more, "redisson_lock__channel:" + tag, waits ? "1" : "0")};
}

RedisFair::Command RedisFair::acquireCommand(const Request& request) const {
    return command("take", request.thread, request.lease, request.wait > Nanos(0) ? "1" : "0");
}

void RedisFair::unanswered(const Request& request) {
    if (request.wait > Nanos(0)) m_patience[request.thread].unanswered = true;
}

RedisFair::Command RedisFair::renewCommand(const Grant& grant) const {
    return {&renewScript(), redis::argsOf(m_lock.name), redis::argsOf(milliseconds(grant.lease), grant.value)};
}

RedisFair::Command RedisFair::keepCommand(const QByteArray& thread, Mode, Nanos lease, Keep keep) const {
    if (!keep) return command("release", thread, lease, {});
    const auto asking = m_patience.find(thread);
    const bool waits = asking != m_patience.end() && asking->second.unanswered;
    return command("keep", thread, lease, QByteArray::number(*keep), waits);
}

RedisFair::Command RedisFair::forceCommand() const {
    Command force = command("force", "", 1ms, {});
    force.args.push_back(forcedChannel());
    return force;
}

Outcome<std::optional<Grant>> RedisFair::acquire(Request request, std::stop_token stop) {
    Patience& patience = m_patience[request.thread];
    patience.said = request.wait > Nanos(0) && request.wait != kNever ? request.wait : m_lock.patience;
    ++patience.asking;
    const auto outcome = co_await unlessStopped(CountedLock::acquire(request, stop));
    const bool granted = outcome && *outcome && **outcome;
    if (!granted && request.wait > Nanos(0)) {
        // A client that does not wait any more keeps no place in the queue. An error here leaves one until its
        // deadline.
        const Command leave = command("leave", request.thread, request.lease, {});
        co_await run(leave, {});
    }
    if (--patience.asking == 0) m_patience.erase(request.thread);
    if (!outcome) throw Cancelled(Cancelled::Why::Stopped);
    co_return *outcome;
}

} // namespace lockscope::recipes
