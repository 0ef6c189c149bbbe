// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/driver.h"
#include "lock/connections/factories.h"
#include "lock/connections/kept.h"
#include "lock/connections/memcached_records.h"
#include "recipes/memcached/memcached_recipe.h"

#include <QCoreApplication>

namespace lockscope {

namespace {
class MemcachedConnection final : public Connection {
public:
    MemcachedConnection(Runtime& runtime, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_driver(std::make_shared<memcached::MemcachedDriver>(runtime, m_url)) {}

    Runtime& runtime() override { return m_driver->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "memcached"; }
    QByteArray defaultRecipe() const override { return "memcached-lease"; }

    Outcome<void> open(std::stop_token stop) override {
        if (!m_url.user.isEmpty() || !m_url.password.isEmpty())
            co_return std::unexpected(LockError{
                LockError::Kind::NotSupported,
                QCoreApplication::translate("LockError", "Logins (SASL) to memcached are not supported: leave the user "
                                                         "out of the URL.")});
        const auto version = co_await m_driver->version(std::move(stop));
        if (!version) co_return std::unexpected(recipes::lockError(version.error()));
        co_return {};
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override { return open(std::move(stop)); }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (const auto error = recipes::memcachedNameError(spec.name)) return std::unexpected(*error);
        auto recipe = recipes::makeMemcachedRecipe(id, {*m_driver, spec.name, m_client});
        if (!recipe) return std::unexpected(noSuchRecipe(id, *this));
        return std::make_unique<KeptRecipe>(m_driver, std::move(recipe));
    }

    RecordStore* records() override { return &m_records; }

private:
    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<memcached::MemcachedDriver> m_driver; ///< shared with recipes
    MemcachedRecords m_records{*m_driver};
};
} // namespace

std::unique_ptr<Connection> makeMemcachedConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<MemcachedConnection>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
