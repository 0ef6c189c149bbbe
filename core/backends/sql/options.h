// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"
#include "backends/url.h"

namespace lockscope::sql {

/// What a driver may be told; the defaults suit locks on a healthy network.
struct DriverOptions {
    Nanos connectTimeout = 5s;    ///< whole seconds are told to the client libraries; at least 2 s with PostgreSQL
    Nanos statementTimeout = 10s; ///< of a statement that is not meant to wait, from the call to the reply
    Nanos cancelTimeout = 3s;     ///< how long the server may take to end a statement that is to be stopped
    Nanos silence = 2s;           ///< a server that owes a session a sign of life for so long is Silent
    int sharedConnections = 4;    ///< most statements at once, besides sessions
    std::size_t idleKept = 8;     ///< connections that nobody uses and that stay open
    /// Each connection's statements by QtSql, on a thread of its own: as where the client library's calls are not to be
    /// had.
    bool onThreads = false;
};

/// The options, with the time-outs that the URL has. Who has no time for an answer has none for its end either.
inline DriverOptions optionsOf(const ConnectionUrl& url, DriverOptions options) {
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.statementTimeout);
    if (!url.option("timeout").isEmpty())
        options.cancelTimeout = std::min(options.cancelTimeout, options.statementTimeout);
    return options;
}

/// How to connect: a ConnectionUrl in the words of QtSql. Contains the password.
struct Settings {
    Dialect dialect = Dialect::Sqlite;
    QString plugin; ///< "QMYSQL"
    QString host, database, user, password;
    int port = -1;
    bool tls = false;                 ///< asked for: a connection without it is of no use
    bool poolerKeepsSessions = false; ///< whatever pooler there is gives a connection one process of the server
    QString options;                  ///< as QSqlDatabase::setConnectOptions() wants them
    bool onThreads = false;           ///< see DriverOptions
    QString where;                    ///< for people: "127.0.0.1:3306/locks"
};

/// Reads them off a URL; the error (WrongUrl) says what of it cannot be.
std::expected<Settings, Error> settingsOf(const ConnectionUrl& url, const DriverOptions& options);

/// A table's name in a statement: quoted as the dialect does it. Empty when the text cannot be one: letters, digits and
/// underscores, at most 48, with at most one dot between schema and table.
QByteArray quotedTable(Dialect dialect, const QString& name);

/// The table's name unless the URL says otherwise.
inline constexpr const char* kDefaultTable = "lockscope_locks";

} // namespace lockscope::sql
