// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/options.h"

namespace lockscope::sql {

/// One connection to a server by the calls of its client library that never block: they hand bytes to the socket and
/// take what has arrived. One request at a time, on one thread. Destroying it closes the connection.
class ClientCalls {
public:
    /// A connection that is not open yet. Precondition: not Dialect::Sqlite.
    static std::unique_ptr<ClientCalls> make(const Settings& settings);
    virtual ~ClientCalls() = default;
    ClientCalls(const ClientCalls&) = delete;
    ClientCalls& operator=(const ClientCalls&) = delete;

    enum class Now : std::uint8_t {
        Reads,  ///< continue when there is something to read
        Writes, ///< continue when there is room to write, or something to read
        Done,   ///< finished: see answer()
    };
    /// Starts to connect to a numeric address of the server, and to log in. Once, before all other requests.
    virtual Now beginConnecting(const QByteArray& address) = 0;
    /// Starts a text of one or more statements.
    virtual Now begin(QByteArray text) = 0;
    /// Starts to prepare a statement under a unique name.
    virtual Now beginPreparing(const QByteArray& name, QByteArray text) = 0;
    /// Starts a prepared statement, with values apart from the text.
    virtual Now beginPrepared(const QByteArray& name, const Values& values) = 0;
    /// Continues: the socket can be read or written.
    virtual Now goOn(bool readable, bool writable) = 0;
    /// The last statement's result, or the first error. Once for each request that is Done.
    virtual Result answer() = 0;

    /// The library's socket; -1: none. While it connects, each call may replace the socket.
    virtual int socket() const = 0;
    /// Whether the open connection is encrypted.
    virtual bool encrypted() const = 0;
    /// PostgreSQL: the number of the server's process that the greeting told.
    virtual std::int64_t greetedAs() const { return 0; }

protected:
    ClientCalls() = default;
};

/// The calls of one client library each.
std::unique_ptr<ClientCalls> mySqlCalls(const Settings& settings);
std::unique_ptr<ClientCalls> postgreSqlCalls(const Settings& settings);

} // namespace lockscope::sql
