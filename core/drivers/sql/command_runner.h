// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/command.h"

#include <map>

namespace lockscope::sql {

/// One connection to MySQL, MariaDB or PostgreSQL, as far as it runs texts.
class TextRunner {
public:
    /// Sends a statement after `before` others, separated by semicolons, in one round trip. Returns the last one's
    /// result, or the first error.
    virtual QCoro::Task<Result> run(QByteArray text, int before) = 0;
    /// nullptr: values can only be part of a text.
    virtual class ValueRunner* values() { return nullptr; }

protected:
    ~TextRunner() = default;
};

/// Also runs prepared statements with values apart from the text, so that the server need not parse a text.
class ValueRunner {
public:
    /// Prepares a statement under a unique name. One round trip.
    virtual QCoro::Task<Result> prepare(QByteArray name, QByteArray text) = 0;
    /// Runs a prepared statement. One round trip.
    virtual QCoro::Task<Result> execute(QByteArray name, Values values) = 0;

protected:
    ~ValueRunner() = default;
};

/// Turns commands into texts for MySQL, MariaDB and PostgreSQL, and knows the connection's state: its prepared
/// statements, limits and transaction. One command at a time.
///
/// The runner uses texts, prepared as texts, where a transaction begins in the same round trip, and where QtSql owns
/// the connection: QtSql prepares MySQL's statements by the binary protocol and resets them before each execution,
/// which is another round trip. Otherwise values are sent apart from the text.
class CommandRunner {
public:
    /// Precondition: not Dialect::Sqlite.
    explicit CommandRunner(Dialect dialect) : m_dialect(dialect) {}
    QCoro::Task<Result> run(TextRunner& texts, Command command);

    /// A command that is one round trip in the connection's present state: a text to send, or the name of a prepared
    /// statement for its values.
    struct Simple {
        QByteArray text, name;
    };
    /// nullopt: use run(). Otherwise the caller executes it, and calls run() if it was forgotten().
    std::optional<Simple> simple(const Command& command);
    /// Whether the server no longer knows the prepared statement; nothing was changed.
    bool forgotten(const Result& result) const;

    /// The server forgets prepared statements, or accepts variables only.
    void prepareNothing() { m_canPrepare = false; }
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
    /// The statements to send before the command, in the same round trip.
    struct Front {
        QByteArray text;
        int statements = 0;
    };
    Front front(const Command& command);
    /// Names by text. In MySQL, statements prepared by text and by the binary protocol cannot use each other's names.
    using Names = std::map<QByteArray, QByteArray>;
    Names& names(ValueRunner* values) { return values && m_dialect == Dialect::MySql ? m_besideNames : m_names; }
    std::optional<Name> knownName(const Statement& statement, ValueRunner* values);
    QCoro::Task<Name> prepare(TextRunner& texts, ValueRunner* values, Statement statement);
    QByteArray executing(const QByteArray& name, const Statement& statement) const;
    QCoro::Task<Result> withoutPreparing(TextRunner& texts, Command command, Front before);

    Dialect m_dialect;
    Names m_names, m_besideNames; ///< prepared statements' names; empty: cannot be prepared
    bool m_canPrepare = true;     ///< the server can, and stays the same one
    bool m_pooled = false;
    bool m_inTransaction = false;
    std::int64_t m_lockWaitMs = -1;      ///< the connection's present limit
    std::int64_t m_localLockWaitMs = -1; ///< PostgreSQL: in this transaction
};

} // namespace lockscope::sql
