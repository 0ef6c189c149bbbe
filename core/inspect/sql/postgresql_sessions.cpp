// SPDX-License-Identifier: Apache-2.0
#include "inspect/sql/held_tables.h"
#include "inspect/sql/known_keys.h"
#include "inspect/sql/prepared.h"
#include "inspect/sql/sessions.h"
#include "inspect/text.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using sql::Table;

constexpr std::size_t kMostShown = 64; // of the blocked sessions, in the lock's content: the queue has them all

/// The identity of a session, in four columns: program, user, address, statement. A user without pg_read_all_stats
/// reads the server's "<insufficient privilege>" for another's statement: that is none. One that does nothing says so,
/// and that its statement is over: idle inside of a transaction it is what most often keeps others waiting.
constexpr const char* kWhoColumns =
    "COALESCE(a.application_name, ''), COALESCE(a.usename::text, ''), "
    "concat_ws(', ', host(a.client_addr), CASE WHEN a.state LIKE 'idle%' THEN a.state END), "
    "CASE WHEN a.state LIKE 'idle%' AND a.query <> '' THEN 'last statement: ' ELSE '' END || "
    "left(COALESCE(NULLIF(a.query, '<insufficient privilege>'), ''), 200)";

QByteArray withWho(const char* query) {
    return QByteArray(query).replace("{who}", kWhoColumns);
}

// In the order of the queue: by the beginning of each wait. A lock without a session is a prepared transaction's.
constexpr const char* kAdvisory =
    "SELECT l.classid::bigint, l.objid::bigint, l.objsubid::bigint, l.mode, l.granted::int, l.pid, "
    "(extract(epoch FROM l.waitstart) * 1000)::bigint, CASE WHEN l.pid IS NULL THEN (SELECT p.gid FROM "
    "pg_locks x JOIN pg_prepared_xacts p ON p.transaction = x.transactionid WHERE x.pid IS NULL AND x.granted AND "
    "x.virtualtransaction = l.virtualtransaction LIMIT 1) END, {who} FROM pg_locks l "
    "LEFT JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory' AND l.database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database()) "
    "ORDER BY l.granted DESC, l.waitstart, l.pid";
enum AdvisoryColumn : std::size_t { High, Low, Kind, Mode, Granted, Pid, Since, Prepared, Who };

// The blockers are asked for the first waiters of each queue only: the question stops the server's lock table for a
// moment, and the answer for a waiter counts all waiters before it. Later waiters for the same mode have no other
// holders before them.
constexpr const char* kBlocked =
    "SELECT w.pid, w.locktype, w.relation::regclass::text, w.page, w.tuple, w.mode, "
    "(extract(epoch FROM w.waitstart) * 1000)::bigint, "
    "CASE WHEN w.place <= 2 THEN array_to_string(pg_blocking_pids(w.pid), ',') END, w.xid, {who} FROM "
    "(SELECT l.pid, l.locktype, COALESCE(l.relation, t.relation) AS relation, COALESCE(l.page, t.page)::bigint "
    "AS page, COALESCE(l.tuple, t.tuple)::bigint AS tuple, l.mode, l.waitstart, COALESCE(l.transactionid::text, '') AS "
    "xid, "
    "row_number() OVER (PARTITION BY l.locktype, COALESCE(l.relation, t.relation), COALESCE(l.page, t.page), "
    "COALESCE(l.tuple, t.tuple), l.transactionid::text, l.mode "
    "ORDER BY l.waitstart, l.pid) AS place FROM pg_locks l "
    "LEFT JOIN pg_locks t ON t.pid = l.pid AND t.locktype = 'tuple' AND t.granted "
    "WHERE NOT l.granted AND l.locktype IN ('transactionid', 'tuple', 'relation')) w "
    "JOIN pg_stat_activity a ON a.pid = w.pid AND a.datname = current_database() "
    "ORDER BY w.waitstart, w.pid";
