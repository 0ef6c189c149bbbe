// SPDX-License-Identifier: Apache-2.0
#include "recipes/sql/sql_recipe.h"

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

constexpr qsizetype kLongestName = 255;  // of the table's key
constexpr qsizetype kLongestOwner = 255; // of the table's column, which MySQL may cut to without a word
constexpr qsizetype kThreadsPart = 20;   // room for any number of 64 bits
constexpr qsizetype kLongestClient = kLongestOwner - kThreadsPart - kHexDigits - 2;

/// See patienceUntil().
constexpr Nanos kLeastPatience = 200ms, kMostPatience = 3s;
/// How long somebody who was stopped waits for what takes his attempt back.
constexpr Nanos kStopPatience = 2s;

QCoro::Task<> tellOfItsEnd(sql::Answer<bool> task, Completion<bool> answered) {
    bool well = false;
    try {
        const auto done = co_await std::move(task);
        well = done.has_value();
    } catch (const Cancelled&) { // killed, and so is the waiter
    }
    answered.complete(well);
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
    const bool late = id == "sql-for-update-late", rowLock = id == "sql-for-update" || late;
    const sql::Abilities can = lock.port.abilities();
    const qsizetype longest = advisory && can.longestNamedLock > 0 ? can.longestNamedLock : kLongestName;
    if (!sql::validName(lock.name, longest))
        return std::unexpected(LockError{
            LockError::Kind::Refused,
            Text::tr("“%1” cannot be the name of this lock: it takes 1 to %2 bytes of UTF-8 without a zero byte.")
                .arg(QString::fromUtf8(lock.name.left(80)), QString::number(longest))});
    if ((advisory && !can.namedLocks) || (rowLock && !can.rowLocks))
        return std::unexpected(LockError{
            LockError::Kind::NotSupported,
            rowLock
                ? Text::tr("SQLite locks its whole file and no rows: a held row lock would stop every other user of "
                           "the file. Use sql-lease there.")
                : Text::tr("SQLite has no advisory locks: sql-lease works there, for exclusive holds. Readers that "
                           "share a lock need PostgreSQL, or redis-rw or zk-rw.")});
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
    if (rowLock)
        return std::make_unique<SqlForUpdate>(std::move(lock), late ? SqlForUpdate::MissingRow::TakeForLocked
                                                                    : SqlForUpdate::MissingRow::MakeFirst);
    if (id == "sql-version") return std::make_unique<SqlVersion>(std::move(lock));
    if (advisory) {
        auto key = lock.port.namedKey(lock.name);
        if (!key) return std::unexpected(lockError(key.error()));
        return std::make_unique<SqlAdvisory>(std::move(lock), *std::move(key));
    }
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
        break;
    case Kind::WrongUrl:
        return {LockError::Kind::InvalidArgument, error.message};
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
    const Nanos nap = nextNap(lock, giveUpAt); // no database wakes the clients that it kept out
    co_await lock.port.runtime().sleep(nap, stop);
    co_return true;
}

QCoro::Task<bool> awaitWithdrawal(Runtime& runtime, sql::Answer<bool> withdrawal, bool stopped) {
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

Outcome<sql::Row> lookAtRow(const SqlLock& lock, QByteArray recipe, Nanos patience, std::stop_token stop) {
    const auto row = co_await lock.port.look(lock.name, stop, patience);
    if (!row) co_return std::unexpected(lockError(row.error()));
    if (row->there && row->recipe != recipe) co_return std::unexpected(foreignRow(lock.name, row->recipe));
    co_return *row;
}

HolderInfo ownerIn(const sql::Row& row) {
    // <client>:<thread>:<a part that is different each time>
    HolderInfo holder = HolderInfo::of(row.owner.first(std::max<qsizetype>(row.owner.lastIndexOf(':'), 0)));
    holder.sinceWallMs = row.sinceWallMs;
    return holder;
}

Outcome<bool> makeRow(const SqlLock& lock, QByteArray recipe, Nanos giveUpAt, std::stop_token stop) {
    const sql::RowKey key{recipe, lock.name};
    for (;;) {
        const auto made = co_await lock.port.makeFree(key, stop, patienceUntil(lock, giveUpAt));
        if (made) co_return true;
        const LockError error = lockError(made.error());
        if (!keptOut(error)) co_return std::unexpected(error);
        const bool again = co_await napUntil(lock, giveUpAt, stop);
        if (!again) co_return false;
    }
}

Nanos leftUntil(Nanos giveUpAt, Nanos now) {
    return giveUpAt == kNever ? kNever : std::max(Nanos(0), giveUpAt - now);
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
