// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/sql/port.h"

namespace lockscope::sql {

/// Names of the tables, quoted for their dialect.
struct Tables {
    Dialect dialect = Dialect::Sqlite;
    QByteArray locks;    ///< a row for each lock
    QByteArray versions; ///< which steps of the schema have been made: the greatest number counts
    QByteArray records;  ///< small values that processes agree on by
};

/// The tables for a name as the user wrote it; an empty name is not one. See quotedTable().
Tables tablesOf(Dialect dialect, const QString& name);

/// The newest schema there is.
inline constexpr int kSchemaVersion = 3;

/// What makes the newest schema in an empty database, as the database's own language, a statement a line or more.
QString schemaText(const Tables& tables);

/// Makes the table of records alone, where there is none.
Statement createRecords(const Tables& tables);

/// Makes the tables, or brings older ones up to date; nothing to do: success. Several clients may do so at once.
/// Refused: the tables were made by a newer program, are not ours, or lack the key that the locks rest on.
/// Precondition: `port` lives until the end.
QCoro::Task<Result> prepareSchema(Port& port, Tables tables, std::stop_token stop);

} // namespace lockscope::sql
