// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/trace_feed.h"
#include "sim/content_look.h"
#include "sim/sql/server.h"

#include <unordered_map>

namespace lockscope::sim {

/// Whether the locks of that recipe are held by transactions that have locked their rows.
inline bool heldByTransaction(const QByteArray& recipe) {
    return recipe == "sql-for-update" || recipe == "sql-for-update-late";
}

/// Writes who holds which watched lock of a database, and who waits, into the trace: by the row of the table of locks,
/// by the transaction that has locked it, or by the named lock, as the lock's recipe keeps it. Rows are read as a
/// watcher of a real database reads them, with the same format.
class SqlRecord final : private SqlWatcher {
public:
    /// Everything outlives it. `parent` of the Lock entities: the server, or kNoEntity when it is one of several, or an
    /// engine.
    SqlRecord(Grounds grounds, SqlServer& server, trace::EntityId parent, const inspect::TraceFeed::Resolver& owner);
    ~SqlRecord() override;
    SqlRecord(const SqlRecord&) = delete;
    SqlRecord& operator=(const SqlRecord&) = delete;

    /// Makes this record's locks one server's copies of `logical`'s locks. Call before watch().
    void copies(SqlRecord& logical);
    /// From now on that server decides: what the one before had, and this one has not, is lost.
    void decidedBy(SqlServer& server);
    trace::EntityId lockEntity(const QByteArray& lockName) { return m_feed.lockEntity(lockName); }
    void watch(const QByteArray& lockName, const QByteArray& recipe);
    /// Whether the service decides what the record says, where several are engines of one lock manager.
    void setDecides(bool decides);
    /// The recipe by which a watched lock is taken; empty: it is not watched.
    QByteArray recipeOf(const QByteArray& lockName) const;
    /// The named lock of a watched one.
    sql::NamedKey keyOf(const QByteArray& lockName) const;

private:
    struct Watched {
        QByteArray recipe;
        std::optional<sql::NamedKey> key{}; ///< of its named lock, since somebody asked: a hash of the name
        std::int64_t expiresUs = 0;         ///< of the lease whose end is waited for; 0: none
        VirtualScheduler::TimerId expiry = 0;
        bool known = true; ///< false: it lies on the disk of a process that is dead
        bool endsWithConnection() const { return heldByTransaction(recipe) || recipe == "sql-advisory"; }
    };
    void booted() override;
    void replaced() override;
    void lost() override;
    void clockMoved() override;
    void rowChanged(const SqlRowId& id) override;
    void namedChanged(const QByteArray& name) override;
    void writeDecider(const QByteArray& lockName);
    /// Writes that this lock's record cannot be told from here on, or can again, if that is new.
    void setKnown(const QByteArray& lockName, bool known);
    void write(const QByteArray& lockName, inspect::Sight sight);
    std::optional<inspect::LockRow> rowOf(const QByteArray& lockName, const Watched& watched) const;
    std::optional<inspect::LockRow> leaseIn(const QByteArray& lockName) const;
    inspect::LockRow sessionRow(const QByteArray& lockName, const char* format) const;
    std::optional<inspect::LockRow> transactionOf(const QByteArray& lockName) const;
    std::optional<inspect::LockRow> namedLock(const QByteArray& lockName) const;
    const QByteArray& digitsOf(SqlConnectionId id) const;
    inspect::Party partyOf(SqlConnectionId id, sql::Sharing sharing) const;
    inspect::Sight sight() const;
    void armExpiry(const QByteArray& lockName, Watched& watched);
    /// Updates the feed with what the record has, for content that it held back.
    void writeHeldBack();
    bool isPostgreSql() const { return m_server->settings().engine.dialect == sql::Dialect::PostgreSql; }

    Grounds m_grounds;
    SqlServer* m_server;
    bool m_logical; ///< its locks belong to no server of their own
    inspect::TraceFeed m_feed;
    ContentLook m_contentLook{m_grounds.scheduler, m_feed, [this] { writeHeldBack(); }};
    bool m_decides = true; ///< else the record is another service's
    mutable std::map<QByteArray, Watched> m_watched;
    mutable std::unordered_map<SqlConnectionId, QByteArray> m_digits; ///< of connections; those of late
};

} // namespace lockscope::sim
