// SPDX-License-Identifier: Apache-2.0
#include "raw_memcached.h"

#include <libmemcached/memcached.h>

namespace lockscope::bench {

namespace {

/// libmemcached's: it asks one thing at a time.
class MemcachedClient final : public RawClient {
public:
    MemcachedClient(const Endpoint& endpoint, const RawItem& item)
        : m_memcached(memcached_create(nullptr)), m_key(item.key), m_lease(item.lease) {
        memcached_behavior_set(m_memcached, MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1);
        memcached_server_add(m_memcached, endpoint.host.toUtf8().constData(), endpoint.port);
        memcached_behavior_set(m_memcached, MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
    }
    ~MemcachedClient() override { memcached_free(m_memcached); }
    MemcachedClient(const MemcachedClient&) = delete;
    MemcachedClient& operator=(const MemcachedClient&) = delete;

    std::expected<void, QString> take() override {
        const QByteArray& value = RawItem::value();
        const auto size = std::size_t(m_key.size());
        auto done =
            memcached_add(m_memcached, m_key.constData(), size, value.constData(), std::size_t(value.size()), 31, 0);
        if (done == MEMCACHED_SUCCESS && m_lease) done = readNumber();
        return answered(done);
    }
    std::expected<void, QString> give() override {
        const QByteArray& value = RawItem::value();
        const auto size = std::size_t(m_key.size());
        return answered(m_lease ? memcached_cas(m_memcached, m_key.constData(), size, value.constData(),
                                                std::size_t(value.size()), -1, 0, m_unique)
                                : memcached_delete(m_memcached, m_key.constData(), size, 0));
    }

private:
    std::expected<void, QString> answered(memcached_return_t done) const {
        if (done == MEMCACHED_SUCCESS) return {};
        return std::unexpected(QStringLiteral("The bare client failed: %1.")
                                   .arg(QString::fromUtf8(memcached_strerror(m_memcached, done))));
    }
    /// Reads the item's unique number, by which the release will know the item.
    memcached_return_t readNumber() {
        const char* const key = m_key.constData();
        const auto size = std::size_t(m_key.size());
        m_unique = 0;
        auto done = memcached_mget(m_memcached, &key, &size, 1);
        if (done != MEMCACHED_SUCCESS) return done;
        while (memcached_result_st* const item = memcached_fetch_result(m_memcached, nullptr, &done)) {
            m_unique = memcached_result_cas(item);
            memcached_result_free(item);
        }
        return m_unique != 0 ? MEMCACHED_SUCCESS : done;
    }
    memcached_st* m_memcached;
    QByteArray m_key;
    bool m_lease;
    std::uint64_t m_unique = 0;
};

/// Which of two is nearer to the limit, by a short try.
MadeRaw fasterOf(MadeRaw one, MadeRaw other) {
    for (const MadeRaw* made : {&one, &other})
        if (!*made || !**made) return std::move(made == &one ? one : other);
    double best = -1;
    std::unique_ptr<Raw> fastest;
    for (MadeRaw* made : {&one, &other}) {
        Samples tried;
        const auto done = (**made)->run(100ms, tried);
        if (!done) return std::unexpected(done.error());
        if (tried.perSecond() > best) {
            best = tried.perSecond();
            fastest = *std::move(*made);
        }
    }
    return fastest;
}

} // namespace

MadeRaw makeRawMemcached(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload) {
    if (url.tls || !url.user.isEmpty()) return nullptr;
    const QByteArray name = "lock_bench-raw-" + QByteArray::number(clockNow(), 16) + '-';
    const Endpoint& endpoint = url.endpoints.front();
    const auto item = [&](int index) { return RawItem{name + QByteArray::number(index), recipe == "memcached-lease"}; };
    if (workload.oneConnection()) {
        std::vector<RawItem> items;
        for (int i = 0; i < workload.clients; ++i)
            items.push_back(item(i));
        return makeMemcachedPipeline(endpoint, items);
    }
    return fasterOf(
        makeRawClients(workload, [&](int index) { return makeMemcachedSocketClient(endpoint, item(index)); }),
        makeRawClients(workload, [&](int index) -> MadeRawClient {
            return std::make_unique<MemcachedClient>(endpoint, item(index));
        }));
}

} // namespace lockscope::bench
