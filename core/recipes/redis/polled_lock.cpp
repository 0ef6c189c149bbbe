// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/polled_lock.h"

#include "recipes/redis/script.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

namespace {
constexpr auto compareDelete = script<"compare_delete">;
} // namespace

RecipeInfo naiveRedisInfo(const char* id, const QString& summary) {
    RecipeInfo info;
    info.id = id;
    info.backend = "redis";
    info.summary = summary;
    info.naive = true;
    info.simulated = true;
    return info;
}

/// Its tries are not interrupted: what a command has done is known only from its reply.
class PolledLock::Contender final : public LockContender {
public:
    using Of = PolledLock;
    using Asked = Request;
    Contender(PolledLock& lock, Request asked) : LockContender(lock.m_lock.port.runtime(), std::move(asked)), m(lock) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        if (!m_doubtful.isEmpty()) co_await takeBack();
        m_value.clear();
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        const Nanos askedAt = runtime.monotonic();
        QByteArray value;
        const auto taken = co_await m.attempt(request, value);
        if (taken ? *taken : taken.error().kind == LockError::Kind::OutcomeUnknown) m_value = value;
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        if (!taken) co_return std::unexpected(taken.error());
        Tried<Grant> tried;
        if (*taken) {
            request.steps.at(m.m_steps.work);
            tried.granted = Grant{request.thread, value, askedAt, request.lease, 1, 0, request.steps};
        }
        co_return tried;
    }
    QCoro::Task<> undo(Then) override {
        if (m_value.isEmpty()) co_return;
        m_doubtful = m_value;
        co_await takeBack();
    }
    QCoro::Task<> takeBack() override {
        if (m_doubtful.isEmpty()) co_return;
        const redis::Result reply =
            co_await m.m_lock.port.eval(compareDelete(), redis::argsOf(m.m_lock.name), redis::argsOf(m_doubtful));
        if (reply || reply.error().wrongType()) m_doubtful.clear();
    }
    QCoro::Task<> rest(Tried<Grant>, std::stop_token stop) override {
        pauses();
        const Nanos nap = runtime.random(m.m_lock.polling.low, m.m_lock.polling.high);
        return runtime.sleep(within(nap), std::move(stop));
    }
    void pauses() override { request.steps.at(m.m_steps.wait); }

private:
    PolledLock& m;
    QByteArray m_value;    ///< what the latest try has written, or may have
    QByteArray m_doubtful; ///< what may stand there of a try that could not be taken back
};

Outcome<std::optional<Grant>> PolledLock::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

Outcome<int> PolledLock::release(Grant grant, std::stop_token stop) {
    grant.steps.at(m_steps.release);
    const redis::Result reply =
        co_await m_lock.port.call(redis::argsOf("DEL", m_lock.name), stop); // the flaw: it may be another client's lock
    grant.steps.leave();
    if (!reply) co_return std::unexpected(lockError(reply.error(), m_lock.name));
    co_return 0;
}

Outcome<bool> PolledLock::forceRelease(std::stop_token stop) {
    return forceStringLock(m_lock.port, m_lock.name, redis::argsOf(valuesAreNumbers() ? "number" : "text"),
                           std::move(stop));
}

Outcome<bool> PolledLock::isLocked(std::stop_token stop) {
    return keyIsThere(m_lock.port, m_lock.name, "string", std::move(stop));
}

} // namespace lockscope::recipes
