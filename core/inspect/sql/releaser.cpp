// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/releaser.h"

#include "inspect/sql/seen_table.h"
#include "inspect/text.h"

#include <algorithm>

namespace lockscope::inspect {

using By = sql::SeenHold::By;

namespace {

/// "schema.table", as reports name it, quoted.
QByteArray quotedPlace(sql::Language language, const QByteArray& place) {
    const qsizetype dot = language == sql::Language::Sqlite ? -1 : place.indexOf('.');
    return dot < 0 ? quoted(language, place) : quoted(language, TableName{place.first(dot), place.sliced(dot + 1), {}});
}

} // namespace

/// The holds to be taken away, one per holder; empty: this kind of lock cannot be freed.
std::vector<sql::SeenHold> SqlReleaser::holdsOf(const LockRow& seen) const {
    const auto foreign = std::ranges::find_if(
        tableFormats(), [&](const TableFormat& format) { return format.takeAway && seen.format == format.format; });
    std::vector<sql::SeenHold> holds;
    for (const Entry& entry : seen.entries) {
        // A name that two tables have says in which one it is.
        QByteArray nameThere = seen.name;
        if (const QByteArray place = entry.at + ':'; nameThere.startsWith(place)) nameThere.remove(0, place.size());
        sql::SeenHold hold;
        hold.name = seen.name;
        if (foreign != tableFormats().end()) {
            hold = foreign->takeAway(m_language, quotedPlace(m_language, entry.at), nameThere, entry);
        } else if (seen.format == "sql-lease" || seen.format == "sql-row") {
            hold.by = seen.format == "sql-lease" ? By::Lease : By::Row;
            hold.owner = entry.value;
            hold.name = nameThere;
        } else {
            hold.by = entry.born != 0 ? By::Transaction : By::NamedLock;
            hold.name = entry.value;
            hold.session = entry.at.toLongLong();
            hold.began = entry.born;
        }
        holds.push_back(std::move(hold));
    }
    return holds;
}

std::expected<QByteArrayList, QString> SqlReleaser::commands(const LockRow& seen) {
    QByteArrayList lines;
    for (const sql::SeenHold& hold : holdsOf(seen))
        lines << m_client->takeAwayText(hold);
    if (lines.isEmpty()) return std::unexpected(cannotBeFreed(seen));
    return lines;
}

QCoro::Task<std::expected<Freed, QString>> SqlReleaser::free(LockRow seen, std::stop_token stop) {
    const std::vector<sql::SeenHold> holds = holdsOf(seen);
    if (holds.empty()) co_return std::unexpected(cannotBeFreed(seen));
    bool any = false;
    for (const sql::SeenHold& hold : holds) {
        const auto taken = co_await m_client->takeAway(hold, stop);
        if (!taken) co_return std::unexpected(taken.error().message);
        any = any || *taken;
    }
    if (any) co_return Freed::Freed;
    if (holds.front().by == By::Foreign) co_return Freed::NotAsSeen;
    const bool row = holds.front().by == By::Lease || holds.front().by == By::Row;
    if (!row) co_return Freed::WasFree; // by that session
    const auto now = co_await m_client->look(holds.front().name, std::move(stop));
    if (!now) co_return std::unexpected(now.error().message);
    co_return now->there && !now->owner.isEmpty() ? Freed::HeldByAnother : Freed::WasFree;
}

} // namespace lockscope::inspect
