// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/command.h"

#include <map>

namespace lockscope::sql {

/// One connection to MySQL, MariaDB or PostgreSQL. Each call is one round trip; one at a time.
class Wire {
public:
    /// Sends a text of one or more statements. Returns the last one's result, or the first error.
    virtual QCoro::Task<Result> run(QByteArray text) = 0;
    /// Prepares a statement under a unique name.
    virtual QCoro::Task<Result> prepare(QByteArray name, QByteArray text) = 0;
    /// Runs a prepared statement, with values apart from the text, so that the server need not parse one.
    virtual QCoro::Task<Result> execute(QByteArray name, Values values) = 0;

protected:
    ~Wire() = default;
};

/// Turns commands into texts for MySQL, MariaDB and PostgreSQL, and knows the connection's state: its prepared
/// statements, limits and transaction. One command at a time.
///
/// Where a transaction begins in the same round trip, the values stand in the text. Otherwise they are sent apart from
/// it.
class CommandRunner {
public:
    /// Precondition: not Dialect::Sqlite.
    explicit CommandRunner(Dialect dialect) : m_dialect(dialect) {}
    QCoro::Task<Result> run(Wire& wire, Command command);

    /// A command that is one round trip in the connection's present state: a text to send, or the name of a prepared
    /// statement for its values.
    struct Simple {
        QByteArray text, name;
    };
    /// nullopt: use run(). Otherwise the caller executes it, and calls run() if it was forgotten().
    std::optional<Simple> simple(const Command& command);
    /// Whether the server no longer knows the prepared statement; nothing was changed.
    bool forgotten(const Result& result) const;

    /// A pooler may give each transaction another connection to the server.
    void isPooled() {
        m_pooled = true;
        m_canPrepare = false;
    }

private:
    /// Not std::expected: GCC 12 does not compile one with a QByteArray inside QCoro's awaiter.
    struct Name {
        QByteArray text; ///< the prepared statement's name; empty: the statement cannot be prepared
        std::optional<Error> error;
    };
    bool inTransaction(const Command& command) const { return command.begin || m_inTransaction; }
    bool setsLimit(const Command& command) const;
    bool setsLimitAlone(const Command& command) const;
    /// A command to send before it, in the same round trip.
    QByteArray front(const Command& command);
    QCoro::Task<Name> prepared(Wire& wire, Statement statement);
    QByteArray executing(const QByteArray& name, const Statement& statement) const;
    QCoro::Task<Result> withoutPreparing(Wire& wire, Command command, QByteArray before);

    Dialect m_dialect;
    std::map<QByteArray, QByteArray> m_names; ///< of prepared statements, by text; empty: cannot be prepared
    bool m_canPrepare = true;                 ///< the server stays the same one
    bool m_pooled = false;
    bool m_inTransaction = false;
    std::int64_t m_lockWaitMs = -1;      ///< the connection's present limit
    std::int64_t m_localLockWaitMs = -1; ///< PostgreSQL: in this transaction
};

} // namespace lockscope::sql
