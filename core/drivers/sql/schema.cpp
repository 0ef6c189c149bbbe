// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/schema.h"

#include "drivers/sql/driver.h"
#include "drivers/sql/driver_session.h"
#include "drivers/sql/options.h"

#include <QCoreApplication>
#include <map>

namespace lockscope::sql {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(SqlError)
};

using Kind = Error::Kind;

constexpr Nanos kSchemaWait = 15s; ///< for others who are at it

/// The types and words that differ by dialect. Names and owners are bytes in MySQL: its text types take “a” and “a ”
/// for one lock in most collations.
struct Words {
    const char *key, *recipe, *owner, *time, *value, *ending;
    const char *insert, *unlessThere;
    const char* ifMissing;
    const char* guard; ///< only one client at a time changes the schema; SQLite's transaction sees to it by itself
};

const Words& wordsOf(Dialect dialect) {
    static constexpr Words kMySql{"VARBINARY(255)",
                                  "VARBINARY(32)",
                                  "VARBINARY(255)",
                                  "DATETIME(6)",
                                  "BLOB",
                                  " ENGINE=InnoDB",
                                  "INSERT IGNORE",
                                  "",
                                  "",
                                  "SELECT GET_LOCK('lockscope-schema', 14)"};
    static constexpr Words kPostgreSql{"text COLLATE \"C\"",
                                       "text",
                                       "text",
                                       "timestamptz",
                                       "text",
                                       "",
                                       "INSERT",
                                       " ON CONFLICT DO NOTHING",
                                       "IF NOT EXISTS ",
                                       "SELECT pg_advisory_xact_lock(7812727341286941)"};
    static constexpr Words kSqlite{"TEXT", "TEXT", "TEXT", "TEXT", "TEXT", "", "INSERT OR IGNORE", "", "", "SELECT 1"};
    return dialect == Dialect::MySql ? kMySql : dialect == Dialect::PostgreSql ? kPostgreSql : kSqlite;
}

QByteArray filled(const Tables& tables, QByteArray text) {
    const Words& words = wordsOf(tables.dialect);
    return text.replace("{locks}", tables.locks)
        .replace("{versions}", tables.versions)
        .replace("{records}", tables.records)
        .replace("{key}", words.key)
        .replace("{recipe}", words.recipe)
        .replace("{owner}", words.owner)
        .replace("{time}", words.time)
        .replace("{value}", words.value)
        .replace("{ending}", words.ending)
        .replace("{insert}", words.insert)
        .replace("{unless there}", words.unlessThere)
        .replace("{if missing}", words.ifMissing);
}

// The primary key is what every recipe rests on: without a unique index a row lock also locks the rows around it.
constexpr const char* kCreateLocks = "CREATE TABLE IF NOT EXISTS {locks} (\n"
                                     "  name {key} NOT NULL PRIMARY KEY,\n"
                                     "  recipe {recipe} NOT NULL,\n"
                                     "  owner {owner} NULL,\n"
                                     "  version BIGINT NOT NULL DEFAULT 0,\n"
                                     "  expires_at {time} NULL,\n"
                                     "  acquired_at {time} NULL\n"
                                     "){ending}";
constexpr const char* kCreateRecords = "CREATE TABLE IF NOT EXISTS {records} (\n"
                                       "  name {key} NOT NULL PRIMARY KEY,\n"
                                       "  value {value} NOT NULL,\n"
                                       "  version BIGINT NOT NULL DEFAULT 1\n"
                                       "){ending}";
constexpr const char* kCreateVersions = "CREATE TABLE IF NOT EXISTS {versions} (version INTEGER NOT NULL PRIMARY KEY)";
// The steps to a version from the one before. Each may have been made half by a program that died.
constexpr const char* kToVersion2 = "ALTER TABLE {locks} ADD COLUMN {if missing}acquired_at {time} NULL";
constexpr const char* kToVersion3 = kCreateRecords;

QByteArray enterVersion(int version) {
    return "{insert} INTO {versions} (version) VALUES (" + QByteArray::number(version) + "){unless there}";
}

bool columnIsThere(const Error& error) {
    // MySQL's number, and SQLite's words.
    return error.code == "1060" || error.message.contains(QLatin1String("duplicate column"));
}

