// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/qt/outcome.h>

#include <memory>
#include <stop_token>

namespace lockscope {
class Connection;
}

namespace lockscope::qt {

struct Inside;

/// This program's connection to the servers that a URL names. It must outlive the locks made over it. Later it
/// reconnects by itself.
class Connection {
public:
    /// Not opened yet. ErrorKind::InvalidArgument for a malformed URL. `identity`: on the servers; empty: a new one.
    /// ErrorKind::Refused when another live connection of this process has it on one of these servers.
    static std::expected<std::unique_ptr<Connection>, Error> make(const QString& url, const QString& identity = {});
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Connects and logs in; the error says what failed, where, and what to do.
    Outcome<void> open(std::stop_token stop = {});
    /// Ends the connection's own session or lease on the server: locks held by it become free at once.
    Outcome<void> close();
    /// Asks the server for a sign of life that also shows whether it could grant a lock now.
    Outcome<void> ping(std::stop_token stop = {});
    /// The statements (DDL) that create what the recipes need on the server; empty: they need nothing.
    QString schema() const;
    /// Runs schema()'s statements and updates an older layout.
    Outcome<void> prepare(std::stop_token stop = {});
    /// This program's identity on the servers.
    QString identity() const;

private:
    friend struct Inside;
    struct Impl;
    lockscope::Connection& inner() const;
    explicit Connection(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace lockscope::qt
