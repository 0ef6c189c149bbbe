// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/link.h"
#include "drivers/sql/lookout.h"
#include "drivers/sql/statements.h"
#include "ports/sql/key_kind.h"
#include "runtime/signal_count.h"

#include <vector>

namespace lockscope::sql {

/// How long one request may take, and the meaning of its time-out.
struct Limits {
    Nanos wait = kNever;
    bool forLock = false; ///< a wait for a lock: WaitExceeded, and not a late answer
    bool brief = false;   ///< usually ends by itself at once, also when it is to be stopped
};

/// The state that the coroutines of one driver share; lives until the last of them has ended.
class Pool : public std::enable_shared_from_this<Pool> {
public:
    Pool(Runtime& runtime, const ConnectionUrl& url, DriverOptions options);
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;

    /// A connection for one user; the link is nullptr when there was an error.
    struct Obtained {
        std::shared_ptr<Link> link;
        Error error;
    };
    /// Waits for a connection, at most `within`; an error when none is to be had. Throws Cancelled.
    static QCoro::Task<Obtained> obtain(std::shared_ptr<Pool> pool, Nanos within, std::stop_token stop);
    /// A free open connection; nullptr: none.
    std::shared_ptr<Link> takeIdle();
    /// Keeps a link for the next user, or drops it.
    void keep(std::shared_ptr<Link> link);

    class Question;
    /// Sends a command without waiting for the answer, except for the short time in which most answers arrive.
    std::shared_ptr<Ticket> send(Link& link, Command command);
    /// Waits for a ticket; false when it did not arrive in time. Throws Cancelled.
    static QCoro::Task<bool> arrival(std::shared_ptr<Pool> pool, std::shared_ptr<Ticket> ticket, Nanos within,
                                     std::stop_token stop);
    /// A ticket's result. Precondition: it has arrived.
    Result take(Ticket& ticket) const;
    /// The driver is being destroyed: ends everything in progress.
    void close();

    Runtime& runtime;
    const DriverOptions options;
    const std::expected<Settings, Error> settings;
    /// The kind of database, and its place for display.
    Dialect dialect() const { return tables.dialect; }
    QString where() const { return settings ? settings->where : QString(); }
    const KeyKind keys;
    const Tables tables;
    const Statements statements;
    SignalCount slots; ///< for statements that share connections
    std::vector<std::shared_ptr<Link>> idle;

private:
    /// A wait for a ticket. Another one may begin before it ends: only the latest is woken.
    class Waited {
    public:
        Waited(Pool& pool, std::shared_ptr<Ticket> ticket, Nanos within, std::stop_token stop);
        ~Waited();
        Waited(const Waited&) = delete;
        Waited& operator=(const Waited&) = delete;
        const std::shared_ptr<Ticket>& ticket() const { return m_ticket; }
        Waiter& waiter() { return m_waiter; }

    private:
        Pool& m_pool;
        const std::shared_ptr<Ticket> m_ticket;
        std::size_t m_place; ///< index in the pool's list
        Waiter m_waiter;
    };
    static QCoro::Task<Result> askedInVain(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link,
                                           std::shared_ptr<Ticket> ticket, Limits limits, bool stopped);
    static QCoro::Task<bool> endOnServer(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link, Nanos within);
    void lookOut(Ticket& ticket);

    const std::shared_ptr<Post::Office> m_office = Post::Office::ofThisThread();
    std::vector<Waited*> m_waitedFor; ///< each knows its place
    Lookout m_lookout;
    bool m_closed = false;
};

/// One command on a link that the caller has to itself, and the wait for its answer. It lives in the caller's coroutine
/// and is not a coroutine itself, for speed.
///
///     Pool::Question question(pool, link, command, limits, stop);
///     const auto ended = co_await question.ended();
///     Result result;
///     if (question.answered(ended)) result = question.answer();
///     else result = co_await question.inVain(ended);
class Pool::Question {
public:
    /// Sends the command. Throws Cancelled: nothing was sent.
    Question(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link, Command command, Limits limits,
             std::stop_token stop);
    Waiter::HowEnded ended() { return m_waited.waiter().howEnded(); }
    bool answered(Waiter::Outcome ended) const;
    /// Precondition: answered().
    Result answer();
    /// Otherwise: stops the command on the server, because it is late or no longer wanted. Throws Cancelled.
    QCoro::Task<Result> inVain(Waiter::Outcome ended);

private:
    const std::shared_ptr<Pool> m_pool;
    const std::shared_ptr<Link> m_link;
    const Limits m_limits;
    Waited m_waited;
};

} // namespace lockscope::sql
