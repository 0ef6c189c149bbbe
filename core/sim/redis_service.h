// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "sim/kinds.h"
#include "sim/redis_server.h"
#include "sim/sentinel_server.h"

namespace lockscope::sim {

/// The shapes of a simulated Redis service.
enum class RedisShape : std::uint8_t {
    Single,   ///< one server
    Sentinel, ///< a master with replicas, and Sentinels that replace it
    Masters,  ///< independent masters, for Redlock
    Cluster,  ///< a Redis Cluster: half of the servers are masters, the others their replicas
    Engines,  ///< servers of their own, between which a lock manager changes
};

/// Simulated Redis servers as a service of one shape.
class RedisService final : public Service {
public:
    struct Settings {
        static Settings of(const ServicePlan& plan);
        RedisShape shape = RedisShape::Single;
        std::vector<QByteArray> ids{"redis-1"}; ///< the first one is the first master
        RedisServer::Persistence persistence = RedisServer::Persistence::None;
        ReplicationSettings replication = {};
        std::vector<QByteArray> sentinelIds = {}; ///< with RedisShape::Sentinel
        SentinelServer::Settings sentinel = {};
        ClusterNode::Settings cluster = {}; ///< with RedisShape::Cluster
    };
    RedisService(Grounds grounds, const Settings& settings, std::uint64_t seed, inspect::TraceFeed::Resolver owner);
    ~RedisService() override;

    QByteArray kind() const override { return "redis"; }
    std::vector<Server*> servers() const override;
    Server* find(const QString& target) const override;
    QString url() const override;
    QString urlOf(const QString& id) const override;
    Diallers diallers(const ClientEnd& client) const override;
    /// An operator's DEL on a single simulated server tells nobody.
    bool tellsHolders() const override { return m_settings.shape != RedisShape::Single; }
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    std::expected<void, QString> failOver(const Server& master) override;
    void watch(const QByteArray& lockName, const QByteArray& recipe) override;
    std::expected<void, QString> canDrop(const Server& server) const override;
    void evict(Server& server, const QByteArray& lockName) override;
    void flush(Server& server) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    void setDecides(bool decides) override;
    /// With RedisShape::Engines: the record follows that server from now on.
    void decides(const QByteArray& id) override;
    /// The server at an address; nullptr: there is none.
    RespServer* at(const Endpoint& endpoint) const;
    RedisServer& redis(std::size_t index) const { return *m_redis[index]; }
    SentinelServer& sentinel(std::size_t index) const { return *m_sentinels[index]; }

private:
    RedisServer* byId(const QByteArray& id) const;
    /// The server that decides now: the master, of several the one that became it last; nullptr: there is none.
    RedisServer* master() const;
    void chooseDecider();
    void makeCluster();
    void chooseOwners();
    void tellRoles();
    void tellRole(RedisServer& server);
    void roleChanged(RedisServer& server);

    /// In a cluster: the record of one lock, which its slot's owner decides.
    struct SlotRecord {
        std::unique_ptr<RedisRecord> record;
        int slot = 0;
        RedisServer* decider = nullptr;
        std::vector<QByteArray> keys; ///< as watched; empty: not yet
        Strings strings = Strings::AreLocks;
    };
    /// Tells of the copies of a cluster's lock: on the slot's master and on its replicas.
    void watchCopies(const QByteArray& lockName, const SlotRecord& lock);
    RedisRecord& recordOf(const QByteArray& lockName, const std::vector<QByteArray>& keys);
    /// The keys that say who holds a watched lock.
    std::vector<QByteArray> keysOf(const QByteArray& lockName) const;

    Grounds m_grounds;
    inspect::TraceFeed::Resolver m_owner;
    Settings m_settings;

    trace::Recorder& m_recorder;
    std::vector<std::unique_ptr<RedisServer>> m_redis;
    std::unique_ptr<RedisRecord> m_record;
    std::vector<std::unique_ptr<RedisRecord>> m_copies;                           ///< of several servers, each one's
    std::map<QByteArray, SlotRecord> m_slotRecords;                               ///< of a cluster, by lock
    std::map<const RedisServer*, std::pair<QByteArray, trace::EntityId>> m_roles; ///< as told last, and whose data
    std::vector<std::unique_ptr<SentinelServer>> m_sentinels;
    std::map<const RedisServer*, std::uint64_t> m_reigns; ///< numbers promotions
    std::uint64_t m_lastReign = 0;
    RedisServer* m_decider = nullptr;
};

} // namespace lockscope::sim
