// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"
#include "ports/url.h"

namespace lockscope::sql {

/// Settings of a driver; the defaults suit locks on a healthy network.
struct DriverOptions {
    Nanos connectTimeout = 5s;    ///< the client libraries take whole seconds; at least 2 s with PostgreSQL
    Nanos statementTimeout = 10s; ///< for a statement that should not wait, from the call to the reply
    Nanos cancelTimeout = 3s;     ///< how long the server may take to stop a statement
    Nanos silence = 2s;           ///< a server that owes a session a sign of life for so long is Silent
    int sharedConnections = 4;    ///< maximum of concurrent statements, besides sessions
    std::size_t idleKept = 8;     ///< unused connections that stay open
    /// Run each connection's statements by QtSql on its own thread, as where the client library has no non-blocking
    /// calls.
    bool onThreads = false;
};

/// The options, with the URL's time-outs. Stopping a statement may take no longer than the statement.
inline DriverOptions optionsOf(const ConnectionUrl& url, DriverOptions options) {
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.statementTimeout);
    if (!url.option("timeout").isEmpty())
        options.cancelTimeout = std::min(options.cancelTimeout, options.statementTimeout);
    return options;
}

/// How to connect: a ConnectionUrl in QtSql's terms. Contains the password.
struct Settings {
    Dialect dialect = Dialect::Sqlite;
    QString plugin; ///< "QMYSQL"
    QString host, database, user, password;
    int port = -1;
    bool tls = false;                 ///< required: a connection without it is not used
    bool poolerKeepsSessions = false; ///< a pooler, if any, gives each connection one server process
    QString options;                  ///< for QSqlDatabase::setConnectOptions()
    bool onThreads = false;           ///< see DriverOptions
    QString where;                    ///< for display: "127.0.0.1:3306/locks"
};

/// Settings from a URL; the error (WrongUrl) says what is invalid.
std::expected<Settings, Error> settingsOf(const ConnectionUrl& url, const DriverOptions& options);

/// A table name quoted for the dialect. Empty when it is invalid: valid are letters, digits and underscores, at most 48
/// for each part, with at most one dot between schema and table.
QByteArray quotedTable(Dialect dialect, const QString& name);

/// The default table name.
inline constexpr const char* kDefaultTable = "lockscope_locks";

} // namespace lockscope::sql
