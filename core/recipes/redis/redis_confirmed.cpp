// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_confirmed.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {
constexpr Nanos kPatience = 1s;

/// This process's turn to ask with WAIT. Given on at the end, however that comes.
class Turn {
public:
    explicit Turn(std::shared_ptr<Doubts> doubts) : m_doubts(std::move(doubts)) {}
    ~Turn() { m_doubts->turn.release(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

private:
    std::shared_ptr<Doubts> m_doubts;
};

LockError notConfirmed(const QByteArray& name, std::int64_t have, int want) {
    return {LockError::Kind::Refused,
            QCoreApplication::translate("LockError",
                                        "The lock “%1” was given back: %2 of %3 replicas confirmed it within a second. "
                                        "Look after the replicas, or ask for fewer with ?wait=.")
                .arg(QString::fromUtf8(name))
                .arg(have)
                .arg(want)};
}
} // namespace

Outcome<std::optional<Grant>> RedisConfirmed::acquire(Request request, std::stop_token stop) {
    auto grant = co_await m_recipe->acquire(std::move(request), stop);
    if (!grant || !*grant) co_return grant;

    const int failures = m_doubts->failures;
    const Nanos giveUpAt = m_port.runtime().monotonic() + kPatience;
    redis::Result confirmed;
    bool stopped = false;
    try {
        confirmed = co_await ask(failures, giveUpAt, stop);
        stopped = stop.stop_requested();
    } catch (const Cancelled& cancelled) {
        if (cancelled.why() == Cancelled::Why::Killed) throw;
        stopped = true;
    }
    if (!stopped && confirmed && confirmed->integer >= m_replicas) co_return grant;

    // An error here leaves a hold that ends by its lease.
    co_await m_recipe->release(**grant, {});
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (!confirmed) co_return std::unexpected(lockError(confirmed.error(), m_name));
    co_return std::unexpected(notConfirmed(m_name, confirmed->integer, m_replicas));
}

QCoro::Task<redis::Result> RedisConfirmed::ask(int failures, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_port.runtime();
    const std::shared_ptr<Doubts> doubts = m_doubts;
    co_await doubts->turn.acquire(runtime, kNever, std::move(stop));
    const Turn turn(doubts);
    // Over the connection that came after the one that wrote, WAIT would ask about nothing, and succeed.
    if (doubts->failures != failures) co_return redis::Reply::number(0);
    // Who had to wait for its turn for all its time still hears what the replicas have by now.
    const QByteArray patience = milliseconds(giveUpAt - runtime.monotonic());
    // Not to be stopped: the server would keep the connection waiting all the same.
    const redis::Result reply =
        co_await m_port.call(redis::argsOf("WAIT", QByteArray::number(m_replicas), patience), {});
    if (!reply) ++doubts->failures;
    co_return reply;
}

} // namespace lockscope::recipes
