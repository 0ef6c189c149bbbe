// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/key_kind.h"
#include "backends/sql/port.h"
#include "backends/sql/schema.h"
#include "recipes/recipe.h"

#include <QHash>

namespace lockscope::recipes {

class SqlRenewals;

/// What every SQL recipe is made of.
struct SqlLock {
    sql::Port& port;
    QByteArray name;   ///< the lock's name, as the user wrote it
    QByteArray client; ///< this client's UUID
    sql::Tables tables;
    Nanos pollLow = 100ms, pollHigh = 200ms; ///< between two looks at a taken row: drawn anew each time
    Nanos pingEvery = 3s;                    ///< sign of life of a connection that holds a lock
    /// Of all locks of the connection; nullptr: each renews for itself.
    std::shared_ptr<SqlRenewals> renewals = nullptr;
    /// What statementOf() has made of its templates, by those: the same few are wanted all the time.
    std::shared_ptr<QHash<QByteArray, QByteArray>> texts = std::make_shared<QHash<QByteArray, QByteArray>>();
    sql::KeyKind keys = sql::KeyKind::Usual; ///< of sql-advisory on PostgreSQL
};

/// The recipe of that id over a database. NotSupported when the database cannot do it, Refused for a name that it
/// cannot have and for a client's that is too long for its table, nullptr when there is no such recipe.
std::expected<std::unique_ptr<Recipe>, LockError> makeSqlRecipe(const QByteArray& id, SqlLock lock);

/// A database's error as a lock's.
LockError lockError(const sql::Error& error);

/// The same for what lives by its connection: when that broke, nothing is held.
LockError sessionError(const sql::Error& error, const QByteArray& name);
/// The connection ended before the lock was anybody's.
LockError brokeBeforeTaken(const QByteArray& name);

/// Released or renewed what is no longer ours.
LockError notSqlOwner(const QByteArray& name);

/// Somebody holds it, and the server did not tell who.
LockError holderUntold(const QByteArray& name);

/// The row is another recipe's.
LockError foreignRow(const QByteArray& name, const QByteArray& recipe);

/// Somebody's lock on the row, on the table or on the file kept a statement out: nothing was changed.
bool keptOut(const LockError& error);

/// How long a statement of a waiter may be kept out before the waiter looks around: until `giveUpAt`, but not so short
/// that a slow answer is taken for somebody's lock, and not so long that the lease it asks for would be over by then.
Nanos patienceUntil(const SqlLock& lock, Nanos giveUpAt, Nanos lease = kNever);

/// Lets some time pass after something was kept out; false when it is `giveUpAt` already.
QCoro::Task<bool> napUntil(const SqlLock& lock, Nanos giveUpAt, std::stop_token stop);

/// Waits for what takes an attempt back. When that was stopped, not for long: it goes on by itself. False when that has
/// not been done, as far as is known.
QCoro::Task<bool> awaitWithdrawal(Runtime& runtime, QCoro::Task<sql::Result> withdrawal, bool stopped);

/// A value that stands for one attempt of one thread, and that nobody else has: "client:thread:16 hex digits". It fits
/// into the table: a thread's name that is too long is cut, which the digits make up for.
QByteArray ownerOf(const SqlLock& lock, const QByteArray& thread);

/// A statement over the lock's table: `{t}` is the table, `{now}` the server's clock, `{in}` the server's clock so many
/// milliseconds from now (a `?`), `{left}` the milliseconds until expires_at, `{recipe}` the recipe's id as a text,
/// which is always the same for one lock.
sql::Statement statementOf(const SqlLock& lock, const char* recipe, QByteArray text, sql::Values values);

/// Makes a row for the lock that nobody holds, unless there is one; false: kept out until `giveUpAt` by somebody who
/// has locked the table or the file. Of sql-lease, sql-for-update and sql-version.
Outcome<bool> makeRow(const SqlLock& lock, const char* recipe, Nanos giveUpAt, std::stop_token stop);

/// Values in order, from numbers and byte arrays. A function, because GCC 12 cannot build a list inside an await.
template <typename... V>
sql::Values valuesOf(V... value) {
    sql::Values values;
    values.reserve(sizeof...(V));
    (values.emplace_back(std::move(value)), ...);
    return values;
}

/// Whole milliseconds of a lease, at least 1.
std::int64_t leaseMs(Nanos lease);

/// The next pause of a waiter that looks again: drawn, and no longer than until `giveUpAt`.
Nanos nextNap(const SqlLock& lock, Nanos giveUpAt);
/// A pause that ends no later than `giveUpAt`, nor than the lease of which so much is left.
Nanos napWithin(Runtime& runtime, Nanos nap, Nanos giveUpAt, Nanos left = kNever);

} // namespace lockscope::recipes
