// SPDX-License-Identifier: Apache-2.0
// Tables of a PostgreSQL that a transaction has locked against writers: by LOCK TABLE, by an ALTER TABLE that is not
// committed yet, by the building of an index.
#include "inspect/sql/held_tables.h"

#include "inspect/text.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::inspect {

namespace {

enum Column : std::size_t { Relation, Mode, Pid, Since, Program, User, Address, Statement };

/// Two transactions cannot hold a table in such a mode at once; in any other mode they can.
const char* modeOf(const QByteArray& lock) {
    const bool alone = lock == "AccessExclusiveLock" || lock == "ExclusiveLock" || lock == "ShareRowExclusiveLock" ||
                       lock == "ShareUpdateExclusiveLock";
    return alone ? "exclusive" : "shared";
}

} // namespace

// The weaker modes are those of ordinary statements and of the vacuum.
const char* heldTablesQuery() {
    return "SELECT l.relation::regclass::text, l.mode, l.pid, (extract(epoch FROM a.xact_start) * 1000)::bigint, {who} "
           "FROM pg_locks l JOIN pg_class c ON c.oid = l.relation JOIN pg_stat_activity a ON a.pid = l.pid "
           "WHERE l.locktype = 'relation' AND l.granted AND a.datname = current_database() "
           "AND (l.mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') OR "
           "l.relation IN (SELECT w.relation FROM pg_locks w WHERE w.locktype = 'relation' AND NOT w.granted)) "
           "AND c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.relnamespace <> 'pg_catalog'::regnamespace "
           "ORDER BY a.xact_start, l.pid";
}

std::vector<LockRow> heldTables(const sql::Table& answer, SessionNames& names,
                                const std::map<QByteArray, LockRow*>& waited) {
    std::map<QByteArray, LockRow> locks;
    std::set<const Party*> told; // in which mode they hold: prepared transactions are not
    for (std::size_t at = 0; at < answer.rows.size(); ++at) {
        const QByteArray table = answer.text(at, Relation), mode = answer.text(at, Mode), pid = answer.text(at, Pid);
        const SeenSession session{pid,
                                  answer.text(at, Program),
                                  answer.text(at, User),
                                  answer.text(at, Address),
                                  answer.text(at, Statement),
                                  answer.number(at, Since)};
        if (const auto known = waited.find(table); known != waited.end()) {
            std::vector<Party>& holders = known->second->holders;
            const auto holder = std::ranges::find(holders, names.of(session), &Party::client);
            if (holder != holders.end() && (told.insert(&*holder).second || holder->mode == "shared"))
                holder->mode = modeOf(mode);
            continue;
        }
        const auto [place, fresh] = locks.try_emplace(table, sessionLock(table, "pg-table", sql::Language::PostgreSql));
        LockRow& row = place->second;
        Party holder = sessionParty(names, session, modeOf(mode));
        row.raw.push_back({table, "locked table", {}, readable(mode + " · " + holder.client)});
        // A transaction that has locked a table twice, in two modes, is one holder.
        if (!fresh && row.holders.back().client == holder.client) {
            if (holder.mode == "exclusive") row.mode = row.holders.back().mode = holder.mode;
            continue;
        }
        row.state = LockRow::State::Held;
        row.mode = holder.mode;
        if (session.transactionSinceMs) row.entries.push_back({pid, {}, *session.transactionSinceMs});
        row.holders.push_back(std::move(holder));
    }
    for (const auto& [table, row] : waited)
        if (!row->holders.empty())
            row->mode = row->holders.size() > 1 ? QByteArrayLiteral("shared") : row->holders.front().mode;
    std::vector<LockRow> rows;
    for (auto& [table, row] : locks)
        rows.push_back(std::move(row));
    return rows;
}

} // namespace lockscope::inspect
