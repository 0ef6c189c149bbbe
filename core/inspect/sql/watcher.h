// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/looking_watcher.h"
#include "inspect/sql/formats/named_table.h"
#include "inspect/sql/sessions.h"

namespace lockscope::inspect {

/// Finds and watches the locks of one database by asking again and again: rows of known lock tables, named locks, and
/// sessions that are blocked. A database tells nobody of changes; how often it is asked follows from what asking costs.
class SqlWatcher : public LookingWatcher {
public:
    /// Give it a reader of its own. `named`: the table that the URL names, with columns one of the user's, else
    /// Lockscope's; empty: Lockscope's has the usual name.
    SqlWatcher(sql::Reader& reader, NamedTable named, WatchOptions options = {});

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    std::uint64_t requests() const override { return m_reader.queriesSent(); }

private:
    using Failed = std::optional<sql::Error>;
    QCoro::Task<Failed> readIdentity(Look& look, std::stop_token stop);
    QCoro::Task<Failed> readReplication(bool replica, std::stop_token stop);
    /// As readReplication(), of a MySQL or MariaDB, whose role this finds out.
    QCoro::Task<Failed> readSources(std::stop_token stop);
    QCoro::Task<Failed> readCatalogue(std::stop_token stop);
    QCoro::Task<Failed> readTables(Look& look, Depth depth, std::stop_token stop);
    void noteMissing(Look& look) const;
    /// The names without wildcards that the user asks for.
    std::set<QByteArray> namesAskedFor() const;
    /// Makes the leases of the tables' rows as they are now.
    void runDownSince(std::vector<LockRow>& locks) const;
    QCoro::Task<Failed> readSessions(Look& look, std::stop_token stop);

    sql::Reader& m_reader;
    NamedTable m_named;
    std::vector<TableName> m_tables; ///< that may hold locks
    std::int64_t m_tablesBound = 0;  ///< so many were looked at, and there are more; 0: all were
    std::set<QByteArray> m_refused;  ///< those that this user may not read, at this look
    QByteArray m_leftOut;            ///< … one of those that were not
    /// For each table of this look: its first row in Look::locks, and when it was asked for.
    std::vector<std::pair<std::size_t, Nanos>> m_askedFor;
    SessionMemory m_sessions;
    std::set<QByteArray> m_namedLocks; ///< of MariaDB and MySQL, in the last look
    LastRows m_lastRows;
    ServerIdentity::Role m_role = ServerIdentity::Role::Unknown; ///< in the last look
    Nanos m_roleNotBefore{};
    std::vector<ReplicaState> m_replicas;
    QByteArray m_master;               ///< of a replica
    std::int64_t m_behind = -1;        ///< of a PostgreSQL that is a replica, in bytes
    std::int64_t m_behindSeconds = -1; ///< … and of another one
    Nanos m_catalogueNotBefore{};      ///< when the catalogue may be read again
    Nanos m_way = 1h;                  ///< the shortest time that a query took
};

} // namespace lockscope::inspect
