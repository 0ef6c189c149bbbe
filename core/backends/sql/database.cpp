// SPDX-License-Identifier: Apache-2.0
#include "backends/sql/database.h"

#include "backends/sql/client_handle.h"
#include "backends/sql/errors.h"
#include "backends/sql/literal.h"

#include <QFileInfo>
#include <QSqlError>
#include <QSqlRecord>
#include <mutex>

namespace lockscope::sql {

namespace {

/// Of QtSql's register of connections and of the loading of its plugins: cheap, rarely taken, and one thing less to
/// wonder about.
std::mutex& registerLock() {
    static std::mutex lock;
    return lock;
}

/// SQLite lets one connection write at a time, and the others try again after a sleep. Those of one program take turns.
std::shared_ptr<std::mutex> turnsAt(const QString& file) {
    static std::map<QString, std::weak_ptr<std::mutex>> all;
    const std::lock_guard lock(registerLock());
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<std::mutex>& known = all[QFileInfo(file).canonicalFilePath()];
    std::shared_ptr<std::mutex> turns = known.lock();
    if (!turns) {
        turns = std::make_shared<std::mutex>();
        known = turns;
    }
    return turns;
}

QString uniqueName() {
    static std::atomic<unsigned> last{0};
    return QStringLiteral("lockscope-%1").arg(++last);
}

Value valueOf(const QVariant& variant) {
    if (variant.isNull()) return {};
    switch (variant.typeId()) {
    case QMetaType::Bool:
        return std::int64_t(variant.toBool() ? 1 : 0);
    case QMetaType::Int:
    case QMetaType::UInt:
    case QMetaType::LongLong:
    case QMetaType::ULongLong:
    case QMetaType::Short:
    case QMetaType::Char:
        return std::int64_t(variant.toLongLong());
    case QMetaType::QByteArray:
        return variant.toByteArray();
    default:
        return variant.toString().toUtf8();
    }
}

QVariant variantOf(const Value& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) return QVariant(qlonglong(*number));
    if (const auto* text = std::get_if<QByteArray>(&value)) return QVariant(QString::fromUtf8(*text));
    return {};
}

QByteArray milliseconds(std::int64_t ms) {
    return QByteArray::number(qlonglong(ms));
}

} // namespace

Database::~Database() {
    m_prepared.clear();
    m_query.reset();
    const std::lock_guard lock(registerLock());
    if (m_name.isEmpty()) return;
    m_database.close(); // Qt's register does not always: it may be gone when a thread of ours ends with the program
    m_database = QSqlDatabase();
    QSqlDatabase::removeDatabase(m_name);
}

Error Database::errorOf(const QSqlQuery& query) const {
    return errors::ofStatement(m_settings.dialect, query.lastError(), m_settings.where);
}

Result Database::open() {
    {
        const std::lock_guard lock(registerLock());
        if (!QSqlDatabase::isDriverAvailable(m_settings.plugin))
            return std::unexpected(errors::noPlugin(m_settings.plugin));
        m_name = uniqueName();
        m_database = QSqlDatabase::addDatabase(m_settings.plugin, m_name);
    }
    m_database.setHostName(m_settings.host);
    if (m_settings.port > 0) m_database.setPort(m_settings.port);
    m_database.setDatabaseName(m_settings.database);
    m_database.setUserName(m_settings.user);
    m_database.setPassword(m_settings.password);
    m_database.setConnectOptions(m_settings.options);
    m_settings.password.clear();
    if (!m_database.open())
        return std::unexpected(errors::ofConnecting(m_settings.dialect, m_database.lastError(), m_settings.where));
    m_query.emplace(m_database);
    Result greeted = greet();
    // Nothing was asked for yet that could have been done.
    if (!greeted && greeted.error().outcomeUnknown())
        return std::unexpected(errors::ofConnecting(
            m_settings.dialect, QSqlError(QString(), greeted.error().message, QSqlError::ConnectionError),
            m_settings.where));
    return greeted;
}

