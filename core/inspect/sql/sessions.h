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

/// PostgreSQL's advisory locks, and its sessions that are blocked: the row or table that they wait for, its holders and
/// its queue. `tables`: known lock tables; of these, locked rows are seen without a waiter, too.
SessionsRead readPostgreSqlSessions(sql::Reader& reader, std::vector<TableName> tables, std::stop_token stop);

/// MariaDB's and MySQL's GET_LOCK() locks, and MariaDB's transactions that wait for a row or a table. `names`: locks
/// that the user asks for by name, for servers that do not list them.
SessionsRead readMariaDbSessions(sql::Reader& reader, std::set<QByteArray> names, std::stop_token stop);

/// The format of Quartz' locks: a scheduler locks a row of its table QRTZ_LOCKS for as long as its transaction lasts.
inline constexpr char kQuartzFormat[] = "qrtz_locks";
/// Whether a table is QRTZ_LOCKS, whatever its prefix.
inline bool isOfQuartz(const TableName& table) {
    return table.has("sched_name") && table.has("lock_name");
}

/// A session as holder or waiter: "pid 4711", and who that is.
Party sessionParty(const QByteArray& pid, QByteArray about, const char* mode);

/// "psql (app) 127.0.0.1: SELECT …", without its missing parts; "app 127.0.0.1: SELECT …" without a program.
/// `address`: with how the session stands where that matters, "127.0.0.1, idle in transaction".
QByteArray aboutSession(const QByteArray& program, const QByteArray& user, const QByteArray& address,
                        const QByteArray& statement);

} // namespace lockscope::inspect
