// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/options.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <map>
#include <mutex>

namespace lockscope::sql {

/// One thing to do on a connection.
struct Command {
    Statement statement;
    bool begin = false; ///< in a transaction that begins with it, in the same round trip
    bool ends = false;  ///< it ends the transaction
    /// The server's limit on waiting for locks; -1: its own; nullopt: as it stands, for what waits for none.
    std::optional<std::int64_t> lockWaitMs = std::nullopt;
};

/// One connection through QtSql. Blocks; lives on one thread from open() to its end.
class Database {
public:
    explicit Database(Settings settings) : m_settings(std::move(settings)) {}
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Connects. Reply::insertId is the server's number of this connection, which others can end it by.
    Result open();
    Result run(const Command& command);
    const QSqlDriver* driver() const { return m_database.driver(); }
    Dialect dialect() const { return m_settings.dialect; }
    /// Between us and PostgreSQL stands a pooler, which may give each transaction another of the server's processes:
    /// what is meant to last as long as a connection does not, and is left to somebody else.
    bool pooled() const { return m_pooled; }

private:
    Result greet();
    Result greetPostgreSql();
    Result runText(const QByteArray& text, int before);
    Result runPrepared(const Command& command, const QByteArray& text, int before);
    Result runMySql(const Command& command);
    Result runPostgreSql(const Command& command);
    Result runSqlite(const Command& command);
    std::expected<QByteArray, Error> executeText(const Statement& statement);
    Result read(QSqlQuery& query) const;
    Error errorOf(const QSqlQuery& query) const;

    Settings m_settings;
    QString m_name; ///< in QtSql's register
    QSqlDatabase m_database;
    std::optional<QSqlQuery> m_query;
    std::map<QByteArray, QSqlQuery> m_prepared; ///< SQLite: by text
    std::map<QByteArray, QByteArray> m_names;   ///< the others: of the prepared statement, by text; empty: cannot be
    bool m_canPrepare = true;                   ///< the server can, and it is the same one each time
    bool m_pooled = false;
    std::shared_ptr<std::mutex> m_turns; ///< SQLite: of those in this program who change the file
    bool m_inTransaction = false;
    std::int64_t m_lockWaitMs = -1;      ///< as the connection stands
    std::int64_t m_localLockWaitMs = -1; ///< PostgreSQL: in this transaction
};

} // namespace lockscope::sql
