// SPDX-License-Identifier: Apache-2.0
#include "ports/sql/schema.h"

#include "ports/sql/options.h"

#include <QCoreApplication>
#include <map>

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

/// A table's name as its user wrote it.
QString nameOf(const QByteArray& quoted) {
    return QString::fromUtf8(quoted).remove(u'`').remove(u'"');
}

Result notOurs(const QByteArray& table) {
    return std::unexpected(
        Error{Error::Kind::Refused,
              {},
              Text::tr("The table %1 exists and is not Lockscope's. Name another one by table=NAME in the URL.")
                  .arg(nameOf(table))});
}

Result withoutKey(const QByteArray& table) {
    return std::unexpected(Error{
        Error::Kind::Refused,
        {},
        Text::tr("The table %1 has no unique key of its column “name” alone, and two would get the same lock. Add "
                 "one (CREATE UNIQUE INDEX), or name another table by table=NAME in the URL.")
            .arg(nameOf(table))});
}

/// Finds no row, and not even the columns where the table is somebody else's. Those of the first version: what came
/// later is not asked for before it was added.
QByteArray lookAtLocks(const Tables& tables) {
    return "SELECT name, recipe, owner, version, expires_at FROM " + tables.locks + " WHERE 1 = 0";
}

QByteArray lookAtRecords(const Tables& tables) {
    return "SELECT name, value, version FROM " + tables.records + " WHERE 1 = 0";
}

QCoro::Task<Result> checkColumns(Session& session, QByteArray look, QByteArray table, std::stop_token stop) {
    Statement statement;
    statement.text = look;
    Result seen = co_await session.execute(statement, kSchemaWait, stop);
    constexpr const char* kNoTable = "1146"; // MySQL's; the others are asked when there is one
    if (!seen && seen.error().kind == Error::Kind::MissingTable && seen.error().code != kNoTable) seen = notOurs(table);
    co_return seen;
}

/// Whether any unique key has one column only, all of it, and that is the name.
bool keysHaveName(const Reply& keys) {
    std::map<QByteArray, int> columns;
    for (std::size_t i = 0; i < keys.rows.size(); ++i)
        ++columns[keys.text(i, 2)];
    for (std::size_t i = 0; i < keys.rows.size(); ++i) {
        const bool whole = keys.isNull(i, 7);
        if (columns[keys.text(i, 2)] == 1 && keys.text(i, 4).toLower() == "name" && whole) return true;
    }
    return false;
}

/// PostgreSQL and SQLite are asked how they would do what the recipes ask for.
QCoro::Task<Result> checkKey(Session& session, Tables tables, std::stop_token stop) {
    const bool mySql = tables.dialect == Dialect::MySql;
    Statement statement;
    statement.text =
        mySql ? "SHOW INDEX FROM " + tables.locks + " WHERE Non_unique = 0"
              : "EXPLAIN INSERT INTO " + tables.locks + " (name, recipe) VALUES ('', '') ON CONFLICT (name) DO NOTHING";
    Result seen = co_await session.execute(statement, kSchemaWait, stop);
    const bool keyless = seen ? mySql && !keysHaveName(*seen)
                              : seen.error().code == "42P10" ||
                                    seen.error().message.contains(QLatin1String("ON CONFLICT clause does not match"));
    if (keyless) seen = withoutKey(tables.locks);
    co_return seen;
}

QCoro::Task<Result> makeIn(Session& session, Tables tables, std::stop_token stop) {
    Result done;
    if (tables.dialect == Dialect::MySql) { // what is made beside a table that is somebody else's would stay
        done = co_await checkColumns(session, lookAtLocks(tables), tables.locks, stop);
        if (!done && done.error().kind == Error::Kind::Refused) co_return done;
    }
    Statement statement;
    statement.text = createVersions(tables);
    done = co_await session.execute(statement, kSchemaWait, stop);
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
    if (version == 0) {
        // There may be a table already: made by hand, or by a program that died before it entered the version.
        statement.text = createLocks(tables);
        done = co_await session.execute(statement, kSchemaWait, stop);
        if (!done) co_return done;
        done = co_await checkColumns(session, lookAtLocks(tables), tables.locks, stop);
        if (!done) co_return done;
        for (int next = 2; next <= kSchemaVersion; ++next)
            todo << stepTo(tables, next);
    }
    for (int next = version + 1; version > 0 && next <= kSchemaVersion; ++next)
        todo << stepTo(tables, next) << enterVersion(tables, next);
    for (const QByteArray& text : todo) {
        statement.text = text;
        done = co_await session.execute(statement, kSchemaWait, stop);
        if (!done && !columnIsThere(done.error())) co_return done;
    }
    done = co_await checkColumns(session, lookAtRecords(tables), tables.records, stop);
    if (done) done = co_await checkKey(session, tables, stop);
    if (!done || version > 0) co_return done;
    statement.text = enterVersion(tables, kSchemaVersion);
    done = co_await session.execute(statement, kSchemaWait, stop);
    co_return done;
}

/// Everything is there, of this version: nothing has to be written, which this account may not be allowed to. What
/// cannot be seen is left to makeIn(), which says what is wrong.
QCoro::Task<bool> isPrepared(Session& session, Tables tables, std::stop_token stop) {
    Statement statement;
    statement.text = "SELECT MAX(version) FROM " + tables.versions;
    Result seen = co_await session.execute(statement, kSchemaWait, stop);
    if (!seen || seen->number() != kSchemaVersion) co_return false;
    seen = co_await checkColumns(session, lookAtLocks(tables), tables.locks, stop);
    if (seen) seen = co_await checkColumns(session, lookAtRecords(tables), tables.records, stop);
    if (seen) seen = co_await checkKey(session, tables, stop);
    co_return seen.has_value();
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
    if (co_await isPrepared(*session->operator->(), tables, stop)) {
        (*session)->giveBack();
        co_return Result();
    }
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
