// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/sql/statement.h"

namespace lockscope::sql {

class SqlDriver;

/// Table names, quoted for their dialect.
struct Tables {
    Dialect dialect = Dialect::Sqlite;
    QString name;        ///< as the user wrote it
    QByteArray locks;    ///< one row per lock
    QByteArray versions; ///< the schema steps that were made: the greatest number counts
    QByteArray records;  ///< small values by which processes agree
};

/// The tables for a name as the user wrote it; empty names when it is invalid. See quotedTable().
Tables tablesOf(Dialect dialect, const QString& name);

/// The newest schema version.
inline constexpr int kSchemaVersion = 3;

/// The statements that create the newest schema in an empty database, each on one or more lines.
QString schemaText(const Tables& tables);

/// Creates only the table of records, if it is missing.
Statement createRecords(const Tables& tables);

/// Port::prepare(). Precondition: `driver` outlives the call.
QCoro::Task<Result> prepareSchema(SqlDriver& driver, Tables tables, std::stop_token stop);

} // namespace lockscope::sql
