// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

QCoro::Task<redis::Result> CountedLock::run(Command command, std::stop_token stop) {
    return m_lock.port.eval(*command.script, std::move(command.keys), std::move(command.args), std::move(stop));
}

Outcome<int> CountedLock::settle(QByteArray thread, Mode mode, Nanos lease, std::stop_token stop) {
    const std::shared_ptr<Doubts> doubts = m_lock.doubts;
    const DoubtKey key = doubtKey(thread, mode);
    const int wanted = doubts->keep[key];
    const Command command = keepCommand(thread, mode, lease, wanted);
    const redis::Result reply = co_await run(command, stop);
    if (!reply && reply.error().kind != redis::Error::Kind::Refused) {
        co_return std::unexpected(lockError(reply.error(), m_lock.name));
    }
    if (const auto now = doubts->keep.find(key); now != doubts->keep.end() && now->second == wanted)
        doubts->keep.erase(now);
    // A key of another kind by now holds nothing of ours.
    co_return reply ? static_cast<int>(reply->integer) : -1;
}

Outcome<WokenLock::Answer> CountedLock::attempt(const Request& request, std::stop_token stop) {
    if (inDoubt(request.thread, request.mode)) {
        const auto settled = co_await settle(request.thread, request.mode, request.lease, stop);
        if (!settled) co_return std::unexpected(settled.error());
    }
    const Command command = acquireCommand(request);
    const Nanos askedAt = m_lock.port.runtime().monotonic();
    redis::Result reply;
    bool stopped = false;
    try {
        reply = co_await run(command, stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (stopped || (!reply && reply.error().outcomeUnknown())) {
        // It may have run: give up what we may have got, and nothing that we had before. An error here leaves a hold
        // that ends by its lease, or before this thread's next attempt.
        const bool lost = inDoubt(request.thread, request.mode); // by its own clock, meanwhile
        doubt(request.thread, request.mode, lost ? 0 : request.held);
        co_await settle(request.thread, request.mode, request.lease, {});
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    }
    if (!reply) {
        const LockError error = co_await explainedError(m_lock.port, reply.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    const std::int64_t verdict = reply->items.empty() ? -1 : reply->items[0].integer;
    if (verdict < 0 || reply->items.size() < 2) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    Answer answer;
    if (verdict == 1) {
        // The first hold: whatever was in doubt when this was on its way is gone, and must not end this one.
        if (reply->items[1].integer == 1) m_lock.doubts->keep.erase(doubtKey(request.thread, request.mode));
        Grant& grant = answer.grant.emplace();
        grant.thread = request.thread;
        grant.value = field(request.thread);
        grant.askedAt = askedAt;
        grant.lease = request.lease;
        grant.holds = static_cast<int>(reply->items[1].integer);
        grant.token = reply->items.size() > 2 ? reply->items[2].integer : 0;
        grant.mode = request.mode;
        grant.steps = request.steps;
        grant.steps.at(kHold);
    } else {
        const std::int64_t ttl = reply->items[1].integer;
        // 0 is less than a millisecond, not nothing: asking again at once would only ask again and again.
        answer.again = ttl < 0 ? kNever : Nanos(std::chrono::milliseconds(std::max<std::int64_t>(ttl, 1)));
    }
    co_return answer;
}

Outcome<bool> CountedLock::renew(Grant grant, std::stop_token stop) {
    const Command command = renewCommand(grant);
    const redis::Result reply = co_await run(command, stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> CountedLock::countDown(const Grant& grant, std::stop_token stop) {
    if (inDoubt(grant.thread, grant.mode)) { // how many there are now is not known: say how many there should be
        doubt(grant.thread, grant.mode, grant.holds - 1);
        co_return co_await settle(grant.thread, grant.mode, grant.lease, stop);
    }
    const Command command = keepCommand(grant.thread, grant.mode, grant.lease, {});
    const redis::Result reply = co_await run(command, stop);
    if (reply && reply->items.size() == 2) { // free, and others were told
        gaveUp(grant.thread, reply->items[1].integer);
        co_return 0;
    }
    if (reply) co_return static_cast<int>(reply->integer);
    doubt(grant.thread, grant.mode, grant.holds - 1);
    co_return std::unexpected(lockError(reply.error(), m_lock.name));
}

Outcome<int> CountedLock::release(Grant grant, std::stop_token stop) {
    grant.steps.at(kRelease);
    const std::expected<int, LockError> left = co_await countDown(grant, stop);
    grant.steps.at(left && *left > 0 ? kHold : kNowhere);
    if (left && *left < 0) co_return std::unexpected(notOwner(m_lock.name));
    co_return left;
}

Outcome<bool> CountedLock::forceRelease(std::stop_token stop) {
    const Command command = forceCommand();
    const redis::Result reply = co_await run(command, stop);
    if (!reply) {
        const LockError error = co_await explainedError(m_lock.port, reply.error(), m_lock.name);
        co_return std::unexpected(error);
    }
    if (reply->integer < 0) {
        const LockError error = co_await foreignFormat(m_lock.port, m_lock.name);
        co_return std::unexpected(error);
    }
    co_return reply->integer == 1;
}

} // namespace lockscope::recipes