enum BlockedColumn : std::size_t { BPid, BType, BRelation, BPage, BTuple, BMode, BSince, Blockers, BXid, BWho };

constexpr const char* kSessions =
    "SELECT a.pid, (extract(epoch FROM a.xact_start) * 1000)::bigint, {who} FROM pg_stat_activity a "
    "WHERE a.xact_start IS NOT NULL ORDER BY a.pid";
enum SessionColumn : std::size_t { SPid, SSince, SWho };

/// `pid`: its column. `who`: the first of kWhoColumns.
SeenSession sessionIn(const Table& table, std::size_t row, std::size_t pid, std::size_t who) {
    return {table.text(row, pid), table.text(row, who), table.text(row, who + 1), table.text(row, who + 2),
            table.text(row, who + 3)};
}

/// One 64-bit number, or two of 32 bits: "12,34".
QByteArray advisoryName(const Table& table, std::size_t row) {
    const auto high = std::uint32_t(table.number(row, High).value_or(0));
    const auto low = std::uint32_t(table.number(row, Low).value_or(0));
    if (table.number(row, Kind) == 2) return QByteArray::number(qint32(high)) + ',' + QByteArray::number(qint32(low));
    return QByteArray::number(qint64(quint64(high) << 32 | low));
}

LockRow heldLock(QByteArray name, const char* format) {
    LockRow row = sessionLock(std::move(name), format, sql::Language::PostgreSql);
    row.state = LockRow::State::Held;
    return row;
}

void addAdvisory(const Table& table, SessionNames& names, const QByteArray& database, std::vector<LockRow>& rows) {
    std::map<QByteArray, LockRow> locks;
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
        const QByteArray name = advisoryName(table, at);
        LockRow& row =
            locks.try_emplace(name, heldLock(advisoryLockName(name, database), kAdvisoryLockFormat)).first->second;
        const bool shared = table.text(at, Mode) == "ShareLock";
        const QByteArray prepared = table.text(at, Prepared);
        Party party = prepared.isEmpty() ? sessionParty(names, sessionIn(table, at, Pid, Who), "exclusive")
                                         : PreparedTransactions::party(prepared);
        party.mode = shared ? "shared" : "exclusive";
        if (table.number(at, Granted) == 1) {
            // One session may have it in both ways: that is one holder, and the stronger way keeps the others out.
            const auto held = std::ranges::find(row.holders, party.client, &Party::client);
            if (row.holders.empty() || !shared) row.mode = party.mode;
            if (held != row.holders.end()) {
                if (!shared) held->mode = party.mode;
                continue;
            }
            if (prepared.isEmpty()) row.entries.push_back({table.text(at, Pid), name});
            row.holders.push_back(std::move(party));
        } else {
            party.sinceWallMs = table.number(at, Since);
            addWaiter(row, std::move(party));
        }
        const QByteArray key =
            "pg_locks advisory " + table.text(at, High) + ' ' + table.text(at, Low) + ' ' + table.text(at, Kind);
        if (row.raw.empty()) row.raw.push_back({key, "advisory lock", {}, readable(table.text(at, Mode))});
    }
    for (auto& [name, row] : locks)
        rows.push_back(std::move(row));
}

/// Sessions in a transaction, by their number.
class Sessions {
public:
    Sessions(const Table& table, SessionNames& names) : m_names(names) {
        for (std::size_t at = 0; at < table.rows.size(); ++at)
            m_all.emplace(table.text(at, SPid), sessionIn(table, at, SPid, SWho)).first->second.transactionSinceMs =
                table.number(at, SSince);
    }
    /// Adds a session to a lock's holders. Its transaction ends with what it holds, so a later transaction of the same
    /// session is not that holder; nobody tells when within the transaction it took the lock.
    void addHolder(LockRow& row, const QByteArray& pid) const {
        const auto found = m_all.find(pid);
        const SeenSession session = found == m_all.end() ? SeenSession{.number = pid} : found->second;
        if (session.transactionSinceMs) row.entries.push_back({pid, {}, *session.transactionSinceMs});
        row.holders.push_back(sessionParty(m_names, session, "exclusive"));
    }

private:
    SessionNames& m_names;
    std::map<QByteArray, SeenSession> m_all;
};

