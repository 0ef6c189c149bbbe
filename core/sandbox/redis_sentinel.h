// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_group.h"

namespace lockscope::sandbox {

struct RedisSentinelOptions {
    int replicas = 2;
    int sentinels = 3;
    QString user;                   ///< who has the password, on the servers; empty: the default user
    QString password;               ///< of the servers and, with sentinelsWantLogin, of the sentinels; empty: none
    bool sentinelsWantLogin = true; ///< by the default user's name, whoever it is on the servers
    QString sentinelUser;           ///< with sentinelPassword: the user who has it; empty: the default user
    QString sentinelPassword;       ///< the sentinels' own, instead of the servers'; empty: the same
    bool tls = false;               ///< of the servers and of the sentinels, and nothing else
    int downAfterMs = 600;          ///< a server that is silent for so long is down
    int failoverTimeoutMs = 3000;
};

/// A Redis master, its replicas, and the sentinels that watch over them and replace the master when it dies.
class RedisSentinels {
public:
    /// The name under which the sentinels know the master.
    static constexpr const char* kMaster = "mymaster";

    explicit RedisSentinels(Runtime& runtime, RedisSentinelOptions options = {});
    /// Starts all, and returns when every sentinel knows the others and the replicas.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});

    RedisGroup& group() { return m_group; }
    int count() const { return int(m_sentinels.size()); }
    std::uint16_t port(int sentinel) const { return m_sentinels[std::size_t(sentinel)]->port; }
    /// A sentinel's process, to kill or pause it.
    ProcessSupervisor& process(int sentinel) { return m_sentinels[std::size_t(sentinel)]->process; }
    /// redis+sentinel://…/mymaster, with users and passwords if there are: not to be shown.
    QString url();

private:
    struct Sentinel {
        std::uint16_t port = 0;
        Workspace workspace;
        ProcessSupervisor process;
    };
    QByteArray configuration(const Sentinel& sentinel);
    QString defaultPassword() const; ///< of the sentinels' default user
    RedisDoor doorOf(const Sentinel& sentinel);
    QCoro::Task<> setPace(const Sentinel& sentinel, QByteArray publishPeriod, std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> meet(std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> startOne(Sentinel& sentinel, std::stop_token stop);
    QCoro::Task<std::expected<void, QString>> startOnPort(Sentinel& sentinel, std::stop_token stop);
    QCoro::Task<> killed(Sentinel& sentinel, std::stop_token stop); ///< kills it; returns when it has ended

    Runtime& m_runtime;
    RedisSentinelOptions m_options;
    RedisGroup m_group;
    std::vector<std::unique_ptr<Sentinel>> m_sentinels;
};

} // namespace lockscope::sandbox
