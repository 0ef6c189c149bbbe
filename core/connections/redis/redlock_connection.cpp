// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/kept.h"
#include "connections/redis/named_options.h"
#include "recipes/redlock/redlock.h"

#include <QCoreApplication>

namespace lockscope {

namespace {

constexpr Nanos kPingLimit = 1s;

recipes::RedlockOptions lockOptions(const ConnectionUrl& url) {
    recipes::RedlockOptions options;
    url.takeTime("node", options.perNode);
    return options;
}

redis::DriverOptions nodeOptions(const ConnectionUrl& url, const QByteArray& client) {
    redis::DriverOptions options = redis::namedAfter(client);
    options.commandTimeout = std::max<Nanos>(1s, lockOptions(url).perNode); // nobody waits for one node longer
    options.heartbeat = 2s;                                                 // a node that stands still is noticed, …
    options.silenceLimit = 3s;                                              // … given up …
    options.retryLongest = 1s;                                              // … and taken back soon after it returned
    return options;
}

/// The parts that all recipes of a connection share; they live as long as the last of them.
struct RedlockParts {
    RedlockParts(Runtime& runtime, const redis::Dialler& dial, const ConnectionUrl& url, const QByteArray& client) {
        std::vector<redis::Port*> ports;
        for (const Endpoint& endpoint : url.endpoints) {
            ConnectionUrl one = url;
            one.service = Service::Redis;
            one.scheme = url.tls ? QStringLiteral("rediss") : QStringLiteral("redis");
            one.endpoints = {endpoint};
            servers.push_back(dial(runtime, one, nodeOptions(url, client)));
            ports.push_back(servers.back().get());
        }
        nodes = std::make_shared<recipes::RedlockNodes>(std::move(ports));
    }
    ~RedlockParts() { nodes->close(); }
    RedlockParts(const RedlockParts&) = delete;
    RedlockParts& operator=(const RedlockParts&) = delete;
    std::vector<std::unique_ptr<redis::Client>> servers;
    std::shared_ptr<recipes::RedlockNodes> nodes; ///< closed before the servers' clients go
};

class RedlockConnection final : public Connection {
public:
    RedlockConnection(Runtime& runtime, const redis::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_runtime(runtime),
          m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_parts(std::make_shared<RedlockParts>(runtime, dial, m_url, m_client)) {}

    Runtime& runtime() override { return m_runtime; }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "redis"; }
    QByteArray defaultRecipe() const override { return "redis-redlock"; }

    Outcome<void> open(std::stop_token stop) override {
        const Nanos limit = redis::optionsOf(m_url, {}).connectTimeout;
        return recipes::Redlock::reach(m_parts->nodes, limit, std::move(stop));
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override {
        return recipes::Redlock::reach(m_parts->nodes, kPingLimit, std::move(stop));
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (spec.name.isEmpty())
            return std::unexpected(LockError{LockError::Kind::Refused,
                                             QCoreApplication::translate("LockError", "The lock needs a name.")});
        if (id == "redis-redlock")
            return std::make_unique<KeptRecipe>(
                m_parts, std::make_unique<recipes::Redlock>(m_parts->nodes, spec.name, lockOptions(m_url)));
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
    std::shared_ptr<RedlockParts> m_parts;
};

} // namespace

std::unique_ptr<Connection> makeRedlockConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                  QByteArray client) {
    return std::make_unique<RedlockConnection>(runtime, diallers.redis, std::move(url), std::move(client));
}

} // namespace lockscope
