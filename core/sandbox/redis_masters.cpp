// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_masters.h"

namespace lockscope::sandbox {

RedisMasters::RedisMasters(Runtime& runtime, int count, RedisServerOptions each)
    : m_runtime(runtime), m_count(count), m_options(std::move(each)) {
    m_options.port = 0;
}

QCoro::Task<std::expected<void, QString>> RedisMasters::start(std::stop_token stop) {
    if (m_options.tls && m_options.authority.ca.isEmpty()) {
        auto authority = co_await TlsAuthority::make(m_runtime, m_workspace, QStringLiteral("masters-"), stop);
        if (!authority) co_return std::unexpected(authority.error());
        m_options.authority = *authority;
    }
    while (std::ssize(m_servers) < m_count)
        m_servers.push_back(std::make_unique<RedisServer>(m_runtime, m_options));
    std::vector<QCoro::Task<std::expected<void, QString>>> starts;
    for (const auto& server : m_servers)
        if (!server->running()) starts.push_back(server->start(stop));
    co_return co_await allOf(std::move(starts));
}

QString RedisMasters::url(const RedisLogin& login) const {
    std::vector<std::uint16_t> ports;
    for (const auto& server : m_servers)
        ports.push_back(server->port());
    return redisUrl(QStringLiteral("redlock"), ports, login, m_options.authority);
}

} // namespace lockscope::sandbox
