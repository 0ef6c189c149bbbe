// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "scenario/service_spec.h"
#include "sim/cluster_node.h"
#include "sim/redis_record.h"
#include "sim/replication.h"
#include "sim/resp_server.h"

#include <set>

namespace lockscope::sim {

/// A simulated Redis server process: an engine with a life and a wall clock of its own, alone or as one of several.
class RedisServer final : public RespServer {
public:
    static constexpr int kPort = 6379;
    using Persistence = scenario::ServiceSpec::Persistence;
    struct Settings {
        Persistence persistence = Persistence::None;
        std::optional<ReplicationSettings> replication = {}; ///< missing: it stands alone
        std::optional<ClusterNode::Settings> cluster = {};   ///< with `replication`: it is a node of a cluster
    };
    /// Finds another server of the deployment by its host and port; nullptr: there is none.
    using Finder = std::function<RedisServer*(const QByteArray& host, int port)>;

    RedisServer(Grounds grounds, const QByteArray& id, std::uint64_t seed);
    RedisServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, Settings settings, Finder finder);
    ~RedisServer() override;

    RedisEngine& engine() { return m_engine; }
    /// Precondition: it is one of several.
    Replication& replication() { return *m_replication; }
    /// Precondition: it is a node of a cluster.
    ClusterNode& cluster() { return *m_cluster; }
    /// Whether it holds a key that has not ended.
    bool has(const QByteArray& key);
    /// Whether its data outlive its process on its disk: all of them, or all but those of the last second.
    bool keepsData() const { return m_settings.persistence != Persistence::None; }
    bool isReplica() const { return m_replication && m_replication->isReplica(); }
    /// The session by which the world looks at the server and frees locks.
    SessionId inside() const { return m_inside; }
    Nanos present() const { return now(); }
    /// Reports changes of locks to a record.
    void tell(RedisRecord& record);
    void tellNoMore(RedisRecord& record);
    /// An operator's command, run at once; refused by a server that does not run.
    std::optional<redis::Reply> command(const redis::Args& args);
    void evict(const QByteArray& key);
    void setFull(bool full) { m_engine.setFull(full); }

    /// REPLICAOF, as a configuration that outlasts a restart; nullptr: NO ONE. Called at the start of a world, and by
    /// the commands.
    void configure(RedisServer* master);
    /// A number of its own, which no other server has.
    const QByteArray& runId() const { return m_runId; }
    /// Called when it has become a master or a replica, when its link to its master came or went, and when it has died
    /// or started.
    std::function<void(RedisServer&)> onRole;

    // --- for Replication ---
    void later(Nanos delay, Work work) { after(delay, std::move(work)); }
    /// A master's effects were applied; all data were replaced by a master's.
    void applied();
    void dataReplaced();

protected:
    void serve(SessionId session, const redis::Args& args, Answer answer) override;
    void left(SessionId session) override;
    void paused() override { armExpiry(); }
    void resumed() override;
    void died(Death death) override;
    void booted(Disk disk) override;
    void clockSet() override;
    void diskStalled() override;
    void diskFreed() override;

private:
    /// A WAIT that has not been answered.
    struct Waiting {
        SessionId session;
        std::int64_t offset;
        int wanted;
        std::int64_t untilUs; ///< by the wall clock; 0: for ever
        Answer answer;
        std::uint64_t number;
    };
    std::optional<redis::Reply> deployment(SessionId session, const QByteArray& command, const redis::Args& args);
    redis::Reply replicaOf(const redis::Args& args);
    QByteArray info() const;
    bool holdBack(SessionId session, const redis::Args& args, const redis::Reply& reply, Answer& answer);
    void answerWaits();
    void releaseWaits(const redis::Reply& reply);
    void armWaits();
    void becomes(RedisServer* master);
    void joinCluster(ClusterNode::Settings settings, std::uint64_t seed);
    void feed(std::vector<RedisEngine::Effect> effects);
    void feedReplicas(std::vector<RedisEngine::Effect> effects);
    void reply(SessionId session, const redis::Args& args, redis::Reply reply, Answer answer);
    void writeFile();
    void flushFile();
    void settle();
    void clockMoved();
    void armExpiry();
    void expire();
    void beat();

    SessionId m_inside;
    Settings m_settings;
    Finder m_finder;
    QByteArray m_runId;
    std::unique_ptr<Replication> m_replication;
    std::unique_ptr<ClusterNode> m_cluster;
    std::set<SessionId> m_asking, m_readers; ///< sessions that have said ASKING for their next command, or READONLY
    RedisServer* m_configured = nullptr;     ///< the master in its configuration file
    std::vector<RedisRecord*> m_records;
    VirtualScheduler::TimerId m_expiry = 0;
    Nanos m_expiryAt = kNever;
    RedisEngine::Data m_kept, m_flushed; ///< what the append-only file has
    bool m_unwritten = false;            ///< effects go into the file at the end of this turn
    bool m_unflushed = false;            ///< the file has more than its disk
    /// A flush of every second hangs in its disk: what is in the file by then is m_kept.
    bool m_flushHangs = false;
    bool m_writeWaits = false;                     ///< what came since is not written before that flush is over
    std::uint64_t m_stalls = 0;                    ///< of the disk
    std::map<SessionId, std::int64_t> m_positions; ///< the offset after each session's last command
    std::vector<Waiting> m_waits;
    std::uint64_t m_lastWait = 0;
    bool m_cutClients = false; ///< after the running command
};

} // namespace lockscope::sim
