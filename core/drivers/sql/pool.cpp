// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/pool.h"

#include "drivers/sql/host_lookup.h"
#include "ports/sql/errors.h"

namespace lockscope::sql {

namespace {

/// A statement that is to be stopped gets this long to end by itself: most do, and ending them takes a connection.
constexpr Nanos kStopGrace = 20ms;

/// For how long a server is asked to end a statement that is to be stopped: somebody waits for that.
constexpr Nanos kStopPatience = 1500ms;

/// For how long the runtime's thread itself looks out for an answer before it goes on with other things: those of a
/// server nearby come sooner. No event loop is late by more than this.
constexpr auto kLookout = 200us;

/// Tickets under way on this thread, of all drivers: with more than one there is always something else to do.
int& underWay() {
    static thread_local int count = 0;
    return count;
}

/// Ends what a connection is asked for, by its number.
Statement cancelStatement(Dialect dialect, std::int64_t serverId) {
    return {dialect == Dialect::MySql ? "KILL QUERY ?" : "SELECT pg_cancel_backend(?)", valuesOf(serverId)};
}

std::expected<Settings, Error> settingsFor(const ConnectionUrl& url, const DriverOptions& options) {
    auto settings = settingsOf(url);
    if (settings) settings->makesFile = options.makesFile;
    return settings;
}

} // namespace

Pool::Pool(Runtime& r, const ConnectionUrl& url, DriverOptions o)
    : runtime(r),
      options(optionsOf(url, o)),
      settings(settingsFor(url, options)),
      keys(keyKindOf(url.option("key")).value_or(KeyKind::Usual)),
      tables(tablesOf(settings ? settings->dialect : Dialect::Sqlite, tableIn(url))),
      statements(statementsOf(tables)),
      m_lookout(kLookout) {
    for (int i = 0; i < options.sharedConnections; ++i)
        slots.release();
}

void Pool::close() {
    m_closed = true;
    idle.clear();
    for (const Waited* waited : m_waitedFor) {
        waited->ticket()->gone = true;
        waited->ticket()->arrive(); // the waiter is woken, and goes on later
    }
    slots.releaseAll();
}

void Pool::keep(std::shared_ptr<Link> link) {
    if (!m_closed && !link->dead && idle.size() < options.idleKept) idle.push_back(std::move(link));
}

std::shared_ptr<Ticket> Pool::send(Link& link, Command command) {
    auto ticket = std::make_shared<Ticket>();
    link.carryOut(std::move(command), ticket);
    if (link.onThread()) lookOut(*ticket);
    return ticket;
}

void Pool::lookOut(Ticket& ticket) {
    const auto done = [&] { return ticket.state.load(std::memory_order_acquire) == Ticket::Done; };
    if (underWay() == 0) (void)m_lookout.until(done);
    int watched = Ticket::Watched;
    if (!ticket.state.compare_exchange_strong(watched, Ticket::Lettered, std::memory_order_acq_rel)) ticket.arrive();
}

Result Pool::take(Ticket& ticket) const {
    if (ticket.gone || !ticket.result) return std::unexpected(errors::driverGone(where()));
    return std::move(*ticket.result);
}

Pool::Waited::Waited(Pool& pool, std::shared_ptr<Ticket> ticket, Nanos within, std::stop_token stop)
    : m_pool(pool),
      m_ticket(std::move(ticket)),
      m_place(pool.m_waitedFor.size()),
      m_waiter(pool.runtime, within, std::move(stop)) {
    m_pool.m_waitedFor.push_back(this);
    ++underWay();
    m_ticket->waiter = &m_waiter;
    if (m_ticket->arrived) m_waiter.wake();
}

Pool::Waited::~Waited() {
    if (m_ticket->waiter == &m_waiter) m_ticket->waiter = nullptr;
    m_pool.m_waitedFor[m_place] = m_pool.m_waitedFor.back();
    m_pool.m_waitedFor[m_place]->m_place = m_place;
    m_pool.m_waitedFor.pop_back();
    --underWay();
}

QCoro::Task<bool> Pool::arrival(std::shared_ptr<Pool> pool, std::shared_ptr<Ticket> ticket, Nanos within,
                                std::stop_token stop) {
    if (ticket->arrived && pool->runtime.alive()) co_return true;
    Waited waited(*pool, ticket, within, std::move(stop));
    co_await waited.waiter().end();
    co_return ticket->arrived; // also when it came in the moment in which the time was over
}

std::shared_ptr<Link> Pool::takeIdle() {
    while (!idle.empty()) {
        std::shared_ptr<Link> link = std::move(idle.back());
        idle.pop_back();
        if (!link->stale()) return link; // else the server closed it: it restarted, or it was idle for too long
    }
    return nullptr;
}

QCoro::Task<Pool::Obtained> Pool::obtain(std::shared_ptr<Pool> pool, Nanos within, std::stop_token stop) {
    Obtained obtained;
    if (!pool->settings) {
        obtained.error = pool->settings.error();
        co_return obtained;
    }
    obtained.link = pool->takeIdle();
    if (obtained.link) co_return obtained;
    if (pool->m_closed) {
        obtained.error = errors::driverGone(pool->where());
        co_return obtained;
    }
    const Nanos giveUpAt = laterBy(pool->runtime.monotonic(), within);
    const auto answerOf = [&](std::shared_ptr<Ticket> ticket) -> QCoro::Task<Result> {
        const Nanos left = giveUpAt == kNever ? kNever : std::max(giveUpAt - pool->runtime.monotonic(), Nanos(0));
        const bool arrived = co_await arrival(pool, ticket, left, stop);
        if (!arrived) co_return std::unexpected(errors::connectTimeout(within, pool->where()));
        co_return pool->take(*ticket);
    };
    QByteArrayList addresses;
    if (pool->dialect() != Dialect::Sqlite) {
        const QString host = pool->settings->host;
        auto found = std::make_shared<HostTicket>();
        lookUpHost(host, found, pool->m_office->post());
        Result all = co_await answerOf(found);
        if (all && all->rows.empty()) all = std::unexpected(errors::unknownHost(host, found->reason(), pool->where()));
        if (!all) obtained.error = all.error();
        if (!all) co_return obtained;
        for (std::size_t row = 0; row < all->rows.size(); ++row)
            addresses << all->text(row);
    }
    auto link = Link::make(*pool->settings);
    auto ticket = std::make_shared<Ticket>();
    ticket->state = Ticket::Lettered; // nobody polls for it
    link->open(std::move(addresses), ticket);
    const Result opened = co_await answerOf(ticket);
    if (opened)
        obtained.link = std::move(link);
    else
        obtained.error = opened.error();
    co_return obtained;
}

/// False when the server was not reached, or did not answer to that.
QCoro::Task<bool> Pool::endOnServer(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link, Nanos within) {
    Obtained killer = co_await obtain(pool, within, {});
    if (!killer.link) co_return false;
    Command command;
    command.statement = cancelStatement(pool->dialect(), link->serverId);
    auto ticket = pool->send(*killer.link, command);
    const bool arrived = co_await arrival(pool, ticket, within, {});
    if (!arrived) {
        killer.link->breakOff();
        co_return false;
    }
    const Result done = pool->take(*ticket);
    if (!done && done.error().connectionLost()) killer.link->dead = true;
    pool->keep(std::move(killer.link));
    co_return true;
}

namespace {
/// Throws when there is no use in asking.
std::shared_ptr<Pool> askable(std::shared_ptr<Pool> pool, const std::stop_token& stop) {
    if (!pool->runtime.alive()) throw Cancelled(Cancelled::Why::Killed);
    if (stop.stop_requested()) throw Cancelled(Cancelled::Why::Stopped);
    return pool;
}
} // namespace

Pool::Question::Question(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link, Command command, Limits limits,
                         std::stop_token stop)
    : m_pool(askable(std::move(pool), stop)),
      m_link(std::move(link)),
      m_limits(limits),
      m_waited(*m_pool, m_pool->send(*m_link, std::move(command)), m_limits.wait, std::move(stop)) {
}

bool Pool::Question::answered(Waiter::Outcome ended) const {
    if (ended == Waiter::Outcome::Stopped || ended == Waiter::Outcome::Killed) return false;
    return m_waited.ticket()->arrived; // also when it came in the moment in which the time was over
}

Result Pool::Question::answer() {
    Ticket& ticket = *m_waited.ticket();
    Result result = m_pool->take(ticket);
    if (ticket.gone) m_link->breakOff();
    if (!result && result.error().connectionLost()) m_link->dead = true;
    return result;
}

QCoro::Task<Result> Pool::Question::inVain(Waiter::Outcome ended) {
    if (ended == Waiter::Outcome::Killed) {
        m_link->breakOff(); // as the end of a process does
        throw Cancelled(Cancelled::Why::Killed);
    }
    return askedInVain(m_pool, m_link, m_waited.ticket(), m_limits, ended == Waiter::Outcome::Stopped);
}

QCoro::Task<Result> Pool::askedInVain(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link,
                                      std::shared_ptr<Ticket> ticket, Limits limits, bool stopped) {
    const Nanos patience = stopped ? std::min(kStopPatience, pool->options.cancelTimeout) : pool->options.cancelTimeout;
    bool arrived = false;
    if (stopped && limits.brief) arrived = co_await arrival(pool, ticket, kStopGrace, {});
    if (!arrived && link->pooled) {
        link->breakOff(); // the process of that number may be at work for somebody else by now
    } else if (!arrived && pool->dialect() != Dialect::Sqlite) {
        const bool told = co_await endOnServer(pool, link, patience);
        arrived = ticket->arrived;
        if (!arrived && (told || !stopped)) arrived = co_await arrival(pool, ticket, patience, {});
        if (arrived && !ticket->gone) {
            // The word to end may have come too late for that statement, and must not hit the next one.
            Command absorb;
            absorb.statement.text = "SELECT 1";
            auto absorbed = pool->send(*link, absorb);
            const bool clean = co_await arrival(pool, absorbed, patience, {});
            if (!clean) link->breakOff();
        }
    } else if (!arrived) {
        arrived = co_await arrival(pool, ticket, patience, {}); // SQLite's own patience is shorter
    }
    Result result;
    if (arrived) {
        result = pool->take(*ticket);
        if (ticket->gone) link->breakOff();
    } else {
        link->breakOff();
        result = std::unexpected(errors::statementTimeout(limits.wait, pool->where()));
    }
    if (!result && result.error().connectionLost()) link->dead = true;
    if (stopped && !result && !result.error().outcomeUnknown()) throw NothingRan();
    if (stopped) throw Cancelled(Cancelled::Why::Stopped);
    if (limits.forLock && !result && result.error().kind == Error::Kind::Interrupted)
        result = std::unexpected(errors::waitExceeded(limits.wait, pool->where()));
    co_return result;
}

} // namespace lockscope::sql
