// SPDX-License-Identifier: Apache-2.0
#include "drivers/sql/statements.h"

namespace lockscope::sql {

namespace {

/// The words that differ by dialect in statements that are alike. All times are UTC: a DATETIME must not jump with a
/// time zone.
struct Words {
    const char* now;
    const char* in;       ///< so many milliseconds from now
    const char* ago;      ///< so many milliseconds before now
    const char* left;     ///< milliseconds until expires_at
    const char* since;    ///< acquired_at in milliseconds since 1970
    const char* start;    ///< tokenStart() of the present
    const char* unless;   ///< after an INSERT: nothing is inserted where the row is
    const char* ifFree;   ///< after an INSERT of a free row
    const char* raised;   ///< the next version, told by the answer
    const char* returned; ///< after an UPDATE: tells the version
};

// MySQL: not INSERT IGNORE, which would also cut what is too long. MariaDB and MySQL hand a new version over with the
// answer to LAST_INSERT_ID(…).
constexpr Words kMySql{"UTC_TIMESTAMP(6)",
                       "UTC_TIMESTAMP(6) + INTERVAL (? * 1000) MICROSECOND",
                       "UTC_TIMESTAMP(6) - INTERVAL (? * 1000) MICROSECOND",
                       "TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), expires_at) DIV 1000",
                       "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', acquired_at) DIV 1000",
                       "GREATEST(TIMESTAMPDIFF(MICROSECOND, '2026-01-01', UTC_TIMESTAMP(6)) DIV 10, 0)",
                       "",
                       " ON DUPLICATE KEY UPDATE version = version",
                       "LAST_INSERT_ID(version + 1)",
                       ""};
// The key by name: where the table has no such key, the statement is refused.
constexpr Words kPostgreSql{"clock_timestamp()",
                            "clock_timestamp() + ? * interval '1 millisecond'",
                            "clock_timestamp() - ? * interval '1 millisecond'",
                            "(extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint",
                            "floor(extract(epoch FROM acquired_at) * 1000)::bigint",
                            "GREATEST((extract(epoch FROM clock_timestamp() - timestamptz '2026-01-01 00:00+00') "
                            "* 100000)::bigint, 0)",
                            " ON CONFLICT (name) DO NOTHING",
                            " ON CONFLICT (name) DO NOTHING",
                            "version + 1",
                            " RETURNING version"};
// SQLite: the clock of this machine, which all processes that share the file share too. It is cut to whole
// milliseconds, so a lease gets one more: it must not end before its holder stops believing in it.
constexpr Words kSqlite{"strftime('%Y-%m-%d %H:%M:%f', 'now')",
                        "strftime('%Y-%m-%d %H:%M:%f', 'now', ((? + 1) / 1000.0) || ' seconds')",
                        "strftime('%Y-%m-%d %H:%M:%f', 'now', (? / -1000.0) || ' seconds')",
                        "CAST((julianday(expires_at) - julianday('now')) * 86400000 AS INTEGER)",
                        "CAST(round((julianday(acquired_at) - 2440587.5) * 86400000) AS INTEGER)",
                        "MAX(CAST((julianday('now') - julianday('2026-01-01')) * 8640000000 AS INTEGER), 0)",
                        " ON CONFLICT (name) DO NOTHING",
                        " ON CONFLICT (name) DO NOTHING",
                        "version + 1",
                        " RETURNING version"};

/// Joins pg_locks l with the lock's row t: the row names the transaction that locked it, and a transaction that still
/// runs holds a lock on its own number.
constexpr const char* kLocker = "l.locktype = 'transactionid' AND l.granted AND l.mode = 'ExclusiveLock' "
                                "AND l.transactionid::text = t.xmax::text";

void addRows(Statements& all, const Words& words, const Tables& tables) {
    const auto filled = [&](QByteArray text) {
        return text.replace("{t}", tables.locks)
            .replace("{now}", words.now)
            .replace("{in}", words.in)
            .replace("{ago}", words.ago);
    };
    const QByteArray owned = " WHERE name = ? AND owner = ?", keyed = " WHERE name = ? AND recipe = ?";
    const QByteArray several = " WHERE name IN ({marks}) AND owner IN ({marks}) AND expires_at > {now}";
    const QByteArray old = "recipe = ? AND owner IS NULL AND expires_at <= {ago}";
    const QByteArray freed = "UPDATE {t} SET owner = NULL, expires_at = {now}";
    all.insert =
        filled("INSERT INTO {t} (name, recipe, owner, acquired_at) VALUES (?, ?, ?, {now})" + QByteArray(words.unless));
    all.makeFree =
        filled("INSERT INTO {t} (name, recipe, version) VALUES (?, ?, " + QByteArray(words.start) + ')' + words.ifFree);
    all.look = filled("SELECT recipe, owner, version, " + QByteArray(words.left) + ", " + words.since +
                      " FROM {t} WHERE name = ?");
    all.take = filled("UPDATE {t} SET owner = ?, version = " + QByteArray(words.raised) +
                      ", acquired_at = {now}, expires_at = {in}" + keyed +
                      " AND (owner IS NULL OR expires_at <= {now})" + words.returned);
    all.extend = filled("UPDATE {t} SET expires_at = {in}" + owned + " AND expires_at > {now}");
    // An owner stands for one grant of one lock, so that the two lists cannot match across.
    all.extendAll = filled("UPDATE {t} SET expires_at = {in}" + several);
    all.stillOwned = filled("SELECT name, owner FROM {t}" + several);
    all.free = filled(freed + owned + " AND expires_at > {now}");
    all.takeBack = filled(freed + owned);
    all.freeByForce = filled(freed + keyed + " AND owner IS NOT NULL AND expires_at > {now}");
    all.erase = filled("DELETE FROM {t}" + keyed);
    all.eraseOwned = filled("DELETE FROM {t}" + owned);
    all.compareAndSet =
        filled("UPDATE {t} SET version = version + 1, owner = ?, acquired_at = {now}" + keyed + " AND version = ?");
    all.raise = filled("UPDATE {t} SET version = version + 1, owner = NULL" + keyed);
    // Looked for without a lock, and deleted one by one by their key: a search that deletes would lock all rows.
    all.findOld = filled("SELECT name FROM {t} WHERE " + old + " LIMIT 200");
    all.eraseOld = filled("DELETE FROM {t} WHERE name = ? AND " + old);
    all.lockRow = filled("SELECT recipe FROM {t} WHERE name = ? FOR UPDATE");
    all.lockRowNow = all.lockRow + " NOWAIT";
}

void addRecords(Statements& all, const Tables& tables) {
    all.readRecord = "SELECT value, version FROM " + tables.records + " WHERE name = ?";
    all.updateRecord =
        "UPDATE " + tables.records + " SET value = ?, version = version + 1 WHERE name = ? AND version = ?";
    all.insertRecord = "INSERT INTO " + tables.records + " (name, value) VALUES (?, ?)";
    if (tables.dialect != Dialect::MySql) all.insertRecord += " ON CONFLICT DO NOTHING";
}

void addMySql(Statements& all) {
    // InnoDB tells which transaction blocks which. MariaDB, MySQL before 8: there waiters count as blockers, too, so
    // select only the running one: the holder.
    all.rowBlocker = "SELECT b.trx_mysql_thread_id FROM information_schema.INNODB_LOCK_WAITS w "
                     "JOIN information_schema.INNODB_TRX r ON r.trx_id = w.requesting_trx_id "
                     "JOIN information_schema.INNODB_TRX b ON b.trx_id = w.blocking_trx_id "
                     "WHERE r.trx_mysql_thread_id = ? AND b.trx_state <> 'LOCK WAIT'";
    all.rowBlocker8 = "SELECT blocking_pid FROM sys.innodb_lock_waits WHERE waiting_pid = ?";
    all.end = "KILL ?";
    all.connections = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN ({connections})";
    all.readOnly = "SELECT @@global.read_only";
}

void addPostgreSql(Statements& all, const Tables& tables) {
    const QByteArray locker(kLocker);
    all.rowLocker =
        "SELECT t.recipe, l.pid FROM " + tables.locks + " t LEFT JOIN pg_locks l ON " + locker + " WHERE t.name = ?";
    all.endRowLocker = "SELECT pg_terminate_backend(l.pid), l.pid FROM " + tables.locks + " t JOIN pg_locks l ON " +
                       locker + " WHERE t.name = ?";
    all.connections = "SELECT COUNT(*) FROM pg_stat_activity WHERE pid IN ({connections})";
    all.readOnly = "SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'";
}

} // namespace

Statements statementsOf(const Tables& tables) {
    Statements all;
    addRecords(all, tables);
    switch (tables.dialect) {
    case Dialect::MySql:
        addRows(all, kMySql, tables);
        addMySql(all);
        break;
    case Dialect::PostgreSql:
        addRows(all, kPostgreSql, tables);
        addPostgreSql(all, tables);
        break;
    case Dialect::Sqlite:
        addRows(all, kSqlite, tables);
        all.lockRow.clear();
        all.lockRowNow.clear();
        all.readOnly = "SELECT 0 FROM sqlite_schema"; // reads the file: a memory of it would not notice its end
        break;
    }
    return all;
}

} // namespace lockscope::sql
