// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/format_names.h"
#include "inspect/sql/seen_table.h"
#include "inspect/watch_notes.h"

#include <map>
#include <set>

namespace lockscope::inspect {

/// The locks that sessions of a database hold in its memory, and wait for.
struct SessionLocks {
    std::vector<LockRow> rows;
    std::vector<WatchNote> notes;
    std::vector<QByteArray> refused; ///< tables that this user may not read: "schema.table"
};
using SessionsRead = QCoro::Task<std::expected<SessionLocks, sql::Error>>;

/// As many rows are read of one question about sessions, locks or waiters.
inline constexpr std::size_t kMostSessions = 10'000;
/// Asks `query` for kMostSessions rows at most, and notes in `found` that there may be more.
sql::Answer<sql::Table> askBounded(sql::Reader& reader, QByteArray query, SessionLocks& found, std::stop_token stop);

/// A session of a database, as far as it is told.
struct SeenSession {
    QByteArray number = {};  ///< of its process or connection
    QByteArray program = {}; ///< as it calls itself
    QByteArray user = {};
    QByteArray address = {}; ///< with how the session stands where that matters: "127.0.0.1, idle in transaction"
    QByteArray statement = {};
    /// When its open transaction began, by the server's clock, in ms since 1970: not later than any of its row and
    /// table locks was taken, and no database tells more about that. Missing: it is in none, or that says nothing here.
    std::optional<std::int64_t> transactionSinceMs = {};
};

/// The names of sessions as holders and waiters: "batch-02 · 8812", the program, or else the user, and the number;
/// "pid 8812" where neither is told. A session keeps its first name: a program that calls itself otherwise while it
/// holds a lock is the same holder.
class SessionNames {
public:
    /// The language says whether double quotes hold a name or a text in the sessions' statements.
    explicit SessionNames(sql::Language language = sql::Language::MariaDb) : m_language(language) {}
    sql::Language language() const { return m_language; }
    QByteArray of(const SeenSession& seen);
    /// Forgets the sessions that were not asked for since the call before.
    void lookEnded();

private:
    struct Known {
        QByteArray name;
        bool named = false; ///< since lookEnded()
    };
    sql::Language m_language;
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
    std::set<QByteArray> transactions;            ///< of InnoDB, by their names, as they were told in the last look
};

/// PostgreSQL's advisory locks, and its sessions that are blocked: the row or table that they wait for, its holders and
/// its queue. `tables`: known lock tables; of these, locked rows are seen without a waiter, too.
SessionsRead readPostgreSqlSessions(sql::Reader& reader, SessionMemory& memory, std::vector<TableName> tables,
                                    std::stop_token stop);

/// MariaDB's and MySQL's GET_LOCK() locks, and what transactions of InnoDB have locked. `wanted`: locks that the user
/// asks for by name, for servers that do not list them.
SessionsRead readMariaDbSessions(sql::Reader& reader, SessionMemory& memory, std::set<QByteArray> wanted,
                                 std::stop_token stop);

/// Adds the rows that transactions of InnoDB wait for, and transactions that have rows locked while nobody waits. A
/// transaction that was told stays until its end, also while somebody waits for one of its rows.
/// Returns the error where the connection is lost. MySQL's questions have not been tried on a server.
QCoro::Task<std::optional<sql::Error>> readInnoDbRows(sql::Reader& reader, SessionMemory& memory, SessionLocks& found,
                                                      std::stop_token stop);

/// Tables of a MariaDB that statements wait for, with those that use them meanwhile, as far as the server tells.
SessionsRead readMariaDbTables(sql::Reader& reader, SessionNames& names, std::stop_token stop);

/// The row of a lock of sessions without anybody yet, whose waiters are known.
LockRow sessionLock(QByteArray name, const char* format, sql::Language language);
/// Puts a waiter at the end of the lock's queue.
void addWaiter(LockRow& row, Party waiter);

/// Whether a table is QRTZ_LOCKS, whatever its prefix.
inline bool isOfQuartz(const TableName& table) {
    return table.has("sched_name") && table.has("lock_name");
}

/// Whether a table has a column that names its rows.
inline bool hasRowNames(const TableName& table) {
    return table.has("lock_name") || table.has("name");
}

/// Makes a lock of several holders a shared one: a database lets them in beside each other, whatever it calls that.
void shareAmongHolders(LockRow& row);

/// A session as holder or waiter: its name, and about it user, address, the beginning of its transaction, and its
/// statement without the texts in it.
Party sessionParty(SessionNames& names, const SeenSession& seen, const char* mode);

} // namespace lockscope::inspect
