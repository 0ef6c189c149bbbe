// SPDX-License-Identifier: Apache-2.0
#include "backends/redis/driver.h"
#include "lock/connections/factories.h"
#include "recipes/redlock/redlock.h"

#include <QCoreApplication>

namespace lockscope {

namespace {

constexpr Nanos kPingLimit = 1s;

redis::DriverOptions nodeOptions() {
    redis::DriverOptions options;
    options.commandTimeout = 1s; // nobody waits for one node as long as that
    options.heartbeat = 2s;      // a node that stands still is noticed, …
    options.silenceLimit = 3s;   // … given up …
    options.retryLongest = 1s;   // … and taken back soon after it returned
    return options;
}

class RedlockConnection final : public Connection {
public:
    RedlockConnection(Runtime& runtime, ConnectionUrl url, QByteArray client)
        : m_runtime(runtime), m_url(std::move(url)), m_client(client.isEmpty() ? runtime.randomUuid() : client) {
        std::vector<redis::Port*> ports;
        for (const Endpoint& endpoint : m_url.endpoints) {
            ConnectionUrl one = m_url;
            one.service = Service::Redis;
            one.scheme = m_url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
            one.endpoints = {endpoint};
            m_drivers.push_back(std::make_unique<redis::RedisDriver>(runtime, one, nodeOptions()));
            ports.push_back(m_drivers.back().get());
        }
        m_nodes = std::make_shared<recipes::RedlockNodes>(std::move(ports));
    }
    ~RedlockConnection() override { m_nodes->close(); }

    Runtime& runtime() override { return m_runtime; }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "redis"; }
    QByteArray defaultRecipe() const override { return "redis-redlock"; }

    Outcome<void> open(std::stop_token stop) override {
        return recipes::Redlock::reach(m_nodes, redis::DriverOptions().connectTimeout, std::move(stop));
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override {
        return recipes::Redlock::reach(m_nodes, kPingLimit, std::move(stop));
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (id == "redis-redlock") return std::make_unique<recipes::Redlock>(m_nodes, spec.name);
        return std::unexpected(LockError{
            LockError::Kind::NotSupported,
            QCoreApplication::translate(
                "LockError", "Over independent servers (%1) there is the recipe redis-redlock only, not “%2”.")
                .arg(m_url.display(), QString::fromUtf8(id))});
    }

private:
    Runtime& m_runtime;
    ConnectionUrl m_url;
    QByteArray m_client;
    std::vector<std::unique_ptr<redis::RedisDriver>> m_drivers;
    std::shared_ptr<recipes::RedlockNodes> m_nodes; ///< closed before the drivers go
};

} // namespace

std::unique_ptr<Connection> makeRedlockConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<RedlockConnection>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
