// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/schema.h"

#include "backends/sql/options.h"

#include <QCoreApplication>

namespace lockscope::sql {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(SqlError)
};

constexpr Nanos kSchemaWait = 15s; ///< for others who are at it

// Names and owners are bytes in MySQL: its text types take “a” and “a ” for one lock in most collations.
// The primary key is what every recipe rests on: without a unique index a row lock also locks the rows around it.
QByteArray createLocks(const Tables& tables) {
    switch (tables.dialect) {
    case Dialect::MySql:
        return "CREATE TABLE IF NOT EXISTS " + tables.locks +
               " (\n"
               "  name VARBINARY(255) NOT NULL PRIMARY KEY,\n"
               "  recipe VARBINARY(32) NOT NULL,\n"
               "  owner VARBINARY(255) NULL,\n"
               "  version BIGINT NOT NULL DEFAULT 0,\n"
               "  expires_at DATETIME(6) NULL,\n"
               "  acquired_at DATETIME(6) NULL\n"
               ") ENGINE=InnoDB";
    case Dialect::PostgreSql:
        return "CREATE TABLE IF NOT EXISTS " + tables.locks +
               " (\n"
               "  name text COLLATE \"C\" NOT NULL PRIMARY KEY,\n"
               "  recipe text NOT NULL,\n"
               "  owner text NULL,\n"
               "  version bigint NOT NULL DEFAULT 0,\n"
               "  expires_at timestamptz NULL,\n"
               "  acquired_at timestamptz NULL\n"
               ")";
    case Dialect::Sqlite:
        break;
    }
    return "CREATE TABLE IF NOT EXISTS " + tables.locks +
           " (\n"
           "  name TEXT NOT NULL PRIMARY KEY,\n"
           "  recipe TEXT NOT NULL,\n"
           "  owner TEXT NULL,\n"
           "  version INTEGER NOT NULL DEFAULT 0,\n"
           "  expires_at TEXT NULL,\n"
           "  acquired_at TEXT NULL\n"
           ")";
}

QByteArray createVersions(const Tables& tables) {
    return "CREATE TABLE IF NOT EXISTS " + tables.versions + " (version INTEGER NOT NULL PRIMARY KEY)";
}

QByteArray enterVersion(const Tables& tables, int version) {
    const QByteArray number = QByteArray::number(version);
    switch (tables.dialect) {
    case Dialect::MySql:
        return "INSERT IGNORE INTO " + tables.versions + " (version) VALUES (" + number + ")";
    case Dialect::PostgreSql:
        return "INSERT INTO " + tables.versions + " (version) VALUES (" + number + ") ON CONFLICT DO NOTHING";
    case Dialect::Sqlite:
        break;
    }
    return "INSERT OR IGNORE INTO " + tables.versions + " (version) VALUES (" + number + ")";
}

/// From the version before to that one. Each may have been made half by a program that died.
QByteArrayList stepTo(const Tables& tables, int version) {
    // 3: what processes agree on.
    if (version == 3) return {createRecords(tables).text};
    Q_ASSERT(version == 2);
    // 2: since when a lock is held, for those who look.
    switch (tables.dialect) {
    case Dialect::MySql:
        return {"ALTER TABLE " + tables.locks + " ADD COLUMN acquired_at DATETIME(6) NULL"};
    case Dialect::PostgreSql:
        return {"ALTER TABLE " + tables.locks + " ADD COLUMN IF NOT EXISTS acquired_at timestamptz NULL"};
    case Dialect::Sqlite:
        break;
    }
    return {"ALTER TABLE " + tables.locks + " ADD COLUMN acquired_at TEXT NULL"};
}

QByteArrayList newest(const Tables& tables) {
    return {createLocks(tables), createRecords(tables).text, createVersions(tables),
            enterVersion(tables, kSchemaVersion)};
}

/// Only one client at a time changes the schema. SQLite's transaction sees to it by itself.
Statement guard(Dialect dialect) {
    Statement statement;
    if (dialect == Dialect::MySql) statement.text = "SELECT GET_LOCK('lockscope-schema', 14)";
    if (dialect == Dialect::PostgreSql) statement.text = "SELECT pg_advisory_xact_lock(7812727341286941)";
    return statement;
}

bool columnIsThere(const Error& error) {
    // MySQL's number, and SQLite's words.
    return error.code == "1060" || error.message.contains(QLatin1String("duplicate column"));
}

