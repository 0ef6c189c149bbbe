// SPDX-License-Identifier: Apache-2.0
#include "connections/factories.h"
#include "connections/kept.h"
#include "connections/memcached/memcached_records.h"
#include "connections/memcached/ring_port.h"
#include "recipes/memcached/memcached_recipe.h"
#include "recipes/of_question.h"

namespace lockscope {

namespace {

using memcached::RingPort;

/// A port for that URL. Connections of one runtime to the same servers, by the same login, share one: its commands are
/// not bound to their sender. All commands of one pass leave in one packet, which costs the kernels on both sides as
/// much as one command alone.
std::shared_ptr<RingPort> ringFor(Runtime& runtime, const memcached::Dialler& dial, const ConnectionUrl& url) {
    struct Shared {
        Runtime* runtime;
        ConnectionUrl url;
        std::weak_ptr<RingPort> ring;
    };
    thread_local std::vector<Shared> all;
    std::erase_if(all, [](const Shared& one) { return one.ring.expired(); }); // before a runtime's address comes again
    for (const Shared& one : all)
        if (one.runtime == &runtime && one.url == url) return one.ring.lock();
    auto ring = std::make_shared<RingPort>(runtime, dial, url);
    all.push_back({&runtime, url, ring});
    return ring;
}

class MemcachedConnection final : public Connection {
public:
    MemcachedConnection(Runtime& runtime, const memcached::Dialler& dial, ConnectionUrl url, QByteArray client)
        : m_url(std::move(url)),
          m_client(client.isEmpty() ? runtime.randomUuid() : std::move(client)),
          m_ring(ringFor(runtime, dial, m_url)) {}

    Runtime& runtime() override { return m_ring->runtime(); }
    const QByteArray& client() const override { return m_client; }
    const ConnectionUrl& url() const override { return m_url; }
    QByteArray backend() const override { return "memcached"; }
    QByteArray defaultRecipe() const override { return "memcached-lease"; }

    /// One answering server is enough. The others keep their own locks only; a client that wants one of those gets the
    /// error then.
    Outcome<void> open(std::stop_token stop) override {
        const auto version = co_await m_ring->anyVersion(std::move(stop));
        if (!version) co_return std::unexpected(ofQuestion(recipes::lockError(version.error())));
        co_return {};
    }
    Outcome<void> close() override { co_return {}; }
    Outcome<void> ping(std::stop_token stop) override {
        const auto version = co_await m_ring->version(std::move(stop));
        if (!version) co_return std::unexpected(recipes::lockError(version.error()));
        co_return {};
    }

    std::expected<std::unique_ptr<recipes::Recipe>, LockError> makeRecipe(const QByteArray& id,
                                                                          LockSpec spec) override {
        if (const auto error = recipes::memcachedNameError(spec.name)) return std::unexpected(*error);
        auto recipe = recipes::makeMemcachedRecipe(id, {*m_ring, spec.name, m_client});
        if (!recipe) return std::unexpected(noSuchRecipe(id, *this));
        return std::make_unique<KeptRecipe>(m_ring, std::move(recipe));
    }

    RecordStore* records() override { return &m_records; }

private:
    ConnectionUrl m_url;
    QByteArray m_client;
    std::shared_ptr<RingPort> m_ring; ///< shared with recipes, and with others of this runtime
    MemcachedRecords m_records{m_ring};
};
} // namespace

std::unique_ptr<Connection> makeMemcachedConnection(Runtime& runtime, const Diallers& diallers, ConnectionUrl url,
                                                    QByteArray client) {
    return std::make_unique<MemcachedConnection>(runtime, diallers.memcached, std::move(url), std::move(client));
}

} // namespace lockscope
