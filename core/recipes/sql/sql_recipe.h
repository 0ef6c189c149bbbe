// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"
#include "recipes/recipe.h"

namespace lockscope::recipes {

class SqlRenewals;

/// Everything that an SQL recipe needs.
struct SqlLock {
    sql::Port& port;
    QByteArray name;                         ///< the lock's name, as the user wrote it
    QByteArray client;                       ///< this client's UUID
    Nanos pollLow = 100ms, pollHigh = 200ms; ///< pause between two looks at a taken row: drawn anew each time
    Nanos pingEvery = 3s;                    ///< sign of life of a connection that holds a lock
    /// Shared by all locks of the connection; nullptr: each lock renews for itself.
    std::shared_ptr<SqlRenewals> renewals = nullptr;
};

/// The recipe with that id over a database. NotSupported when the database cannot do it; Refused for an invalid lock
/// name, or a client name too long for its table; nullptr when there is no such recipe.
std::expected<std::unique_ptr<Recipe>, LockError> makeSqlRecipe(const QByteArray& id, SqlLock lock);

// --- errors ---
/// The lock error that corresponds to a database error.
LockError lockError(const sql::Error& error);
/// As lockError(), for a lock that its connection holds: when that broke, nothing is held.
LockError sessionError(const sql::Error& error, const QByteArray& name);
/// The error for a connection that ended before the lock was taken.
LockError brokeBeforeTaken(const QByteArray& name);
/// The error for releasing or renewing a hold that is no longer the caller's.
LockError notSqlOwner(const QByteArray& name);
/// The error for a row that belongs to another recipe.
LockError foreignRow(const QByteArray& name, const QByteArray& recipe);
/// Whether another client's lock on the row, table or file blocked a statement; nothing was changed.
bool keptOut(const LockError& error);

// --- time ---
/// The time left until an instant of the client's own clock, at least 0.
Nanos leftUntil(Nanos giveUpAt, Nanos now);
/// How long a waiter's statement may be blocked: until `giveUpAt`, but long enough that a slow answer is not taken for
/// another client's lock, and short enough that the requested lease is not over by then.
Nanos patienceUntil(const SqlLock& lock, Nanos giveUpAt, Nanos lease = kNever);
/// The next pause of a polling waiter: random, and not beyond `giveUpAt`.
Nanos nextNap(const SqlLock& lock, Nanos giveUpAt);
/// `nap`, cut to end by `giveUpAt` and, if the lease that has `left` may end sooner, 1 ms after that.
Nanos napWithin(Runtime& runtime, Nanos nap, Nanos giveUpAt, Nanos left = kNever);
/// Pauses after a statement was blocked; false when `giveUpAt` has come.
QCoro::Task<bool> napUntil(const SqlLock& lock, Nanos giveUpAt, std::stop_token stop);

// --- requests ---
/// A text that identifies one attempt of one thread, unique: "client:thread:16 hex digits". It fits the table's column:
/// a long thread name is cut; the digits keep it unique.
QByteArray ownerOf(const SqlLock& lock, const QByteArray& thread);

/// The port's answer in the words of locks.
template <typename T>
Outcome<T> outcomeOf(sql::Answer<T> request) {
    const auto answer = co_await std::move(request);
    if (!answer) co_return std::unexpected(lockError(answer.error()));
    co_return *answer;
}

/// Waits until an attempt is undone; only briefly when it was stopped (the undoing then goes on by itself). False when
/// it is not undone, as far as is known.
QCoro::Task<bool> awaitWithdrawal(Runtime& runtime, sql::Answer<bool> withdrawal, bool stopped);

/// Reads the lock's row; ForeignFormat when another recipe wrote it.
Outcome<sql::Row> lookAtRow(const SqlLock& lock, QByteArray recipe, Nanos patience, std::stop_token stop);
/// The row's owner, and since when. Precondition: the row has one.
HolderInfo ownerIn(const sql::Row& row);

/// Inserts a free row for the lock unless it has one; false: somebody's lock on the table or file blocked it until
/// `giveUpAt`. For sql-lease, sql-for-update and sql-version.
Outcome<bool> makeRow(const SqlLock& lock, QByteArray recipe, Nanos giveUpAt, std::stop_token stop);

} // namespace lockscope::recipes
