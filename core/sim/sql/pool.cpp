// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/pool.h"

#include "ports/sql/errors.h"
#include "sim/probe.h"

namespace lockscope::sim {

namespace errors = sql::errors;
using sql::NothingRan;
using Kind = SqlStatement::Kind;

namespace {
/// A statement that is to be stopped gets this long to end by itself; then a server is asked for so long to end it.
constexpr Nanos kStopGrace = 20ms, kStopPatience = 1500ms;
/// SQLite wakes nobody when its file is free: between two tries.
constexpr Nanos kBusyLow = 2ms, kBusyHigh = 12ms;

/// One of the turns at the shared connections.
struct Turn {
    explicit Turn(SignalCount& s) : slots(s) {}
    ~Turn() { slots.release(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    SignalCount& slots;
};
} // namespace

SqlPool::Settings SqlPool::Settings::of(const ConnectionUrl& url) {
    Settings settings;
    url.takeTime("connect", settings.connectTimeout);
    url.takeTime("timeout", settings.statementTimeout);
    if (!url.option("timeout").isEmpty())
        settings.cancelTimeout = std::min(settings.cancelTimeout, settings.statementTimeout);
    return settings;
}

SqlPool::SqlPool(Grounds grounds, Way way, Runtime& r, ClientEnd client, SqlLink::Place p, Settings s)
    : runtime(r), place(std::move(p)), settings(s), m_grounds(grounds), m_way(std::move(way)), m_client(client) {
    for (int i = 0; i < settings.sharedConnections; ++i)
        m_slots.release();
}

void SqlPool::close() {
    m_closed = true;
    m_idle.clear();
    m_slots.releaseAll();
}

SqlPool::Link SqlPool::takeIdle() {
    while (!m_idle.empty()) {
        Link link = std::move(m_idle.back());
        m_idle.pop_back();
        if (!link->ended()) return link; // else the server closed it
    }
    return nullptr;
}

void SqlPool::keep(Link link) {
    // A shared connection goes back to all clients.
    if (!m_way.shared && !m_closed && !link->ended() && !link->isBusy() && m_idle.size() < settings.idleKept)
        m_idle.push_back(std::move(link));
}

QCoro::Task<SqlPool::Obtained> SqlPool::obtain(std::shared_ptr<SqlPool> pool, Nanos within, std::stop_token stop) {
    if (!pool->runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
    Obtained obtained;
    const QString& where = pool->place.where;
    if (pool->m_closed) {
        obtained.error = errors::driverGone(where);
        co_return obtained;
    }
    obtained.link = pool->takeIdle();
    if (obtained.link) co_return obtained;
    std::unique_ptr<SqlLink::Borrowed> borrowed;
    if (SqlSharedPool* const shared = pool->m_way.shared) {
        bool had = shared->tryTake();
        if (!had) {
            reached(Probe::SqlPoolEmpty);
            had = co_await shared->take(pool->runtime, within, stop);
        }
        if (!had) {
            obtained.error = errors::connectTimeout(within, where);
            co_return obtained;
        }
        borrowed = std::make_unique<SqlLink::Borrowed>(*shared);
    }
    SqlServer* const server = pool->m_way.server();
    if (!server) {
        obtained.error =
            errors::unknownHost(where.section(u':', 0, 0), QStringLiteral("Name or service not known"), where);
        co_return obtained;
    }
    if (pool->m_grounds.network.strikes(pool->m_client.client)) co_await Network::untilStruck(pool->runtime);
    const auto link = std::make_shared<SqlLink>(pool->m_grounds, *server, pool->runtime, pool->m_client, pool->place);
    link->borrow(std::move(borrowed));
    const SqlLink::Ticket ticket = link->open();
    const std::optional<Answer> opened = co_await ticket.wait(pool->runtime, within, stop);
    if (!opened)
        obtained.error = errors::connectTimeout(within, where);
    else if (!*opened)
        obtained.error = opened->error();
    else
        obtained.link = link;
    co_return obtained;
}

QCoro::Task<SqlPool::Answer> SqlPool::ask(std::shared_ptr<SqlPool> pool, SqlStatement statement,
                                          sql::Port::Patience patience, std::stop_token stop) {
    SqlLimits limits{pool->settings.statementTimeout, patience.has_value()};
    if (patience) limits.wait = std::min(*patience, limits.wait);
    Link link;
    bool mayHaveRun = false;
    try {
        const Nanos within = pool->settings.statementTimeout;
        bool turn = pool->m_slots.tryAcquire();
        if (!turn) turn = co_await pool->m_slots.acquire(pool->runtime, within, stop);
        if (!turn) co_return std::unexpected(errors::connectTimeout(within, pool->place.where));
        const Turn mine(pool->m_slots);
        const Nanos connecting = pool->settings.connectTimeout;
        const Obtained obtained = co_await obtain(pool, connecting, stop);
        if (!obtained.link) co_return std::unexpected(obtained.error);
        link = obtained.link;
        const Nanos giveUpAt = laterBy(pool->runtime.monotonic(), limits.wait);
        for (;;) {
            mayHaveRun = true;
            Answer answer = co_await askOn(pool, link, statement, limits, stop);
            const bool busy = pool->place.dialect == sql::Dialect::Sqlite && !answer && errors::isBusy(answer.error());
            if (!busy || pool->runtime.monotonic() >= giveUpAt) {
                pool->keep(std::move(link));
                co_return answer;
            }
            mayHaveRun = false;
            // SQLite tells nobody that its file is free: one can only ask again, and not all at once.
            const Nanos rest = pool->runtime.random(kBusyLow, kBusyHigh);
            co_await pool->runtime.sleep(rest, stop);
        }
    } catch (const NothingRan&) {
        if (link) pool->keep(std::move(link));
        throw;
    } catch (const Cancelled& cancelled) {
        if (link && pool->runtime.alive()) pool->keep(std::move(link));
        if (mayHaveRun || cancelled.why() == Cancelled::Why::Killed) throw;
    }
    throw NothingRan();
}

QCoro::Task<SqlPool::Answer> SqlPool::askOn(std::shared_ptr<SqlPool> pool, Link link, SqlStatement statement,
                                            SqlLimits limits, std::stop_token stop) {
    if (!pool->runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    if (stop.stop_requested()) throw NothingRan();
    if (pool->m_grounds.network.strikes(pool->m_client.client)) co_await Network::untilStruck(pool->runtime);
    const SqlLink::Ticket ticket = link->send(std::move(statement));
    SqlLink::Ticket::Place waiting(ticket, pool->runtime, limits.wait, stop);
    const auto ended = co_await waiting.howEnded();
    if (ended == Waiter::Outcome::Killed) {
        link->breakOff(); // as the end of a process does
        throw Cancelled(Cancelled::Why::Killed);
    }
    if (ended != Waiter::Outcome::Stopped && ticket.done()) co_return *ticket.take();
    const bool stopped = ended == Waiter::Outcome::Stopped;
    Answer answer = co_await inVain(pool, link, ticket, limits, stopped);
    co_return answer;
}

/// Ends what a connection is asked for, over another one. False: the server was not reached, or did not answer to that.
QCoro::Task<bool> SqlPool::endOnServer(std::shared_ptr<SqlPool> pool, Link link, Nanos within) {
    const Obtained killer = co_await obtain(pool, within, {});
    if (!killer.link) co_return false;
    SqlStatement kill;
    kill.kind = Kind::EndStatement;
    kill.number = link->serverId();
    const SqlLink::Ticket told = killer.link->send(std::move(kill));
    const std::optional<Answer> done = co_await told.wait(pool->runtime, within, {});
    if (!done) killer.link->breakOff();
    pool->keep(killer.link);
    co_return done.has_value();
}

/// The answer is late, or is not wanted any more.
QCoro::Task<SqlPool::Answer> SqlPool::inVain(std::shared_ptr<SqlPool> pool, Link link, SqlLink::Ticket ticket,
                                             SqlLimits limits, bool stopped) {
    const Nanos longest = pool->settings.cancelTimeout;
    const Nanos patience = stopped ? std::min(kStopPatience, longest) : longest;
    std::optional<Answer> answer = ticket.take();
    if (!answer && stopped) answer = co_await ticket.wait(pool->runtime, kStopGrace, {});
    if (!answer) {
        const bool told = co_await endOnServer(pool, link, patience);
        if (told || !stopped) answer = co_await ticket.wait(pool->runtime, patience, {});
        if (!answer) answer = ticket.take();
    }
    if (!answer) {
        link->breakOff();
        answer.emplace(std::unexpected(errors::statementTimeout(limits.wait, pool->place.where)));
    }
    if (stopped && !*answer && !answer->error().outcomeUnknown()) throw NothingRan();
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (limits.forLock && !*answer && answer->error().kind == sql::Error::Kind::Interrupted)
        answer.emplace(std::unexpected(errors::waitExceeded(limits.wait, pool->place.where)));
    co_return *std::move(answer);
}

} // namespace lockscope::sim
