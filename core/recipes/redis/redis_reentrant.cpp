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
    return *findRecipe("redis-reentrant");
}

Outcome<int> RedisReentrant::settle(QByteArray thread, Nanos lease, std::stop_token stop) {
    const std::shared_ptr<Doubts> doubts = m_lock.doubts;
    const std::pair<QByteArray, QByteArray> key(m_lock.name, thread);
    const int wanted = doubts->keep[key];
    const QByteArray keep = QByteArray::number(wanted);
    const redis::Result reply =
        co_await m_lock.port.eval(keepScript(), redis::argsOf(m_lock.name, channel()),
                                  redis::argsOf(field(thread), keep, milliseconds(lease)), stop);
    if (!reply && reply.error().kind != redis::Error::Kind::Refused) {
        co_return std::unexpected(lockError(reply.error(), m_lock.name));
    }
    if (const auto now = doubts->keep.find(key); now != doubts->keep.end() && now->second == wanted)
        doubts->keep.erase(now);
    // A key of another kind by now holds nothing of ours.
    co_return reply ? static_cast<int>(reply->integer) : -1;
}

Outcome<RedisReentrant::Answer> RedisReentrant::attempt(const Request& request, std::stop_token stop) {
    if (inDoubt(request.thread)) {
        const auto settled = co_await settle(request.thread, request.lease, stop);
        if (!settled) co_return std::unexpected(settled.error());
    }
    Answer answer;
    answer.askedAt = m_lock.port.runtime().monotonic();
    const QByteArray me = field(request.thread);
    std::vector<QByteArray> keys{m_lock.name};
    if (request.token) keys.push_back("redisson_lock_token:" + hashTagged(m_lock.name));

    redis::Result reply;
    bool stopped = false;
    try {
        reply = co_await m_lock.port.eval(acquireScript(), keys, redis::argsOf(milliseconds(request.lease), me), stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (stopped || (!reply && reply.error().outcomeUnknown())) {
        // It may have run: give up what we may have got, and nothing that we had before. An error here leaves a hold
        // that ends by its lease, or before this thread's next attempt.
        doubt(request.thread, inDoubt(request.thread) ? 0 : request.held); // in doubt: lost by its own clock meanwhile
        co_await settle(request.thread, request.lease, {});
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    }
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    if (reply->items.size() < 2) {
        co_return std::unexpected(
            LockError{LockError::Kind::Refused, QStringLiteral("unexpected reply to the acquire script")});
    }
    answer.granted = reply->items[0].integer == 1;
    if (answer.granted) {
        answer.holds = static_cast<int>(reply->items[1].integer);
        answer.token = reply->items.size() > 2 ? reply->items[2].integer : 0;
    } else {
        const std::int64_t ttl = reply->items[1].integer;
        // 0 is less than a millisecond, not nothing: asking again at once would only ask again and again.
        answer.ttl = ttl < 0 ? kNever : Nanos(std::chrono::milliseconds(std::max<std::int64_t>(ttl, 1)));
    }
    co_return answer;
}

Grant RedisReentrant::granted(const Request& request, const Answer& answer) const {
    Grant grant{request.thread, field(request.thread), answer.askedAt, request.lease,
                answer.holds,   answer.token,          request.steps};
    grant.steps.at(4);
    return grant;
}

Outcome<std::optional<Grant>> RedisReentrant::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);

    request.steps.at(1);
    auto answer = co_await attempt(request, stop);
    if (!answer) co_return std::unexpected(answer.error());
    if (answer->granted) co_return granted(request, *answer);
    if (runtime.monotonic() >= giveUpAt) {
        request.steps.at(0);
        co_return std::nullopt;
    }

    // Subscribe, then try again: a release between the first try and the subscription would otherwise be missed.
    request.steps.at(2);
    auto subscription = co_await m_lock.port.subscribe(channel(), stop);
    if (!subscription) co_return std::unexpected(lockError(subscription.error(), m_lock.name));
    for (;;) {
        answer = co_await attempt(request, stop);
        if (!answer) co_return std::unexpected(answer.error());
        if (answer->granted) co_return granted(request, *answer);
        const Nanos now = runtime.monotonic();
        if (now >= giveUpAt) {
            request.steps.at(0);
            co_return std::nullopt;
        }
        // A message may be lost: never wait longer than the holder's lease lasts.
        request.steps.at(3);
        const Nanos left = giveUpAt == kNever ? kNever : giveUpAt - now;
        co_await (*subscription)->next(std::min(answer->ttl, left), stop);
    }
}

Outcome<bool> RedisReentrant::renew(Grant grant, std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.eval(renewScript(), redis::argsOf(m_lock.name),
                                                          redis::argsOf(milliseconds(grant.lease), grant.value), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> RedisReentrant::countDown(const Grant& grant, std::stop_token stop) {
    if (inDoubt(grant.thread)) { // how many there are now is not known: say how many there should be
        doubt(grant.thread, grant.holds - 1);
        co_return co_await settle(grant.thread, grant.lease, stop);
    }
    const redis::Result reply = co_await m_lock.port.eval(releaseScript(), redis::argsOf(m_lock.name, channel()),
                                                          redis::argsOf(grant.value, milliseconds(grant.lease)), stop);
    if (reply) co_return static_cast<int>(reply->integer);
    doubt(grant.thread, grant.holds - 1);
    co_return std::unexpected(lockError(reply.error(), m_lock.name));
}

Outcome<int> RedisReentrant::release(Grant grant, std::stop_token stop) {
    grant.steps.at(5);
    const std::expected<int, LockError> left = co_await countDown(grant, stop);
    grant.steps.at(left && *left > 0 ? 4 : 0);
    if (left && *left < 0) co_return std::unexpected(notOwner(m_lock.name));
    co_return left;
}

Outcome<bool> RedisReentrant::forceRelease(std::stop_token stop) {
    const redis::Result reply =
        co_await m_lock.port.eval(forceScript(), redis::argsOf(m_lock.name, channel()), redis::Args(), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

} // namespace lockscope::recipes
