// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis_server.h"
#include "sim/resp_connection.h"

#include <random>

namespace lockscope::sim {

/// A simulated Redis Sentinel: it watches a master, its replicas and the other Sentinels, agrees with them that the
/// master is down, is elected or votes, and has a replica promoted. Follows sentinel.c of Redis 7.0, whose names for
/// states, times and events it keeps.
class SentinelServer final : public RespServer {
public:
    static constexpr int kPort = 26379;
    struct Settings {
        QByteArray masterName = "main";
        Nanos downAfter = 2s;
        Nanos failoverTimeout = 6s;
        int quorum = 2;
        int parallelSyncs = 1;
    };
    SentinelServer(Grounds grounds, const QByteArray& id, std::uint64_t seed, Settings settings);
    ~SentinelServer() override;

    /// All servers are known from the start: the first one is the master. Begins to watch.
    void watch(const std::vector<RedisServer*>& group, const std::vector<SentinelServer*>& sentinels);
    const QByteArray& runId() const { return m_runId; }
    /// SENTINEL FAILOVER, from an operator; nullopt: this Sentinel does not run.
    std::optional<redis::Reply> failOver();
    /// Tells of its events, as its subscribers hear them.
    std::function<void(const SentinelServer&, const QByteArray& event, const QByteArray& payload)> onEvent;

protected:
    void serve(SessionId session, const redis::Args& args, Answer answer) override;
    void died(Death death) override;
    void booted(Disk disk) override;

private:
    enum class Role : std::uint8_t { Master, Replica };
    /// How far a replica has been pointed to the new master.
    enum class Reconf : std::uint8_t { None, Sent, InProgress, Done };
    enum class State : std::uint8_t {
        None,
        WaitStart,
        SelectSlave,
        SendSlaveofNoone,
        WaitPromotion,
        ReconfSlaves,
        UpdateConfig
    };
    /// A server that is watched: the master, a replica, or another Sentinel.
    struct Instance {
        RespServer* server = nullptr;
        bool sentinel = false;
        std::unique_ptr<RespConnection> link = nullptr;
        Nanos triedAt = -1s, connectedAt{};
        std::optional<Nanos> pingedSince = {}; ///< the first PING without an answer (act_ping_time)
        Nanos pingedAt{}, pongAt{}, availableAt{};
        bool infoAsked = false;
        Nanos infoAskedAt{};
        std::optional<Nanos> infoAt = {};
        Nanos helloAt = -2s;
        bool down = false, agreedDown = false; ///< SDOWN; ODOWN, of the master
        std::optional<Nanos> downSince = {};   ///< also after it is over
        // From the answers to INFO.
        Role role = Role::Master;
        Nanos roleSince{}, confSince{};
        QByteArray follows;
        bool linkUp = false;
        Nanos linkDownFor{};
        std::int64_t offset = 0;
        int priority = 100;
        Reconf reconf = Reconf::None;
        Nanos reconfSentAt{};
        // From the other Sentinel's answers.
        bool saysDown = false;
        std::optional<Nanos> saidAt = {};
        QByteArray leader;
        std::int64_t leaderEpoch = 0;
    };
    using InstancePtr = std::shared_ptr<Instance>;

    // --- sentinel_watching.cpp ---
    void tick();
    bool tilted();
    void handle(const InstancePtr& instance);
    void reconnect(const InstancePtr& instance);
    void sendPeriodic(const InstancePtr& instance);
    void ping(const InstancePtr& instance);
    void onPong(Instance& instance, const redis::Reply& reply);
    void onInfo(const InstancePtr& instance, const QByteArray& info);
    void actOnInfo(const InstancePtr& instance);
    void hello(const InstancePtr& instance);
    void hear(const SentinelServer& peer, std::int64_t epoch, std::int64_t configEpoch, RedisServer& master);
    void checkDown(const InstancePtr& instance);
    void checkAgreedDown();
    void disconnect(Instance& instance);
    /// Sends a command over the instance's connection; the answer comes when this process runs.
    void send(const InstancePtr& instance, redis::Args args, std::function<void(const redis::Reply&)> done);

    // --- sentinel_failover.cpp ---
    void askPeers(bool atOnce);
    std::pair<QByteArray, std::int64_t> vote(std::int64_t epoch, const QByteArray& runId);
    QByteArray leader(std::int64_t epoch);
    bool startIfNeeded();
    void beginFailover();
    void step();
    void setState(State state);
    void abort(const char* event);
    InstancePtr selectReplica() const;
    void sendSlaveOf(const InstancePtr& instance, RedisServer* master);
    void reconfNext();
    void detectEnd();
    void switchTo(RedisServer& master);
    bool masterLooksSane() const;
    bool notDownFor(const Instance& instance, Nanos time) const;

    // --- sentinel_commands.cpp ---
    redis::Reply sentinel(const redis::Args& args);
    redis::Reply details(const Instance& instance) const;
    redis::Reply isMasterDown(const redis::Args& args);
    RedisServer& currentMaster() const;
    QByteArray nameOf(const Instance& instance) const;
    void tell(const char* event, const QByteArray& payload);
    void tell(const char* event, const Instance& instance, const QByteArray& more = {});

    // --- sentinel_rows.cpp: what it tells, as rows of the trace ---
    void writeEvent(const QByteArray& event, const Instance& instance);
    void writeAgreed(int agree);
    void writeVote();
    void writeStep(trace::FailoverPhase phase, const RespServer& about, const QByteArray& why = {});
    /// It forgets what it thought of the servers.
    void writeNoDoubts();

    InstancePtr make(RespServer& server, bool sentinel) const;
    static RedisServer& redisOf(const Instance& instance);
    QByteArray addressOf(const RespServer& server, int port) const;
    Nanos randomUpTo(Nanos limit);
    bool failingOver() const { return m_state != State::None; }

    Settings m_settings;
    std::mt19937_64 m_random;
    QByteArray m_runId;
    SessionId m_inside;
    InstancePtr m_master;
    std::vector<InstancePtr> m_replicas, m_peers;
    std::int64_t m_epoch = 0, m_configEpoch = 0;
    QByteArray m_votedFor;
    std::int64_t m_votedEpoch = 0;
    State m_state = State::None;
    std::int64_t m_failoverEpoch = 0;
    Nanos m_failoverStart, m_stateSince{};
    InstancePtr m_promoted;
    bool m_forced = false;                  ///< by SENTINEL FAILOVER
    std::optional<std::int64_t> m_tickedUs; ///< wall clock of the last tick
    std::optional<Nanos> m_tilt;            ///< since when
};

} // namespace lockscope::sim
