// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/driver.h"

#include "drivers/sql/driver_session.h"
#include "drivers/sql/pool.h"
#include "ports/sql/errors.h"

namespace lockscope::sql {

namespace {

/// One of the turns at the shared connections; the next in line gets it when this one goes.
struct Turn {
    explicit Turn(std::shared_ptr<Pool> p) : pool(std::move(p)) {}
    ~Turn() { pool->slots.release(); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    std::shared_ptr<Pool> pool;
};

/// The longest name that GET_LOCK takes on MariaDB, in bytes; MySQL takes 64 characters and reports longer names
/// itself.
constexpr qsizetype kLongestUserLock = 192;

/// Between two tries at a SQLite file that another process has locked.
constexpr Nanos kBusyLow = 2ms, kBusyHigh = 12ms;

/// SQLite wakes nobody when its file is free: look again, out of step with others.
QCoro::Task<> untilNextTry(std::shared_ptr<Pool> pool, std::stop_token stop) {
    co_await pool->runtime.sleep(pool->runtime.random(kBusyLow, kBusyHigh), std::move(stop));
}

bool triesAgain(const Pool& pool, const Result& result, Nanos giveUpAt) {
    return pool.dialect() == Dialect::Sqlite && !result && errors::isBusy(result.error()) &&
           pool.runtime.monotonic() < giveUpAt;
}

/// The command to send; a copy where it may have to be sent again.
Command handedOver(Command& command, Dialect dialect) {
    return dialect == Dialect::Sqlite ? command : std::move(command);
}

/// How long to wait for an answer, and what it means when none came.
Limits limitsOf(const Pool& pool, const Link& link, std::optional<Nanos> patience, Command& command) {
    Limits limits;
    limits.wait = pool.options.statementTimeout;
    limits.brief = true;
    if (!patience) return limits;
    limits.forLock = true;
    // Behind a pooler nobody but the server itself can end it.
    if (link.pooled)
        command.lockWaitMs = std::chrono::ceil<std::chrono::milliseconds>(std::min(*patience, limits.wait)).count();
    else
        limits.wait = std::min(*patience, limits.wait);
    return limits;
}

// Rare work has coroutines of its own: malloc has frames of at most 1 KiB at hand, and searches for larger ones.
QCoro::Task<Result> executeIn(std::shared_ptr<Pool> pool, Command command, std::optional<Nanos> patience,
                              std::stop_token stop) {
    std::shared_ptr<Link> link;
    bool mayHaveRun = false;
    try {
        const Nanos limit = pool->options.statementTimeout;
        bool turn = pool->slots.tryAcquire();
        if (!turn) turn = co_await pool->slots.acquire(pool->runtime, limit, stop);
        if (!turn) co_return std::unexpected(errors::connectTimeout(limit, pool->where())); // nothing was sent
        const Turn mine(pool);
        link = pool->takeIdle();
        if (!link) {
            Pool::Obtained obtained = co_await Pool::obtain(pool, pool->options.connectTimeout, stop);
            if (!obtained.link) co_return std::unexpected(obtained.error);
            link = std::move(obtained.link);
        }
        const Limits limits = limitsOf(*pool, *link, patience, command);
        const Nanos giveUpAt = laterBy(pool->runtime.monotonic(), limits.wait);
        Result result;
        for (;;) {
            {
                Pool::Question question(pool, link, handedOver(command, pool->dialect()), limits, stop);
                mayHaveRun = true;
                const auto ended = co_await question.ended();
                if (question.answered(ended))
                    result = question.answer();
                else
                    result = co_await question.inVain(ended);
            }
            if (!triesAgain(*pool, result, giveUpAt)) break;
            mayHaveRun = false;
            co_await untilNextTry(pool, stop);
        }
        pool->keep(std::move(link));
        co_return result;
    } catch (const Cancelled& cancelled) {
        if (link && pool->runtime.alive()) pool->keep(std::move(link));
        if (mayHaveRun || cancelled.why() == Cancelled::Why::Killed) throw;
    }
    throw NothingRan();
}

template <typename S>
Answer<Owned<S>> sessionIn(std::shared_ptr<Pool> pool, std::stop_token stop) {
    std::shared_ptr<Link> link = pool->takeIdle();
    if (!link) {
        Pool::Obtained obtained = co_await Pool::obtain(pool, pool->options.connectTimeout, stop);
        if (!obtained.link) co_return std::unexpected(obtained.error);
        link = std::move(obtained.link);
    }
    Owned<S> session(std::make_shared<DriverSession>(pool, std::move(link)));
    co_return session;
}

Answer<void> openIn(std::shared_ptr<Pool> pool, std::stop_token stop) {
    Pool::Obtained obtained = co_await Pool::obtain(pool, pool->options.connectTimeout, stop);
    if (!obtained.link) co_return std::unexpected(obtained.error);
    pool->keep(std::move(obtained.link));
    co_return {};
}

} // namespace

SqlDriver::SqlDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options)
    : m_pool(std::make_shared<Pool>(runtime, url, options)) {
}

SqlDriver::~SqlDriver() {
    m_pool->close();
}

Runtime& SqlDriver::runtime() {
    return m_pool->runtime;
}

Abilities SqlDriver::abilities() const {
    const Dialect dialect = m_pool->dialect();
    Abilities can;
    can.rowLocks = can.namedLocks = can.showsItsEnd = dialect != Dialect::Sqlite;
    can.sharedNamedLocks = dialect == Dialect::PostgreSql;
    can.longestNamedLock = dialect == Dialect::MySql ? kLongestUserLock : 0;
    return can;
}

Answer<void> SqlDriver::open(std::stop_token stop) {
    return openIn(m_pool, std::move(stop));
}

void SqlDriver::closeIdle() {
    m_pool->idle.clear();
}

Answer<Owned<Session>> SqlDriver::session(std::stop_token stop) {
    return sessionIn<Session>(m_pool, std::move(stop));
}

std::shared_ptr<Session> SqlDriver::idleSession() {
    return idleTextSession();
}

Dialect SqlDriver::dialect() const {
    return m_pool->dialect();
}

QString SqlDriver::where() const {
    return m_pool->where();
}

const Tables& SqlDriver::tables() const {
    return m_pool->tables;
}

QCoro::Task<Result> SqlDriver::execute(Statement statement, std::stop_token stop, Patience patience) {
    Command command;
    command.statement = std::move(statement);
    command.lockWaitMs = -1;
    return executeIn(m_pool, std::move(command), patience, std::move(stop));
}

Answer<Owned<DriverSession>> SqlDriver::textSession(std::stop_token stop) {
    return sessionIn<DriverSession>(m_pool, std::move(stop));
}

std::shared_ptr<DriverSession> SqlDriver::idleTextSession() {
    std::shared_ptr<Link> link = m_pool->takeIdle();
    return link ? std::make_shared<DriverSession>(m_pool, std::move(link)) : nullptr;
}

} // namespace lockscope::sql
