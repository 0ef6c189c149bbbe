// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/command_runner.h"

#include "drivers/sql/literal.h"

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
        const auto found = m_names.find(command.statement.text);
        if (!m_canPrepare || found == m_names.end() || found->second.isEmpty()) return std::nullopt;
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

QCoro::Task<Result> CommandRunner::run(Wire& wire, Command command) {
    Result result;
    if (setsLimitAlone(command)) {
        result = co_await wire.run("SET " + lockTimeout(*command.lockWaitMs));
        if (!result) co_return result;
        m_lockWaitMs = *command.lockWaitMs;
    }
    const QByteArray before = front(command);
    const bool wasInTransaction = std::exchange(m_inTransaction, inTransaction(command));
    if (command.ends || command.statement.values.empty()) {
        result = co_await wire.run(before + command.statement.text);
    } else {
        const bool alone = before.isEmpty();
        Name name;
        // In a text with others MySQL gets the values written out: its EXECUTE does not know what was prepared alone.
        if (m_canPrepare && (alone || m_dialect == Dialect::PostgreSql))
            name = co_await prepared(wire, command.statement);
        if (name.error)
            result = std::unexpected(*name.error);
        else if (alone && !name.text.isEmpty())
            result = co_await wire.execute(name.text, command.statement.values);
        else
            result = co_await wire.run(before + executing(name.text, command.statement));
        if (isForgotten(result) && !wasInTransaction) result = co_await withoutPreparing(wire, command, before);
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

QByteArray CommandRunner::front(const Command& command) {
    QByteArray front;
    const auto put = [&front](const QByteArray& statement) { front += statement + "; "; };
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

QCoro::Task<CommandRunner::Name> CommandRunner::prepared(Wire& wire, Statement statement) {
    Name name;
    const auto found = m_names.find(statement.text);
    if (found != m_names.end()) {
        name.text = found->second;
        co_return name;
    }
    name.text = "ls" + QByteArray::number(qulonglong(m_names.size()) + 1);
    const Result done = co_await wire.prepare(name.text, statement.text);
    if (!done && (m_dialect == Dialect::PostgreSql || done.error().connectionLost())) {
        name.error = done.error();
        co_return name;
    }
    if (!done) name.text.clear(); // whatever is wrong with it, it will say so by itself
    m_names.emplace(statement.text, name.text);
    co_return name;
}

/// Without a name: with the values in its text.
QByteArray CommandRunner::executing(const QByteArray& name, const Statement& statement) const {
    if (name.isEmpty()) return inlined(m_dialect, statement);
    QByteArrayList values;
    for (const Value& value : statement.values)
        values << literal(m_dialect, value);
    return "EXECUTE " + name + " (" + values.join(',') + ')';
}

/// Somebody between us and the server gave us another server. Nothing was done; go on without.
QCoro::Task<Result> CommandRunner::withoutPreparing(Wire& wire, Command command, QByteArray before) {
    m_canPrepare = false;
    if (command.begin) (void)co_await wire.run("ROLLBACK");
    Result result = co_await wire.run(before + inlined(m_dialect, command.statement));
    co_return result;
}

} // namespace lockscope::sql
