// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/sql/seen_table.h"
#include "inspect/watch_notes.h"

#include <map>
#include <set>

namespace lockscope::inspect {

/// The locks that sessions of a database hold in its memory, and wait for.
struct SessionLocks {
    std::vector<LockRow> rows;
    std::vector<WatchNote> notes;
};
using SessionsRead = QCoro::Task<std::expected<SessionLocks, sql::Error>>;

/// A session of a database, as far as it is told.
struct SeenSession {
    QByteArray number = {};  ///< of its process or connection
    QByteArray program = {}; ///< as it calls itself
    QByteArray user = {};
    QByteArray address = {}; ///< with how the session stands where that matters: "127.0.0.1, idle in transaction"
    QByteArray statement = {};
};

/// The names of sessions as holders and waiters: "batch-02 · 8812", the program, or else the user, and the number;
/// "pid 8812" where neither is told. A session keeps its first name: a program that calls itself otherwise while it
/// holds a lock is the same holder.
class SessionNames {
public:
    QByteArray of(const SeenSession& seen);
    /// Forgets the sessions that were not asked for since the call before.
    void lookEnded();

private:
    struct Known {
        QByteArray name;
        bool named = false; ///< since lookEnded()
    };
    std::map<QByteArray, Known> m_known; ///< by their numbers
};

/// The locks that each table had when it was read last. A table that somebody has to itself (ALTER TABLE) cannot be
/// read: then its locks are not known, and not gone.
class LastRows {
public:
    void note(const QByteArray& table, const LockRow& row) { m_fresh[table].push_back({row.name, row.format}); }
    /// The table was read to its end.
    void read(const QByteArray& table) { m_known[table] = std::exchange(m_fresh[table], {}); }
    /// The last locks of the table, as not known.
    std::vector<LockRow> notKnown(const QByteArray& table, const char* backend) const;

private:
    struct Row {
        QByteArray name, format;
    };
    std::map<QByteArray, std::vector<Row>> m_known, m_fresh; ///< by table
};

/// The knowledge of a watcher of sessions that outlasts a look.
struct SessionMemory {
    SessionNames names;
    LastRows lockedRows;                          ///< of lock tables, by "schema.table"
    std::map<QByteArray, QByteArray> namesOfRows; ///< by their places: "public.goods (0,7)"
};

/// PostgreSQL's advisory locks, and its sessions that are blocked: the row or table that they wait for, its holders and
/// its queue. `tables`: known lock tables; of these, locked rows are seen without a waiter, too.
SessionsRead readPostgreSqlSessions(sql::Reader& reader, SessionMemory& memory, std::vector<TableName> tables,
                                    std::stop_token stop);

/// MariaDB's and MySQL's GET_LOCK() locks, and MariaDB's transactions that wait for a row. `wanted`: locks
/// that the user asks for by name, for servers that do not list them.
SessionsRead readMariaDbSessions(sql::Reader& reader, SessionNames& names, std::set<QByteArray> wanted,
                                 std::stop_token stop);

/// Tables of a MariaDB that statements wait for, with those that use them meanwhile, as far as the server tells.
SessionsRead readMariaDbTables(sql::Reader& reader, SessionNames& names, std::stop_token stop);

/// The format of Quartz' locks: a scheduler locks a row of its table QRTZ_LOCKS for as long as its transaction lasts.
inline constexpr char kQuartzFormat[] = "qrtz_locks";
/// Whether a table is QRTZ_LOCKS, whatever its prefix.
inline bool isOfQuartz(const TableName& table) {
    return table.has("sched_name") && table.has("lock_name");
}

/// A session as holder or waiter: its name, and about it user, address and statement.
Party sessionParty(SessionNames& names, const SeenSession& seen, const char* mode);

} // namespace lockscope::inspect
