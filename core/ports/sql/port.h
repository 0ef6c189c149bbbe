// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArray>
#include <QByteArrayList>
#include <QString>
#include <expected>
#include <memory>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>
#include <vector>

namespace lockscope::sql {

/// Why a call to a database failed. Kinds differ where a caller can react differently.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,      ///< no connection could be made
        ConnectTimeout,   ///< no connection within the connect time-out
        TlsFailed,        ///< handshake or certificate refused
        AuthFailed,       ///< user, password or the right to the database refused
        NoDatabase,       ///< the server has no database of that name
        TooMany,          ///< the server has reached its limit of connections
        WrongUrl,         ///< the URL's settings are invalid
        MissingTable,     ///< table or column missing: the schema does not exist, or is older
        DuplicateKey,     ///< the unique key exists
        Deadlock,         ///< the server ended the transaction to resolve a deadlock
        WaitExceeded,     ///< the wait for a lock reached the requested or the server's limit; nothing was changed
        Interrupted,      ///< stopped on the server by request; nothing was changed
        StatementTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,     ///< the connection broke after sending: whether it ran is unknown
        Refused,          ///< the server answered with another error
    };
    Kind kind = Kind::Unreachable;
    QByteArray code; ///< the server's: an error number (MySQL, SQLite) or an SQLSTATE
    QString message; ///< one sentence: what, where, what to do; never a password

    /// Whether the request may or may not have been carried out.
    bool outcomeUnknown() const { return kind == Kind::StatementTimeout || kind == Kind::Disconnected; }
    /// Whether the connection is no longer usable.
    bool connectionLost() const { return kind <= Kind::WrongUrl || outcomeUnknown(); }
};

template <typename T>
using Answer = QCoro::Task<std::expected<T, Error>>;

/// Thrown by a verb of Port that was stopped and certainly did not run: there is nothing to undo.
class NothingRan final : public Cancelled {
public:
    NothingRan() : Cancelled(Why::Stopped) {}
};

/// A lock's row: its unique key, and the recipe that it belongs to. Verbs that change a row by its key leave a row of
/// another recipe alone.
struct RowKey {
    QByteArray recipe, name;
};

/// The content of a row.
struct Row {
    bool there = false;
    QByteArray recipe;
    QByteArray owner; ///< empty: the row is free
    std::int64_t version = 0;
    Nanos left{}; ///< until its lease ends, by the server's clock, whole milliseconds; 0: free, or without a lease
    /// When its owner got it, by the server's clock, ms since 1970; nullopt: free, or the row does not say.
    std::optional<std::int64_t> sinceWallMs = std::nullopt;
};

/// One hold by a row's owner, to be extended.
struct OwnedRow {
    QByteArray name, owner;
};
/// For each of several holds: whether the row was still its owner's, unexpired, and has the new lease now.
struct Extended {
    std::vector<bool> each;
};

/// The key of a named lock, made from a lock's name by Port::namedKey().
struct NamedKey {
    QByteArray name;
    std::int64_t number =
        0;            ///< PostgreSQL's; of two numbers: the first in the high 32 bits, the second in the low ones
    bool two = false; ///< the key is two 32-bit numbers
};
enum class Sharing : std::uint8_t { Exclusive, Shared };

/// The hold of a client as it was seen, to be taken away from it.
struct SeenHold {
    enum class By : std::uint8_t {
        Lease,       ///< the row's owner, of sql-lease
        Row,         ///< the row itself, of sql-row
        NamedLock,   ///< a session that holds a named lock
        Transaction, ///< a session whose transaction holds locks of rows or tables
        Foreign,     ///< a row of another library's table: a statement frees or deletes it as it was seen
    };
    By by = By::Lease;
    QByteArray name;            ///< of the lock; a named lock's as the server lists it: on PostgreSQL "42" or "12,34"
    QByteArray owner = {};      ///< Lease, Row
    std::int64_t session = 0;   ///< NamedLock, Transaction: the connection's number
    std::int64_t began = 0;     ///< Transaction: ms since 1970
    QByteArray statement = {};  ///< Foreign: with a question mark for each of `values`
    QByteArrayList values = {}; ///< Foreign
};

