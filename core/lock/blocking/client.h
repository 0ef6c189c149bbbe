// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/lock_exception.h"
#include "lock/lock_options.h"
#include "trace/trace.h"

#include <string>
#include <string_view>

/// Locks for programs whose threads block: the same recipes, watchdogs and deadlines as everywhere else, kept by one
/// service thread for each client. No event loop of the program's own is needed. A program that has a QCoreApplication
/// makes it before the first client; for others the first client makes one, which nobody has to run. When a program's
/// own goes away, it closes all clients, as Client::close() does.
///
/// How long calls take: those that wait for a lock take what they are told to, and unlock() and the like one exchange
/// with the server. When that does not answer, each may take longer by up to twice the time-out of its backend (3 s;
/// databases 10 s): once for what was asked, once to take it back. Then it throws UnreachableException or
/// OutcomeUnknownException. The same goes for a stop request.
///
/// fork(): the copy of a process has none of the service threads. Clients and locks made before throw RefusedException
/// there, and going away they leave the other process's holds alone. Make new ones.
namespace lockscope::blocking {

namespace detail {
class Service;
}

class Client;

struct ClientOptions {
    /// Identity on the servers; empty: a new one (36 characters). Two clients that live at once must not share one.
    std::string identity = {};
    /// Create what the recipes need on the server (tables of databases), if it is missing. Where all of it is there
    /// already, nothing is written. False for an account that may not create tables: have another one create them
    /// (Client::schema() has the statements).
    bool prepare = true;
    /// Where the history of its locks is written: who asked, got and lost them, and gave them back. nullptr: nowhere. A
    /// new, empty one, or that of a client beside over the same server: nobody else may write it, any thread may read
    /// it at any time, and save it as a recording. Its times count from the beginning of the client's thread.
    std::shared_ptr<trace::Trace> trace = nullptr;
    /// Another client, whose thread keeps this one's locks, too: MultiLock wants that of its parts. They are closed
    /// together, by close() of any of them, or when the last of them goes. nullptr: a thread of its own.
    const Client* beside = nullptr;
};

/// This program's connection to whatever a URL names, with a thread of its own that keeps the locks.
///
/// Thread-safe. The objects made from it may outlive it; once it is closed they throw UnreachableException.
class Client {
public:
    /// Connects, logs in and prepares the server; blocks until then. Throws InvalidArgumentException for a URL that
    /// makes no sense, other LockExceptions when the server cannot be used; none tells a password.
    explicit Client(std::string_view url, const ClientOptions& options = {});
    /// close(), unless there are others beside it.
    ~Client();
    /// A moved-from client may only be assigned to or destroyed.
    Client(Client&&) noexcept = default;
    /// Does not close what this one was: locks made from it go on, and the last of them ends it. close() it before, if
    /// they should not.
    Client& operator=(Client&& other) noexcept = default;

    /// This client's identity on the servers.
    std::string identity() const;
    /// Asks the server for a sign of life; blocks. Throws LockException.
    void ping();
    /// What the recipes need on the server, in its own language (DDL); empty: nothing.
    std::string schema();
    /// Creates that, and brings an older one up to date. Throws LockException.
    void prepare();
    /// Ends all waits with InterruptedException and disconnects; blocks for 4 s at most. What is still held is free
    /// when its lease, session or connection ends. In a callback it begins that, and does not wait.
    void close() noexcept;

    /// For the objects made from it.
    const std::shared_ptr<detail::Service>& service() const { return m_service; }
    /// The same: which of the clients of its thread it is.
    int number() const { return m_number; }

private:
    std::shared_ptr<detail::Service> m_service;
    std::shared_ptr<const void> m_together; ///< shared with those beside it
    int m_number = 0;
    std::string m_identity;
};

} // namespace lockscope::blocking
