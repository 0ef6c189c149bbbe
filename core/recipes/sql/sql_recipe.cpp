// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_recipe.h"

#include "ports/sql/literal.h"
#include "recipes/hex_digits.h"
#include "recipes/sql/sql_advisory.h"
#include "recipes/sql/sql_for_update.h"
#include "recipes/sql/sql_lease.h"
#include "recipes/sql/sql_row.h"
#include "recipes/sql/sql_version.h"
#include "runtime/completion.h"

#include <QCoreApplication>

namespace lockscope::recipes {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(LockError)
};

constexpr qsizetype kLongestName = 255;     // of the table's key
constexpr qsizetype kLongestUserLock = 192; // MariaDB, in bytes; MySQL takes 64 characters and says so itself
constexpr qsizetype kLongestOwner = 255;    // of the table's column, which MySQL may cut to without a word
constexpr qsizetype kThreadsPart = 20;      // room for any number of 64 bits
constexpr qsizetype kLongestClient = kLongestOwner - kThreadsPart - kHexDigits - 2;

/// See patienceUntil().
constexpr Nanos kLeastPatience = 200ms, kMostPatience = 3s;
/// How long somebody who was stopped waits for what takes his attempt back.
constexpr Nanos kStopPatience = 2s;

QCoro::Task<> tellOfItsEnd(QCoro::Task<sql::Result> task, Completion<bool> answered) {
    bool well = false;
    try {
        const sql::Result done = co_await std::move(task);
        well = done.has_value();
    } catch (const Cancelled&) { // killed, and so is whoever waits
    }
    answered.complete(well);
}

/// Of each dialect: now, so many milliseconds from now, milliseconds until expires_at. UTC throughout: what DATETIME
/// keeps must not jump with a time zone.
struct Clock {
    const char* now;
    const char* in;
    const char* left;
    const char* ago;   ///< so many milliseconds before now
    const char* start; ///< tokenStart() of the present
};

const Clock& clockOf(sql::Dialect dialect) {
    static const Clock mySql{"UTC_TIMESTAMP(6)", "UTC_TIMESTAMP(6) + INTERVAL (? * 1000) MICROSECOND",
                             "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) DIV 1000",
                             "UTC_TIMESTAMP(6) - INTERVAL (? * 1000) MICROSECOND",
                             "GREATEST(TIMESTAMPDIFF(MICROSECOND, '2026-01-01', UTC_TIMESTAMP(6)) DIV 10, 0)"};
    static const Clock postgreSql{"clock_timestamp()", "clock_timestamp() + ? * interval '1 millisecond'",
                                  "(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint",
                                  "clock_timestamp() - ? * interval '1 millisecond'",
                                  "GREATEST((extract(epoch FROM clock_timestamp() - timestamptz '2026-01-01 00:00+00') "
                                  "* 100000)::bigint, 0)"};
    // The clock of this machine, which all processes that share the file share too. It is cut to whole milliseconds, so
    // a lease gets one more: it must not end before its holder stops believing in it.
    static const Clock sqlite{"strftime('%Y-%m-%d %H:%M:%f', 'now')",
                              "strftime('%Y-%m-%d %H:%M:%f', 'now', ((? + 1) / 1000.0) || ' seconds')",
                              "CAST((julianday(expires_at) - julianday('now')) * 86400000 AS INTEGER)",
                              "strftime('%Y-%m-%d %H:%M:%f', 'now', (? / -1000.0) || ' seconds')",
                              "MAX(CAST((julianday('now') - julianday('2026-01-01')) * 8640000000 AS INTEGER), 0)"};
    switch (dialect) {
    case sql::Dialect::MySql:
        return mySql;
    case sql::Dialect::PostgreSql:
        return postgreSql;
    case sql::Dialect::Sqlite:
        break;
    }
    return sqlite;
}

/// The beginning of a text, whole characters of UTF-8 only.
QByteArray cutTo(QByteArray text, qsizetype longest) {
    if (text.size() <= longest) return text;
    while (longest > 0 && (text.at(longest) & 0xc0) == 0x80)
        --longest;
    return text.left(longest);
}

} // namespace

