// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_server.h"

namespace lockscope::sandbox {

/// A Redis master and its replicas on the loopback.
class RedisGroup {
public:
    /// `each`: for all of them; its port is not looked at. With TLS they have one authority, the first one's.
    RedisGroup(Runtime& runtime, int replicas = 2, RedisServerOptions each = {});
    /// Starts the master, then the replicas at once, and returns when all are in step with it. Later calls start the
    /// servers that do not run; they do not set who follows whom.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int count() const { return int(m_servers.size()); }
    /// 0 is the one that was the master first; it comes back as a master without data when it is started again, until
    /// it is told otherwise.
    RedisServer& at(int index) { return *m_servers[std::size_t(index)]; }
    const QString& password() const { return m_options.password; }
    /// The first server that runs, is not paused and calls itself a master; -1: none.
    QCoro::Task<int> master(std::stop_token stop = {});

private:
    Runtime& m_runtime;
    RedisServerOptions m_options;
    std::vector<std::unique_ptr<RedisServer>> m_servers;
    bool m_wereInStep = false;
};

} // namespace lockscope::sandbox
