// SPDX-License-Identifier: Apache-2.0
// ShedLock: shedlock(name, lock_until, locked_at, locked_by); a row stays when its lock is free.
#include "inspect/sql/formats/table_row.h"

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Name, Ends, Since, Owner, Now };

bool isIts(const TableName& table) {
    return table.has("name") && table.has("lock_until") && table.has("locked_at") && table.has("locked_by");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    return selectWithNow(
        language, table,
        {words.textOf("name"), words.msOf("lock_until"), words.msOf("locked_at"), words.textOf("locked_by")}, limit);
}

std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    LockRow row;
    row.name = answer.text(at, Name);
    row.format = "shedlock";
    // Its times are in UTC only where the clients use the database's time.
    row.certainty = Certainty::Likely;
    heldUntil(row, answer.number(at, Ends), answer.number(at, Now));
    heldBy(row, answer.text(at, Owner), answer.number(at, Since));
    takenAwayBy(row, place, answer.number(at, Since).value_or(0));
    row.raw.push_back(rawTableRow(answer, at, place, {"name", "lock_until", "locked_at", "locked_by"}));
    return row;
}

/// Ended at its beginning, which is past whatever the time zone is: so ShedLock's next taker finds it free. The next
/// hold of the same host has another beginning.
sql::SeenHold takeAway(sql::Language language, const QByteArray& table, const QByteArray& name, const Entry& seen) {
    return foreignHold("UPDATE " + table + " SET lock_until = locked_at WHERE name = ? AND locked_by = ? AND " +
                           sqlWords(language).msOf("locked_at") + " = " + QByteArray::number(qlonglong(seen.born)),
                       name, {name, seen.value});
}

} // namespace

const TableFormat kShedLockTable{"ShedLock", isIts, query, read, "shedlock", takeAway};

} // namespace lockscope::inspect
