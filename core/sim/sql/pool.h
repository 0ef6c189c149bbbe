// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "runtime/signal_count.h"
#include "sim/sql/link.h"

namespace lockscope::sim {

/// How long a statement may take, and what its time-out means: as the driver's.
struct SqlLimits {
    Nanos wait = kNever;
    bool forLock = false; ///< a wait for a lock: WaitExceeded, and not a late answer
};

/// The connections of one simulated client to a database, shared by the coroutines that use them. As the driver's pool,
/// so that a client has as many connections, and waits for them as long, in both worlds.
class SqlPool : public std::enable_shared_from_this<SqlPool> {
public:
    struct Settings {
        Nanos connectTimeout = 5s, statementTimeout = 10s, cancelTimeout = 3s;
        Nanos silence = 2s;        ///< a server that owes a session a sign of life for so long is Silent
        int sharedConnections = 4; ///< concurrent statements, besides sessions
        std::size_t idleKept = 8;
        static Settings of(const ConnectionUrl& url);
    };
    using Answer = SqlLink::Answer;
    using Link = std::shared_ptr<SqlLink>;

    /// How connections are made.
    struct Way {
        std::function<SqlServer*()> server; ///< the one that the URL's address leads to now; nullptr: nobody has it
        SqlSharedPool* shared = nullptr;    ///< of all clients; nullptr: there is none
    };
    /// Everything outlives it.
    SqlPool(Grounds grounds, Way way, Runtime& runtime, ClientEnd client, SqlLink::Place place, Settings settings);

    /// A connection for one user; nullptr when there was an error.
    struct Obtained {
        Link link;
        sql::Error error{};
    };
    /// Throws Cancelled.
    static QCoro::Task<Obtained> obtain(std::shared_ptr<SqlPool> pool, Nanos within, std::stop_token stop);
    /// A free open connection; nullptr: none.
    Link takeIdle();
    /// Keeps a connection for the next user, or drops it.
    void keep(Link link);
    /// Runs a statement on a shared connection. Throws Cancelled; NothingRan: it did not run.
    static QCoro::Task<Answer> ask(std::shared_ptr<SqlPool> pool, SqlStatement statement, sql::Port::Patience patience,
                                   std::stop_token stop);
    /// Runs a statement on a connection that the caller has to itself; ends it on the server when it is late, or no
    /// longer wanted. Throws Cancelled.
    static QCoro::Task<Answer> askOn(std::shared_ptr<SqlPool> pool, Link link, SqlStatement statement, SqlLimits limits,
                                     std::stop_token stop);
    void closeIdle() { m_idle.clear(); }
    /// Its client is being destroyed.
    void close();

    Runtime& runtime;
    const SqlLink::Place place;
    const Settings settings;

private:
    static QCoro::Task<bool> endOnServer(std::shared_ptr<SqlPool> pool, Link link, Nanos within);
    static QCoro::Task<Answer> inVain(std::shared_ptr<SqlPool> pool, Link link, SqlLink::Ticket ticket,
                                      SqlLimits limits, bool stopped);

    Grounds m_grounds;
    Way m_way;
    ClientEnd m_client;
    SignalCount m_slots;
    std::vector<Link> m_idle;
    bool m_closed = false;
};

} // namespace lockscope::sim
