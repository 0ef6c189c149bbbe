// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"
#include "ports/url.h"

namespace lockscope::sql {

/// Settings of a driver; the defaults suit locks on a healthy network.
struct DriverOptions {
    Nanos connectTimeout = 5s;    ///< for a connection, with the look-up of the host's name and the login
    Nanos statementTimeout = 10s; ///< for a statement that should not wait, from the call to the reply
    Nanos cancelTimeout = 3s;     ///< how long the server may take to stop a statement
    Nanos silence = 2s;           ///< a server that owes a session a sign of life for so long is Silent
    int sharedConnections = 4;    ///< maximum of concurrent statements, besides sessions
    std::size_t idleKept = 8;     ///< unused connections that stay open
    bool makesFile = true;        ///< SQLite: a file that is not there is made
};

/// The options, with the URL's time-outs. Stopping a statement may take no longer than the statement.
inline DriverOptions optionsOf(const ConnectionUrl& url, DriverOptions options) {
    url.takeTime("connect", options.connectTimeout);
    url.takeTime("timeout", options.statementTimeout);
    if (!url.option("timeout").isEmpty())
        options.cancelTimeout = std::min(options.cancelTimeout, options.statementTimeout);
    return options;
}

/// How to connect. Contains the password.
struct Settings {
    Dialect dialect = Dialect::Sqlite;
    QString host, database, user, password; ///< SQLite: `database` is the file
    int port = -1;
    bool tls = false; ///< required: a connection without it is not used
    TlsFiles tlsFiles;
    bool poolerKeepsSessions = false; ///< a pooler, if any, gives each connection one server process
    bool makesFile = true;            ///< as DriverOptions::makesFile
    QString where;                    ///< for display: "127.0.0.1:3306/locks"
};

/// Settings from a URL; the error (WrongUrl) says what is invalid.
std::expected<Settings, Error> settingsOf(const ConnectionUrl& url);

/// A table name quoted for the dialect. Empty when it is invalid: valid are letters, digits and underscores, at most 48
/// for each part, with at most one dot between schema and table.
QByteArray quotedTable(Dialect dialect, const QString& name);

/// The default table name.
inline constexpr const char* kDefaultTable = "lockscope_locks";
/// The table's name as the URL says, or the default.
inline QString tableIn(const ConnectionUrl& url) {
    const QString wish = url.option("table");
    return wish.isEmpty() ? QString::fromLatin1(kDefaultTable) : wish;
}

} // namespace lockscope::sql
