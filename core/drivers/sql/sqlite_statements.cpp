// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/sqlite_statements.h"

#include "drivers/sql/client_handle.h"
#include "ports/sql/errors.h"

#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <sqlite3.h>

namespace lockscope::sql {

namespace {

/// "One-Step Query Execution Interface" and around it, of SQLite's C interface.
struct Library {
    LoadedLibrary library{"libsqlite3.so.0"};

    decltype(&sqlite3_sourceid) sourceId = library.find("sqlite3_sourceid");
    decltype(&sqlite3_prepare_v3) prepare = library.find("sqlite3_prepare_v3");
    decltype(&sqlite3_finalize) finalize = library.find("sqlite3_finalize");
    decltype(&sqlite3_bind_int64) bindNumber = library.find("sqlite3_bind_int64");
    decltype(&sqlite3_bind_text) bindText = library.find("sqlite3_bind_text");
    decltype(&sqlite3_bind_null) bindNull = library.find("sqlite3_bind_null");
    decltype(&sqlite3_step) step = library.find("sqlite3_step");
    decltype(&sqlite3_reset) reset = library.find("sqlite3_reset");
    decltype(&sqlite3_clear_bindings) clearBindings = library.find("sqlite3_clear_bindings");
    decltype(&sqlite3_column_count) columns = library.find("sqlite3_column_count");
    decltype(&sqlite3_column_type) type = library.find("sqlite3_column_type");
    decltype(&sqlite3_column_int64) number = library.find("sqlite3_column_int64");
    decltype(&sqlite3_column_text) text = library.find("sqlite3_column_text");
    decltype(&sqlite3_column_bytes) length = library.find("sqlite3_column_bytes"); ///< after text
    decltype(&sqlite3_stmt_readonly) readsOnly = library.find("sqlite3_stmt_readonly");
    decltype(&sqlite3_changes) changes = library.find("sqlite3_changes");
    decltype(&sqlite3_extended_errcode) errorCode = library.find("sqlite3_extended_errcode");
    decltype(&sqlite3_errmsg) errorText = library.find("sqlite3_errmsg");

    static const Library& get() {
        static const Library found;
        return found;
    }
};

} // namespace

std::unique_ptr<SqliteStatements> SqliteStatements::on(const QSqlDatabase& database, const QString& where) {
    const Library& library = Library::get();
    void* const handle = handleOf(*database.driver(), Dialect::Sqlite);
    if (!library.library.complete() || !handle) return nullptr;
    // Qt's plugin may have been built with another SQLite inside, and this one be somebody else's.
    QSqlQuery query(database);
    const bool told = query.exec(QStringLiteral("SELECT sqlite_source_id()")) && query.next();
    if (!told || query.value(0).toString() != QLatin1String(library.sourceId())) return nullptr;
    return std::unique_ptr<SqliteStatements>(new SqliteStatements(static_cast<sqlite3*>(handle), where));
}

SqliteStatements::SqliteStatements(sqlite3* connection, QString where)
    : m_connection(connection), m_where(std::move(where)) {
}

SqliteStatements::~SqliteStatements() {
    for (const auto& [text, statement] : m_prepared)
        Library::get().finalize(statement);
}

Error SqliteStatements::error() const {
    const Library& library = Library::get();
    const QSqlError error({}, QString::fromUtf8(library.errorText(m_connection)), QSqlError::StatementError,
                          QString::number(library.errorCode(m_connection)));
    return errors::ofStatement(Dialect::Sqlite, error, m_where);
}

/// nullptr: error() says why.
sqlite3_stmt* SqliteStatements::prepared(const QByteArray& text) {
    const auto found = m_prepared.find(text);
    if (found != m_prepared.end()) return found->second;
    sqlite3_stmt* statement = nullptr;
    Library::get().prepare(m_connection, text.constData(), int(text.size()), SQLITE_PREPARE_PERSISTENT, &statement,
                           nullptr);
    if (statement) m_prepared.emplace(text, statement);
    return statement;
}

/// The texts stay the caller's, until the bindings are cleared. Values that are too many are an error; what is not
/// given is NULL.
bool SqliteStatements::bind(sqlite3_stmt* statement, const Values& values) {
    const Library& library = Library::get();
    int status = SQLITE_OK, place = 0;
    for (const Value& value : values) {
        ++place; // the first is 1
        if (const auto* number = std::get_if<std::int64_t>(&value))
            status = library.bindNumber(statement, place, *number);
        else if (const auto* text = std::get_if<QByteArray>(&value))
            status = library.bindText(statement, place, text->constData(), int(text->size()), SQLITE_STATIC);
        else
            status = library.bindNull(statement, place);
        if (status != SQLITE_OK) return false;
    }
    return true;
}

Values SqliteStatements::row(sqlite3_stmt* statement) const {
    const Library& library = Library::get();
    Values row;
    const int columns = library.columns(statement);
    row.reserve(std::size_t(columns));
    for (int column = 0; column < columns; ++column) {
        switch (library.type(statement, column)) {
        case SQLITE_NULL:
            row.emplace_back();
            break;
        case SQLITE_INTEGER:
            row.emplace_back(std::int64_t(library.number(statement, column)));
            break;
        default: {
            const auto* const text = reinterpret_cast<const char*>(library.text(statement, column));
            row.emplace_back(QByteArray(text, library.length(statement, column)));
        }
        }
    }
    return row;
}

Result SqliteStatements::run(const Statement& statement) {
    const Library& library = Library::get();
    sqlite3_stmt* const prepared = this->prepared(statement.text);
    if (!prepared) return std::unexpected(error());
    Result result;
    int status = bind(prepared, statement.values) ? SQLITE_ROW : SQLITE_ERROR;
    while (status == SQLITE_ROW) {
        status = library.step(prepared);
        if (status == SQLITE_ROW) result->rows.push_back(row(prepared));
    }
    if (status != SQLITE_DONE)
        result = std::unexpected(error());
    else if (library.readsOnly(prepared) == 0)
        result->affected = library.changes(m_connection);
    library.reset(prepared); // or the file stays locked
    library.clearBindings(prepared);
    return result;
}

} // namespace lockscope::sql