/// A small value by which processes agree, compared by its version.
struct StoredRecord {
    bool there = false;
    QByteArray value;
    std::int64_t version = 0;
};

/// True for names that all databases store unchanged: 1 to `longest` bytes of valid UTF-8 without a zero byte.
bool validName(const QByteArray& name, qsizetype longest);

/// The abilities of this kind of database.
struct Abilities {
    bool rowLocks = true;           ///< Session::lockRow(), and the verbs about holders of row locks
    bool namedLocks = true;         ///< named locks of a connection
    bool sharedNamedLocks = false;  ///< Sharing::Shared
    bool showsItsEnd = true;        ///< a connection breaks when the database ends
    qsizetype longestNamedLock = 0; ///< bytes; 0: as long as a row's name
};

/// The state of an idle session.
enum class Sign : std::uint8_t {
    Alive,  ///< the server has just answered on this connection
    Silent, ///< the server owes an answer; the connection is not known to be broken
    Broken, ///< the connection or its transaction is gone, with everything the server kept for it
};

/// How long a session needs no check after an answer: most holds end sooner.
constexpr Nanos kLeftAlone = 20ms;

/// A connection for one purpose: locks that a server keeps as long as a transaction or a connection lasts. Simultaneous
/// calls run one after the other; the time of each counts from its turn. Destroyed without giveBack(), the connection
/// is closed, and the server frees what it held. No verb is retried.
class Session {
public:
    virtual ~Session() = default;

    /// Locks the row until the transaction ends; begins one if none is open. Row::there tells whether there is a row:
    /// a missing one is not locked. Only recipe is filled in. `wait`: how long other holders are waited for, in the
    /// server's queue, which hands a row on to the next waiter when its holder's transaction ends (PostgreSQL lets a
    /// newcomer in between). 0: WaitExceeded at once when the row is locked. kNever: the server's own limit.
    /// A row that this transaction has locked already is had at once. After an error the transaction is still open,
    /// unless broken(): with MySQL, a time-out leaves it all that it had locked before; with PostgreSQL, any error, a
    /// time-out included, has freed everything, and only rollback() may follow.
    /// When stopped: the wait is ended on the server first, then Cancelled is thrown; it may have been granted by then.
    virtual Answer<Row> lockRow(QByteArray name, Nanos wait, std::stop_token stop = {}) = 0;
    /// Ends the transaction; success when there is none. A transaction that the server had given up is not committed:
    /// an error. After any error the connection is closed.
    virtual Answer<void> commit() = 0;
    /// As commit(), without keeping what the transaction changed.
    virtual Answer<void> rollback() = 0;

    /// Takes a named lock for this connection; the server counts how often. Waits at most `wait` in the server's queue,
    /// first come, first served; 0 = only if it is free at once; kNever: no bound. False, or WaitExceeded: not had, and
    /// this session holds nothing. Interrupted: somebody ended the request on the server. When stopped: Cancelled; the
    /// session may hold the lock, so it must be destroyed.
    virtual Answer<bool> takeNamed(NamedKey key, Sharing sharing, Nanos wait, std::stop_token stop = {}) = 0;
    /// Gives one count of it back; false: this connection did not hold it.
    virtual Answer<bool> releaseNamed(NamedKey key, Sharing sharing) = 0;

    /// Waits for the next sign of life, which is requested after `every`, or as soon as the connection shows that it
    /// broke. When stopped: Cancelled, or Alive without a check.
    virtual QCoro::Task<Sign> nextSign(Nanos every, std::stop_token stop = {}) = 0;
    /// Checks the connection at each call: also true when an answer came before it ended.
    virtual bool broken() const = 0;
    /// Whether a pooler may give each transaction another connection to the server: server state of a connection,
    /// outside of a transaction, then does not last.
    virtual bool pooled() const = 0;
    /// The error for locking at a server that was a replica or read-only when the connection was made: locks in its
    /// memory exclude only its own clients.
    virtual std::optional<Error> takesNoWrites() const = 0;
    /// Returns the connection for others to use; precondition: it holds nothing. Ends this session.
    virtual void giveBack() = 0;
};