Result refused(const QString& message) {
    return std::unexpected(Error{Kind::Refused, {}, message});
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

/// Makes the tables over one session.
class Maker {
public:
    Maker(DriverSession& session, const Tables& tables, std::stop_token stop)
        : m_session(session), m_tables(tables), m_mySql(tables.dialect == Dialect::MySql), m_stop(std::move(stop)) {}

    /// True when all tables of this version exist. Then nothing has to be written, which this account may not be
    /// allowed to do. If the account cannot see the tables, make() reports what is wrong.
    QCoro::Task<bool> isPrepared() {
        Result seen = co_await ask("SELECT MAX(version) FROM {versions}");
        if (!seen || seen->number() != kSchemaVersion) co_return false;
        seen = co_await checkLocks();
        if (seen) seen = co_await checkRecords();
        if (seen) seen = co_await checkKey();
        co_return seen.has_value();
    }
    QCoro::Task<Result> make() {
        Result done;
        if (m_mySql) { // what is made beside a table that is somebody else's would stay
            done = co_await checkLocks();
            if (!done && done.error().kind == Kind::Refused) co_return done;
        }
        done = co_await ask(kCreateVersions);
        if (done) done = co_await ask("SELECT MAX(version) FROM {versions}");
        if (!done) co_return done;
        const auto version = int(done->number());
        if (version > kSchemaVersion)
            co_return refused(
                Text::tr("The tables of the locks have version %1, and this program knows %2 at most. Use a newer one.")
                    .arg(QString::number(version), QString::number(kSchemaVersion)));
        if (version == 0) {
            // There may be a table already: made by hand, or by a program that died before it entered the version.
            done = co_await ask(kCreateLocks);
            if (done) done = co_await checkLocks();
            if (!done) co_return done;
        }
        for (int next = std::max(version, 1) + 1; next <= kSchemaVersion; ++next) {
            const char* const step = next == 2 ? kToVersion2 : kToVersion3;
            done = co_await ask(step);
            if (!done && !columnIsThere(done.error())) co_return done;
            if (version > 0) done = co_await ask(enterVersion(next));
            if (version > 0 && !done) co_return done;
        }
        done = co_await checkRecords();
        if (done) done = co_await checkKey();
        if (done && version == 0) done = co_await ask(enterVersion(kSchemaVersion));
        co_return done;
    }
    QCoro::Task<Result> ask(const QByteArray& text) {
        return m_session.execute({filled(m_tables, text), {}}, kSchemaWait, m_stop);
    }

private:
    /// Selects no row; fails where another program's table lacks the columns. Only columns of the first version are
    /// named: later ones may not have been added yet.
    QCoro::Task<Result> checkLocks() {
        return checkColumns(ask("SELECT name, recipe, owner, version, expires_at FROM {locks} WHERE 1 = 0"), QString());
    }
    QCoro::Task<Result> checkRecords() {
        return checkColumns(ask("SELECT name, value, version FROM {records} WHERE 1 = 0"), QStringLiteral("_record"));
    }
    QCoro::Task<Result> checkColumns(QCoro::Task<Result> asked, QString suffix) {
        Result seen = co_await std::move(asked);
        constexpr const char* kNoTable = "1146"; // MySQL's; the others are asked when there is one
        if (!seen && seen.error().kind == Kind::MissingTable && seen.error().code != kNoTable)
            seen = refused(
                Text::tr("The table %1 exists and is not Lockscope's. Name another one by table=NAME in the URL.")
                    .arg(m_tables.name + suffix));
        co_return seen;
    }
    /// PostgreSQL and SQLite are asked how they would do what the recipes ask for.
    QCoro::Task<Result> checkKey() {
        const char* const text =
            m_mySql ? "SHOW INDEX FROM {locks} WHERE Non_unique = 0"
                    : "EXPLAIN INSERT INTO {locks} (name, recipe) VALUES ('', '') ON CONFLICT (name) DO NOTHING";
        Result seen = co_await ask(text);
        const bool keyless =
            seen ? m_mySql && !keysHaveName(*seen)
                 : seen.error().code == "42P10" ||
                       seen.error().message.contains(QLatin1String("ON CONFLICT clause does not match"));
        if (keyless)
            seen = refused(Text::tr("The table %1 has no unique key of its column “name” alone, and two would get the "
                                    "same lock. Add one (CREATE UNIQUE INDEX), or name another table by table=NAME in "
                                    "the URL.")
                               .arg(m_tables.name));
        co_return seen;
    }

    DriverSession& m_session;
    const Tables& m_tables;
    const bool m_mySql;
    const std::stop_token m_stop;
};

} // namespace

Tables tablesOf(Dialect dialect, const QString& name) {
    return {dialect, name, quotedTable(dialect, name), quotedTable(dialect, name + QLatin1String("_schema")),
            quotedTable(dialect, name + QLatin1String("_record"))};
}

Statement createRecords(const Tables& tables) {
    return {filled(tables, kCreateRecords), {}};
}

QString schemaText(const Tables& tables) {
    QString text;
    for (const QByteArray& each : {QByteArray(kCreateLocks), QByteArray(kCreateRecords), QByteArray(kCreateVersions),
                                   enterVersion(kSchemaVersion)})
        text += QString::fromUtf8(filled(tables, each)) + QLatin1String(";\n");
    return text;
}

QCoro::Task<Result> prepareSchema(SqlDriver& driver, Tables tables, std::stop_token stop) {
    auto session = co_await driver.textSession(stop);
    if (!session) co_return std::unexpected(session.error());
    Maker maker(*session->operator->(), tables, stop);
    if (co_await maker.isPrepared()) {
        (*session)->giveBack();
        co_return Result();
    }
    // Readers and the writer do not keep each other waiting. A file system that cannot do it says so by going on.
    if (tables.dialect == Dialect::Sqlite) (void)co_await maker.ask("PRAGMA journal_mode = WAL");
    if (tables.dialect != Dialect::MySql) (*session)->begin(); // in MySQL each of these commits by itself
    Result done;
    const Nanos giveUpAt = driver.runtime().monotonic() + kSchemaWait;
    for (;;) {
        done = co_await maker.ask(wordsOf(tables.dialect).guard);
        const bool busy = tables.dialect == Dialect::Sqlite && !done && done.error().kind == Kind::WaitExceeded;
        if (!busy || driver.runtime().monotonic() > giveUpAt) break;
        (void)co_await (*session)->rollback();
        // SQLite wakes nobody when its file is free.
        co_await driver.runtime().sleep(5ms, stop);
        (*session)->begin();
    }
    if (done && tables.dialect == Dialect::MySql && done->number() != 1)
        done = std::unexpected(
            Error{Kind::WaitExceeded, {}, Text::tr("Another client is changing the tables of the locks; try again.")});
    if (done) done = co_await maker.make();
    if (!done) {
        (void)co_await (*session)->rollback();
        co_return done; // the connection is closed, and so is what it had
    }
    const auto committed = co_await (*session)->commit();
    if (!committed) co_return std::unexpected(committed.error());
    co_return done;
}

} // namespace lockscope::sql
