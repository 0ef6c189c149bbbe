// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/key_kind.h"
#include "ports/sql/port.h"
#include "ports/sql/schema.h"
#include "recipes/recipe.h"

#include <QHash>

namespace lockscope::recipes {

class SqlRenewals;

/// Everything that an SQL recipe needs.
struct SqlLock {
    sql::Port& port;
    QByteArray name;   ///< the lock's name, as the user wrote it
    QByteArray client; ///< this client's UUID
    sql::Tables tables;
    Nanos pollLow = 100ms, pollHigh = 200ms; ///< pause between two looks at a taken row: drawn anew each time
    Nanos pingEvery = 3s;                    ///< sign of life of a connection that holds a lock
    /// Shared by all locks of the connection; nullptr: each lock renews for itself.
    std::shared_ptr<SqlRenewals> renewals = nullptr;
    /// Cache of statementOf(), by template: the same few texts are needed all the time.
    std::shared_ptr<QHash<QByteArray, QByteArray>> texts = std::make_shared<QHash<QByteArray, QByteArray>>();
    sql::KeyKind keys = sql::KeyKind::Usual; ///< how sql-advisory makes PostgreSQL's keys from names
};

/// The recipe with that id over a database. NotSupported when the database cannot do it; Refused for an invalid lock
/// name, or a client name too long for its table; nullptr when there is no such recipe.
std::expected<std::unique_ptr<Recipe>, LockError> makeSqlRecipe(const QByteArray& id, SqlLock lock);

/// The lock error that corresponds to a database error.
LockError lockError(const sql::Error& error);

/// As lockError(), for a lock that its connection holds: when that broke, nothing is held.
LockError sessionError(const sql::Error& error, const QByteArray& name);
/// The error for a connection that ended before the lock was taken.
LockError brokeBeforeTaken(const QByteArray& name);

/// The error for releasing or renewing a hold that is no longer the caller's.
LockError notSqlOwner(const QByteArray& name);

/// The error for a held lock whose holder the server did not name.
LockError holderUntold(const QByteArray& name);

/// The error for a row that belongs to another recipe.
LockError foreignRow(const QByteArray& name, const QByteArray& recipe);

/// Whether another client's lock on the row, table or file blocked a statement; nothing was changed.
bool keptOut(const LockError& error);

/// How long a waiter's statement may be blocked: until `giveUpAt`, but long enough that a slow answer is not taken for
/// another client's lock, and short enough that the requested lease is not over by then.
Nanos patienceUntil(const SqlLock& lock, Nanos giveUpAt, Nanos lease = kNever);

/// Pauses after a statement was blocked; false when `giveUpAt` has come.
QCoro::Task<bool> napUntil(const SqlLock& lock, Nanos giveUpAt, std::stop_token stop);

/// Waits until an attempt is undone; only briefly when it was stopped (the undoing then goes on by itself). False when
/// it is not undone, as far as is known.
QCoro::Task<bool> awaitWithdrawal(Runtime& runtime, QCoro::Task<sql::Result> withdrawal, bool stopped);

/// A text that identifies one attempt of one thread, unique: "client:thread:16 hex digits". It fits the table's column:
/// a long thread name is cut; the digits keep it unique.
QByteArray ownerOf(const SqlLock& lock, const QByteArray& thread);

/// A statement about the lock's table: `{t}` is the table, `{now}` the server's clock, `{in}` the server's clock plus a
/// number of milliseconds (a `?`), `{left}` the milliseconds until expires_at, `{recipe}` the recipe's id as text,
/// which never changes for a lock.
sql::Statement statementOf(const SqlLock& lock, const char* recipe, QByteArray text, sql::Values values);

/// Inserts a free row for the lock unless it has one; false: somebody's lock on the table or file blocked it until
/// `giveUpAt`. For sql-lease, sql-for-update and sql-version.
Outcome<bool> makeRow(const SqlLock& lock, const char* recipe, Nanos giveUpAt, std::stop_token stop);

/// A list of values from numbers and byte arrays. A function, because GCC 12 cannot build a list within an await.
template <typename... V>
sql::Values valuesOf(V... value) {
    sql::Values values;
    values.reserve(sizeof...(V));
    (values.emplace_back(std::move(value)), ...);
    return values;
}

/// A lease in whole milliseconds, at least 1.
std::int64_t leaseMs(Nanos lease);

/// The next pause of a polling waiter: random, and not beyond `giveUpAt`.
Nanos nextNap(const SqlLock& lock, Nanos giveUpAt);
/// `nap`, cut to end by `giveUpAt` and, if the lease that has `left` may end sooner, 1 ms after that.
Nanos napWithin(Runtime& runtime, Nanos nap, Nanos giveUpAt, Nanos left = kNever);

} // namespace lockscope::recipes
