// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "background.h"
#include "drivers/sql/statement.h"
#include "server_record.h"

namespace lockscope::torture {

/// Statements that make a database write down each change of an owner in the table of locks: who made it (by the port
/// of its connection; SQLite has none), when, whose the lock was and whose it is then, and whether the lease was over.
std::vector<QByteArray> sqlAuditSetup(sql::Dialect dialect);
/// Reads it all, in order: one column of lines as readSqlAudit() wants them.
QByteArray sqlAuditQuery(sql::Dialect dialect);

/// A part each: "<µs since 1970>|<port>|<lock>|<owner before>|<owner after>|<1: the lease was over>". Where nobody is
/// known to have done it, it was the owner if that one had let go by then, and somebody else if not.
std::vector<ServerRecord> readSqlAudit(const QByteArrayList& parts, const Background& background);

/// Reads MariaDB's general log. Only a connection's end can take its locks from it: a place is a connection, and the
/// crime is to end another one (KILL; a KILL QUERY ends no more than a wait).
std::vector<ServerRecord> readMariaDbLog(const QByteArrayList& parts);

/// Reads PostgreSQL's statistics, which say only how many sessions somebody ended: "<ns since 1970> <number>" each.
std::vector<ServerRecord> readKilledSessions(const QByteArrayList& parts);

} // namespace lockscope::torture
