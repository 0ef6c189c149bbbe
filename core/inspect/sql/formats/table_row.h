// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/sql/seen_table.h"

namespace lockscope::inspect {

/// A row of a lock table as it is on the server: the first cells of an answer, by the names of their columns; an empty
/// name: the table has no such column. Further cells, such as the server's present time, are not in the table.
RawKey rawTableRow(const sql::Table& answer, std::size_t row, const QByteArray& place, const QByteArrayList& columns);

/// Sets the end of a lease that ends at `endMs`, as the server's clock counts, which shows `nowMs`. The row is held
/// until then. A present that no clock shows sets nothing, and no end is later than the year 10000.
void heldUntil(LockRow& row, std::optional<std::int64_t> endMs, std::optional<std::int64_t> nowMs);

/// Adds a client to the holders of a row that is held; nothing to a free one. `sinceMs`: when the hold began, by the
/// server's clock; nullopt: the table does not say.
void heldBy(LockRow& row, QByteArray client, std::optional<std::int64_t> sinceMs = std::nullopt);

/// Notes how the hold of a row's one holder is told from others: by its client, and by `born` where that is not enough.
/// Nothing for a row that is free, or whose holder is not known.
void takenAwayBy(LockRow& row, const QByteArray& place, std::int64_t born = 0);

/// The hold that a statement ends.
sql::SeenHold foreignHold(QByteArray statement, const QByteArray& name, QByteArrayList values);

/// The query for the first `limit` rows of a table: those columns, and after them the server's present time in
/// milliseconds.
QByteArray selectWithNow(sql::Language language, const TableName& table, const QByteArrayList& columns, int limit);

} // namespace lockscope::inspect
