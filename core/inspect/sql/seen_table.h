// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_row.h"
#include "ports/sql/port.h"
#include "ports/sql/reader.h"

#include <limits>
#include <span>

namespace lockscope::inspect {

/// A table of a database, as its catalogue describes it.
struct TableName {
    QByteArray schema, table;           ///< as they are; `schema` empty: SQLite's
    std::vector<QByteArray> columns;    ///< as they are
    bool has(const char* column) const; ///< whatever its case
    friend bool operator==(const TableName&, const TableName&) = default;
};

/// The backend's name in rows: "postgresql", "mariadb", "mysql", "sqlite".
const char* backendOf(sql::Language language);

/// A name quoted for the language; names with zero bytes are not possible in any of them.
QByteArray quoted(sql::Language language, const QByteArray& name);
/// The table's name, quoted.
QByteArray quoted(sql::Language language, const TableName& table);

/// PostgreSQL's instant 'infinity', as SqlWords::msOf gives it; '-infinity' is NULL there.
inline constexpr qint64 kInfinityMs = std::numeric_limits<qint64>::max();

/// Words of the languages for the same thing.
struct SqlWords {
    QByteArray nowMs;                                    ///< the present, ms since 1970, by the server's clock
    QByteArray (*msOf)(const QByteArray& utcExpression); ///< an instant without a zone, taken for UTC, as ms since 1970
    QByteArray (*textOf)(const QByteArray& expression);  ///< as text
};
const SqlWords& sqlWords(sql::Language language);

/// How a lock library keeps its locks in a table.
struct TableFormat {
    const char* library;
    /// Whether the table is one of its.
    bool (*isIts)(const TableName& table);
    /// The query that reads its locks, `limit` of them at most.
    QByteArray (*query)(sql::Language language, const TableName& table, int limit);
    /// The lock in one row of the answer; nullopt: none. `place`: "schema.table".
    std::optional<LockRow> (*read)(const sql::Table& answer, std::size_t row, const QByteArray& place);
    /// LockRow::format of its locks.
    const char* format = "";
    /// The statement that takes a lock away from the holder that was seen, as LockRow::entries has it. nullptr: none
    /// can tell that hold from a later one. `table`: quoted; `name`: the lock's, within the table.
    sql::SeenHold (*takeAway)(sql::Language language, const QByteArray& table, const QByteArray& name,
                              const Entry& seen) = nullptr;
};

/// The layouts of lock tables, in the order in which they are tried.
std::span<const TableFormat> tableFormats();

extern const TableFormat kLockscopeTable; ///< sql-lease, sql-row, sql-version
extern const TableFormat kShedLockTable;  ///< shedlock
extern const TableFormat kIntLockTable;   ///< int_lock: Spring Integration
extern const TableFormat kLiquibaseTable; ///< databasechangeloglock
extern const TableFormat kLaravelTable;   ///< cache_locks
extern const TableFormat kQuartzTable;    ///< qrtz_scheduler_state

} // namespace lockscope::inspect
