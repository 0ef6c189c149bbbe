// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/command_runner.h"

#include "ports/sql/literal.h"

namespace lockscope::sql {

namespace {

QByteArray digits(std::int64_t number) {
    return QByteArray::number(qlonglong(number));
}

/// PostgreSQL's lock_timeout for a limit of a command.
QByteArray lockTimeout(std::int64_t ms) {
    constexpr std::int64_t kMost = 2'147'483'647; // it refuses more, which is 24 days
    return "lock_timeout = " + (ms < 0 ? QByteArray("DEFAULT") : digits(std::clamp<std::int64_t>(ms, 1, kMost)));
}

bool isForgotten(const Result& result) {
    return !result && (result.error().code == "26000" || result.error().code == "1243");
}

} // namespace

std::optional<CommandRunner::Simple> CommandRunner::simple(const Command& command) {
    if (command.begin || setsLimit(command)) return std::nullopt;
    Simple simple;
    if (command.ends || command.statement.values.empty()) {
        simple.text = command.statement.text;
    } else {
        const Names& known = m_dialect == Dialect::MySql ? m_besideNames : m_names;
        const auto found = known.find(command.statement.text);
        if (!m_canPrepare || found == known.end() || found->second.isEmpty()) return std::nullopt;
        simple.name = found->second;
    }
    if (command.ends) {
        m_inTransaction = false;
        m_localLockWaitMs = -1;
    }
    return simple;
}

bool CommandRunner::forgotten(const Result& result) const {
    return isForgotten(result) && !m_inTransaction;
}

QCoro::Task<Result> CommandRunner::run(TextRunner& texts, Command command) {
    Result result;
    if (setsLimitAlone(command)) {
        result = co_await texts.run("SET " + lockTimeout(*command.lockWaitMs), 0);
        if (!result) co_return result;
        m_lockWaitMs = *command.lockWaitMs;
    }
    const Front before = front(command);
    const bool wasInTransaction = std::exchange(m_inTransaction, inTransaction(command));
    if (command.ends || command.statement.values.empty()) {
        result = co_await texts.run(before.text + command.statement.text, before.statements);
    } else {
        ValueRunner* const values = before.statements == 0 ? texts.values() : nullptr;
        std::optional<Name> name = knownName(command.statement, values);
        if (!name) name = co_await prepare(texts, values, command.statement);
        if (name->error)
            result = std::unexpected(*name->error);
        else if (values && !name->text.isEmpty())
            result = co_await values->execute(name->text, command.statement.values);
        else
            result = co_await texts.run(before.text + executing(name->text, command.statement), before.statements);
        if (isForgotten(result) && !wasInTransaction) result = co_await withoutPreparing(texts, command, before);
    }
    if (command.ends) {
        m_inTransaction = false;
        m_localLockWaitMs = -1;
    }
    co_return result;
}

bool CommandRunner::setsLimit(const Command& command) const {
    const bool local = m_dialect == Dialect::PostgreSql && inTransaction(command);
    const std::int64_t present = local ? m_localLockWaitMs : m_lockWaitMs;
    return command.lockWaitMs.value_or(present) != present;
}

/// PostgreSQL, outside of transactions: in one text with what follows it would be undone with it.
bool CommandRunner::setsLimitAlone(const Command& command) const {
    return m_dialect == Dialect::PostgreSql && !m_pooled && !inTransaction(command) && setsLimit(command);
}

CommandRunner::Front CommandRunner::front(const Command& command) {
    Front front;
    const auto put = [&front](const QByteArray& statement) {
        front.text += statement + "; ";
        ++front.statements;
    };
    if (m_dialect == Dialect::MySql) {
        if (setsLimit(command)) {
            m_lockWaitMs = *command.lockWaitMs;
            // Whole seconds, 1 to 2^30; a little longer than asked, because the caller ends the wait itself.
            const std::int64_t seconds = std::clamp<std::int64_t>((m_lockWaitMs + 999) / 1000 + 1, 1, 1'000'000);
            put("SET SESSION innodb_lock_wait_timeout = " +
                (m_lockWaitMs < 0 ? QByteArray("DEFAULT") : digits(seconds)));
        }
        if (command.begin) put("START TRANSACTION");
        return front;
    }
    if (command.begin) {
        put(m_pooled ? "BEGIN ISOLATION LEVEL READ COMMITTED" : "BEGIN");
        if (m_pooled) put("SET LOCAL statement_timeout = 0"); // a connection's own is set when it is made
        m_localLockWaitMs = m_lockWaitMs;
    }
    // Behind a pooler one text is one transaction, and only that may have the limit.
    if ((inTransaction(command) || m_pooled) && setsLimit(command)) {
        put("SET LOCAL " + lockTimeout(*command.lockWaitMs));
        if (inTransaction(command)) m_localLockWaitMs = *command.lockWaitMs;
    }
    return front;
}

/// nullopt: it is to be prepared first.
std::optional<CommandRunner::Name> CommandRunner::knownName(const Statement& statement, ValueRunner* values) {
    if (!m_canPrepare) return Name();
    const auto found = names(values).find(statement.text);
    if (found == names(values).end()) return std::nullopt;
    return Name{found->second, {}};
}

QCoro::Task<CommandRunner::Name> CommandRunner::prepare(TextRunner& texts, ValueRunner* values, Statement statement) {
    const bool mySql = m_dialect == Dialect::MySql;
    Name name;
    name.text = "ls" + QByteArray::number(qulonglong(m_names.size() + m_besideNames.size()) + 1);
    Result done;
    if (values) {
        done = co_await values->prepare(name.text, statement.text);
    } else {
        const QByteArray text = mySql ? " FROM '" + QByteArray(statement.text).replace('\'', "''") + '\''
                                      : " AS " + numbered(statement.text);
        done = co_await texts.run("PREPARE " + name.text + text, 0);
    }
    if (!done && (!mySql || done.error().connectionLost())) {
        name.error = done.error();
        co_return name;
    }
    if (!done) name.text.clear(); // whatever is wrong with it, it will say so by itself
    names(values).emplace(statement.text, name.text);
    co_return name;
}

/// Without a name: with the values in its text.
QByteArray CommandRunner::executing(const QByteArray& name, const Statement& statement) const {
    if (name.isEmpty()) return inlined(m_dialect, statement);
    const bool mySql = m_dialect == Dialect::MySql;
    QByteArray text = "EXECUTE " + name + (mySql ? " USING " : " (");
    for (std::size_t i = 0; i < statement.values.size(); ++i) {
        if (i > 0) text += ',';
        text += literal(m_dialect, statement.values[i]);
    }
    if (!mySql) text += ')';
    return text;
}

/// Somebody between us and the server gave us another server. Nothing was done; go on without.
QCoro::Task<Result> CommandRunner::withoutPreparing(TextRunner& texts, Command command, Front before) {
    m_canPrepare = false;
    if (command.begin) (void)co_await texts.run("ROLLBACK", 0);
    Result result = co_await texts.run(before.text + inlined(m_dialect, command.statement), before.statements);
    co_return result;
}

} // namespace lockscope::sql