QCoro::Task<Result> makeIn(Session& session, Tables tables, std::stop_token stop) {
    Statement statement;
    statement.text = createVersions(tables);
    Result done = co_await session.execute(statement, kSchemaWait, stop);
    if (!done) co_return done;
    statement.text = "SELECT MAX(version) FROM " + tables.versions;
    done = co_await session.execute(statement, kSchemaWait, stop);
    if (!done) co_return done;
    const auto version = int(done->number());
    if (version > kSchemaVersion) {
        co_return std::unexpected(Error{
            Error::Kind::Refused,
            {},
            Text::tr("The tables of the locks have version %1, and this program knows %2 at most. Use a newer one.")
                .arg(QString::number(version), QString::number(kSchemaVersion))});
    }
    QByteArrayList todo;
    if (version == 0) todo = newest(tables);
    for (int next = version + 1; version > 0 && next <= kSchemaVersion; ++next)
        todo << stepTo(tables, next) << enterVersion(tables, next);
    for (const QByteArray& text : todo) {
        statement.text = text;
        done = co_await session.execute(statement, kSchemaWait, stop);
        if (!done && !columnIsThere(done.error())) co_return done;
    }
    co_return Reply();
}

} // namespace

Tables tablesOf(Dialect dialect, const QString& name) {
    return {dialect, quotedTable(dialect, name), quotedTable(dialect, name + QLatin1String("_schema")),
            quotedTable(dialect, name + QLatin1String("_record"))};
}

Statement createRecords(const Tables& tables) {
    const bool mySql = tables.dialect == Dialect::MySql;
    const bool sqlite = tables.dialect == Dialect::Sqlite;
    const QByteArray key = mySql ? "VARBINARY(255)" : sqlite ? "TEXT" : "text COLLATE \"C\"";
    Statement statement;
    statement.text = "CREATE TABLE IF NOT EXISTS " + tables.records +
                     " (\n"
                     "  name " +
                     key +
                     " NOT NULL PRIMARY KEY,\n"
                     "  value " +
                     (mySql    ? "BLOB"
                      : sqlite ? "TEXT"
                               : "text") +
                     " NOT NULL,\n"
                     "  version BIGINT NOT NULL DEFAULT 1\n"
                     ")" +
                     (mySql ? " ENGINE=InnoDB" : "");
    return statement;
}

QString schemaText(const Tables& tables) {
    QString text;
    for (const QByteArray& statement : newest(tables))
        text += QString::fromUtf8(statement) + QLatin1String(";\n");
    return text;
}

QCoro::Task<Result> prepareSchema(Port& port, Tables tables, std::stop_token stop) {
    auto session = co_await port.session(stop);
    if (!session) co_return std::unexpected(session.error());
    if (tables.dialect == Dialect::Sqlite) {
        // Readers and the writer do not keep each other waiting. A file system that cannot do it says so by going on.
        Statement wal;
        wal.text = "PRAGMA journal_mode = WAL";
        (void)co_await (*session)->execute(wal, kSchemaWait, stop);
    }
    if (tables.dialect != Dialect::MySql) (*session)->begin(); // in MySQL each of these commits by itself
    Statement first = guard(tables.dialect);
    if (first.text.isEmpty()) first.text = "SELECT 1";
    Result done;
    const Nanos giveUpAt = port.runtime().monotonic() + kSchemaWait;
    for (;;) {
        done = co_await (*session)->execute(first, kSchemaWait, stop);
        const bool busy = tables.dialect == Dialect::Sqlite && !done && done.error().kind == Error::Kind::WaitExceeded;
        if (!busy || port.runtime().monotonic() > giveUpAt) break;
        (void)co_await (*session)->rollback();
        // SQLite wakes nobody when its file is free.
        co_await port.runtime().sleep(5ms, stop);
        (*session)->begin();
    }
    if (done && tables.dialect == Dialect::MySql && done->number() != 1)
        done = std::unexpected(Error{
            Error::Kind::WaitExceeded, {}, Text::tr("Another client is changing the tables of the locks; try again.")});
    if (done) done = co_await makeIn(*session->operator->(), tables, stop);
    if (!done) {
        (void)co_await (*session)->rollback();
        co_return done; // the connection is closed, and so is what it had
    }
    const Result committed = co_await (*session)->commit();
    co_return committed;
}

} // namespace lockscope::sql