/// "public.orders (0,7)" for a row, "public.orders" for a table, else the transaction that is waited for.
QByteArray resourceOf(const Table& table, std::size_t at) {
    const QByteArray relation = table.text(at, BRelation);
    if (relation.isEmpty()) return "transaction " + table.text(at, BXid);
    if (!table.number(at, BPage) || !table.number(at, BTuple)) return relation;
    return relation + " (" + table.text(at, BPage) + ',' + table.text(at, BTuple) + ')';
}

/// The row of a table as people know it: by its name or key, if its primary key has a column like that, else by all of
/// the key.
QByteArray nameIn(const QByteArray& json) {
    const QJsonObject row = QJsonDocument::fromJson(json).object();
    if (row.contains(u"sched_name") && row.contains(u"lock_name")) // of Quartz: each scheduler has its own locks
        return (row[u"sched_name"].toString() + u':' + row[u"lock_name"].toString()).toUtf8();
    for (const char* column : {"name", "lock_name", "lock_key", "key", "id"}) {
        const QJsonValue value = row.value(QLatin1String(column));
        if (value.isString()) return value.toString().toUtf8();
        if (value.isDouble()) return QByteArray::number(value.toInteger());
    }
    QByteArrayList parts;
    for (const QJsonValue& value : row)
        parts << (value.isDouble() ? QByteArray::number(value.toInteger()) : value.toString().toUtf8());
    return parts.join(',');
}

/// The question for the keys of a table's rows, by their places, as JSON: nothing else of them names the lock, and the
/// rest is nobody's business. A table without a primary key has none.
QByteArray keysQuery(const QByteArray& relation) {
    return "SELECT t.ctid::text, t.xmax::text, (SELECT jsonb_object_agg(c.key, c.value) FROM jsonb_each(to_jsonb(t)) c "
           "WHERE c.key "
           "IN "
           "(SELECT k.attname FROM pg_index i JOIN pg_attribute k ON k.attrelid = i.indrelid AND "
           "k.attnum = ANY (i.indkey) WHERE i.indrelid = t.tableoid AND i.indisprimary))::text FROM " +
           relation + " t WHERE t.ctid = ANY (?::tid[])";
}

struct BlockedLock {
    LockRow row;
    QByteArray relation, place; ///< of a table's row: its ctid
    QByteArray transaction;     ///< that is waited for; empty: it is waited for a table
    std::set<QByteArray> waiting, blockers;
};

std::map<QByteArray, BlockedLock> blockedLocks(const Table& table, SessionNames& names) {
    std::map<QByteArray, BlockedLock> locks;
    for (std::size_t at = 0; at < table.rows.size(); ++at) {
        const QByteArray resource = resourceOf(table, at);
        const bool isRow = table.text(at, BType) != "relation" && !table.text(at, BRelation).isEmpty();
        auto [place, fresh] = locks.try_emplace(resource);
        BlockedLock& lock = place->second;
        if (fresh) {
            lock.row = heldLock(resource, isRow                                 ? "pg-row"
                                          : table.text(at, BType) == "relation" ? "pg-table"
                                                                                : "pg-transaction");
            lock.relation = table.text(at, BRelation);
            if (isRow && table.number(at, BTuple))
                lock.place = '(' + table.text(at, BPage) + ',' + table.text(at, BTuple) + ')';
        }
        Party waiter = sessionParty(names, sessionIn(table, at, BPid, BWho), "exclusive");
        waiter.sinceWallMs = table.number(at, BSince);
        addWaiter(lock.row, std::move(waiter));
        lock.waiting.insert(table.text(at, BPid));
        if (lock.transaction.isEmpty()) lock.transaction = table.text(at, BXid); // the head of a row's queue tells it
        for (const QByteArray& pid : table.text(at, Blockers).split(','))
            if (!pid.isEmpty()) lock.blockers.insert(pid);
        if (lock.row.raw.size() < kMostShown)
            lock.row.raw.push_back(
                {resource, "blocked session", {}, readable(table.text(at, BMode) + " · pid " + table.text(at, BPid))});
    }
    return locks;
}