std::expected<std::unique_ptr<Recipe>, LockError> makeSqlRecipe(const QByteArray& id, SqlLock lock) {
    const bool advisory = id == "sql-advisory";
    const bool rowLock = id == "sql-for-update";
    const bool ofMySql = lock.tables.dialect == sql::Dialect::MySql;
    const qsizetype longest = advisory && ofMySql ? kLongestUserLock : kLongestName;
    if (!sql::validName(lock.name, longest))
        return std::unexpected(LockError{
            LockError::Kind::Refused,
            Text::tr("“%1” cannot be the name of this lock: it takes 1 to %2 bytes of UTF-8 without a zero byte.")
                .arg(QString::fromUtf8(lock.name.left(80)), QString::number(longest))});
    if (lock.tables.dialect == sql::Dialect::Sqlite && (advisory || rowLock))
        return std::unexpected(LockError{
            LockError::Kind::NotSupported,
            rowLock
                ? Text::tr("SQLite locks its whole file and no rows: a held row lock would stop every other user of "
                           "the file. Use sql-lease there.")
                : Text::tr("SQLite has no advisory locks. Use sql-lease there.")});
    const bool byOwner = !advisory && !rowLock;
    if (byOwner && lock.client.size() > kLongestClient)
        return std::unexpected(LockError{
            LockError::Kind::Refused,
            Text::tr("The client's name “%1…” has %2 bytes and does not fit into the locks' table: take one of at most "
                     "%3 bytes.")
                .arg(QString::fromUtf8(cutTo(lock.client, 40)), QString::number(lock.client.size()),
                     QString::number(kLongestClient))});
    if (id == "sql-row") return std::make_unique<SqlRow>(std::move(lock));
    if (id == "sql-lease") return std::make_unique<SqlLease>(std::move(lock));
    if (rowLock) return std::make_unique<SqlForUpdate>(std::move(lock));
    if (id == "sql-version") return std::make_unique<SqlVersion>(std::move(lock));
    if (advisory && !ofMySql) {
        const auto key = advisoryKeyOf(lock.name, lock.keys);
        if (!key) return std::unexpected(key.error());
    }
    if (advisory) return std::make_unique<SqlAdvisory>(std::move(lock));
    return nullptr;
}

LockError lockError(const sql::Error& error) {
    using Kind = sql::Error::Kind;
    switch (error.kind) {
    case Kind::Unreachable:
    case Kind::ConnectTimeout:
    case Kind::TlsFailed: // also of a server that ends or begins
    case Kind::TooMany:
        return {LockError::Kind::Unreachable, error.message};
    case Kind::MissingTable:
        return {LockError::Kind::NotPrepared, error.message};
    case Kind::Deadlock:
        return {LockError::Kind::Deadlock, error.message};
    case Kind::WaitExceeded:
        return {LockError::Kind::WaitExceeded, error.message};
    case Kind::StatementTimeout:
    case Kind::Disconnected:
        return {LockError::Kind::OutcomeUnknown, error.message};
    case Kind::DuplicateKey:
    case Kind::Interrupted:
    case Kind::Refused:
    case Kind::AuthFailed: // these do not pass by themselves
    case Kind::NoDatabase:
    case Kind::WrongUrl:
        break;
    }
    return {LockError::Kind::Refused, error.message};
}

LockError sessionError(const sql::Error& error, const QByteArray& name) {
    return error.outcomeUnknown() ? brokeBeforeTaken(name) : lockError(error);
}

LockError brokeBeforeTaken(const QByteArray& name) {
    return {LockError::Kind::Unreachable,
            Text::tr("The connection to the database broke before the lock “%1” was taken: it was not taken.")
                .arg(QString::fromUtf8(name))};
}

bool keptOut(const LockError& error) {
    return error.kind == LockError::Kind::WaitExceeded;
}

Nanos patienceUntil(const SqlLock& lock, Nanos giveUpAt, Nanos lease) {
    const Nanos left = std::min(giveUpAt - lock.port.runtime().monotonic(), lease / 2);
    return std::clamp(left, kLeastPatience, kMostPatience);
}

QCoro::Task<bool> napUntil(const SqlLock& lock, Nanos giveUpAt, std::stop_token stop) {
    if (lock.port.runtime().monotonic() >= giveUpAt) co_return false;
    const Nanos nap = nextNap(lock, giveUpAt); // no database wakes those that it kept out
    co_await lock.port.runtime().sleep(nap, stop);
    co_return true;
}

QCoro::Task<bool> awaitWithdrawal(Runtime& runtime, QCoro::Task<sql::Result> withdrawal, bool stopped) {
    const Completion<bool> answered;
    const QCoro::Task<> following = tellOfItsEnd(std::move(withdrawal), answered);
    const auto well = co_await answered.wait(runtime, stopped ? kStopPatience : kNever);
    co_return well.value_or(false);
}