/// Owns a session. Not a plain shared_ptr: GCC 12's std::expected of a type that a null pointer converts to breaks the
/// comparisons in QCoro's awaiter.
template <typename S>
class Owned {
public:
    explicit Owned(std::shared_ptr<S> session) : m_session(std::move(session)) {}
    /// The session; it ends with its last owner.
    S* operator->() const { return m_session.get(); }
    std::shared_ptr<S> share() && { return std::move(m_session); }

private:
    std::shared_ptr<S> m_session;
};

/// The verbs that recipes need of a database: each is atomic, and committed when it is answered. The statements stand
/// below this port, in SqlPort; another implementation needs no SQL.
///
/// Every verb may fail with the kinds that tell of connecting and of the connection, and with MissingTable, until the
/// database is prepared; outcomeUnknown() says that it may have run. A verb that changes rows may have to wait for
/// another client's lock on the row (or, on SQLite, the file): for at most `patience`, then WaitExceeded, and nothing
/// was changed; without it, for as long as a request may take at all. When stopped: Cancelled, after the request was
/// ended on the server, if the server still answers; it may have run, unless the exception is NothingRan.
/// "Now" is the server's clock.
class Port {
public:
    using Patience = std::optional<Nanos>;
    virtual ~Port() = default;
    /// The runtime on whose thread it works.
    virtual Runtime& runtime() = 0;
    virtual Abilities abilities() const = 0;

    // --- a row for each lock ---
    /// Inserts the row, owned. False: there is one already, or another client's insertion came first.
    virtual Answer<bool> insert(RowKey key, QByteArray owner, std::stop_token stop = {}, Patience patience = {}) = 0;
    /// Inserts a free row, unless there is one. Its version begins at the server's clock (recipes/token_start.h).
    virtual Answer<void> makeFree(RowKey key, std::stop_token stop = {}, Patience patience = {}) = 0;
    /// The row's content, whichever recipe wrote it; waits for no row's lock.
    virtual Answer<Row> look(QByteArray name, std::stop_token stop = {}, Patience patience = {}) = 0;
    /// Gives the row to `owner` for `lease` if it is free or its lease has ended, and raises its version by 1. The new
    /// version; 0: not taken. If several ask at once, one gets it.
    virtual Answer<std::int64_t> take(RowKey key, QByteArray owner, Nanos lease, std::stop_token stop = {},
                                      Patience patience = {}) = 0;
    /// The lease of a row that is this owner's and has not ended begins anew. False: it is not, or it has.
    virtual Answer<bool> extend(OwnedRow row, Nanos lease, std::stop_token stop = {}, Patience patience = {}) = 0;
    /// As extend(), for several rows, sorted by name: all or, with an error, none. Deadlock, WaitExceeded: another
    /// client has locked one of them.
    virtual Answer<Extended> extendAll(std::vector<OwnedRow> rows, Nanos lease) = 0;
    /// Frees a row that is this owner's and has not expired. False: it is not, or it has.
    virtual Answer<bool> free(OwnedRow row, std::stop_token stop = {}) = 0;
    /// As free(), but for a row whose lease may have ended: undoes a take().
    virtual Answer<bool> takeBack(OwnedRow row, std::stop_token stop = {}, Patience patience = {}) = 0;
    /// Frees the row, whoever owns it. False: it was free, or its lease had ended.
    virtual Answer<bool> freeByForce(RowKey key, std::stop_token stop = {}) = 0;
    /// Deletes the row, whoever owns it. False: there was none.
    virtual Answer<bool> erase(RowKey key, std::stop_token stop = {}) = 0;
    /// Deletes the row if it is this owner's: undoes an insert().
    virtual Answer<bool> eraseOwned(OwnedRow row, std::stop_token stop = {}) = 0;
    /// Raises the version by 1 and notes the owner if the version is still this one. False: it is another one. If
    /// several ask at once, one succeeds.
    virtual Answer<bool> compareAndSet(RowKey key, std::int64_t version, QByteArray owner,
                                       std::stop_token stop = {}) = 0;
    /// Raises the version by 1, so that each compareAndSet() in progress fails. False: there is no row.
    virtual Answer<bool> raise(RowKey key, std::stop_token stop = {}) = 0;
    /// Deletes some hundred of a recipe's rows that have been free for `age`; each on its own, so that others' rows are
    /// not waited for together. Ends early without an error: there is a next time.
    virtual Answer<void> eraseOld(QByteArray recipe, Nanos age) = 0;