Result Database::greet() {
    Reply greeted;
    switch (m_settings.dialect) {
    case Dialect::MySql: {
        // A server may be set to commit nothing by itself.
        const Result id = runText("SET SESSION autocommit = 1; SELECT CONNECTION_ID(), VERSION()", 1);
        if (!id) return id;
        greeted.insertId = id->number();
        m_canPrepare = id->text(0, 1).contains("MariaDB"); // MySQL's EXECUTE takes variables only
        break;
    }
    case Dialect::PostgreSql:
        return greetPostgreSql();
    case Dialect::Sqlite:
        m_turns = turnsAt(m_settings.database);
        break;
    }
    return greeted;
}

Result Database::greetPostgreSql() {
    const Result id = runText("SELECT pg_backend_pid()", 0);
    if (!id) return id;
    Reply greeted;
    greeted.insertId = id->number();
    const auto number = numberFromGreeting(*m_database.driver(), m_settings.dialect);
    m_pooled = number && *number != greeted.insertId && !m_settings.poolerKeepsSessions;
    if (m_pooled) {
        // A statement prepared under a name of ours may be another client's there, and so may settings.
        m_canPrepare = false;
        return greeted;
    }
    // The client library would write notices to the program's own standard error.
    const Result set = runText("SET standard_conforming_strings = on; SET client_min_messages = error; "
                               "SET default_transaction_isolation = 'read committed'",
                               2);
    if (!set) return set;
    // Since 14: a client that is gone is noticed while its statement waits. Older ones do not know the setting.
    (void)runText("SET client_connection_check_interval = 2000", 0);
    return greeted;
}

Result Database::read(QSqlQuery& query) const {
    Reply reply;
    if (query.isSelect()) {
        const int columns = query.record().count();
        while (query.next()) {
            Values& row = reply.rows.emplace_back();
            for (int column = 0; column < columns; ++column)
                row.push_back(valueOf(query.value(column)));
        }
    }
    reply.affected = std::max(query.numRowsAffected(), 0);
    return reply;
}

Result Database::runText(const QByteArray& text, int before) {
    QSqlQuery& query = *m_query;
    if (!query.exec(QString::fromUtf8(text))) return std::unexpected(errorOf(query));
    for (int i = 0; i < before; ++i) {
        if (!query.nextResult()) return std::unexpected(errorOf(query));
    }
    Result reply = read(query);
    if (reply && m_settings.dialect == Dialect::MySql) reply->insertId = query.lastInsertId().toLongLong();
    query.finish();
    return reply;
}

Result Database::run(const Command& command) {
    Result result;
    switch (m_settings.dialect) {
    case Dialect::MySql:
        result = runMySql(command);
        break;
    case Dialect::PostgreSql:
        result = runPostgreSql(command);
        break;
    case Dialect::Sqlite:
        result = runSqlite(command);
        break;
    }
    if (command.begin) m_inTransaction = true;
    if (command.ends) {
        m_inTransaction = false;
        m_localLockWaitMs = -1;
    }
    return result;
}

// As text, and prepared by text: Qt prepares MySQL's statements by the binary protocol and then resets them before each
// execution, which is a round trip of its own; and neither can begin a transaction in the same round trip.
std::expected<QByteArray, Error> Database::executeText(const Statement& statement) {
    const Dialect dialect = m_settings.dialect;
    const bool mySql = dialect == Dialect::MySql;
    if (!m_canPrepare) return inlined(dialect, statement);
    auto found = m_names.find(statement.text);
    if (found == m_names.end()) {
        QByteArray name = "ls" + QByteArray::number(qulonglong(m_names.size()) + 1);
        const QByteArray text = mySql ? " FROM '" + QByteArray(statement.text).replace('\'', "''") + '\''
                                      : " AS " + numbered(statement.text);
        const Result prepared = runText("PREPARE " + name + text, 0);
        if (!prepared && (!mySql || prepared.error().connectionLost())) return std::unexpected(prepared.error());
        if (!prepared) name.clear(); // whatever is wrong with it, it will say so by itself
        found = m_names.emplace(statement.text, std::move(name)).first;
    }
    if (found->second.isEmpty()) return inlined(dialect, statement);
    QByteArray text = "EXECUTE " + found->second + (mySql ? " USING " : " (");
    for (std::size_t i = 0; i < statement.values.size(); ++i) {
        if (i > 0) text += ',';
        text += literal(dialect, statement.values[i]);
    }
    if (!mySql) text += ')';
    return text;
}