LockError notSqlOwner(const QByteArray& name) {
    return {LockError::Kind::NotOwner,
            Text::tr("The lock “%1” is no longer ours: its lease or its connection ended, or somebody freed it.")
                .arg(QString::fromUtf8(name))};
}

LockError holderUntold(const QByteArray& name) {
    return {LockError::Kind::Refused,
            Text::tr("Somebody holds the lock “%1”, and the database did not tell who: its tables of waiting "
                     "transactions are old while others keep reading them. Nothing was changed; try again.")
                .arg(QString::fromUtf8(name))};
}

LockError foreignRow(const QByteArray& name, const QByteArray& recipe) {
    return {
        LockError::Kind::ForeignFormat,
        Text::tr("The row of the lock “%1” belongs to the recipe %2: it was left alone. Use that recipe, or another "
                 "lock name.")
            .arg(QString::fromUtf8(name), QString::fromUtf8(recipe))};
}

QByteArray ownerOf(const SqlLock& lock, const QByteArray& thread) {
    const qsizetype room = kLongestOwner - lock.client.size() - kHexDigits - 2;
    QByteArray owner;
    owner.reserve(lock.client.size() + thread.size() + kHexDigits + 2);
    owner.append(lock.client).append(':').append(cutTo(thread, room)).append(':');
    const qsizetype before = owner.size();
    owner.resize(before + kHexDigits);
    writeHexDigits(owner.data() + before, lock.port.runtime().random());
    return owner;
}

sql::Statement statementOf(const SqlLock& lock, const char* recipe, QByteArray text, sql::Values values) {
    QByteArray& filled = (*lock.texts)[text];
    if (filled.isEmpty()) {
        const Clock& clock = clockOf(lock.tables.dialect);
        text.replace("{t}", lock.tables.locks);
        text.replace("{now}", clock.now);
        text.replace("{in}", clock.in);
        text.replace("{left}", clock.left);
        text.replace("{ago}", clock.ago);
        text.replace("{start}", clock.start);
        text.replace("{recipe}", '\'' + QByteArray(recipe) + '\'');
        filled = std::move(text);
    }
    return {filled, std::move(values)};
}

namespace {
sql::Statement freeRow(const SqlLock& lock, const char* recipe) {
    QByteArray text;
    switch (lock.tables.dialect) {
    case sql::Dialect::MySql: // and not INSERT IGNORE, which would also cut what is too long
        text =
            "INSERT INTO {t} (name, recipe, version) VALUES (?, {recipe}, {start}) ON DUPLICATE KEY UPDATE version = "
            "version";
        break;
    case sql::Dialect::PostgreSql:
    case sql::Dialect::Sqlite: // which refuse it where the table has no such key
        text = "INSERT INTO {t} (name, recipe, version) VALUES (?, {recipe}, {start}) ON CONFLICT (name) DO NOTHING";
        break;
    }
    return statementOf(lock, recipe, std::move(text), valuesOf(lock.name));
}
} // namespace

Outcome<bool> makeRow(const SqlLock& lock, const char* recipe, Nanos giveUpAt, std::stop_token stop) {
    for (;;) {
        const sql::Result made = co_await lock.port.execute(freeRow(lock, recipe), stop, patienceUntil(lock, giveUpAt));
        if (made) co_return true;
        const LockError error = lockError(made.error());
        if (!keptOut(error)) co_return std::unexpected(error);
        const bool again = co_await napUntil(lock, giveUpAt, stop);
        if (!again) co_return false;
    }
}

std::int64_t leaseMs(Nanos lease) {
    return std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(lease).count(), 1);
}

Nanos nextNap(const SqlLock& lock, Nanos giveUpAt) {
    Runtime& runtime = lock.port.runtime();
    return napWithin(runtime, runtime.random(lock.pollLow, lock.pollHigh), giveUpAt);
}

Nanos napWithin(Runtime& runtime, Nanos nap, Nanos giveUpAt, Nanos left) {
    if (left != kNever) nap = std::min(nap, std::max<Nanos>(left, Nanos(0)) + 1ms); // it may end by itself
    if (giveUpAt != kNever) nap = std::min(nap, std::max(Nanos(0), giveUpAt - runtime.monotonic()));
    return nap;
}

} // namespace lockscope::recipes
