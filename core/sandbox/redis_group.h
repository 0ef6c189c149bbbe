// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_server.h"

namespace lockscope::sandbox {

/// A Redis master and its replicas on the loopback.
class RedisGroup {
public:
    /// `each`: for all of them; its port is not looked at. With TLS they have one authority, the first one's.
    RedisGroup(Runtime& runtime, int replicas = 2, RedisServerOptions each = {});
    /// Starts the master, then the replicas at once, and returns when all are in step with it. Later: starts again
    /// those that do not run; who follows whom is then others' business.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int count() const { return int(m_servers.size()); }
    /// 0 is the one that was the master first; it comes back as a master without data when it is started again, until
    /// somebody tells it otherwise.
    RedisServer& at(int index) { return *m_servers[std::size_t(index)]; }
    const QString& password() const { return m_options.password; }
    /// Which of those that run and are not paused calls itself a master; -1: none, the first of several.
    QCoro::Task<int> master(std::stop_token stop = {});

private:
    Runtime& m_runtime;
    RedisServerOptions m_options;
    std::vector<std::unique_ptr<RedisServer>> m_servers;
    bool m_wereInStep = false;
};

} // namespace lockscope::sandbox
