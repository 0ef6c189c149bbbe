// SPDX-License-Identifier: Apache-2.0
// Spring Integration: INT_LOCK(LOCK_KEY, REGION, CLIENT_ID, CREATED_DATE[, EXPIRED_AFTER]). The key is a UUID made of
// the lock's name, which cannot be read back: only names that somebody asks for can be compared with it.
#include "inspect/sql/formats/int_lock.h"

#include "inspect/sql/formats/table_row.h"

#include <QCryptographicHash>
#include <QUuid>

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
    row.raw.push_back(
        rawTableRow(answer, at, place, {"lock_key", "region", "client_id", "created_date", "expired_after"}));
    return row;
}

/// Its date grows with each renewal; the client's id is another one for each process.
sql::SeenHold takeAway(sql::Language /*language*/, const QByteArray& table, const QByteArray& name, const Entry& seen) {
    const QByteArray key = name.sliced(name.lastIndexOf(':') + 1);
    const bool isKey = !QUuid::fromString(QString::fromUtf8(key)).isNull();
    const qsizetype colon = isKey ? name.lastIndexOf(':') : name.indexOf(':'); // a real name may have more of them
    return foreignHold("DELETE FROM " + table + " WHERE region = ? AND lock_key = ? AND client_id = ?", name,
                       {name.first(colon), isKey ? key : intLockKey(name.sliced(colon + 1)), seen.value});
}

} // namespace

QByteArray intLockKey(const QByteArray& name) {
    const QUuid itself = QUuid::fromString(QString::fromUtf8(name));
    if (!itself.isNull()) return itself.toByteArray(QUuid::WithoutBraces);
    QByteArray bytes = QCryptographicHash::hash(name, QCryptographicHash::Md5);
    bytes[6] = char((bytes[6] & 0x0f) | 0x30); // version 3
    bytes[8] = char((bytes[8] & 0x3f) | 0x80);
    return QUuid::fromRfc4122(bytes).toByteArray(QUuid::WithoutBraces);
}

void nameIntLock(LockRow& row, const std::set<QByteArray>& names) {
    const qsizetype colon = row.name.lastIndexOf(':');
    const QByteArray region = row.name.first(colon + 1), key = row.name.sliced(colon + 1);
    for (const QByteArray& name : names) {
        if (!name.startsWith(region) || name.size() == region.size()) continue;
        if (intLockKey(name.sliced(region.size())) != key) continue;
        row.name = name;
        return;
    }
}

const TableFormat kIntLockTable{"Spring Integration", isIts, query, read, "int_lock", takeAway};

} // namespace lockscope::inspect
