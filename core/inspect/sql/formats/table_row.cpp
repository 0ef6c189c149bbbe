// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/formats/table_row.h"

#include "inspect/text.h"

#include <QJsonObject>
#include <algorithm>

namespace lockscope::inspect {

RawKey rawTableRow(const sql::Table& answer, std::size_t row, const QByteArray& place, const QByteArrayList& columns) {
    QJsonObject texts;
    for (qsizetype at = 0; at < columns.size(); ++at) {
        const auto& cell = answer.rows.at(row).at(std::size_t(at));
        if (columns[at].isEmpty()) continue; // the table has no such column
        texts.insert(readable(columns[at]), cell ? QJsonValue(readable(*cell)) : QJsonValue(QJsonValue::Null));
    }
    return {place, "row", {}, texts};
}

void heldUntil(LockRow& row, std::optional<std::int64_t> endMs, std::optional<std::int64_t> nowMs) {
    // The year 10000. A server's clock that is not before it is none, and an end beyond it is as good as that.
    constexpr std::int64_t kFarthestMs = 253'402'300'800'000;
    if (!endMs || !nowMs || *endMs <= *nowMs || *nowMs < 0 || *nowMs >= kFarthestMs) return;
    row.state = LockRow::State::Held;
    row.neverExpires = *endMs == kInfinityMs;
    if (row.neverExpires) return;
    const std::int64_t end = std::min(*endMs, kFarthestMs);
    row.ttlMs = end - *nowMs;
    row.ends = EndsWithin{end, end + 1};
}

void heldBy(LockRow& row, QByteArray client, std::optional<std::int64_t> sinceMs) {
    if (row.state != LockRow::State::Held) return;
    Party holder;
    holder.client = std::move(client);
    holder.sinceWallMs = sinceMs;
    row.holders.push_back(std::move(holder));
}

void takenAwayBy(LockRow& row, const QByteArray& place, std::int64_t born) {
    if (row.holders.size() != 1 || row.holders.front().client.isEmpty()) return;
    row.entries.push_back({place, row.holders.front().client, born});
}

sql::SeenHold foreignHold(QByteArray statement, const QByteArray& name, QByteArrayList values) {
    sql::SeenHold hold;
    hold.by = sql::SeenHold::By::Foreign;
    hold.name = name;
    hold.statement = std::move(statement);
    hold.values = std::move(values);
    return hold;
}

QByteArray selectWithNow(sql::Language language, const TableName& table, const QByteArrayList& columns, int limit) {
    return "SELECT " + columns.join(", ") + ", " + sqlWords(language).nowMs + " FROM " + quoted(language, table) +
           " LIMIT " + QByteArray::number(limit);
}

} // namespace lockscope::inspect
