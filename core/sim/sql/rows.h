// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <map>
#include <optional>
#include <vector>

namespace lockscope::sim {

/// A connection's number at a simulated database; 0: none.
using SqlConnectionId = std::uint64_t;

/// A row of the table of locks, or, with `owner` as its value, of the table of records. Instants are of the server's
/// clock, in µs since 1970.
struct SqlRow {
    QByteArray recipe{};
    std::optional<QByteArray> owner{}; ///< NULL: the row is free
    std::int64_t version = 0;
    std::optional<std::int64_t> acquiredUs{}, expiresUs{};
    friend bool operator==(const SqlRow&, const SqlRow&) = default;
};

enum class SqlTable : std::uint8_t { Locks, Records };
using SqlRowId = std::pair<SqlTable, QByteArray>;

/// The rows of one run of a database, and what open transactions have changed of them.
class SqlRows {
public:
    using Disk = std::map<SqlRowId, SqlRow>; ///< what is committed, which outlives the process
    explicit SqlRows(Disk& disk) : m_disk(disk) {}

    /// The row that others read; nullptr: none.
    const SqlRow* committed(const SqlRowId& id) const;
    /// The row as the latest change made it, committed or not; nullptr: none.
    const SqlRow* newest(const SqlRowId& id) const;
    /// Whether there is a row, or one whose deletion is not committed.
    bool exists(const SqlRowId& id) const { return committed(id) || newest(id); }
    /// The connection whose transaction has changed it and not ended; 0: none.
    SqlConnectionId writer(const SqlRowId& id) const;

    /// The row before a change, for undo().
    struct Change {
        SqlRowId id;
        SqlConnectionId writer = 0;
        std::optional<SqlRow> row{};
    };
    /// Precondition: no other connection's change is open.
    Change write(const SqlRowId& id, SqlConnectionId by, std::optional<SqlRow> row);
    void undo(const Change& change);
    /// The changes of a transaction to the row are there for all. False: it has made none.
    bool commit(const SqlRowId& id, SqlConnectionId by);
    const Disk& disk() const { return m_disk; }

private:
    struct Pending {
        SqlConnectionId writer;
        std::optional<SqlRow> row;
    };
    Disk& m_disk;
    std::map<SqlRowId, Pending> m_pending;
};

/// A transaction in the log: the rows as it left them.
struct SqlCommit {
    struct Change {
        SqlRowId id;
        std::optional<SqlRow> row{}; ///< nullopt: deleted
        void applyTo(SqlRows::Disk& disk) const {
            if (row)
                disk.insert_or_assign(id, *row);
            else
                disk.erase(id);
        }
    };
    std::uint64_t reign =
        0;      ///< the promotion under which it was written: two logs with equal reigns are equal up to it
    Nanos at{}; ///< when the primary had it
    std::vector<Change> changes{};
};

} // namespace lockscope::sim
