// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/releaser.h"

#include "inspect/text.h"

namespace lockscope::inspect {

namespace {

using By = sql::SeenHold::By;

/// The holds to be taken away, one per holder; empty: this kind of lock cannot be freed.
std::vector<sql::SeenHold> holdsOf(const LockRow& seen) {
    std::vector<sql::SeenHold> holds;
    for (const Entry& entry : seen.entries) {
        sql::SeenHold hold;
        hold.name = seen.name;
        if (seen.format == "sql-lease" || seen.format == "sql-row") {
            hold.by = seen.format == "sql-lease" ? By::Lease : By::Row;
            hold.owner = entry.value;
            // A name that two tables have says in which one it is.
            if (const QByteArray place = entry.at + ':'; hold.name.startsWith(place)) hold.name.remove(0, place.size());
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

} // namespace

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
    const bool row = holds.front().by == By::Lease || holds.front().by == By::Row;
    if (!row) co_return Freed::WasFree; // by that session
    const auto now = co_await m_client->look(holds.front().name, std::move(stop));
    if (!now) co_return std::unexpected(now.error().message);
    co_return now->there && !now->owner.isEmpty() ? Freed::HeldByAnother : Freed::WasFree;
}

} // namespace lockscope::inspect
