// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/link.h"
#include "backends/sql/lookout.h"
#include "backends/sql/post.h"
#include "runtime/signal_count.h"

#include <set>

namespace lockscope::sql {

/// How long one request may take, and what its end means.
struct Limits {
    Nanos wait = kNever;
    bool forLock = false; ///< a wait for a lock, which is then exceeded, and not an answer that is late
};

/// What the coroutines of one driver share; lives until the last of them has ended.
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
    static QCoro::Task<Obtained> obtain(std::shared_ptr<Pool> pool, Nanos within, std::stop_token stop);
    /// One that is there already and free; nullptr: none.
    std::shared_ptr<Link> takeIdle();
    /// Keeps a link for the next user, or drops it.
    void keep(std::shared_ptr<Link> link);

    /// One command on a link that the caller has to itself. Ended on the server when stopped or too late.
    static QCoro::Task<Result> ask(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link, Command command,
                                   Limits limits, std::stop_token stop);
    /// Hands a command over without waiting for the answer, except for the moment in which most answers come.
    std::shared_ptr<Ticket> send(Link& link, Command command);
    /// Waits for a ticket; false when nothing came in time. Throws Cancelled.
    static QCoro::Task<bool> arrival(std::shared_ptr<Pool> pool, std::shared_ptr<Ticket> ticket, Nanos within,
                                     std::stop_token stop);
    /// What a ticket brought. Precondition: it has arrived.
    Result take(Ticket& ticket) const;
    /// The driver goes away: whatever is under way ends now.
    void close();

    Runtime& runtime;
    const DriverOptions options;
    const std::expected<Settings, Error> settings;
    Dialect dialect() const { return m_dialect; }
    const QString& where() const { return m_where; }
    SignalCount slots; ///< for statements that share connections
    std::vector<std::shared_ptr<Link>> idle;

private:
    /// What ask() comes to when the answer did not come in time, or is not wanted any more (`stopped`).
    static QCoro::Task<Result> askInVain(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link,
                                         std::shared_ptr<Ticket> ticket, Limits limits, bool stopped);
    static QCoro::Task<> endOnServer(std::shared_ptr<Pool> pool, std::shared_ptr<Link> link);
    void lookOut(Ticket& ticket);

    Dialect m_dialect = Dialect::Sqlite;
    QString m_where;
    const std::shared_ptr<Post::Office> m_office = Post::Office::ofThisThread();
    std::set<Ticket*> m_waitedFor;
    Lookout m_lookout;
    bool m_closed = false;
};

} // namespace lockscope::sql