/// A statement behind `before` others, in one round trip.
Result Database::runPrepared(const Command& command, const QByteArray& text, int before) {
    if (command.ends || command.statement.values.empty()) return runText(text + command.statement.text, before);
    const auto execute = executeText(command.statement);
    if (!execute) return std::unexpected(execute.error());
    Result result = runText(text + *execute, before);
    const bool forgotten = !result && (result.error().code == "26000" || result.error().code == "1243");
    if (forgotten && !m_inTransaction) {
        // Somebody between us and the server gave us another server. Nothing was done; go on without.
        m_canPrepare = false;
        if (command.begin) (void)runText("ROLLBACK", 0);
        result = runText(text + inlined(m_settings.dialect, command.statement), before);
    }
    return result;
}

Result Database::runMySql(const Command& command) {
    QByteArray text;
    int before = 0;
    if (command.lockWaitMs.value_or(m_lockWaitMs) != m_lockWaitMs) {
        const std::int64_t ms = *command.lockWaitMs;
        // Whole seconds, 1 to 2^30; a little longer than asked, because the caller ends the wait itself.
        const std::int64_t seconds = std::clamp<std::int64_t>((ms + 999) / 1000 + 1, 1, 1'000'000);
        text +=
            "SET SESSION innodb_lock_wait_timeout = " + (ms < 0 ? QByteArray("DEFAULT") : milliseconds(seconds)) + "; ";
        ++before;
        m_lockWaitMs = ms;
    }
    if (command.begin) {
        text += "START TRANSACTION; ";
        ++before;
    }
    return runPrepared(command, text, before);
}

Result Database::runPostgreSql(const Command& command) {
    QByteArray text;
    int before = 0;
    const auto settingTo = [](std::int64_t ms) {
        constexpr std::int64_t kMost = 2'147'483'647; // it refuses more, which is 24 days
        return ms < 0 ? QByteArray("DEFAULT") : milliseconds(std::clamp<std::int64_t>(ms, 1, kMost));
    };
    const bool inside = command.begin || m_inTransaction;
    if (!inside && command.lockWaitMs.value_or(m_lockWaitMs) != m_lockWaitMs) {
        // Alone: in one text with what follows it would be undone with it.
        const Result set = runText("SET lock_timeout = " + settingTo(*command.lockWaitMs), 0);
        if (!set) return set;
        m_lockWaitMs = *command.lockWaitMs;
    }
    if (command.begin) {
        text += m_pooled ? "BEGIN ISOLATION LEVEL READ COMMITTED; " : "BEGIN; ";
        ++before;
        m_localLockWaitMs = m_lockWaitMs;
    }
    if (inside && command.lockWaitMs.value_or(m_localLockWaitMs) != m_localLockWaitMs) {
        text += "SET LOCAL lock_timeout = " + settingTo(*command.lockWaitMs) + "; ";
        ++before;
        m_localLockWaitMs = *command.lockWaitMs;
    }
    return runPrepared(command, text, before);
}

Result Database::runSqlite(const Command& command) {
    std::unique_lock<std::mutex> turn(*m_turns, std::defer_lock);
    const bool reads = !command.begin && command.statement.text.startsWith("SELECT");
    if (!m_inTransaction && !reads) turn.lock(); // for as long as SQLite waits for other programs at most
    if (command.begin) {
        const Result begun = runText("BEGIN IMMEDIATE", 0);
        if (!begun) return begun;
    }
    if (command.ends || command.statement.values.empty()) return runText(command.statement.text, 0);
    auto found = m_prepared.find(command.statement.text);
    if (found == m_prepared.end()) {
        QSqlQuery query(m_database);
        query.setForwardOnly(true);
        if (!query.prepare(QString::fromUtf8(command.statement.text))) return std::unexpected(errorOf(query));
        found = m_prepared.emplace(command.statement.text, std::move(query)).first;
    }
    QSqlQuery& query = found->second;
    for (std::size_t i = 0; i < command.statement.values.size(); ++i)
        query.bindValue(int(i), variantOf(command.statement.values[i]));
    if (!query.exec()) {
        const Error error = errorOf(query);
        query.finish();
        return std::unexpected(error);
    }
    Result reply = read(query);
    if (query.lastError().isValid()) reply = std::unexpected(errorOf(query)); // while its rows were read
    query.finish();                                                           // or the file stays locked
    return reply;
}

} // namespace lockscope::sql