/// The keys of rows that are waited for.
struct KeysOfRows {
    std::map<QByteArray, QByteArray> lockedBy; ///< the xmax of each, by "public.orders (0,7)"
    std::map<QByteArray, QByteArray> json;     ///< by the same
    std::set<QByteArray> busy;                 ///< tables that somebody has to itself: nobody can read them now
};

/// Asks each table once for many of its rows, so that a look at thousands of queues stays short.
sql::Answer<KeysOfRows> readKeysOfRows(sql::Reader& reader, const std::map<QByteArray, BlockedLock>& locks,
                                       std::stop_token stop) {
    constexpr qsizetype kTogether = 500;
    std::map<QByteArray, QByteArrayList> places; // by table
    for (const auto& [resource, lock] : locks)
        if (!lock.place.isEmpty()) places[lock.relation].push_back('"' + lock.place + '"');
    KeysOfRows keys;
    for (const auto& [relation, all] : places) {
        for (qsizetype at = 0; at < all.size() && !keys.busy.contains(relation); at += kTogether) {
            const QByteArray some = '{' + all.mid(at, kTogether).join(',') + '}';
            const auto content = co_await reader.askAbout(keysQuery(relation), some, stop);
            if (!content && content.error().connectionLost()) co_return std::unexpected(content.error());
            if (!content && content.error().kind == sql::Error::Kind::WaitExceeded) keys.busy.insert(relation);
            if (!content) break; // each question about such a table takes its time, and gets no other answer
            for (std::size_t row = 0; row < content->rows.size(); ++row) {
                const QByteArray resource = relation + ' ' + content->text(row, 0);
                keys.lockedBy.emplace(resource, content->text(row, 1));
                keys.json.emplace(resource, content->text(row, 2));
            }
        }
    }
    co_return keys;
}

// A row that several share names a list of transactions in the place of one, and its first waiter waits for one of them
// only. Whether a number is such a list's, the server does not say: a list in which the other transaction is, is meant.
// Numbers of lists that do not exist are not asked for: each would be an error in the server's log.
constexpr const char* kSharing =
    "SELECT v.x::text, m.xid::text, l.pid FROM unnest(?::xid[]) v(x) CROSS JOIN LATERAL pg_get_multixact_members("
    "CASE WHEN mxid_age(v.x) BETWEEN 1 AND (SELECT max(mxid_age(d.datminmxid)) FROM pg_database d) THEN v.x END) m "
    "LEFT JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.mode = 'ExclusiveLock' AND "
    "l.transactionid::text = m.xid::text";

