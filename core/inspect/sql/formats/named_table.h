// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/sql/seen_table.h"

namespace lockscope::inspect {

/// A table of the user's own with a lock in each row, and its columns, as the URL names them.
struct NamedTable {
    QByteArray table; ///< "table" or "schema.table"
    QByteArray name;  ///< the column with the lock's name; empty: there is no such table
    QByteArray owner; ///< … with its holder: NULL or an empty text when it is free; empty: the table does not say
    QByteArray until; ///< … with its end: an instant, or seconds or milliseconds since 1970; empty: it has none
    bool isGiven() const { return !name.isEmpty(); }
    /// Whether a table of the catalogue is this one, whatever the case.
    bool is(const TableName& there) const;
    /// The first of its columns that the table does not have; empty: it has all.
    QByteArray missingIn(const TableName& there) const;
};

/// The query that reads the table's first `limit` rows. Precondition: it has all columns.
QByteArray queryOf(const NamedTable& named, sql::Language language, const TableName& there, int limit);

/// The lock in one row of the answer. With an owner, a row is held while it has one; with an end, until then; with
/// neither, as long as it is there. An instant without a time zone counts as UTC. nullopt: the lock's name is NULL.
std::optional<LockRow> readNamedRow(const NamedTable& named, const sql::Table& answer, std::size_t at,
                                    const QByteArray& place);

/// An instant in ms since 1970, of the texts by which databases tell one: "2026-11-27 03:12:00.5+01", without an offset
/// in UTC; a whole number, of seconds below 10^11 and else of milliseconds. nullopt: none of these.
std::optional<std::int64_t> instantMs(const QByteArray& text);

} // namespace lockscope::inspect
