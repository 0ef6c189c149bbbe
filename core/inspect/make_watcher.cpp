// SPDX-License-Identifier: Apache-2.0
#include "inspect/make_watcher.h"

#include "connections/memcached/ring_port.h"
#include "inspect/etcd/watcher.h"
#include "inspect/memcached/watcher.h"
#include "inspect/redis/group_watcher.h"
#include "inspect/redis/redlock_watcher.h"
#include "inspect/redis/watcher.h"
#include "inspect/sql/watcher.h"
#include "inspect/zookeeper/watcher.h"

#include <QCoreApplication>
#include <algorithm>

namespace lockscope::inspect {

namespace {

using Made = std::unique_ptr<Watcher>;

/// "host:port,host:port"
QString hosts(const ConnectionUrl& url) {
    QStringList all;
    for (const Endpoint& endpoint : url.endpoints)
        all << endpoint.display();
    return all.join(QLatin1Char(','));
}

Made redisWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    return std::make_unique<OwningWatcher<RedisWatcher, redis::Client>>(
        diallers.redis(runtime, url, redis::DriverOptions()), std::move(options));
}

Made redisGroupWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    const bool named = url.service == Service::RedisSentinel; // the master's name says more than its sentinels do
    return std::make_unique<RedisGroupWatcher>(runtime, url, named ? url.path : hosts(url), diallers.redis,
                                               std::move(options));
}

Made redlockWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    return std::make_unique<RedlockWatcher>(runtime, url, hosts(url), diallers.redis, options);
}

Made zookeeperWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    return std::make_unique<OwningWatcher<ZooKeeperWatcher, zookeeper::Client>>(
        diallers.zookeeper(runtime, url, zookeeper::urlOptions(url)->driver), hosts(url), url.endpoints,
        std::move(options));
}

Made etcdWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    return std::make_unique<OwningWatcher<EtcdWatcher, etcd::Client>>(diallers.etcd(runtime, url), hosts(url),
                                                                      std::move(options));
}

Made sqlWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    const auto option = [&url](const char* name) { return url.option(name).toUtf8(); };
    NamedTable named{option("table"), option("name"), option("owner"), option("until")};
    return std::make_unique<OwningWatcher<SqlWatcher, sql::Reader>>(diallers.sqlReader(runtime, url), std::move(named),
                                                                    std::move(options));
}

memcached::Result<std::vector<memcached::Statistics>> tellsAlone(memcached::Client& server, std::stop_token stop) {
    auto told = co_await server.statistics(std::move(stop));
    if (!told) co_return std::unexpected(told.error());
    std::vector<memcached::Statistics> one;
    one.push_back(*std::move(told));
    co_return one;
}

Made memcachedWatcher(Runtime& runtime, const ConnectionUrl& url, const Diallers& diallers, WatchOptions options) {
    if (url.endpoints.size() == 1) {
        auto client = diallers.memcached(runtime, url);
        const auto tells = [server = client.get()](std::stop_token stop) {
            return tellsAlone(*server, std::move(stop));
        };
        return std::make_unique<OwningWatcher<MemcachedWatcher, memcached::Client>>(
            std::move(client), hosts(url), std::move(options), MemcachedWatcher::WhereIs(), tells);
    }
    auto ring = std::make_unique<memcached::RingPort>(runtime, diallers.memcached, url);
    const auto whereIs = [servers = ring.get()](const QByteArray& key) { return servers->whereIs(key); };
    const auto tells = [servers = ring.get()](std::stop_token stop) { return servers->statistics(std::move(stop)); };
    return std::make_unique<OwningWatcher<MemcachedWatcher, memcached::RingPort>>(std::move(ring), hosts(url),
                                                                                  std::move(options), whereIs, tells);
}

/// The watcher of each kind.
struct Kind {
    Service service;
    Made (*make)(Runtime&, const ConnectionUrl&, const Diallers&, WatchOptions);
};
constexpr Kind kKinds[] = {
    {Service::Redis, redisWatcher},
    {Service::RedisSentinel, redisGroupWatcher},
    {Service::RedisCluster, redisGroupWatcher},
    {Service::Redlock, redlockWatcher},
    {Service::ZooKeeper, zookeeperWatcher},
    {Service::Etcd, etcdWatcher},
    {Service::PostgreSql, sqlWatcher},
    {Service::MySql, sqlWatcher},
    {Service::Sqlite, sqlWatcher},
    {Service::Memcached, memcachedWatcher},
};

const Kind& kindOf(const ConnectionUrl& url) {
    const auto kind = std::ranges::find(kKinds, url.service, &Kind::service);
    Q_ASSERT(kind != std::end(kKinds));
    return *kind;
}

} // namespace

WatchOptions watchOptionsOf(const ConnectionUrl& url) {
    WatchOptions options;
    options.names = nameFilterFrom(url.option("match"), url.option("ignore"));
    options.listKeys = url.service == Service::Memcached && !url.option("list").isEmpty();
    options.patterns = stringPatternsFrom(url.option("string"));
    return options;
}

std::expected<void, QString> watchable(const ConnectionUrl& url) {
    const auto given = [&url](const char* name) { return !url.option(name).isEmpty(); };
    if (given("name") ? !given("table") : given("owner") || given("until"))
        return std::unexpected(QCoreApplication::translate(
            "Watcher",
            "A lock table of your own is named by table= and name=, the column with the locks' names; owner= "
            "and until= are further columns."));
    if (url.service != Service::ZooKeeper) return {};
    const auto options = zookeeper::urlOptions(url);
    if (!options) return std::unexpected(options.error());
    return {};
}

std::expected<std::unique_ptr<Watcher>, QString> makeWatcher(Runtime& runtime, const ConnectionUrl& url,
                                                             const Diallers& diallers, WatchOptions options) {
    if (const auto known = watchable(url); !known) return std::unexpected(known.error());
    return kindOf(url).make(runtime, url, diallers, std::move(options));
}

} // namespace lockscope::inspect