/// Adds to the blockers of rows the sessions that share them.
QCoro::Task<std::optional<sql::Error>> readSharing(sql::Reader& reader, const KeysOfRows& keys,
                                                   std::map<QByteArray, BlockedLock>& locks, std::stop_token stop) {
    std::multimap<QByteArray, BlockedLock*> byList;
    QByteArrayList lists;
    for (auto& [resource, lock] : locks) {
        const auto lockedBy = keys.lockedBy.find(resource);
        if (lockedBy == keys.lockedBy.end() || lock.transaction.isEmpty() || lockedBy->second == lock.transaction)
            continue;
        if (!byList.contains(lockedBy->second)) lists.push_back(lockedBy->second);
        byList.emplace(lockedBy->second, &lock);
    }
    if (lists.isEmpty()) co_return std::nullopt;
    const QByteArray all = '{' + lists.join(',') + '}';
    const auto sharing = co_await reader.askAbout(kSharing, all, stop);
    if (!sharing && sharing.error().connectionLost()) co_return sharing.error();
    struct List {
        std::set<QByteArray> transactions, pids;
    };
    std::map<QByteArray, List> members;
    for (std::size_t at = 0; sharing && at < sharing->rows.size(); ++at) {
        List& list = members[sharing->text(at, 0)];
        list.transactions.insert(sharing->text(at, 1));
        if (!sharing->text(at, 2).isEmpty()) list.pids.insert(sharing->text(at, 2));
    }
    for (const auto& [list, lock] : byList)
        if (members[list].transactions.contains(lock->transaction))
            lock->blockers.insert(members[list].pids.begin(), members[list].pids.end());
    co_return std::nullopt;
}

} // namespace

