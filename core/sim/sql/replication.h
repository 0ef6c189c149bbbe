// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/lag_meter.h"
#include "sim/sql/rows.h"
#include "sim/stream.h"

#include <vector>

namespace lockscope::sim {

class SqlServer;

/// Settings of a database's replication.
struct SqlReplicationSettings {
    Nanos lag{};         ///< how long a commit stays on the primary's machine before it leaves
    Nanos fullCopy = 5s; ///< until a replica whose log is another one has all data anew
    /// 0: asynchronous, the default of both databases. Else a commit waits until a replica has it: on MariaDB
    /// (semi-synchronous) for at most so long, on PostgreSQL (synchronous_commit = on) without end.
    Nanos patience{};
};

/// A database's part in replication: as a primary it keeps a log of commits and sends it to its replicas; as a replica
/// it follows a primary, and applies a commit when it arrives. The log outlives the process.
class SqlReplication {
public:
    SqlReplication(SqlServer& self, Grounds grounds, SqlReplicationSettings settings);

    bool isReplica() const { return m_primary != nullptr; }
    /// The primary that it follows; nullptr: it is one.
    SqlServer* primary() const { return m_primary; }
    /// Whether a replica gets what its primary commits.
    bool linkUp() const { return m_linkUp; }
    /// Begins as an equal replica. Call before anything happens.
    void beginWith(SqlServer& primary);
    /// Follows another server from now on. Commits that it has and that one has not are lost.
    void follow(SqlServer& primary);
    /// Is a primary from now on; its data stay.
    void lead(std::uint64_t reign);
    std::size_t position() const { return m_log.size(); }

    /// A transaction is in the primary's log. True: it may be answered now. False: `replicated` is called when a
    /// replica has it, or when nobody waits for replicas any more; not at all if the process dies before.
    bool log(std::vector<SqlCommit::Change> changes, std::function<void()> replicated);
    /// Whether commits wait for a replica now: MariaDB stops that after a time-out, until a replica has caught up.
    bool waits() const { return m_synchronous; }

    /// The process ended. Commits that waited for a replica are in its log, on its disk.
    void died(bool machineToo, SqlRows::Disk& disk);
    /// The process starts, with its log or without any; it follows `primary`, or is one.
    void booted(SqlServer* primary, bool hasLog);

    std::function<void()> onLink; ///< the role is another one, or the link to the primary came or went

private:
    struct Follower {
        SqlServer* server = nullptr;
        std::uint64_t link = 0; ///< the replica's number of this connection
        std::shared_ptr<Stream> stream;
        bool online = false;
        std::size_t acked = 0; ///< so much of the log
    };
    struct Waiting {
        std::size_t position;
        std::function<void()> replicated;
    };
    // The replica's side.
    void connect();
    void lost(std::uint64_t link);
    void goOn(std::uint64_t link);
    void takeCopy(std::uint64_t link, const SqlRows::Disk& data, const std::vector<SqlCommit>& log);
    void take(std::uint64_t link, const SqlCommit& commit);
    void acknowledge();
    void setLinkUp(bool up);
    void beat();
    // The primary's side.
    void accept(SqlServer& replica, std::uint64_t link, std::size_t position, std::uint64_t reign);
    void sendCopy(SqlServer* replica, std::uint64_t link);
    void send(const Follower& follower, const SqlCommit& commit, Nanos lag) const;
    void acked(SqlServer& replica, std::uint64_t link, std::size_t position);
    Follower* follower(const SqlServer& replica, std::uint64_t link);
    void dropFollowers();
    void release(std::size_t upTo);
    void armPatience();
    void armLag();

    SqlServer& m_self;
    Grounds m_grounds;
    SqlReplicationSettings m_settings;
    std::size_t m_toldPosition = 0; ///< of the last acknowledgement
    std::vector<SqlCommit> m_log;
    std::uint64_t m_reign = 1;
    std::vector<Follower> m_followers;
    std::deque<Waiting> m_waiting; ///< commits without an answer, in the order of the log
    bool m_synchronous;
    bool m_lagArmed = false, m_beats = false;

    LagMeter m_lag;
    SqlServer* m_primary = nullptr;
    std::uint64_t m_link = 0; ///< number of the present connection to the primary, or try
    bool m_linkUp = false;
    std::shared_ptr<Stream> m_toPrimary;
};

} // namespace lockscope::sim
