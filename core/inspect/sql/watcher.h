// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/looking_watcher.h"
#include "inspect/sql/sessions.h"

namespace lockscope::inspect {

/// Finds and watches the locks of one database by asking again and again: rows of known lock tables, named locks, and
/// sessions that are blocked. A database tells nobody of changes; how often it is asked follows from what asking costs.
class SqlWatcher : public LookingWatcher {
public:
    /// Give it a reader of its own. `table`: Lockscope's table, as the URL names it; empty: the usual name.
    SqlWatcher(sql::Reader& reader, QByteArray table, WatchOptions options = {});

protected:
    Answer<void> connect(std::stop_token stop) override;
    Answer<Look> look(Depth depth, Progress progress, std::stop_token stop) override;
    std::uint64_t requests() const override { return m_reader.queriesSent(); }

private:
    using Failed = std::optional<sql::Error>;
    QCoro::Task<Failed> readIdentity(Look& look, std::stop_token stop);
    QCoro::Task<Failed> readCatalogue(std::stop_token stop);
    QCoro::Task<Failed> readTables(Look& look, std::stop_token stop);
    QCoro::Task<Failed> readSessions(Look& look, std::stop_token stop);

    sql::Reader& m_reader;
    QByteArray m_table;
    std::vector<TableName> m_tables;                             ///< that may hold locks
    ServerIdentity::Role m_role = ServerIdentity::Role::Unknown; ///< of MySQL and MariaDB
    Nanos m_roleNotBefore{};
    Nanos m_catalogueNotBefore{}; ///< when the catalogue may be read again
    Nanos m_way = 1h;             ///< the shortest time that a query took
};

} // namespace lockscope::inspect
