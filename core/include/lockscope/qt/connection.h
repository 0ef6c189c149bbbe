// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/history.h>
#include <lockscope/metrics.h>
#include <lockscope/qt/outcome.h>

#include <memory>
#include <stop_token>

namespace lockscope::qt {

struct Inside;
using History = blocking::History;

/// This program's connection to the servers that a URL names. Later it reconnects by itself. Locks made over it keep
/// it: it is cut, and its identity is free, once it and all of them are destroyed.
class Connection {
public:
    /// Not opened yet. ErrorKind::InvalidArgument for a malformed URL. `identity`: on the servers; empty: a new one.
    /// ErrorKind::Refused while another connection of this process, or a lock over one, has it on one of these servers.
    /// `beside`: another connection of this thread, so that a MultiLock can have parts on both.
    static std::expected<std::unique_ptr<Connection>, Error> make(const QString& url, const QString& identity = {},
                                                                  const Connection* beside = nullptr);
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Connects and logs in; the error says what failed, where, and what to do.
    Outcome<void> open(std::stop_token stop = {});
    /// Ends the connection's own session or lease on the server. On ZooKeeper and etcd, locks held by it become free at
    /// once. Elsewhere a hold goes on, and is renewed, as long as its lock object lives: destroy that first.
    Outcome<void> close();
    /// Asks the server for a sign of life that also shows whether it could grant a lock now.
    Outcome<void> ping(std::stop_token stop = {});
    /// The statements (DDL) that create what the recipes need on the server; empty: they need nothing.
    QString schema() const;
    /// Runs schema()'s statements and updates an older layout.
    Outcome<void> prepare(std::stop_token stop = {});
    /// This program's identity on the servers.
    QString identity() const;
    /// Totals of all locks over this connection so far; a MultiLock counts with its first part's. Asks no server.
    LockTotals totals() const;
    /// Writes the events of locks that are made from now on into `history`; nullptr: no longer. ErrorKind::Refused for
    /// one that another connection writes or has written, unless both are beside one another. Times count from when
    /// this connection was made, or the first one beside it.
    std::expected<void, Error> record(const std::shared_ptr<History>& history);

private:
    friend struct Inside;
    struct Impl;
    explicit Connection(std::shared_ptr<Impl> impl);
    std::shared_ptr<Impl> m_impl;
};

} // namespace lockscope::qt
