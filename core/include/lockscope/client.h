// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/history.h>
#include <lockscope/lock_exception.h>
#include <lockscope/lock_options.h>
#include <lockscope/metrics.h>

#include <memory>
#include <string>
#include <string_view>

/// Locks for programs whose threads block. One service thread per client runs the watchdogs and deadlines, so the
/// program needs no event loop of its own.
/// A program with a QCoreApplication must create it before the first client. Otherwise the first client creates one;
/// nobody has to run it. When the program's own application object is destroyed, all clients close, as by
/// Client::close().
///
/// How long calls take: a call that waits for a lock takes at most the wait it was given. unlock() and similar calls
/// take one exchange with the server. If the server does not answer, a call can take longer by up to twice the
/// backend's time-out (3 s; databases 10 s): once for the request, once to withdraw it. Then it throws
/// UnreachableException or OutcomeUnknownException. The same bounds hold after a stop request. ZooKeeper is different:
/// a timed wait ends a second late at most, but other calls notice a frozen server only by its silence, after up to two
/// thirds of the session time-out (`?session=`, 30 s).
///
/// fork(): the child process has no service threads. There, clients and locks that the parent made throw
/// RefusedException; destroying them leaves the parent's holds alone. Make new clients in the child.
///
/// Names: what the standard requires of a mutex or a condition variable has the standard's name (lock, try_lock_for,
/// unlock_shared, wait_until, notify_one, …), because its guards call it. Everything else is camelCase; types are
/// PascalCase. Times are std::chrono durations; nanoseconds::max() is "no bound".
namespace lockscope::blocking {

namespace detail {
class Service;
struct Access;
} // namespace detail

class Client;

struct ClientOptions {
    /// Identity on the servers; empty: a new one (36 characters). Two live clients must not have equal identities on
    /// one server. In one process the second constructor throws RefusedException, if both URLs write a host alike;
    /// between processes nobody can tell.
    std::string identity = {};
    /// Create what the recipes need on the server (database tables), if it is missing; if nothing is missing, nothing
    /// is written. Set it to false for an account that may not create tables, and have another account create them
    /// (Client::schema() has the statements).
    bool prepare = true;
    /// Gets the record of this client's locks. nullptr: none. Give it a new one, or that of a client beside it on the
    /// same server. Times count from the start of the service thread.
    std::shared_ptr<History> history = nullptr;
    /// Another client whose service thread this client shares; the parts of a MultiLock need that. Clients that share a
    /// thread close together: at close() of any of them, or when the last one is destroyed. nullptr: its own thread.
    const Client* beside = nullptr;
};

/// This program's connection to the servers that a URL names, with a service thread that keeps its locks.
///
/// Thread-safe. Locks may outlive their client; once the client is closed they throw UnreachableException.
class Client {
public:
    /// Connects, logs in and prepares the server; blocks meanwhile. Throws InvalidArgumentException for a malformed
    /// URL, other LockExceptions when the server cannot be used. No message contains a password.
    explicit Client(std::string_view url, const ClientOptions& options = {});
    /// Calls close(), unless another client shares the service thread.
    ~Client();
    /// A moved-from client may only be assigned to or destroyed.
    Client(Client&&) noexcept = default;
    /// Does not close the previous connection: it ends with the last lock that was made from it. Call close() first if
    /// those locks should end now.
    Client& operator=(Client&& other) noexcept = default;

    /// This client's identity on the servers.
    std::string identity() const;
    /// Asks the server for a sign of life; blocks. Throws LockException.
    void ping();
    /// The statements (DDL) that create what the recipes need on the server; empty: they need nothing.
    std::string schema();
    /// Runs schema()'s statements and updates an older layout. Throws LockException.
    void prepare();
    /// Totals of all locks of this service thread so far. Asks no server; works after close(), too.
    LockTotals totals() const;
    /// Ends all waits with InterruptedException and disconnects; blocks for at most 4 s. Locks still held become free
    /// when their lease, session or connection ends. Called in a callback, it starts closing and returns at once.
    void close() noexcept;

private:
    friend struct detail::Access;
    std::shared_ptr<detail::Service> m_service;
    std::shared_ptr<const void> m_together; ///< shared by all clients of the thread; the last one closes
    int m_number = 0;                       ///< among the clients of its service thread, from 0
    std::string m_identity;
};

} // namespace lockscope::blocking
