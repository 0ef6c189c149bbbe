// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_condition.h"

#include "recipes/backoff.h"

namespace lockscope::recipes {

namespace {
/// Of an entry whose waiter does not renew it, and how often it does: two more tries before the end.
constexpr Nanos kLife = 30s, kRenewal = 10s;

const redis::Script& enlistScript() {
    static const redis::Script script = redis::Script::load("condition_enlist");
    return script;
}
const redis::Script& lookScript() {
    static const redis::Script script = redis::Script::load("condition_look");
    return script;
}
const redis::Script& wakeScript() {
    static const redis::Script script = redis::Script::load("condition_wake", redis::Script::Sees::WholeSlot);
    return script;
}
} // namespace

Outcome<void> RedisCondition::enlist(QByteArray thread, std::stop_token stop) {
    const QByteArray me = id(thread);
    redis::Result reply;
    bool stopped = false;
    try {
        reply = co_await m_lock.port.eval(enlistScript(), redis::argsOf(waiters(), statePrefix() + me),
                                          redis::argsOf(me, milliseconds(kLife)), stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (stopped || !reply) co_await leave(thread, true); // it may have run
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return {};
}

Outcome<bool> RedisCondition::awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) {
    const Nanos giveUpAt = laterBy(m_lock.port.runtime().monotonic(), wait);
    std::expected<bool, LockError> signalled = false;
    bool stopped = false;
    try {
        signalled = co_await waitUntil(thread, giveUpAt, stop);
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    const bool failed = stopped || !signalled; // nobody makes use of a signal that came meanwhile: the next one does
    const auto left = co_await leave(thread, failed);
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (!signalled || *signalled) co_return signalled; // what could not be taken away ends with its life
    co_return left;
}

// A server that can not be asked for a while costs a waiter nothing but that time, as it does one for a lock.
Outcome<bool> RedisCondition::waitUntil(QByteArray thread, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_lock.port.runtime();
    const QByteArray me = id(thread);
    std::optional<redis::OwnedSubscription> subscription;
    Backoff backoff;
    while (runtime.monotonic() < giveUpAt) {
        std::optional<LockError> trouble;
        if (!subscription) {
            // Subscribe, then look: a signal in between would otherwise be heard of late.
            auto subscribed = co_await m_lock.port.subscribe(channelPrefix() + me, stop);
            if (subscribed)
                subscription.emplace(*std::move(subscribed));
            else
                trouble = lockError(subscribed.error(), m_lock.name);
        }
        if (!trouble) {
            const redis::Result reply = co_await m_lock.port.eval(
                lookScript(), redis::argsOf(waiters(), statePrefix() + me), redis::argsOf(milliseconds(kLife)), stop);
            // Gone: it was signalled and we never heard the answer, or we were away too long. The caller looks for
            // itself.
            if (reply && reply->integer != 0) co_return true;
            if (!reply) trouble = lockError(reply.error(), m_lock.name);
        }
        if (trouble && !passes(*trouble)) co_return std::unexpected(*trouble);
        if (trouble) {
            // Nobody tells when it can be asked again.
            co_await runtime.sleep(backoff.next(runtime, giveUpAt), stop);
            continue;
        }
        backoff.reset();
        const Nanos left = giveUpAt == kNever ? kNever : giveUpAt - runtime.monotonic();
        if (left > Nanos(0)) co_await (*subscription)->next(std::min(left, kRenewal), stop);
    }
    co_return false;
}

Outcome<bool> RedisCondition::leave(QByteArray thread, bool passOn) {
    const QByteArray me = id(thread);
    const QByteArray pass = passOn ? "1" : "0";
    const redis::Result reply =
        co_await m_lock.port.eval(wakeScript(), redis::argsOf(waiters(), statePrefix() + me),
                                  redis::argsOf(pass, milliseconds(kLife), statePrefix(), channelPrefix(), me), {});
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return reply->integer == 1;
}

Outcome<int> RedisCondition::signal(int most, std::stop_token stop) {
    const redis::Result reply = co_await m_lock.port.eval(
        wakeScript(), redis::argsOf(waiters()),
        redis::argsOf(QByteArray::number(most), milliseconds(kLife), statePrefix(), channelPrefix()), stop);
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return static_cast<int>(reply->integer);
}

} // namespace lockscope::recipes
