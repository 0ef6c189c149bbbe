// SPDX-License-Identifier: Apache-2.0
// Rows that transactions of InnoDB have locked: those that others wait for, by their keys; and transactions with locked
// rows that nobody waits for, which InnoDB counts.
#include "inspect/sql/sessions.h"
#include "inspect/text.h"

namespace lockscope::inspect {

namespace {

using sql::Language;
using sql::Table;

// Every waiter with its holders. InnoDB also names each earlier request of the queue, which makes the list as long as
// the square of the queue: all of these become one row without a blocker.
constexpr const char* kBlockedInMariaDb =
    "SELECT r.trx_mysql_thread_id, b.trx_mysql_thread_id, l.lock_table, COALESCE(l.lock_index, ''), "
    "COALESCE(l.lock_data, ''), l.lock_mode, CAST(UNIX_TIMESTAMP(r.trx_wait_started) * 1000 AS SIGNED), "
    "COALESCE(LEFT(r.trx_query, 200), ''), COALESCE(LEFT(b.trx_query, 200), ''), "
    "CAST(UNIX_TIMESTAMP(b.trx_started) * 1000 AS SIGNED), COALESCE(rp.USER, ''), COALESCE(rp.HOST, ''), "
    "COALESCE(bp.USER, ''), CONCAT(COALESCE(bp.HOST, ''), IF(bp.COMMAND = 'Sleep', ', idle in transaction', '')) FROM "
    "(SELECT DISTINCT w.requesting_trx_id, w.requested_lock_id, "
    "IF(SUBSTR(q.trx_requested_lock_id, LOCATE(':', q.trx_requested_lock_id)) = "
    "SUBSTR(w.requested_lock_id, LOCATE(':', w.requested_lock_id)), NULL, w.blocking_trx_id) AS blocking_trx_id "
    "FROM information_schema.INNODB_LOCK_WAITS w "
    "LEFT JOIN information_schema.INNODB_TRX q ON q.trx_id = w.blocking_trx_id) w "
    "JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id "
    "JOIN information_schema.INNODB_LOCKS l ON l.lock_id = w.requested_lock_id "
    "LEFT JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id "
    "LEFT JOIN information_schema.PROCESSLIST rp ON rp.ID = r.trx_mysql_thread_id "
    "LEFT JOIN information_schema.PROCESSLIST bp ON bp.ID = b.trx_mysql_thread_id "
    "ORDER BY r.trx_wait_started, r.trx_id";
// MySQL's answer has the columns of MariaDB's above. A granted lock's transaction is a holder, also while it waits for
// another row.
constexpr const char* kBlockedInMySql =
    "SELECT rt.PROCESSLIST_ID, bt.PROCESSLIST_ID, CONCAT('`', l.OBJECT_SCHEMA, '`.`', l.OBJECT_NAME, '`'), "
    "COALESCE(l.INDEX_NAME, ''), COALESCE(l.LOCK_DATA, ''), l.LOCK_MODE, "
    "CAST(UNIX_TIMESTAMP(r.trx_wait_started) * 1000 AS SIGNED), "
    "COALESCE(LEFT(rt.PROCESSLIST_INFO, 200), ''), COALESCE(LEFT(bt.PROCESSLIST_INFO, 200), ''), "
    "CAST(UNIX_TIMESTAMP(b.trx_started) * 1000 AS SIGNED), COALESCE(rt.PROCESSLIST_USER, ''), "
    "COALESCE(rt.PROCESSLIST_HOST, ''), COALESCE(bt.PROCESSLIST_USER, ''), "
    "CONCAT(COALESCE(bt.PROCESSLIST_HOST, ''), IF(bt.PROCESSLIST_COMMAND = 'Sleep', ', idle in transaction', '')) FROM "
    "(SELECT DISTINCT w.REQUESTING_ENGINE_LOCK_ID AS requested_lock_id, "
    "IF(h.LOCK_STATUS = 'GRANTED', w.BLOCKING_ENGINE_TRANSACTION_ID, NULL) AS blocking_trx_id, "
    "IF(h.LOCK_STATUS = 'GRANTED', h.THREAD_ID, NULL) AS blocking_thread "
    "FROM performance_schema.data_lock_waits w "
    "LEFT JOIN performance_schema.data_locks h ON h.ENGINE_LOCK_ID = w.BLOCKING_ENGINE_LOCK_ID) w "
    "JOIN performance_schema.data_locks l ON l.ENGINE_LOCK_ID = w.requested_lock_id "
    "JOIN performance_schema.threads rt ON rt.THREAD_ID = l.THREAD_ID "
    "LEFT JOIN information_schema.INNODB_TRX r ON r.trx_id = l.ENGINE_TRANSACTION_ID "
    "LEFT JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id "
    "LEFT JOIN performance_schema.threads bt ON bt.THREAD_ID = w.blocking_thread "
    "ORDER BY r.trx_wait_started, l.ENGINE_TRANSACTION_ID";
enum BlockedColumn : std::size_t {
    Waiter,
    Blocker,
    LockTable,
    Index,
    Data,
    Mode,
    WaitSince,
    WaiterQuery,
    BlockerQuery,
    BlockerSince,
    WaiterUser,
    WaiterHost,
    BlockerUser,
    BlockerHost
};

// Transactions that have rows locked for a second or more: shorter ones come and go with every statement. InnoDB counts
// their rows, and lists them only while somebody waits.
constexpr const char* kRunning =
    "SELECT t.trx_mysql_thread_id, t.trx_id, t.trx_rows_locked, t.trx_tables_locked, "
    "CAST(UNIX_TIMESTAMP(t.trx_started) * 1000 AS SIGNED), COALESCE(LEFT(t.trx_query, 200), ''), "
    "COALESCE(p.USER, ''), CONCAT(COALESCE(p.HOST, ''), IF(p.COMMAND = 'Sleep', ', idle in transaction', '')), "
    "t.trx_state FROM information_schema.INNODB_TRX t LEFT JOIN information_schema.PROCESSLIST p ON p.ID = "
    "t.trx_mysql_thread_id "
    "WHERE t.trx_rows_locked > 0 AND t.trx_mysql_thread_id <> 0 "
    "AND t.trx_started < NOW() - INTERVAL 1 SECOND ORDER BY t.trx_started, t.trx_id";
enum RunningColumn : std::size_t { Thread, Transaction, RowsLocked, TablesLocked, Started, Query, User, Host, State };

/// Whether the entries of an index are the rows themselves: InnoDB locks entries of indexes, and of a row that a
/// statement finds by another index both that index' entry and the row.
bool isOfRows(const QByteArray& index) {
    return index.isEmpty() || index == "PRIMARY" || index == "GEN_CLUST_INDEX";
}

/// `db`.`table`, key 'a' → "db.table:'a'"; an entry of another index: "db.table:'a', 7 (index by_name)".
QByteArray blockedName(const Table& table, std::size_t at) {
    QByteArray name = table.text(at, LockTable);
    name.replace('`', "");
    if (const QByteArray data = table.text(at, Data); !data.isEmpty()) name += ':' + data;
    if (const QByteArray index = table.text(at, Index); !isOfRows(index)) name += " (index " + index + ')';
    return name;
}

/// A transaction takes its locks one by one, and InnoDB does not tell when: its beginning tells it from a later one
/// only.
void addHolder(LockRow& row, SessionNames& names, const SeenSession& session) {
    if (session.transactionSinceMs) row.entries.push_back({session.number, {}, *session.transactionSinceMs});
    row.holders.push_back(sessionParty(names, session, "exclusive"));
}

class InnoDbRows {
public:
    InnoDbRows(Language language, SessionNames& names) : m_language(language), m_names(names) {}

