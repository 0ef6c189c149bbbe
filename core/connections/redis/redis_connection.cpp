// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/records.h"
#include "connections/redis/named_options.h"
#include "connections/redis/redis_locks.h"

namespace lockscope {

namespace {
class RedisConnection final : public Connection {
public:
    RedisConnection(Runtime& runtime, const redis::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_server(dial(runtime, m_url, redis::namedAfter(m_client))) {}

    Runtime& runtime() override { return m_server->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "redis"; }
    QByteArray defaultRecipe() const override { return "redis-reentrant"; }

    Outcome<void> open(std::stop_token stop) override {
        const auto opened = co_await m_server->open(stop);
        if (!opened) co_return std::unexpected(recipes::lockError(opened.error(), {}));
        co_return {};
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override { return pingMaster(m_server, m_url.display(), std::move(stop)); }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        return makeRedisLock(id, m_server, spec, *this, m_doubts);
    }
    std::expected<std::unique_ptr<recipes::ConditionRecipe>, LockError> makeCondition(const QByteArray& recipe,
                                                                                      LockSpec spec) override {
        return makeRedisLockCondition(recipe, m_server, spec, *this, m_doubts);
    }

    RecordStore* records() override { return &m_records; }

private:
    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<redis::Client> m_server; ///< shared with recipes
    RedisRecords m_records{*m_server};
    std::shared_ptr<recipes::Doubts> m_doubts = std::make_shared<recipes::Doubts>();
};
} // namespace

std::unique_ptr<Connection> makeRedisConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                QByteArray client) {
    return std::make_unique<RedisConnection>(runtime, diallers.redis, std::move(url), std::move(client));
}

} // namespace lockscope
