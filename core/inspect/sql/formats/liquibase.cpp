// SPDX-License-Identifier: Apache-2.0
// Liquibase: DATABASECHANGELOGLOCK(ID, LOCKED, LOCKGRANTED, LOCKEDBY), one row; nothing ends a dead client's lock.
#include "inspect/format_names.h"
#include "inspect/sql/formats/table_row.h"

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Id, Locked, Since, Owner, Now };

bool isIts(const TableName& table) {
    return table.has("id") && table.has("locked") && table.has("lockgranted") && table.has("lockedby");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    return selectWithNow(
        language, table,
        {"id", "CASE WHEN locked THEN 1 ELSE 0 END", words.msOf("lockgranted"), words.textOf("lockedby")}, limit);
}

std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    LockRow row;
    row.name = place + ':' + answer.text(at, Id);
    row.format = kLiquibaseFormat;
    if (answer.number(at, Locked) == 1) {
        row.state = LockRow::State::Held;
        row.neverExpires = true;
    }
    heldBy(row, answer.text(at, Owner), answer.number(at, Since));
    row.raw.push_back(rawTableRow(answer, at, place, {"id", "locked", "lockgranted", "lockedby"}));
    return row;
}

} // namespace

const TableFormat kLiquibaseTable{"Liquibase", isIts, query, read};

} // namespace lockscope::inspect