    void addBlocked(const Table& table) {
        for (std::size_t at = 0; at < table.rows.size(); ++at)
            addWait(table, at);
    }
    /// A holder of a row that somebody waits for stands there, and one that waits itself stands in a queue: neither has
    /// another row of its own, unless it was `told` before. It has let go of nothing.
    void addRunning(const Table& table, std::vector<LockRow>& rows, std::set<QByteArray>& told) const {
        const std::set<QByteArray> before = std::exchange(told, {});
        for (std::size_t at = 0; at < table.rows.size(); ++at) {
            const QByteArray name = "transaction " + table.text(at, Transaction);
            const bool elsewhere = m_holders.contains(table.text(at, Thread)) || table.text(at, State) != "RUNNING";
            if (elsewhere && !before.contains(name)) continue;
            told.insert(name);
            LockRow row = sessionLock(name, "innodb-transaction", m_language);
            row.state = LockRow::State::Held;
            const SeenSession session{.number = table.text(at, Thread),
                                      .user = table.text(at, User),
                                      .address = table.text(at, Host),
                                      .statement = table.text(at, Query),
                                      .transactionSinceMs = table.number(at, Started)};
            addHolder(row, m_names, session);
            row.raw.push_back({name,
                               "locked rows",
                               {},
                               readable(table.text(at, RowsLocked) + " in tables: " + table.text(at, TablesLocked))});
            rows.push_back(std::move(row));
        }
    }
    void moveTo(std::vector<LockRow>& rows) {
        for (auto& [name, lock] : m_locks)
            rows.push_back(std::move(lock.row));
    }

private:
    struct Lock {
        LockRow row;
        std::set<QByteArray> waiting, holding;
    };

