// SPDX-License-Identifier: Apache-2.0
#include "backends/memcached/driver.h"
#include "lock/connections/factories.h"
#include "lock/connections/kept.h"
#include "lock/connections/memcached_records.h"
#include "recipes/memcached/memcached_recipe.h"

namespace lockscope {

namespace {

using memcached::MemcachedDriver;

/// A driver for that URL. Connections of one runtime to the same servers, by the same login, have one together: its
/// commands are not bound to who sends them, and all that leave in one pass leave in one packet, which costs the
/// kernels on both sides as much as one command alone.
std::shared_ptr<MemcachedDriver> driverFor(Runtime& runtime, const ConnectionUrl& url) {
    struct Shared {
        Runtime* runtime;
        ConnectionUrl url;
        std::weak_ptr<MemcachedDriver> driver;
    };
    thread_local std::vector<Shared> all;
    std::erase_if(all,
                  [](const Shared& one) { return one.driver.expired(); }); // before a runtime's address comes again
    for (const Shared& one : all)
        if (one.runtime == &runtime && one.url == url) return one.driver.lock();
    auto driver = std::make_shared<MemcachedDriver>(runtime, url);
    all.push_back({&runtime, url, driver});
    return driver;
}

class MemcachedConnection final : public Connection {
public:
    MemcachedConnection(Runtime& runtime, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_driver(driverFor(runtime, m_url)) {}

    Runtime& runtime() override { return m_driver->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "memcached"; }
    QByteArray defaultRecipe() const override { return "memcached-lease"; }

    /// Of several servers, one that does not answer has its own locks only: whoever wants those is told then.
    Outcome<void> open(std::stop_token stop) override {
        const auto version = co_await m_driver->anyVersion(std::move(stop));
        if (!version) co_return std::unexpected(recipes::lockError(version.error()));
        co_return {};
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override {
        const auto version = co_await m_driver->version(std::move(stop));
        if (!version) co_return std::unexpected(recipes::lockError(version.error()));
        co_return {};
    }

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
    std::shared_ptr<MemcachedDriver> m_driver; ///< shared with recipes, and with others of this runtime
    MemcachedRecords m_records{m_driver};
};
} // namespace

std::unique_ptr<Connection> makeMemcachedConnection(Runtime& runtime, ConnectionUrl url, QByteArray client) {
    return std::make_unique<MemcachedConnection>(runtime, std::move(url), std::move(client));
}

} // namespace lockscope
