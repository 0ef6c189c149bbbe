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

/// Each way in which talking to a database fails, told apart because a caller can act on it.
struct Error {
    enum class Kind : std::uint8_t {
        Unreachable,      ///< no connection could be made
        ConnectTimeout,   ///< no connection within the connect time-out
        TlsFailed,        ///< handshake or certificate refused
        AuthFailed,       ///< user, password or the right to the database refused
        NoDatabase,       ///< the server has no database of that name
        TooMany,          ///< the server has as many connections as it takes
        WrongUrl,         ///< the connection's settings make no sense
        MissingTable,     ///< table or column missing: the schema was not made, or is an older one
        DuplicateKey,     ///< a unique key is there already
        Deadlock,         ///< the server ended the transaction to end a deadlock
        WaitExceeded,     ///< waited for a lock as long as asked, or as long as the server allows; nothing was changed
        Interrupted,      ///< ended on the server by somebody's word; nothing was changed
        StatementTimeout, ///< sent, no reply in time: whether it ran is unknown
        Disconnected,     ///< the connection broke after sending: whether it ran is unknown
        Refused,          ///< the server answered with another error
    };
    Kind kind = Kind::Unreachable;
    QByteArray code; ///< the server's: an error number (MySQL, SQLite) or an SQLSTATE
    QString message; ///< one sentence: what, where, what to do; never a password

    /// True when the statement may or may not have been carried out.
    bool outcomeUnknown() const { return kind == Kind::StatementTimeout || kind == Kind::Disconnected; }
    /// True when the connection is of no use any more.
    bool connectionLost() const { return kind <= Kind::WrongUrl || outcomeUnknown(); }
};

/// NULL, a whole number, or UTF-8 text without a zero byte.
using Value = std::variant<std::monostate, std::int64_t, QByteArray>;
using Values = std::vector<Value>;

/// One statement; each `?` in the text stands for a value and for nothing else. Texts are few: each connection keeps
/// what the server has prepared of them.
struct Statement {
    QByteArray text;
    Values values;
    bool waits = true; ///< in a session: for locks, by the server's limit on that
};

struct Reply {
    std::vector<Values> rows;
    std::int64_t affected = 0; ///< rows that were inserted, deleted, or matched by an UPDATE
    std::int64_t insertId = 0; ///< MySQL: what LAST_INSERT_ID(…) was given in the statement

    /// The number in a row, 0 when there is none.
    std::int64_t number(std::size_t row = 0, std::size_t column = 0) const;
    /// The text in a row, empty when there is none.
    QByteArray text(std::size_t row = 0, std::size_t column = 0) const;
    bool isNull(std::size_t row = 0, std::size_t column = 0) const;
};

using Result = std::expected<Reply, Error>;

/// How it stands with a session that is idle and should live.
enum class Sign : std::uint8_t {
    Alive,  ///< the server has just answered on this connection
    Silent, ///< it owes an answer; the connection is not known to be broken
    Broken, ///< the connection or its transaction is gone, and with it what the server kept for it
};

/// For how long a session that was just heard from is left alone: most holds are over by then.
constexpr Nanos kLeftAlone = 20ms;

/// A connection with a purpose of its own: for what lives as long as a transaction or a connection. Statements asked
/// for at once are carried out one after the other, each from when its turn has come. Destroyed without giveBack(), the
/// connection is closed: the server then frees what it held.
class Session {
public:
    virtual ~Session() = default;
    /// The next execute() begins a transaction first, in the same round trip.
    virtual void begin() = 0;
    /// Carries a statement out. It may wait on the server for at most `wait` (kNever: as long as the server allows):
    /// then Kind::WaitExceeded. Stopped: it ends on the server first, then Cancelled, although it may have been carried
    /// out by then; the transaction is still open, unless broken().
    /// A server may give a transaction up with a statement that fails or is stopped (PostgreSQL: with any), and frees
    /// what it had locked: broken(), until rollback() or commit().
    virtual QCoro::Task<Result> execute(Statement statement, Nanos wait = kNever, std::stop_token stop = {}) = 0;
    /// Ends the transaction. Nothing to do: success. One that the server had given up is not committed: an error.
    virtual QCoro::Task<Result> commit() = 0;
    virtual QCoro::Task<Result> rollback() = 0;
    /// Waits for the next sign of life, asked for after `every`, or as soon as the connection shows that it broke.
    /// Stopped: Cancelled, or Alive without having looked.
    virtual QCoro::Task<Sign> nextSign(Nanos every, std::stop_token stop = {}) = 0;
    /// Looks at the connection each time: also true when an answer came before it ended.
    virtual bool broken() const = 0;
    /// A pooler stands in between that may give each transaction another connection to the server: what the server
    /// keeps for a connection outside of a transaction does not last here.
    virtual bool pooled() const = 0;
    /// Why this server is not the one to lock at, when it was a replica or read-only as the connection was made: locks
    /// that are kept in its memory are its alone.
    virtual std::optional<Error> takesNoWrites() const = 0;
    /// The connection holds nothing any more and may serve others. Ends this session.
    virtual void giveBack() = 0;
};

/// A session that somebody owns. Not a bare unique_ptr: GCC 12's std::expected, made of something that a null pointer
/// converts to, breaks the comparisons inside QCoro's awaiter.
class OwnedSession {
public:
    explicit OwnedSession(std::unique_ptr<Session> session) : m_session(std::move(session)) {}
    /// The session; it goes with its last owner.
    Session* operator->() const { return m_session.get(); }
    std::shared_ptr<Session> share() && { return std::move(m_session); }

private:
    std::unique_ptr<Session> m_session;
};

/// What Port::execute() throws when it was stopped and surely was not carried out: there is nothing to take back.
class NothingRan final : public Cancelled {
public:
    NothingRan() : Cancelled(Why::Stopped) {}
};

/// What a recipe needs of a database.
class Port {
public:
    virtual ~Port() = default;
    /// Where it works; and which database that is.
    virtual Runtime& runtime() = 0;
    virtual Dialect dialect() const = 0;
    /// One statement that commits by itself, on any connection. Stopped: it has ended on the server when Cancelled is
    /// thrown (whether it was carried out is not told, unless it is NothingRan), as far as the server still answers.
    /// With a patience: when somebody's lock keeps it out for so long after it was sent, Kind::WaitExceeded, and the
    /// same when the server or the driver has less patience. A server that does not answer is another error.
    virtual QCoro::Task<Result> execute(Statement statement, std::stop_token stop = {},
                                        std::optional<Nanos> patience = std::nullopt) = 0;
    /// A connection for one purpose. Never waits for one that others use.
    virtual QCoro::Task<std::expected<OwnedSession, Error>> session(std::stop_token stop = {}) = 0;
    /// The same over a connection that is there already, for one that is in a hurry; nullptr: none is.
    virtual std::shared_ptr<Session> idleSession() = 0;
};

} // namespace lockscope::sql
