// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/lag_meter.h"
#include "sim/redis/engine.h"
#include "sim/stream.h"

#include <random>

namespace lockscope::sim {

class RedisServer;

/// Settings of a server's replication; the defaults are Redis'.
struct ReplicationSettings {
    Nanos lag{};                  ///< how long effects stay on the master's machine before they leave
    Nanos fullSync = 5s;          ///< until a full copy is sent (repl-diskless-sync-delay)
    Nanos silenceLimit = 60s;     ///< repl-timeout
    std::size_t backlog = 10'000; ///< effects kept for replicas that come back
    int minReplicas = 0;          ///< min-replicas-to-write
    Nanos minReplicasLag = 10s;
    int priority = 100; ///< replica-priority
};

/// A server's part in replication: as a master it sends the effects of its commands to its replicas, asynchronously;
/// as a replica it follows a master. One number counts effects where Redis counts bytes. Replicas have no replicas.
class Replication {
public:
    using Effects = std::vector<RedisEngine::Effect>;

    Replication(RedisServer& self, Grounds grounds, ReplicationSettings settings, std::uint64_t seed);

    /// Begins with the data of `master`, so that a replica needs no copy. Call before anything happens.
    void beginWith(const Replication& master) { m_id = master.m_id; }
    bool isReplica() const { return m_following; }
    /// The master that it follows; nullptr: it is one.
    RedisServer* master() const { return m_master; }
    /// REPLICAOF: follows another server from now on, also when it follows one already.
    void follow(RedisServer& master);
    /// REPLICAOF NO ONE: is a master from now on; its data stay.
    void lead();

    /// A command of a master had effects.
    void feed(Effects effects);
    std::int64_t offset() const { return m_offset; }
    /// How many replicas have acknowledged all effects up to there.
    int acknowledged(std::int64_t offset) const;
    void requestAcks();
    /// Whether a write must be refused for want of good replicas.
    bool tooFewGood() const { return m_settings.minReplicas > 0 && m_good < m_settings.minReplicas; }
    std::function<void()> onAck;  ///< somebody acknowledged something
    std::function<void()> onLink; ///< a replica's link to its master came or went

    bool linkUp() const { return m_linkUp; }
    /// Since when a replica has had no link to its master.
    Nanos linkDownSince() const { return m_linkDownSince; }
    int replicas() const { return int(m_followers.size()); }
    int priority() const { return m_settings.priority; }
    const ReplicationSettings& settings() const { return m_settings; }
    void setLag(Nanos lag) { m_settings.lag = lag; }
    void setPriority(int priority) { m_settings.priority = priority; }

    redis::Reply role() const;
    /// The lines of INFO's section.
    QByteArray info() const;

    void died(bool machineToo);
    /// The process starts; it follows `master` (nullptr: it is one), and has loaded its last full copy, or not.
    void booted(RedisServer* master, bool hasCopy);
    /// Once a second, while the server runs.
    void tick();

    /// The last full copy that came from a master, as it lies on the disk.
    const RedisEngine::Data& copy() const { return m_copy; }
    void forgetCopy() { m_copy.reset(); }

private:
    struct Follower {
        RedisServer* server = nullptr;
        std::uint64_t link = 0; ///< the replica's number of this connection
        std::shared_ptr<Stream> stream;
        bool online = false; ///< gets effects
        std::int64_t acked = 0;
        Nanos ackedAt{};
    };
    /// The effects of one command, and when the master had them.
    struct Block {
        Effects effects;
        Nanos at{};
    };
    struct Position { ///< where a replica stands
        QByteArray id;
        std::int64_t offset = 0;
    };
    // The replica's side.
    void connect();
    void connectLater();
    void lost(std::uint64_t link);
    void goOn(std::uint64_t link, const QByteArray& id);
    void takeCopy(std::uint64_t link, const RedisEngine::Data& data, const Position& at);
    void take(std::uint64_t link, const Block& block);
    void sendAck();
    void setLinkUp(bool up);
    // The master's side.
    void accept(RedisServer& replica, std::uint64_t link, const Position& at);
    void sendCopy(RedisServer* replica, std::uint64_t link);
    void acked(RedisServer& replica, std::uint64_t link, std::int64_t offset);
    void forget(RedisServer& replica, std::uint64_t link);
    void dropFollowers();
    void countGood();
    void keep(const Block& block);
    /// Tells how old the oldest effect is that each replica has not got; true: one of them is behind.
    bool measureLag() const;
    void armLag();
    bool canGoOn(const Position& at) const;
    Follower* follower(const RedisServer& replica, std::uint64_t link);
    QByteArray newId();

    RedisServer& m_self;
    Grounds m_grounds;
    ReplicationSettings m_settings;
    std::mt19937_64 m_random;
    QByteArray m_id, m_secondId;
    std::int64_t m_offset = 0, m_secondOffset = -1;
    std::int64_t m_toldOffset = 0; ///< of the last acknowledgement
    std::deque<Block> m_backlog;   ///< the last ones, up to m_offset
    std::int64_t m_backlogFrom = 0;
    std::vector<Follower> m_followers;
    int m_good = 0;
    bool m_lagArmed = false;

    LagMeter m_lag;
    bool m_following = false;
    RedisServer* m_master = nullptr;
    std::uint64_t m_link = 0; ///< number of the present connection to the master, or try
    bool m_linkUp = false;    ///< data are in step
    bool m_syncing = false;   ///< the master has been reached
    std::shared_ptr<Stream> m_toMaster;
    Nanos m_heard{}; ///< from the master
    Nanos m_linkDownSince{};
    RedisEngine::Data m_copy;
    Position m_copyAt;
};

} // namespace lockscope::sim
