// SPDX-License-Identifier: Apache-2.0
// Lockscope's own table: a row per lock, of the recipe that it names.
#include "inspect/sql/formats/table_row.h"
#include "recipes/recipe.h"

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Name, Recipe, Owner, Version, Ends, Since, Now };

bool isIts(const TableName& table) {
    return table.has("recipe") && table.has("owner") && table.has("version") && table.has("expires_at") &&
           table.has("acquired_at");
}

QByteArray query(sql::Language language, const TableName& table, int limit) {
    const SqlWords& words = sqlWords(language);
    return "SELECT " + words.textOf("name") + ", " + words.textOf("recipe") + ", " + words.textOf("owner") +
           ", version, " + words.msOf("expires_at") + ", " + words.msOf("acquired_at") + ", " + words.nowMs + " FROM " +
           quoted(language, table) + " WHERE owner IS NOT NULL LIMIT " + QByteArray::number(limit);
}

// Only a lease has an end; a version's owner is whoever wrote last, and holds nothing; a locked row says nothing by
// itself: its transaction does.
std::optional<LockRow> read(const sql::Table& answer, std::size_t at, const QByteArray& place) {
    const QByteArray recipe = answer.text(at, Recipe);
    if (recipe != "sql-lease" && recipe != "sql-row") return std::nullopt;
    LockRow row;
    row.name = answer.text(at, Name);
    row.format = recipe;
    if (recipe == "sql-lease") {
        heldUntil(row, answer.number(at, Ends), answer.number(at, Now));
        row.token = answer.number(at, Version);
    } else {
        row.state = LockRow::State::Held;
        row.neverExpires = true;
    }
    if (row.state == LockRow::State::Held) {
        QByteArray owner = answer.text(at, Owner);
        row.entries.push_back({place, owner});
        owner.truncate(std::max<qsizetype>(owner.lastIndexOf(':'), 0)); // the part that makes each grant's unique
        const recipes::HolderInfo who = recipes::HolderInfo::of(owner);
        Party holder;
        holder.client = who.client;
        if (!who.thread.isEmpty()) holder.thread = who.thread;
        holder.sinceWallMs = answer.number(at, Since);
        row.holders.push_back(std::move(holder));
    }
    row.raw.push_back(
        rawTableRow(answer, at, place, {"name", "recipe", "owner", "version", "expires_at", "acquired_at"}));
    return row;
}

} // namespace

const TableFormat kLockscopeTable{"Lockscope", isIts, query, read};

} // namespace lockscope::inspect