    void addWait(const Table& table, std::size_t at) {
        const QByteArray name = blockedName(table, at);
        const auto [place, fresh] = m_locks.try_emplace(name);
        Lock& lock = place->second;
        LockRow& row = lock.row;
        if (fresh) {
            const bool ofQuartz = table.text(at, LockTable).toLower().endsWith("qrtz_locks`");
            row = sessionLock(name, ofQuartz ? kQuartzFormat : "innodb-row", m_language);
            row.state = LockRow::State::Held;
            row.raw.push_back(
                {table.text(at, LockTable),
                 isOfRows(table.text(at, Index)) ? "locked row" : "locked entry of an index",
                 {},
                 readable(table.text(at, Index) + ' ' + table.text(at, Data) + ' ' + table.text(at, Mode))});
        }
        if (lock.waiting.insert(table.text(at, Waiter)).second) {
            const SeenSession session{.number = table.text(at, Waiter),
                                      .user = table.text(at, WaiterUser),
                                      .address = table.text(at, WaiterHost),
                                      .statement = table.text(at, WaiterQuery)};
            Party waiter = sessionParty(m_names, session, "exclusive");
            waiter.sinceWallMs = table.number(at, WaitSince);
            addWaiter(row, std::move(waiter));
        }
        const QByteArray blocker = table.text(at, Blocker);
        if (blocker.isEmpty() || !lock.holding.insert(blocker).second) return;
        m_holders.insert(blocker);
        const SeenSession session{.number = blocker,
                                  .user = table.text(at, BlockerUser),
                                  .address = table.text(at, BlockerHost),
                                  .statement = table.text(at, BlockerQuery),
                                  .transactionSinceMs = table.number(at, BlockerSince)};
        addHolder(row, m_names, session);
        shareAmongHolders(row);
    }

    Language m_language;
    SessionNames& m_names;
    std::map<QByteArray, Lock> m_locks;
    std::set<QByteArray> m_holders; ///< of rows that somebody waits for
};

} // namespace

QCoro::Task<std::optional<sql::Error>> readInnoDbRows(sql::Reader& reader, SessionMemory& memory, SessionLocks& found,
                                                      std::stop_token stop) {
    InnoDbRows rows(reader.language(), memory.names);
    const char* const query = reader.language() == Language::MariaDb ? kBlockedInMariaDb : kBlockedInMySql;
    const auto blocked = co_await askBounded(reader, query, found, stop);
    if (!blocked && blocked.error().connectionLost()) co_return blocked.error();
    if (blocked)
        rows.addBlocked(*blocked);
    else
        found.notes.push_back({WatchNote::Kind::SessionsRefused, 0, {}});
    rows.moveTo(found.rows);
    if (!blocked) co_return std::nullopt;
    const auto running = co_await askBounded(reader, kRunning, found, stop);
    if (!running && running.error().connectionLost()) co_return running.error();
    if (running) rows.addRunning(*running, found.rows, memory.transactions);
    co_return std::nullopt;
}

} // namespace lockscope::inspect
