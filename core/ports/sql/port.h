// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "runtime/runtime.h"

#include <QByteArray>
#include <QString>
#include <expected>
#include <memory>
#include <optional>
#include <qcoro/qcorotask.h>
#include <stop_token>
#include <variant>
#include <vector>

namespace lockscope::sql {

enum class Dialect : std::uint8_t { MySql, PostgreSql, Sqlite };

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

    /// Whether the statement may or may not have been executed.
    bool outcomeUnknown() const { return kind == Kind::StatementTimeout || kind == Kind::Disconnected; }
    /// Whether the connection is no longer usable.
    bool connectionLost() const { return kind <= Kind::WrongUrl || outcomeUnknown(); }
};

/// NULL, a whole number, or UTF-8 text without a zero byte.
using Value = std::variant<std::monostate, std::int64_t, QByteArray>;
using Values = std::vector<Value>;

/// One statement; each `?` in the text is a placeholder for a value and nothing else. Use few different texts: each
/// connection keeps the server's prepared statements for them.
struct Statement {
    QByteArray text;
    Values values;
    bool waits = true; ///< in a session: it waits for locks, bounded by the server's limit
};

struct Reply {
    std::vector<Values> rows;
    std::int64_t affected = 0; ///< rows inserted, deleted, or matched by an UPDATE
    std::int64_t insertId = 0; ///< MySQL: the argument of LAST_INSERT_ID(…) in the statement

    /// The number in a row; 0 when there is none.
    std::int64_t number(std::size_t row = 0, std::size_t column = 0) const;
    /// The text in a row; empty when there is none.
    QByteArray text(std::size_t row = 0, std::size_t column = 0) const;
    bool isNull(std::size_t row = 0, std::size_t column = 0) const;
};

using Result = std::expected<Reply, Error>;

/// The state of an idle session.
enum class Sign : std::uint8_t {
    Alive,  ///< the server has just answered on this connection
    Silent, ///< the server owes an answer; the connection is not known to be broken
    Broken, ///< the connection or its transaction is gone, with everything the server kept for it
};

/// How long a session needs no check after an answer: most holds end sooner.
constexpr Nanos kLeftAlone = 20ms;

/// A connection for one purpose: for state that lasts as long as a transaction or a connection. Simultaneous statements
/// run one after the other; the time of each counts from its turn. Destroyed without giveBack(), the connection is
/// closed, and the server frees what it held.
class Session {
public:
    virtual ~Session() = default;
    /// Makes the next execute() begin a transaction, in the same round trip.
    virtual void begin() = 0;
    /// Runs a statement. It may wait on the server for at most `wait` (kNever: the server's limit), then
    /// Kind::WaitExceeded. When stopped: the statement is ended on the server first, then Cancelled is thrown; it may
    /// have run by then. The transaction stays open, unless broken().
    /// A server may give a transaction up when a statement fails or is stopped (PostgreSQL: any statement), and then
    /// frees what the transaction had locked: broken(), until rollback() or commit().
    virtual QCoro::Task<Result> execute(Statement statement, Nanos wait = kNever, std::stop_token stop = {}) = 0;
    /// Ends the transaction; success when there is none. One that the server had given up is not committed: an error.
    virtual QCoro::Task<Result> commit() = 0;
    virtual QCoro::Task<Result> rollback() = 0;
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

/// Owns a session. Not a plain unique_ptr: GCC 12's std::expected of a type that a null pointer converts to breaks the
/// comparisons in QCoro's awaiter.
class OwnedSession {
public:
    explicit OwnedSession(std::unique_ptr<Session> session) : m_session(std::move(session)) {}
    /// The session; it ends with its last owner.
    Session* operator->() const { return m_session.get(); }
    std::shared_ptr<Session> share() && { return std::move(m_session); }

private:
    std::unique_ptr<Session> m_session;
};

/// Thrown by Port::execute() when it was stopped and certainly did not run: there is nothing to undo.
class NothingRan final : public Cancelled {
public:
    NothingRan() : Cancelled(Why::Stopped) {}
};

/// The operations that a recipe needs of a database.
class Port {
public:
    virtual ~Port() = default;
    /// The runtime on whose thread it works, and the kind of database.
    virtual Runtime& runtime() = 0;
    virtual Dialect dialect() const = 0;
    /// Runs one statement that commits by itself, on any connection. When stopped: Cancelled, after the statement was
    /// ended on the server, if the server still answers; it may have run, unless the exception is NothingRan.
    /// `patience`: Kind::WaitExceeded when another client's lock blocks it for so long after it was sent, or sooner if
    /// the server or the driver has a lower limit. A server that does not answer is another error.
    virtual QCoro::Task<Result> execute(Statement statement, std::stop_token stop = {},
                                        std::optional<Nanos> patience = std::nullopt) = 0;
    /// A connection for one purpose. Never waits for one that others use.
    virtual QCoro::Task<std::expected<OwnedSession, Error>> session(std::stop_token stop = {}) = 0;
    /// As session(), over an open connection, at once; nullptr: none is free.
    virtual std::shared_ptr<Session> idleSession() = 0;
};

} // namespace lockscope::sql
