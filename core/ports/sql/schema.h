// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/sql/port.h"

namespace lockscope::sql {

/// Table names, quoted for their dialect.
struct Tables {
    Dialect dialect = Dialect::Sqlite;
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

/// Creates the tables, or updates older ones; success when there is nothing to do. Several clients may do so at once.
/// Refused: a newer program made the tables, they are not Lockscope's, or lack the key that the locks need.
/// Precondition: `port` outlives the call.
QCoro::Task<Result> prepareSchema(Port& port, Tables tables, std::stop_token stop);

} // namespace lockscope::sql
