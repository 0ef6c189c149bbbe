// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/factories.h"
#include "connections/redis/named_options.h"
#include "connections/redis/redis_locks.h"

namespace lockscope {

/// The connection over a port that hides several servers; all Redis recipes work over it. `PortType` is constructed
/// from a runtime, a dialler and a URL, and has open().
template <typename PortType>
class RedisPortConnection : public Connection {
public:
    RedisPortConnection(Runtime& runtime, const redis::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_port(std::make_shared<PortType>(runtime, dial, m_url, redis::namedAfter(m_client))) {}

    Runtime& runtime() override { return m_port->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "redis"; }
    QByteArray defaultRecipe() const override { return "redis-reentrant"; }

    Outcome<void> open(std::stop_token stop) override {
        const auto opened = co_await m_port->open(std::move(stop));
        if (!opened) co_return std::unexpected(recipes::lockError(opened.error(), {}));
        co_return {};
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override { return pingMaster(m_port, m_url.display(), std::move(stop)); }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        return makeRedisLock(id, portOf(spec.name), spec, *this, m_doubts);
    }
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& recipe,
                                                                                      LockSpec spec) override {
        return makeRedisLockCondition(recipe, portOf(spec.name), spec, *this, m_doubts);
    }

protected:
    /// The port that a lock of that name uses.
    virtual std::shared_ptr<redis::Port> portOf(const QByteArray&) { return m_port; }
    const std::shared_ptr<PortType>& port() { return m_port; }

private:
    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<PortType> m_port; ///< shared with recipes
    std::shared_ptr<recipes::Doubts> m_doubts = std::make_shared<recipes::Doubts>();
};

} // namespace lockscope
