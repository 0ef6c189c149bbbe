// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_server.h"

namespace lockscope::sandbox {

/// N Redis servers on the loopback that know nothing of each other: what a Redlock wants.
class RedisMasters {
public:
    /// `each`: for all of them; its port is not looked at. With TLS they have one authority.
    RedisMasters(Runtime& runtime, int count, RedisServerOptions each = {});
    /// Starts the servers that do not run, all at once.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int count() const { return m_count; }
    /// Precondition: they were started.
    RedisServer& at(int index) { return *m_servers[std::size_t(index)]; }
    /// redlock://… or redlocks://…, with the default user's password if they have one: not to be shown.
    QString url() const { return url({{}, m_options.password}); }
    /// As url(), for another user.
    QString url(const RedisLogin& login) const;

private:
    Runtime& m_runtime;
    int m_count;
    RedisServerOptions m_options;
    Workspace m_workspace; ///< of the authority
    std::vector<std::unique_ptr<RedisServer>> m_servers;
};

} // namespace lockscope::sandbox
