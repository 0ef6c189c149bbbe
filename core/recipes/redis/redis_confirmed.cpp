// SPDX-License-Identifier: Apache-2.0
#include "recipes/redis/redis_confirmed.h"

#include "recipes/waiting.h"
#include "runtime/turn.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

/// The server's refusal of a WAIT because it has become a replica, before the WAIT or during it. Ask the next master
/// for the lock.
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

/// Knows over which connection the last reply came. A coroutine that a reply resumes can ask for it: nothing else runs
/// between the two.
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

/// A try is a whole acquisition by the wrapped recipe, which waits for the lock itself, and its confirmation.
class RedisConfirmed::Contender final : public LockContender {
public:
    using Of = RedisConfirmed;
    using Asked = Request;
    static constexpr Undo kUndo = Undo::Always;
    Contender(RedisConfirmed& of, Request asked) : LockContender(of.m_port.runtime(), std::move(asked)), m(of) {}

    Outcome<Tried<Grant>> attempt(std::stop_token stop) override {
        if (giveUpAt != kNever && m_trouble) request.wait = std::max(giveUpAt - runtime.monotonic(), Nanos(0));
        m_mayPass = false; // it has waited already
        const auto taken = co_await m.m_recipe->acquire(request, stop);
        if (!taken) co_return std::unexpected(taken.error());
        Tried<Grant> tried;
        tried.failure = m_trouble;
        m_taken = *taken;
        if (!m_taken) co_return tried;
        const redis::Result confirmed =
            co_await m.ask(m.m_watched->lastConnection(), runtime.monotonic() + m.m_patience, stop);
        if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
        if (confirmed && confirmed->integer >= m.m_replicas) {
            tried.granted = std::exchange(m_taken, std::nullopt);
            co_return tried;
        }
        m_trouble = confirmed ? notConfirmed(m.m_name, confirmed->integer, m.m_replicas)
                              : lockError(confirmed.error(), m.m_name);
        m_mayPass = confirmed || passes(*m_trouble) || isReplacedMaster(confirmed.error());
        co_return std::unexpected(*m_trouble);
    }
    bool mayPass(const LockError&) const override { return m_mayPass; }
    /// An error here leaves a hold that ends by its lease.
    QCoro::Task<> undo(Then) override {
        const std::optional<Grant> taken = std::exchange(m_taken, std::nullopt);
        if (taken) co_await m.m_recipe->release(*taken, {});
    }

private:
    RedisConfirmed& m;
    std::optional<Grant> m_taken;
    std::optional<LockError> m_trouble; ///< why the latest acquisition was given back
    bool m_mayPass = false;
};

Outcome<std::optional<Grant>> RedisConfirmed::acquire(Request request, std::stop_token stop) {
    return contend<Contender>(*this, std::move(request), std::move(stop));
}

QCoro::Task<redis::Result> RedisConfirmed::ask(std::uint32_t connection, Nanos giveUpAt, std::stop_token stop) {
    Runtime& runtime = m_port.runtime();
    const std::shared_ptr<Doubts> doubts = m_doubts;
    co_await doubts->turn.acquire(runtime, kNever, std::move(stop));
    const Turn turn(doubts->turn); // to ask with WAIT
    // If waiting for the turn took all the time, the caller still hears how many replicas have confirmed by now.
    const QByteArray patience = milliseconds(giveUpAt - runtime.monotonic());
    // Not to be stopped: the server would keep the connection waiting all the same.
    redis::Args question = redis::argsOf("WAIT", QByteArray::number(m_replicas), patience);
    co_return co_await m_port.callOver(connection, std::move(question), {});
}

} // namespace lockscope::recipes
