// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_confirmed.h"

#include "recipes/backoff.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

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

/// What the server says to a WAIT when it has become somebody's replica: before it, or while it was being answered. The
/// next master is to be asked for the lock.
bool isReplacedMaster(const redis::Error& error) {
    return error.kind == redis::Error::Kind::Refused &&
           (error.code == "UNBLOCKED" || error.message.contains(QLatin1String("WAIT cannot be used with")));
}

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

/// Knows over which connection the last reply came. Whoever is resumed by a reply can ask: between the two nothing else
/// runs.
class RedisConfirmed::WatchedPort final : public redis::Port {
public:
    explicit WatchedPort(redis::Port& port) : m_port(port) {}
    std::uint32_t lastConnection() const { return m_last; }

    Runtime& runtime() override { return m_port.runtime(); }
    QCoro::Task<redis::Result> call(redis::Args args, std::stop_token stop) override {
        return noted(m_port.call(std::move(args), std::move(stop)));
    }
    QCoro::Task<redis::Result> eval(const redis::Script& script, redis::Args keys, redis::Args args,
                                    std::stop_token stop) override {
        return noted(m_port.eval(script, std::move(keys), std::move(args), std::move(stop)));
    }
    QCoro::Task<std::expected<redis::OwnedSubscription, redis::Error>> subscribe(QByteArray channel,
                                                                                 std::stop_token stop) override {
        return m_port.subscribe(std::move(channel), std::move(stop));
    }
    CallList::Registration onReconnect(CallList::Callback back) override { return m_port.onReconnect(std::move(back)); }

private:
    QCoro::Task<redis::Result> noted(QCoro::Task<redis::Result> task) {
        redis::Result result = co_await std::move(task);
        if (result) m_last = result->connection;
        co_return result;
    }
    redis::Port& m_port;
    std::uint32_t m_last = 0;
};

namespace {
RedisLock unconfirmed(const RedisLock& lock, redis::Port& port) {
    RedisLock inner{port, lock.name, lock.client, lock.polling, lock.doubts};
    inner.permits = lock.permits;
    inner.patience = lock.patience;
    inner.alive = lock.alive;
    inner.holdersListen = lock.holdersListen;
    return inner;
}
} // namespace

RedisConfirmed::RedisConfirmed(const RedisLock& lock, const std::function<std::unique_ptr<Recipe>(RedisLock)>& make)
    : m_port(lock.port),
      m_watched(std::make_unique<WatchedPort>(lock.port)),
      m_recipe(make(unconfirmed(lock, *m_watched))),
      m_name(lock.name),
      m_doubts(lock.doubts),
      m_replicas(lock.replicas),
      m_patience(lock.confirmFor) {
}

RedisConfirmed::~RedisConfirmed() = default;

Outcome<std::optional<Grant>> RedisConfirmed::acquire(Request request, std::stop_token stop) {
    Runtime& runtime = m_port.runtime();
    const Nanos giveUpAt = laterBy(runtime.monotonic(), request.wait);
    Backoff backoff;
    std::optional<LockError> trouble;
    for (;;) {
        auto grant = co_await m_recipe->acquire(request, stop);
        if (grant && !*grant && trouble) co_return std::unexpected(*trouble);
        if (!grant || !*grant) co_return grant;

        const std::uint32_t connection = m_watched->lastConnection();
        redis::Result confirmed;
        bool stopped = false;
        try {
            confirmed = co_await ask(connection, runtime.monotonic() + m_patience, stop);
            stopped = stop.stop_requested();
        } catch (const Cancelled& cancelled) {
            if (cancelled.why() == Cancelled::Why::Killed) throw;
            stopped = true;
        }
        if (!stopped && confirmed && confirmed->integer >= m_replicas) co_return grant;

        // An error here leaves a hold that ends by its lease.
        co_await m_recipe->release(**grant, {});
        if (stopped) throw Cancelled(Cancelled::Why::Stopped);
        const LockError failure =
            confirmed ? notConfirmed(m_name, confirmed->integer, m_replicas) : lockError(confirmed.error(), m_name);
        const bool mayPass = confirmed || passes(failure) || isReplacedMaster(confirmed.error());
        if (!mayPass || runtime.monotonic() >= giveUpAt) co_return std::unexpected(failure);
        trouble = failure;
        // Replicas that come back tell nobody.
        co_await runtime.sleep(backoff.next(runtime, giveUpAt), stop);
        if (giveUpAt != kNever) request.wait = std::max(giveUpAt - runtime.monotonic(), Nanos(0));
    }
}

QCoro::Task<redis::Result> RedisConfirmed::ask(std::uint32_t connection, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_port.runtime();
    const std::shared_ptr<Doubts> doubts = m_doubts;
    co_await doubts->turn.acquire(runtime, kNever, std::move(stop));
    const Turn turn(doubts);
    // Who had to wait for its turn for all its time still hears what the replicas have by now.
    const QByteArray patience = milliseconds(giveUpAt - runtime.monotonic());
    // Not to be stopped: the server would keep the connection waiting all the same.
    redis::Args question = redis::argsOf("WAIT", QByteArray::number(m_replicas), patience);
    co_return co_await m_port.callOver(connection, std::move(question), {});
}

} // namespace lockscope::recipes