    // --- locks that a connection holds ---
    /// A connection for one purpose. Never waits for one that others use.
    virtual Answer<Owned<Session>> session(std::stop_token stop = {}) = 0;
    /// As session(), over an open connection, at once; nullptr: none is free.
    virtual std::shared_ptr<Session> idleSession() = 0;
    struct RowLock {
        Row row; ///< there, and recipe
        bool locked = false;
    };
    /// Whether a transaction has locked the row. On MySQL by locking it for the length of a request, which another
    /// client's try finds in its way.
    virtual Answer<RowLock> rowLock(QByteArray name, std::stop_token stop = {}) = 0;
    /// Ends the connection whose transaction has locked the row, and waits until it is gone. False: there was none. On
    /// MySQL it needs the PROCESS privilege, and waits in the row's queue for at most some seconds.
    virtual Answer<bool> endRowHolder(QByteArray name, std::stop_token stop = {}) = 0;
    /// The named lock of that name; an error when it cannot have one.
    virtual std::expected<NamedKey, Error> namedKey(const QByteArray& name) const = 0;
    /// Whether any connection holds it.
    virtual Answer<bool> namedLockHeld(NamedKey key, std::stop_token stop = {}) = 0;
    /// Ends all connections that hold it, and waits until they are gone. False: there was none.
    virtual Answer<bool> endNamedHolders(NamedKey key, std::stop_token stop = {}) = 0;

    /// Takes a hold away, if it is still as it was seen: frees or deletes the row, or ends the session and waits until
    /// it is gone. False: it is not, and nothing was changed. MySQL cannot compare and end a session in one step: a
    /// session that gives its lock back between the two ends all the same.
    virtual Answer<bool> takeAway(SeenHold hold, std::stop_token stop = {}) = 0;
    /// The statements of takeAway() with their values, for people.
    virtual QByteArrayList takeAwayText(const SeenHold& hold) const = 0;

    // --- records, by which processes agree ---
    /// Reads the record. The answer is "not there" also while the table of records does not exist.
    virtual Answer<StoredRecord> readRecord(QByteArray name, std::stop_token stop = {}) = 0;
    /// Writes the value if the record is still as `seen`: missing, or of that version. False: it is not. Makes the
    /// table of records if it is missing.
    virtual Answer<bool> replaceRecord(QByteArray name, StoredRecord seen, QByteArray value,
                                       std::stop_token stop = {}) = 0;

    // --- the database ---
    /// Success when the database answers and accepts writes.
    virtual Answer<void> checkWritable(std::stop_token stop = {}) = 0;
    /// Creates the tables, or updates older ones; success when there is nothing to do. Several clients may do so at
    /// once. Refused: a newer program made the tables, they are not Lockscope's, or lack the key that locks need.
    virtual Answer<void> prepare(std::stop_token stop = {}) = 0;
    /// The statements that prepare() runs in an empty database, as text for people; empty: nothing that can be shown.
    virtual QString schema() const = 0;
};

} // namespace lockscope::sql
