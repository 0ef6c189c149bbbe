// SPDX-License-Identifier: Apache-2.0
// Liquibase: DATABASECHANGELOGLOCK(ID, LOCKED, LOCKGRANTED, LOCKEDBY), one row; nothing ends a dead client's lock.
#include "inspect/sql/formats/table_row.h"

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Id, Locked, Since, Owner };

bool isIts(const TableName& table) {
    return table.has("id") && table.has("locked") && table.has("lockgranted") && table.has("lockedby");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    return "SELECT id, CASE WHEN locked THEN 1 ELSE 0 END, " + words.msOf("lockgranted") + ", " +
           words.textOf("lockedby") + " FROM " + quoted(language, table) + " LIMIT " + QByteArray::number(limit);
}

std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    LockRow row;
    row.name = place + ':' + answer.text(at, Id);
    row.format = "liquibase";
    if (answer.number(at, Locked) == 1) {
        row.state = LockRow::State::Held;
        row.neverExpires = true;
        Party holder;
        holder.client = answer.text(at, Owner);
        holder.sinceWallMs = answer.number(at, Since);
        row.holders.push_back(std::move(holder));
    }
    row.raw.push_back(rawTableRow(answer, at, place, Owner + 1));
    return row;
}

} // namespace

const TableFormat kLiquibaseTable{"Liquibase", isIts, query, read};

} // namespace lockscope::inspect
