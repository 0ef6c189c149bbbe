// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"

#include <map>

class QSqlDatabase;
struct sqlite3;
struct sqlite3_stmt;

namespace lockscope::sql {

/// Statements with values on a SQLite connection that QtSql has opened, by SQLite's own calls: QtSql, which turns each
/// text into UTF-16 and back, costs as much as the statement. Blocks; on the connection's thread, and gone before the
/// connection is closed.
class SqliteStatements {
public:
    /// nullptr: QtSql's SQLite is one of its own, whose functions nobody else can call.
    static std::unique_ptr<SqliteStatements> on(const QSqlDatabase& database, const QString& where);
    ~SqliteStatements();
    SqliteStatements(const SqliteStatements&) = delete;
    SqliteStatements& operator=(const SqliteStatements&) = delete;

    /// Prepared the first time.
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
