// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

#include <map>

class QSqlDatabase;
struct sqlite3;
struct sqlite3_stmt;

namespace lockscope::sql {

/// Runs statements with values on a SQLite connection that QtSql has opened, by SQLite's own calls: QtSql converts each
/// text to UTF-16 and back, which costs as much as the statement. Blocks; used on the connection's thread, and
/// destroyed before the connection is closed.
class SqliteStatements {
public:
    /// nullptr: QtSql contains its own SQLite, whose functions others cannot call.
    static std::unique_ptr<SqliteStatements> on(const QSqlDatabase& database, const QString& where);
    ~SqliteStatements();
    SqliteStatements(const SqliteStatements&) = delete;
    SqliteStatements& operator=(const SqliteStatements&) = delete;

    /// Runs a statement; prepares it the first time.
    Result run(const Statement& statement);

private:
    SqliteStatements(sqlite3* connection, QString where);
    sqlite3_stmt* prepared(const QByteArray& text);
    bool bind(sqlite3_stmt* statement, const Values& values);
    Values row(sqlite3_stmt* statement) const;
    Error error() const;

    sqlite3* const m_connection;
    const QString m_where;
    std::map<QByteArray, sqlite3_stmt*> m_prepared; ///< by text
};

} // namespace lockscope::sql
