// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/database.h"

#include "drivers/sql/client_handle.h"
#include "ports/sql/errors.h"

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

} // namespace

Database::~Database() {
    m_statements.reset();
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
    if (m_settings.dialect != Dialect::Sqlite) m_commands.emplace(m_settings.dialect);
    Result greeted = greet();
    // Nothing was asked for yet that could have been done.
    if (!greeted && greeted.error().outcomeUnknown())
        return std::unexpected(errors::ofConnecting(
            m_settings.dialect, QSqlError(QString(), greeted.error().message, QSqlError::ConnectionError),
            m_settings.where));
    return greeted;
}

Result Database::greet() {
    switch (m_settings.dialect) {
    case Dialect::MySql:
        return greetMySql();
    case Dialect::PostgreSql:
        return greetPostgreSql();
    case Dialect::Sqlite:
        m_turns = turnsAt(m_settings.database);
        if (!m_settings.onThreads) m_statements = SqliteStatements::on(m_database, m_settings.where);
        break;
    }
    return Reply();
}

Result Database::greetMySql() {
    if (m_settings.tls) {
        // The client library takes TLS for a wish: where a server has none it logs in without, and QtSql has no option
        // that would forbid it. So a server without TLS has seen the login (its answer to a challenge) by now; it gets
        // nothing more. The library's word, and not the server's, which may be anybody's without TLS.
        std::optional<QByteArray> cipher = cipherOf(*m_database.driver());
        if (!cipher) {
            const Result told = runText("SHOW SESSION STATUS LIKE 'Ssl_cipher'");
            if (!told) return told;
            cipher = told->text(0, 1);
        }
        if (cipher->isEmpty()) return std::unexpected(errors::notEncrypted(m_settings.where));
    }
    // A server may be set to commit nothing by itself, and to end what takes long, as waiting for a lock does: the
    // caller sees to that. Each reads its own comment only.
    const Result id = runText("SET SESSION autocommit = 1 /*M!100101 , SESSION max_statement_time = 0 */ "
                              "/*!50708 , SESSION max_execution_time = 0 */; "
                              "SELECT CONNECTION_ID(), VERSION(), @@global.read_only",
                              1);
    if (!id) return id;
    Reply greeted;
    greeted.insertId = id->number();
    if (!id->text(0, 1).contains("MariaDB")) m_commands->prepareNothing(); // MySQL's EXECUTE takes variables only
    m_readOnly = id->number(0, 2) == 1;
    return greeted;
}

Result Database::greetPostgreSql() {
    const Result id = runText("SELECT pg_backend_pid(), pg_is_in_recovery()");
    if (!id) return id;
    Reply greeted;
    greeted.insertId = id->number();
    m_readOnly = id->number(0, 1) == 1;
    const auto number = numberFromGreeting(*m_database.driver(), m_settings.dialect);
    m_pooled = number && *number != greeted.insertId && !m_settings.poolerKeepsSessions;
    if (m_pooled) {
        // A statement prepared under a name of ours may be another client's there, and so may settings.
        m_commands->isPooled();
        return greeted;
    }
    // The client library would write notices to the program's own standard error. How long a wait for a lock may last,
    // the caller says.
    const Result set = runText("SET standard_conforming_strings = on; SET client_min_messages = error; "
                               "SET default_transaction_isolation = 'read committed'; SET statement_timeout = 0",
                               3);
    if (!set) return set;
    // Since 14: a client that is gone is noticed while its statement waits. Older ones do not know the setting.
    (void)runText("SET client_connection_check_interval = 2000");
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

QCoro::Task<Result> Database::run(QByteArray text, int before) {
    co_return runText(text, before);
}

Result Database::run(const Command& command) {
    return m_commands ? runBlocking(command) : runSqlite(command);
}

Result Database::runBlocking(const Command& command) {
    Result result;
    const auto toTheEnd = [this, &result](Command one) -> QCoro::Task<> {
        result = co_await m_commands->run(*this, std::move(one));
    };
    [[maybe_unused]] const auto task = toTheEnd(command); // nothing in it waits but by blocking
    return result;
}

Result Database::runSqlite(const Command& command) {
    std::unique_lock<std::mutex> turn(*m_turns, std::defer_lock);
    const bool reads = !command.begin && command.statement.text.startsWith("SELECT");
    if (!m_inTransaction && !reads) turn.lock(); // for as long as SQLite waits for other programs at most
    if (command.begin) {
        const Result begun = runText("BEGIN IMMEDIATE");
        if (!begun) return begun;
        m_inTransaction = true;
    }
    if (command.ends) m_inTransaction = false;
    if (command.ends || command.statement.values.empty()) return runText(command.statement.text);
    if (m_statements) return m_statements->run(command.statement);
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
