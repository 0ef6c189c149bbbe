// SPDX-License-Identifier: Apache-2.0
// Spring Integration: INT_LOCK(LOCK_KEY, REGION, CLIENT_ID, CREATED_DATE[, EXPIRED_AFTER]). The key is a UUID made of
// the lock's name, which cannot be read back.
#include "inspect/sql/formats/table_row.h"

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Key, Region, Client, Since, Ends, Now };

bool isIts(const TableName& table) {
    return table.has("lock_key") && table.has("region") && table.has("client_id") && table.has("created_date");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    const QByteArray ends = table.has("expired_after") ? words.msOf("expired_after") : QByteArray("NULL");
    return selectWithNow(
        language, table,
        {words.textOf("lock_key"), words.textOf("region"), words.textOf("client_id"), words.msOf("created_date"), ends},
        limit);
}

std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    LockRow row;
    row.name = answer.text(at, Region) + ':' + answer.text(at, Key);
    row.format = "int_lock";
    if (answer.number(at, Ends)) {
        heldUntil(row, answer.number(at, Ends), answer.number(at, Now));
    } else { // until 6.5 the clients alone know when it ends
        row.state = LockRow::State::Held;
        row.certainty = Certainty::Likely;
    }
    heldBy(row, answer.text(at, Client), answer.number(at, Since));
    takenAwayBy(row, place);
    row.raw.push_back(rawTableRow(answer, at, place, Now));
    return row;
}

/// Its date grows with each renewal; the client's id is another one for each process.
sql::SeenHold takeAway(sql::Language /*language*/, const QByteArray& table, const QByteArray& name, const Entry& seen) {
    const qsizetype colon = name.lastIndexOf(':'); // the key is a UUID
    return foreignHold("DELETE FROM " + table + " WHERE region = ? AND lock_key = ? AND client_id = ?", name,
                       {name.first(colon), name.sliced(colon + 1), seen.value});
}

} // namespace

const TableFormat kIntLockTable{"Spring Integration", isIts, query, read, "int_lock", takeAway};

} // namespace lockscope::inspect
