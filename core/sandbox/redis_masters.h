// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sandbox/redis_server.h"

namespace lockscope::sandbox {

/// N Redis servers on the loopback that know nothing of each other: what a Redlock wants.
class RedisMasters {
public:
    RedisMasters(Runtime& runtime, int count, RedisServerOptions each = {});
    /// Starts those that do not run, all at once.
    QCoro::Task<std::expected<void, QString>> start(std::stop_token stop = {});
    int count() const { return int(m_servers.size()); }
    RedisServer& at(int index) { return *m_servers[std::size_t(index)]; }
    /// redlock://…, with the password if they have one: not to be shown. Not for servers with TLS, whose authorities
    /// differ.
    QString url() const;

private:
    RedisServerOptions m_options;
    std::vector<std::unique_ptr<RedisServer>> m_servers;
};

} // namespace lockscope::sandbox
