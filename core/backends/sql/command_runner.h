// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/command.h"

#include <map>

namespace lockscope::sql {

/// One connection to MySQL, MariaDB or PostgreSQL, as far as it carries texts out.
class TextRunner {
public:
    /// Sends a statement behind `before` others with semicolons between them, one round trip. What the last of them
    /// brought, or the error that one of them ended in.
    virtual QCoro::Task<Result> run(QByteArray text, int before) = 0;
    /// nullptr: values can only stand in a text.
    virtual class ValueRunner* values() { return nullptr; }

protected:
    ~TextRunner() = default;
};

/// One that also carries out what was prepared, with values that stand beside it: no text for the server to read.
class ValueRunner {
public:
    /// Prepares a statement under a name that no other has. One round trip.
    virtual QCoro::Task<Result> prepare(QByteArray name, QByteArray text) = 0;
    /// One round trip.
    virtual QCoro::Task<Result> execute(QByteArray name, Values values) = 0;

protected:
    ~ValueRunner() = default;
};

/// Turns commands into texts for MySQL, MariaDB and PostgreSQL, and knows how the connection stands: what was prepared
/// on it, its limits, its transaction. One command at a time.
///
/// As text, and prepared by text, where a transaction begins in the same round trip, and where the connection is
/// QtSql's: that prepares MySQL's statements by the binary protocol and then resets them before each execution, which
/// is a round trip of its own. Otherwise with values beside the text.
class CommandRunner {
public:
    /// Not Dialect::Sqlite.
    explicit CommandRunner(Dialect dialect) : m_dialect(dialect) {}
    QCoro::Task<Result> run(TextRunner& texts, Command command);

    /// What a command comes down to when that is one round trip as the connection stands: a text to be sent, or the
    /// name of what was prepared for its values.
    struct Simple {
        QByteArray text, name;
    };
    /// nullopt: it has to be run. Otherwise the caller carries it out, and runs it after all when it was forgotten().
    std::optional<Simple> simple(const Command& command);
    /// The server does not know (any more) what was prepared, and nothing was changed.
    bool forgotten(const Result& result) const;

    /// The server forgets what was prepared, or takes variables only.
    void prepareNothing() { m_canPrepare = false; }
    /// What stands in front of the server may give each transaction another connection to it.
    void isPooled() {
        m_pooled = true;
        m_canPrepare = false;
    }

private:
    /// Not std::expected: with what a QByteArray compares to, GCC 12's does not compile inside QCoro's awaiter.
    struct Name {
        QByteArray text; ///< of what was prepared; empty: it cannot be
        std::optional<Error> error;
    };
    bool inTransaction(const Command& command) const { return command.begin || m_inTransaction; }
    bool setsLimit(const Command& command) const;
    bool setsLimitAlone(const Command& command) const;
    /// What goes before the statement, in the same round trip.
    struct Front {
        QByteArray text;
        int statements = 0;
    };
    Front front(const Command& command);
    /// By text. What MySQL has prepared for values beside it, a text cannot name, and the other way round.
    using Names = std::map<QByteArray, QByteArray>;
    Names& names(ValueRunner* values) { return values && m_dialect == Dialect::MySql ? m_besideNames : m_names; }
    std::optional<Name> knownName(const Statement& statement, ValueRunner* values);
    QCoro::Task<Name> prepare(TextRunner& texts, ValueRunner* values, Statement statement);
    QByteArray executing(const QByteArray& name, const Statement& statement) const;
    QCoro::Task<Result> withoutPreparing(TextRunner& texts, Command command, Front before);

    Dialect m_dialect;
    Names m_names, m_besideNames; ///< of prepared statements; empty: cannot be prepared
    bool m_canPrepare = true;     ///< the server can, and it is the same one each time
    bool m_pooled = false;
    bool m_inTransaction = false;
    std::int64_t m_lockWaitMs = -1;      ///< as the connection stands
    std::int64_t m_localLockWaitMs = -1; ///< PostgreSQL: in this transaction
};

} // namespace lockscope::sql
