// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/counted_lock.h"

namespace lockscope::recipes {

namespace {
/// Woken and too late so many times in a row, a waiter also looks between two messages.
constexpr int kBeaten = 3;
constexpr Nanos kOffBeat = 2ms;
} // namespace

// Its steps, the same numbers in every such recipe: 1 try, 2 subscribe and try again, 3 wait, 4 hold, 5 release.

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

Outcome<CountedLock::Answer> CountedLock::attempt(const Request& request, std::stop_token stop) {
    if (inDoubt(request.thread, request.mode)) {
        const auto settled = co_await settle(request.thread, request.mode, request.lease, stop);
        if (!settled) co_return std::unexpected(settled.error());
    }
    const Command command = acquireCommand(request);
    Answer answer;
    answer.askedAt = m_lock.port.runtime().monotonic();
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
    answer.granted = verdict == 1;
    if (answer.granted) {
        answer.holds = static_cast<int>(reply->items[1].integer);
        answer.token = reply->items.size() > 2 ? reply->items[2].integer : 0;
    } else {
        const std::int64_t ttl = reply->items[1].integer;
        // 0 is less than a millisecond, not nothing: asking again at once would only ask again and again.
        answer.again = ttl < 0 ? kNever : Nanos(std::chrono::milliseconds(std::max<std::int64_t>(ttl, 1)));
    }
    co_return answer;
}

Grant CountedLock::granted(const Request& request, const Answer& answer) const {
    Grant grant{request.thread, field(request.thread), answer.askedAt, request.lease,
                answer.holds,   answer.token,          request.steps};
    grant.mode = request.mode;
    grant.steps.at(4);
    return grant;
}

Outcome<std::optional<Grant>> CountedLock::acquire(Request request, std::stop_token stop) {
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
    auto subscription = co_await m_lock.port.subscribe(channel(request.thread), stop);
    if (!subscription) co_return std::unexpected(lockError(subscription.error(), m_lock.name));
    int beaten = 0;
    bool woken = false;
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
        Nanos nap = std::min(answer->again, left);
        // Whoever releases and asks again at once hears of it first, and is back before us each time: look once more at
        // another moment than right after the message. (Once more, not instead: newcomers would always be before us.)
        // Messages do not cut that short: where the lock goes round quickly the next one is always sooner.
        if (std::exchange(woken, false) && beaten >= kBeaten) {
            nap = std::min(nap, runtime.random(Nanos(0), kOffBeat));
            co_await runtime.sleep(nap, stop);
            continue;
        }
        const auto message = co_await (*subscription)->next(nap, stop);
        woken = message.has_value();
        if (woken) ++beaten;
    }
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
    if (reply) co_return static_cast<int>(reply->integer);
    doubt(grant.thread, grant.mode, grant.holds - 1);
    co_return std::unexpected(lockError(reply.error(), m_lock.name));
}

Outcome<int> CountedLock::release(Grant grant, std::stop_token stop) {
    grant.steps.at(5);
    const std::expected<int, LockError> left = co_await countDown(grant, stop);
    grant.steps.at(left && *left > 0 ? 4 : 0);
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
