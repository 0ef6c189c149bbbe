// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/command_runner.h"
#include "drivers/sql/sqlite_statements.h"
#include "ports/sql/options.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <map>
#include <mutex>

namespace lockscope::sql {

/// One connection through QtSql. Blocks; stays on one thread from open() to its end.
class Database final : TextRunner {
public:
    explicit Database(Settings settings) : m_settings(std::move(settings)) {}
    ~Database();
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;

    /// Connects. Reply::insertId is the server's number of this connection, by which others can end it.
    Result open();
    Result run(const Command& command);
    const QSqlDriver* driver() const { return m_database.driver(); }
    Dialect dialect() const { return m_settings.dialect; }
    bool onThreads() const { return m_settings.onThreads; }
    const QString& where() const { return m_settings.where; }
    /// The connection's state, for a Conversation that takes over. Not Dialect::Sqlite.
    CommandRunner commands() const { return *m_commands; }
    /// Whether a pooler stands before PostgreSQL that may give each transaction another server process. State that
    /// should last as long as the connection then does not, and other clients inherit it.
    bool pooled() const { return m_pooled; }
    /// Whether the server was a replica, or refused writes otherwise, when this connection was made.
    bool readOnly() const { return m_readOnly; }

private:
    Result greet();
    Result greetMySql();
    Result greetPostgreSql();
    Result runText(const QByteArray& text, int before = 0);
    QCoro::Task<Result> run(QByteArray text, int before) override;
    Result runBlocking(const Command& command);
    Result runSqlite(const Command& command);
    Result read(QSqlQuery& query) const;
    Error errorOf(const QSqlQuery& query) const;

    Settings m_settings;
    QString m_name; ///< in QtSql's registry
    QSqlDatabase m_database;
    std::optional<QSqlQuery> m_query;
    std::unique_ptr<SqliteStatements> m_statements; ///< SQLite; nullptr: QtSql's statements are used
    std::map<QByteArray, QSqlQuery> m_prepared;     ///< QtSql's statements, by text
    std::optional<CommandRunner> m_commands;        ///< other dialects
    bool m_pooled = false;
    bool m_readOnly = false;
    std::shared_ptr<std::mutex> m_turns; ///< SQLite: turns of this program's writers of the file
    bool m_inTransaction = false;        ///< SQLite
};

} // namespace lockscope::sql
