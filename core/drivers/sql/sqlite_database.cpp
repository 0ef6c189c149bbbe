// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/sqlite_database.h"

#include "ports/sql/errors.h"

#include <QFileInfo>
#include <sqlite3.h>

namespace lockscope::sql {

namespace {

/// How long SQLite itself waits for another program's lock: short, so that a stop request is heard. The driver asks
/// again.
constexpr int kBusyMs = 20;

/// SQLite lets one connection write at a time, and the others try again after a sleep. Connections of one program take
/// turns.
std::shared_ptr<std::mutex> turnsAt(const QString& file) {
    static std::mutex guard;
    static auto& all = *new std::map<QString, std::weak_ptr<std::mutex>>; // static locks are given back at exit
    const std::lock_guard lock(guard);
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<std::mutex>& known = all[QFileInfo(file).canonicalFilePath()];
    std::shared_ptr<std::mutex> turns = known.lock();
    if (!turns) {
        turns = std::make_shared<std::mutex>();
        known = turns;
    }
    return turns;
}

Values rowOf(sqlite3_stmt* statement) {
    Values row;
    const int columns = sqlite3_column_count(statement);
    row.reserve(std::size_t(columns));
    for (int column = 0; column < columns; ++column) {
        switch (sqlite3_column_type(statement, column)) {
        case SQLITE_NULL:
            row.emplace_back();
            break;
        case SQLITE_INTEGER:
            row.emplace_back(std::int64_t(sqlite3_column_int64(statement, column)));
            break;
        default: {
            const auto* const text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
            row.emplace_back(QByteArray(text, sqlite3_column_bytes(statement, column)));
        }
        }
    }
    return row;
}

} // namespace

SqliteDatabase::~SqliteDatabase() {
    for (const auto& [text, statement] : m_prepared)
        sqlite3_finalize(statement);
    sqlite3_close(m_connection);
}

Error SqliteDatabase::error() const {
    return errors::ofStatement(
        Dialect::Sqlite,
        {QByteArray::number(sqlite3_extended_errcode(m_connection)), QString::fromUtf8(sqlite3_errmsg(m_connection))},
        m_where);
}

Result SqliteDatabase::open() {
    // No locks of its own: this connection stays on its thread.
    const int how = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (m_makesFile ? SQLITE_OPEN_CREATE : 0);
    const int status = sqlite3_open_v2(m_file.constData(), &m_connection, how, nullptr);
    if (status != SQLITE_OK)
        return std::unexpected(errors::ofConnecting(
            Dialect::Sqlite, {QByteArray::number(status), QString::fromUtf8(sqlite3_errmsg(m_connection))}, m_where));
    sqlite3_busy_timeout(m_connection, kBusyMs);
    sqlite3_extended_result_codes(m_connection, 1);
    m_turns = turnsAt(QString::fromUtf8(m_file));
    return Reply();
}

/// nullptr: error() says why.
sqlite3_stmt* SqliteDatabase::prepare(const QByteArray& text) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v3(m_connection, text.constData(), int(text.size()), SQLITE_PREPARE_PERSISTENT, &statement,
                       nullptr);
    return statement;
}

/// The texts stay the caller's, until the bindings are cleared. Too many values are an error; missing ones are NULL.
bool SqliteDatabase::bind(sqlite3_stmt* statement, const Values& values) {
    int status = SQLITE_OK, place = 0;
    for (const Value& value : values) {
        ++place; // the first is 1
        if (const auto* number = std::get_if<std::int64_t>(&value))
            status = sqlite3_bind_int64(statement, place, *number);
        else if (const auto* text = std::get_if<QByteArray>(&value))
            status = sqlite3_bind_text(statement, place, text->constData(), int(text->size()), SQLITE_STATIC);
        else
            status = sqlite3_bind_null(statement, place);
        if (status != SQLITE_OK) return false;
    }
    return true;
}

Result SqliteDatabase::step(sqlite3_stmt* prepared, const Values& values) {
    Result result;
    int status = bind(prepared, values) ? SQLITE_ROW : SQLITE_ERROR;
    while (status == SQLITE_ROW) {
        status = sqlite3_step(prepared);
        if (status == SQLITE_ROW) result->rows.push_back(rowOf(prepared));
    }
    if (status != SQLITE_DONE)
        result = std::unexpected(error());
    else if (sqlite3_stmt_readonly(prepared) == 0)
        result->affected = sqlite3_changes(m_connection);
    sqlite3_reset(prepared); // or the file stays locked
    sqlite3_clear_bindings(prepared);
    return result;
}

Result SqliteDatabase::execute(const Statement& statement, bool takesTurn) {
    std::unique_lock<std::mutex> turn(*m_turns, std::defer_lock);
    if (takesTurn) turn.lock(); // for as long as SQLite waits for other programs at most
    const auto found = m_prepared.find(statement.text);
    if (found != m_prepared.end()) return step(found->second, statement.values);
    sqlite3_stmt* const prepared = prepare(statement.text);
    if (!prepared) return std::unexpected(error());
    Result result = step(prepared, statement.values);
    if (statement.values.empty())
        sqlite3_finalize(prepared);
    else
        m_prepared.emplace(statement.text, prepared);
    return result;
}

Result SqliteDatabase::run(const Command& command) {
    const bool reads = !command.begin && command.statement.text.startsWith("SELECT");
    if (command.begin) {
        const Result begun = execute({"BEGIN IMMEDIATE", {}}, true);
        if (!begun) return begun;
        m_inTransaction = true;
    }
    const bool takesTurn = !m_inTransaction && !reads;
    if (command.ends) m_inTransaction = false;
    return execute(command.statement, takesTurn);
}

} // namespace lockscope::sql
