// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_group.h"

#include "sandbox/redis_question.h"

#include <QCoreApplication>

namespace lockscope::sandbox {

namespace {
constexpr Nanos kSyncLimit = 15s;
}

RedisGroup::RedisGroup(Runtime& runtime, int replicas, RedisServerOptions each)
    : m_runtime(runtime), m_options(std::move(each)) {
    m_options.port = 0;
    m_options.extraLines += {QStringLiteral("repl-diskless-sync yes"), QStringLiteral("repl-diskless-sync-delay 0")};
    if (m_options.tls) m_options.extraLines += QStringLiteral("tls-replication yes");
    if (!m_options.password.isEmpty())
        m_options.extraLines += QStringLiteral("masterauth \"%1\"").arg(m_options.password);
    m_servers.push_back(std::make_unique<RedisServer>(runtime, m_options));
    m_servers.resize(std::size_t(replicas) + 1); // they need its port: made when it has one
}

QCoro::Task<std::expected<void, QString>> RedisGroup::start(std::stop_token stop) {
    std::expected<void, QString> started;
    if (!m_servers.front()->running()) started = co_await m_servers.front()->start(stop);
    if (!started) co_return started;
    std::vector<QCoro::Task<std::expected<void, QString>>> starts;
    for (std::size_t i = 1; i < m_servers.size(); ++i) {
        if (!m_servers[i]) {
            RedisServerOptions options = m_options;
            options.authority = m_servers.front()->authority();
            options.extraLines += QStringLiteral("replicaof 127.0.0.1 %1").arg(m_servers.front()->port());
            m_servers[i] = std::make_unique<RedisServer>(m_runtime, options);
        }
        if (!m_servers[i]->running()) starts.push_back(m_servers[i]->start(stop));
    }
    started = co_await allOf(std::move(starts));
    if (!started || m_wereInStep) co_return started;
    const QByteArrayList question{"INFO", "replication"};
    const QByteArrayList inStep{"master_link_status:up"};
    for (std::size_t i = 1; i < m_servers.size(); ++i) {
        const bool synced = co_await waitForAnswer(m_runtime, m_servers[i]->door(), question, inStep, kSyncLimit, stop);
        if (!synced)
            co_return std::unexpected(
                QCoreApplication::translate("Sandbox", "The replica on port %1 did not get in step with its master.")
                    .arg(m_servers[i]->port()));
    }
    m_wereInStep = true;
    co_return started;
}

QCoro::Task<int> RedisGroup::master(std::stop_token stop) {
    const QByteArrayList question{"INFO", "replication"};
    for (std::size_t i = 0; i < m_servers.size(); ++i) {
        if (!m_servers[i] || !m_servers[i]->running() || m_servers[i]->paused()) continue;
        const std::optional<QByteArray> answer = co_await askRedis(m_runtime, m_servers[i]->door(), question, stop);
        if (answer && answer->contains("role:master")) co_return int(i);
    }
    co_return -1;
}

} // namespace lockscope::sandbox
