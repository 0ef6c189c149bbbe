// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "sim/redis_server.h"
#include "sim/sentinel_server.h"
#include "sim/service.h"

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
        /// As a scenario says.
        static Settings of(const scenario::Scenario& scenario);
        RedisShape shape = RedisShape::Single;
        std::vector<QByteArray> ids{"redis-1"}; ///< the first one is the first master
        Persistence persistence = Persistence::None;
        ReplicationSettings replication = {};
        std::vector<QByteArray> sentinelIds = {}; ///< with RedisShape::Sentinel
        SentinelServer::Settings sentinel = {};
        ClusterNode::Settings cluster = {}; ///< with RedisShape::Cluster
    };
    RedisService(Grounds grounds, const Settings& settings, std::uint64_t seed, inspect::TraceFeed::Resolver owner);
    ~RedisService() override;

    std::vector<Server*> servers() const override;
    Server* find(const QString& target) const override;
    QString url() const override;
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_record->lockEntity(lockName); }
    void watch(const QByteArray& lockName, std::vector<QByteArray> keys, Strings strings = Strings::AreLocks) override;
    void forceRelease(const QByteArray& lockName) override;
    std::uint64_t steps() const override;

    RedisShape shape() const { return m_settings.shape; }
    /// The URL of one server alone.
    QString urlOf(const QString& id) const;
    /// With RedisShape::Engines: the record follows that server from now on.
    void decides(const QByteArray& id);
    /// The server at an address; nullptr: there is none.
    RespServer* at(const Endpoint& endpoint) const;
    RedisServer& redis(std::size_t index) const { return *m_redis[index]; }
    std::size_t redisCount() const { return m_redis.size(); }
    SentinelServer& sentinel(std::size_t index) const { return *m_sentinels[index]; }

private:
    RedisServer* byId(const QByteArray& id) const;
    /// The server that decides now: the master, of several the one that became it last; nullptr: there is none.
    RedisServer* master() const;
    void chooseDecider();
    void makeCluster();
    /// From now on the roles of all Redis servers are followed, and told.
    void followRoles();
    void tellRoles();
    std::size_t clusterMasters() const { return (m_redis.size() + 1) / 2; }
    /// In a cluster, the master of this key's slot and its replicas decide what the record says.
    void decideBySlotOf(const QByteArray& key);

    Settings m_settings;
    void tellRole(const RedisServer& server);

    trace::Recorder& m_recorder;
    std::vector<std::unique_ptr<RedisServer>> m_redis;
    std::unique_ptr<RedisRecord> m_record;
    std::vector<std::unique_ptr<RedisRecord>> m_copies; ///< of several servers, each one's
    std::map<const RedisServer*, QByteArray> m_roles;   ///< as told last
    std::vector<std::unique_ptr<SentinelServer>> m_sentinels;
    std::vector<const RedisServer*> m_group;              ///< those of which one decides
    std::map<const RedisServer*, std::uint64_t> m_reigns; ///< numbers promotions
    std::uint64_t m_lastReign = 0;
    RedisServer* m_decider = nullptr;
    int m_watched = 0; ///< how often a watch was asked for
};

} // namespace lockscope::sim