SessionsRead readPostgreSqlSessions(sql::Reader& reader, SessionMemory& memory, std::vector<TableName> tables,
                                    std::stop_token stop) {
    SessionLocks found;
    const auto advisory = co_await askBounded(reader, withWho(kAdvisory), found, stop);
    if (!advisory) co_return std::unexpected(advisory.error());
    const QString where = reader.where();
    addAdvisory(*advisory, memory.names, where.sliced(where.lastIndexOf(u'/') + 1).toUtf8(), found.rows);
    const auto blocked = co_await askBounded(reader, withWho(kBlocked), found, stop);
    if (!blocked) co_return std::unexpected(blocked.error());
    std::map<QByteArray, BlockedLock> locks = blockedLocks(*blocked, memory.names);

    // A row names the transaction that locked it, and one that still runs holds its own number: so rows of lock tables
    // are seen to be locked while nobody waits.
    std::map<QByteArray, std::map<QByteArray, std::set<QByteArray>>> lockedRows; // table → name → pids
    std::set<QByteArray> ofQuartz, readTables;
    std::vector<LockRow> notKnown;
    for (const TableName& table : tables) {
        if (!hasRowNames(table)) continue;
        const char* const name = table.has("lock_name") ? "lock_name" : "name";
        if (isOfQuartz(table)) ofQuartz.insert(table.schema + '.' + table.table);
        const QByteArray whole =
            isOfQuartz(table) ? QByteArray("t.sched_name || ':' || t.lock_name") : "t." + QByteArray(name) + "::text";
        const QByteArray query = "SELECT " + whole + ", l.pid FROM " + quoted(sql::Language::PostgreSql, table) +
                                 " t JOIN pg_locks l ON l.locktype = 'transactionid' AND l.granted AND l.mode = "
                                 "'ExclusiveLock' AND l.transactionid::text = t.xmax::text";
        const auto locked = co_await askBounded(reader, query, found, stop);
        if (!locked && locked.error().connectionLost()) co_return std::unexpected(locked.error());
        const QByteArray place = table.schema + '.' + table.table;
        if (!locked && locked.error().kind == sql::Error::Kind::WaitExceeded) { // somebody has it to itself
            std::ranges::move(memory.lockedRows.notKnown(place, "postgresql"), std::back_inserter(notKnown));
            continue;
        }
        if (!locked) { // no right to read it, or it is gone meanwhile
            if (locked.error().kind != sql::Error::Kind::MissingTable) found.refused.push_back(place);
            continue;
        }
        readTables.insert(place);
        for (std::size_t at = 0; at < locked->rows.size(); ++at)
            lockedRows[place][locked->text(at, 0)].insert(locked->text(at, 1));
    }

    std::expected<Table, sql::Error> sessionTable = Table();
    if (!locks.empty() || !lockedRows.empty())
        sessionTable = co_await askBounded(reader, withWho(kSessions), found, stop);
    if (!sessionTable) co_return std::unexpected(sessionTable.error());
    const Sessions sessions(*sessionTable, memory.names);
    PreparedTransactions prepared;
    const QByteArray ofPrepared = "0"; // the number of a blocker without a session
    if (std::ranges::any_of(locks, [&](const auto& lock) { return lock.second.blockers.contains(ofPrepared); })) {
        const auto answer = co_await reader.ask(PreparedTransactions::query(), stop);
        if (!answer && answer.error().connectionLost()) co_return std::unexpected(answer.error());
        if (answer) prepared = PreparedTransactions(*answer);
    }
    const auto keys = co_await readKeysOfRows(reader, locks, stop);
    if (!keys) co_return std::unexpected(keys.error());
    const auto failed = co_await readSharing(reader, *keys, locks, stop);
    if (failed) co_return std::unexpected(*failed);
    std::map<QByteArray, QByteArray> namesOfRows;
    for (auto& [resource, lock] : locks) {
        for (const QByteArray& pid : lock.blockers)
            if (!lock.waiting.contains(pid) && pid != ofPrepared) sessions.addHolder(lock.row, pid);
        if (lock.blockers.contains(ofPrepared))
            std::ranges::move(prepared.holdersOf(lock.transaction, lock.relation),
                              std::back_inserter(lock.row.holders));
        shareAmongHolders(lock.row);
        if (lock.place.isEmpty()) continue;
        const auto before = memory.namesOfRows.find(resource);
        if (keys->busy.contains(lock.relation) && before != memory.namesOfRows.end()) {
            lock.row.name = before->second; // it is that row still, though nobody can read it now
            namesOfRows.insert(*before);
        }
        const auto json = keys->json.find(resource);
        if (json == keys->json.end() || json->second.isEmpty()) continue;
        const QByteArray name = nameIn(json->second);
        RawKey raw{resource, "key of the row", {}, readable(json->second)};
        lock.row.raw.insert(lock.row.raw.begin(), std::move(raw));
        if (!name.isEmpty()) {
            lock.row.name = lock.relation + ':' + name;
            namesOfRows.emplace(resource, lock.row.name);
        }
        if (ofQuartz.contains(lock.relation) || ofQuartz.contains("public." + lock.relation))
            lock.row.format = kQuartzFormat;
    }
    std::set<QByteArray> waited; // names of rows
    for (const auto& [resource, lock] : locks)
        waited.insert(lock.row.name);
    for (const auto& [table, rows] : lockedRows) {
        const QByteArray unqualified = table.sliced(table.indexOf('.') + 1);
        for (const auto& [name, pids] : rows) {
            if (waited.contains(table + ':' + name) || waited.contains(unqualified + ':' + name)) continue;
            LockRow row = heldLock(unqualified + ':' + name, ofQuartz.contains(table) ? kQuartzFormat : "pg-row");
            for (const QByteArray& pid : pids)
                sessions.addHolder(row, pid);
            row.raw.push_back({table + ':' + name, "locked row", {}, readable(name)});
            memory.lockedRows.note(table, row);
            found.rows.push_back(std::move(row));
        }
    }
    for (const QByteArray& table : readTables)
        memory.lockedRows.read(table);
    for (LockRow& row : notKnown)
        if (!waited.contains(row.name)) found.rows.push_back(std::move(row));
    memory.namesOfRows = std::move(namesOfRows);
    std::map<QByteArray, LockRow*> waitedTables;
    for (auto& [resource, lock] : locks)
        if (lock.row.format == "pg-table") waitedTables.emplace(lock.relation, &lock.row);
    const auto held = co_await askBounded(reader, withWho(heldTablesQuery()), found, stop);
    if (!held && held.error().connectionLost()) co_return std::unexpected(held.error());
    if (held) std::ranges::move(heldTables(*held, memory.names, waitedTables), std::back_inserter(found.rows));
    for (auto& [resource, lock] : locks)
        found.rows.push_back(std::move(lock.row));
    co_return found;
}

} // namespace lockscope::inspect
