// SPDX-License-Identifier: Apache-2.0
// Laravel: cache_locks(key, owner, expiration), the end in seconds since 1970.
#include "inspect/sql/formats/table_row.h"

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Key, Owner, Ends, Now };

bool isIts(const TableName& table) {
    return table.table.toLower().endsWith("cache_locks") && table.has("key") && table.has("owner") &&
           table.has("expiration");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    return selectWithNow(language, table,
                         {words.textOf(quoted(language, QByteArray("key"))), words.textOf("owner"),
                          "CAST(expiration AS DECIMAL(20)) * 1000"},
                         limit);
}

std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    LockRow row;
    row.name = answer.text(at, Key);
    row.format = "laravel";
    heldUntil(row, answer.number(at, Ends), answer.number(at, Now));
    heldBy(row, answer.text(at, Owner));
    takenAwayBy(row, place);
    row.raw.push_back(rawTableRow(answer, at, place, {"key", "owner", "expiration"}));
    return row;
}

/// The owner is a random text, another one for each hold.
sql::SeenHold takeAway(sql::Language language, const QByteArray& table, const QByteArray& name, const Entry& seen) {
    return foreignHold("DELETE FROM " + table + " WHERE " + quoted(language, QByteArray("key")) + " = ? AND owner = ?",
                       name, {name, seen.value});
}

} // namespace

const TableFormat kLaravelTable{"Laravel", isIts, query, read, "laravel", takeAway};

} // namespace lockscope::inspect
