// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_condition.h"

#include "recipes/redis/script.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

namespace {
/// How long a waiter's entry lives without a renewal, and how often it is renewed: two more tries before the end.
constexpr Nanos kLife = 30s, kRenewal = 10s;

constexpr auto enlistScript = script<"condition_enlist">;
constexpr auto lookScript = script<"condition_look">;
constexpr auto wakeScript = script<"condition_wake", redis::Script::Sees::WholeSlot>;
} // namespace

Outcome<void> RedisCondition::enlist(QByteArray thread, std::stop_token stop) {
    const QByteArray me = id(thread);
    const auto reply = co_await unlessStopped(m_lock.port.eval(
        enlistScript(), redis::argsOf(waiters(), statePrefix() + me), redis::argsOf(me, milliseconds(kLife)), stop));
    if (!reply || !*reply) co_await leave(thread, true); // it may have run
    if (!reply) throw Cancelled(Cancelled::Why::Stopped);
    if (!*reply) co_return std::unexpected(lockError(reply->error(), m_lock.name));
    co_return {};
}

/// A thread's wait for its entry to be signalled.
class RedisCondition::Contender final : public recipes::Contender<Signalled> {
public:
    using Of = RedisCondition;
    struct Asked {
        QByteArray thread;
        Nanos wait;
    };
    Contender(RedisCondition& of, Asked asked)
        : recipes::Contender<Signalled>(of.m_lock.port.runtime(), asked.wait), m(of), m_me(of.id(asked.thread)) {}

    Outcome<Tried<Signalled>> attempt(std::stop_token stop) override {
        if (!m_subscription) {
            // Subscribe, then look: a signal in between would otherwise be heard of late.
            auto subscribed = co_await m.m_lock.port.subscribe(m.channelPrefix() + m_me, stop);
            if (!subscribed) co_return std::unexpected(lockError(subscribed.error(), m.m_lock.name));
            m_subscription.emplace(*std::move(subscribed));
        }
        const redis::Result reply = co_await m.m_lock.port.eval(
            lookScript(), redis::argsOf(m.waiters(), m.statePrefix() + m_me), redis::argsOf(milliseconds(kLife)), stop);
        if (!reply) co_return std::unexpected(lockError(reply.error(), m.m_lock.name));
        Tried<Signalled> tried;
        // Gone: it was signalled and we never heard the answer, or we were away too long. The caller looks for itself.
        if (reply->integer != 0) tried.granted.emplace();
        co_return tried;
    }
    QCoro::Task<> rest(Tried<Signalled>, std::stop_token stop) override {
        co_await (*m_subscription)->next(within(kRenewal), stop);
    }

private:
    RedisCondition& m;
    QByteArray m_me;
    std::optional<redis::OwnedSubscription> m_subscription;
};

Outcome<bool> RedisCondition::awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) {
    // Made before the await: GCC 12 destroys an aggregate that is made in one twice.
    Contender::Asked asked{thread, wait};
    auto waiting = contend<Contender>(*this, std::move(asked), stop);
    const auto waited = co_await unlessStopped(std::move(waiting));
    const bool failed = !waited || !*waited; // nobody makes use of a signal that came meanwhile: the next one does
    const auto left = co_await leave(thread, failed);
    if (!waited) throw Cancelled(Cancelled::Why::Stopped);
    if (!*waited) co_return std::unexpected(waited->error());
    if (**waited) co_return true; // what could not be taken away ends with its life
    co_return left;
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
