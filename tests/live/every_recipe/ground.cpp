// SPDX-License-Identifier: Apache-2.0
#include "ground.h"

#include "drivers/etcd/driver.h"
#include "drivers/memcached/driver.h"
#include "drivers/redis/driver.h"
#include "drivers/sql/driver.h"
#include "drivers/zookeeper/driver.h"
#include "ports/redis/cluster_keys.h"
#include "sandbox/etcd_server.h"
#include "sandbox/mariadb_server.h"
#include "sandbox/memcached_server.h"
#include "sandbox/postgres_server.h"
#include "sandbox/redis_cluster.h"
#include "sandbox/redis_masters.h"
#include "sandbox/redis_sentinel.h"
#include "sandbox/zookeeper_server.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QNetworkAccessManager>
#include <QNetworkReply>
#include <QUrl>

namespace lockscope::test {

using recipes::HeldBy;
using recipes::Mode;
using recipes::RecipeInfo;
using Words = std::set<QByteArray>;

namespace {
/// "what 1" … "what N".
void add(Words& words, const QByteArray& what, std::int64_t count) {
    for (std::int64_t i = 1; i <= count; ++i)
        words.insert(what + ' ' + QByteArray::number(qlonglong(i)));
}

redis::Reply ask(redis::RedisDriver& driver, redis::Args args) {
    const redis::Result reply = run(driver.call(std::move(args)));
    return reply ? *reply : redis::Reply();
}

/// How much is in a key of that type; strings are what they are.
std::int64_t sizeOf(redis::RedisDriver& driver, const QByteArray& key, const QByteArray& type) {
    if (type == "list") return ask(driver, {"LLEN", key}).integer;
    if (type == "zset") return ask(driver, {"ZCARD", key}).integer;
    if (type == "hash") return ask(driver, {"HLEN", key}).integer;
    return 1;
}

void keysOf(redis::RedisDriver& driver, Words& words) {
    QByteArray cursor = "0";
    do {
        const redis::Reply page = ask(driver, {"SCAN", cursor, "COUNT", "1000"});
        if (page.items.size() < 2) {
            words.insert("the server does not answer");
            return;
        }
        cursor = page.items[0].text;
        for (const redis::Reply& key : page.items[1].items)
            add(words, key.text, sizeOf(driver, key.text, ask(driver, {"TYPE", key.text}).text));
    } while (cursor != "0");
    for (const char* const channels : {"CHANNELS", "SHARDCHANNELS"})
        for (const redis::Reply& channel : ask(driver, {"PUBSUB", channels}).items)
            words.insert(QByteArray(channels) + ": " + channel.text);
}

/// An address on the loopback in what a Redis says: in the text of MOVED, in the map of a cluster's slots, and in a
/// sentinel's answer.
QByteArray redisMovedTo(QByteArray said, std::uint16_t port, std::uint16_t other) {
    const QByteArray from = QByteArray::number(port), to = QByteArray::number(other);
    const auto bulk = [](const QByteArray& text) { return '$' + QByteArray::number(text.size()) + "\r\n" + text; };
    said.replace("127.0.0.1:" + from, "127.0.0.1:" + to);
    said.replace("127.0.0.1\r\n:" + from, "127.0.0.1\r\n:" + to);
    return said.replace("127.0.0.1\r\n" + bulk(from), "127.0.0.1\r\n" + bulk(to));
}

/// But for those that poll.
bool redisWakes(const RecipeInfo& recipe) {
    return !recipe.naive && recipe.id != "redis-redlock";
}
bool isRedisMessage(const QByteArray& piece) {
    const bool begins = piece.startsWith("*3\r\n$7\r\nmessage\r\n") || piece.startsWith("*3\r\n$8\r\nsmessage\r\n");
    return begins && !piece.contains("subscribe\r\n");
}

class RedisGround final : public Ground {
public:
    explicit RedisGround(Runtime& runtime) : m_runtime(runtime), m_server(runtime) {}
    QString start() override {
        const QString error = test::start(m_server);
        if (error.isEmpty()) m_operator = std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_server));
        return error;
    }
    QString url() const override { return m_server.url(); }
    std::vector<std::uint16_t> ports() const override { return {m_server.port()}; }
    bool wakes(const RecipeInfo& recipe) const override { return redisWakes(recipe); }
    bool isWakeUp(const QByteArray& piece) const override { return isRedisMessage(piece); }
    Words left(const RecipeInfo&, const QByteArray&) override {
        Words words;
        keysOf(*m_operator, words);
        return words;
    }

private:
    Runtime& m_runtime;
    sandbox::RedisServer m_server;
    std::unique_ptr<redis::RedisDriver> m_operator;
};

/// Several of them, of which a client learns from one another.
class SeveralRedisGround : public Ground {
public:
    QByteArray movedTo(QByteArray said, std::uint16_t port, std::uint16_t other) const override {
        return redisMovedTo(std::move(said), port, other);
    }
    bool isLookout(const QByteArray& piece) const override {
        static const Words lookouts{"*1\r\n$4\r\nPING\r\n", "+PONG\r\n", "*2\r\n$4\r\npong\r\n$0\r\n\r\n"};
        return lookouts.contains(piece);
    }
    bool wakes(const RecipeInfo& recipe) const override { return redisWakes(recipe); }
    bool isWakeUp(const QByteArray& piece) const override { return isRedisMessage(piece); }
    Words left(const RecipeInfo&, const QByteArray&) override {
        Words words;
        for (std::size_t i = 0; i < m_operators.size(); ++i) {
            Words some;
            keysOf(*m_operators[i], some);
            for (const QByteArray& word : some)
                words.insert("server " + QByteArray::number(qulonglong(i)) + ": " + word);
        }
        return words;
    }

protected:
    explicit SeveralRedisGround(Runtime& runtime) : m_runtime(runtime) {}
    /// Locks leave something there.
    void lookAt(const sandbox::RedisServer& server) {
        m_operators.push_back(std::make_unique<redis::RedisDriver>(m_runtime, urlOf(server)));
    }

private:
    Runtime& m_runtime;
    std::vector<std::unique_ptr<redis::RedisDriver>> m_operators;
};

/// A master that clients are told of by sentinels. These find no fault with it: only the clients' ways are broken.
class SentinelGround final : public SeveralRedisGround {
public:
    explicit SentinelGround(Runtime& runtime) : SeveralRedisGround(runtime), m_servers(runtime, patient()) {}
    QString start() override {
        const QString error = test::start(m_servers);
        if (error.isEmpty()) lookAt(m_servers.group().at(0));
        return error;
    }
    QString url() const override { return m_servers.url(); }
    std::vector<std::uint16_t> ports() const override {
        std::vector<std::uint16_t> all{m_servers.group().at(0).port()};
        for (int i = 0; i < m_servers.count(); ++i)
            all.push_back(m_servers.port(i));
        return all;
    }

private:
    static sandbox::RedisSentinelOptions patient() {
        sandbox::RedisSentinelOptions options;
        options.replicas = 1;
        options.downAfterMs = 60'000; // a busy machine is no failure
        return options;
    }
    mutable sandbox::RedisSentinels m_servers; // asked for numbers only
};

/// Three masters that share the slots.
class ClusterGround final : public SeveralRedisGround {
public:
    explicit ClusterGround(Runtime& runtime) : SeveralRedisGround(runtime), m_cluster(runtime, patient()) {}
    QString start() override {
        const QString error = test::start(m_cluster);
        for (int i = 0; error.isEmpty() && i < m_cluster.count(); ++i)
            lookAt(m_cluster.at(i));
        return error;
    }
    QString url() const override { return m_cluster.url(); }
    std::vector<std::uint16_t> ports() const override {
        std::vector<std::uint16_t> all;
        for (int i = 0; i < m_cluster.count(); ++i)
            all.push_back(m_cluster.at(i).port());
        return all;
    }
    /// One on each master.
    QByteArray severalWith(const QByteArray& name) const override {
        const auto masterOf = [this](const QByteArray& key) { return m_cluster.firstOwner(redis::keySlot(key)); };
        QByteArray names = name;
        std::set<int> masters{masterOf(name)};
        for (int i = 0; int(masters.size()) < m_cluster.masters(); ++i) {
            const QByteArray other = "other-" + QByteArray::number(i) + "-than-" + name;
            if (masters.insert(masterOf(other)).second) names += ',' + other;
        }
        return names;
    }

private:
    static sandbox::RedisClusterOptions patient() {
        sandbox::RedisClusterOptions options;
        options.nodeTimeoutMs = 60'000; // a busy machine is no failure
        return options;
    }
    mutable sandbox::RedisCluster m_cluster; // asked for numbers only
};

class RedlockGround final : public SeveralRedisGround {
public:
    explicit RedlockGround(Runtime& runtime) : SeveralRedisGround(runtime), m_masters(runtime, 3) {}
    QString start() override {
        const QString error = test::start(m_masters);
        for (int i = 0; error.isEmpty() && i < m_masters.count(); ++i)
            lookAt(m_masters.at(i));
        return error;
    }
    QString url() const override { return m_masters.url(); }
    std::vector<std::uint16_t> ports() const override {
        std::vector<std::uint16_t> all;
        for (int i = 0; i < m_masters.count(); ++i)
            all.push_back(m_masters.at(i).port());
        return all;
    }

private:
    mutable sandbox::RedisMasters m_masters; // asked for numbers only
};

class ZooKeeperGround final : public Ground {
public:
    explicit ZooKeeperGround(Runtime& runtime) : m_runtime(runtime), m_server(runtime) {}
    QString start() override {
        const QString error = test::start(m_server);
        if (error.isEmpty()) m_operator = std::make_unique<zookeeper::ZooKeeperDriver>(m_runtime, urlOf(m_server));
        return error;
    }
    QString url() const override { return m_server.url(); }
    std::vector<std::uint16_t> ports() const override { return {m_server.port()}; }
    Words left(const RecipeInfo&, const QByteArray& name) override {
        Words words;
        (void)run(m_operator->sync("/"));
        nodesBelow('/' + name, words);
        return words;
    }

private:
    /// Nodes that somebody's session keeps; those that only contain others go by themselves, some time.
    void nodesBelow(const QByteArray& path, Words& words) {
        const auto stat = run(m_operator->exists(path));
        if (!stat || !*stat) return;
        if ((*stat)->ephemeralOwner != 0) words.insert(path);
        const auto list = run(m_operator->children(path));
        if (!list) return;
        for (const QByteArray& child : list->names)
            nodesBelow(path + '/' + child, words);
    }
    Runtime& m_runtime;
    sandbox::ZooKeeperServer m_server;
    std::unique_ptr<zookeeper::ZooKeeperDriver> m_operator;
};

/// A database: a server's, or a file.
class SqlGround : public Ground {
public:
    explicit SqlGround(Runtime& runtime) : m_runtime(runtime) {}
    Words left(const RecipeInfo& recipe, const QByteArray& name) override {
        if (!m_operator) m_operator = std::make_unique<sql::SqlDriver>(m_runtime, urlOf(url()));
        Words words;
        sql::Statement rows;
        rows.text = "SELECT COUNT(*) FROM lockscope_locks WHERE name = ? AND owner IS NOT NULL";
        rows.values.emplace_back(name);
        // That of sql-version says who was the last, and keeps nobody out.
        if (recipe.id != "sql-version") add(words, "row of " + name, numberOf(std::move(rows)));
        if (recipe.heldBy == HeldBy::Connection) byConnections(words, name);
        return words;
    }

protected:
    virtual void byConnections(Words&, const QByteArray& /*lock*/) {}
    std::int64_t numberOf(sql::Statement statement) {
        const sql::Result result = run(m_operator->execute(std::move(statement)));
        return result ? result->number() : 99; // is seen
    }
    std::int64_t numberOf(const char* text) {
        sql::Statement statement;
        statement.text = text;
        return numberOf(std::move(statement));
    }

    Runtime& m_runtime;
    std::unique_ptr<sql::SqlDriver> m_operator;
};

class PostgresGround final : public SqlGround {
public:
    explicit PostgresGround(Runtime& runtime) : SqlGround(runtime), m_server(runtime) {}
    QString start() override { return test::start(m_server); }
    QString url() const override { return m_server.url(); }
    std::vector<std::uint16_t> ports() const override { return {m_server.port()}; }

private:
    void byConnections(Words& words, const QByteArray&) override {
        add(words, "advisory lock", numberOf("SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'"));
        add(words, "transaction",
            numberOf("SELECT COUNT(*) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client "
                     "backend' AND xact_start IS NOT NULL"));
    }
    sandbox::PostgresServer m_server;
};

class MariaDbGround final : public SqlGround {
public:
    explicit MariaDbGround(Runtime& runtime) : SqlGround(runtime), m_server(runtime) {}
    QString start() override { return test::start(m_server); }
    QString url() const override { return m_server.url(); }
    std::vector<std::uint16_t> ports() const override { return {m_server.port()}; }

private:
    void byConnections(Words& words, const QByteArray& lock) override {
        // InnoDB refreshes its list of transactions only for readers that pause for more than 0.1 s.
        (void)numberOf("DO SLEEP(0.12)");
        add(words, "transaction",
            numberOf(
                "SELECT COUNT(*) FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID()"));
        sql::Statement named;
        named.text = "SELECT IS_USED_LOCK(?) IS NOT NULL";
        named.values.emplace_back(lock);
        add(words, "named lock", numberOf(std::move(named)));
        add(words, "waiter for a named lock",
            numberOf("SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE STATE = 'User lock'"));
    }
    sandbox::MariaDbServer m_server;
};

class SqliteGround final : public SqlGround {
public:
    using SqlGround::SqlGround;
    QString start() override { return {}; }
    QString url() const override { return QStringLiteral("sqlite://") + m_files.file(QStringLiteral("locks.db")); }
    std::vector<std::uint16_t> ports() const override { return {}; }

private:
    sandbox::Workspace m_files;
};

class MemcachedGround final : public Ground {
public:
    explicit MemcachedGround(Runtime& runtime) : m_runtime(runtime), m_server(runtime) {}
    QString start() override {
        const QString error = test::start(m_server);
        if (error.isEmpty()) m_operator = std::make_unique<memcached::MemcachedDriver>(m_runtime, urlOf(m_server));
        return error;
    }
    QString url() const override { return m_server.url(); }
    std::vector<std::uint16_t> ports() const override { return {m_server.port()}; }
    Words left(const RecipeInfo&, const QByteArray& name) override {
        const auto item = run(m_operator->get(name));
        if (!item) return {"the server does not answer"};
        return *item && !(*item)->value.isEmpty() ? Words{name} : Words{};
    }
    Nanos lease() const override { return 2s; } // its clock ticks once a second

private:
    Runtime& m_runtime;
    sandbox::MemcachedServer m_server;
    std::unique_ptr<memcached::MemcachedDriver> m_operator;
};

class EtcdGround final : public Ground {
public:
    explicit EtcdGround(Runtime& runtime) : m_runtime(runtime), m_server(runtime) {}
    QString start() override {
        const QString error = test::start(m_server);
        if (error.isEmpty()) m_operator = std::make_unique<etcd::EtcdDriver>(m_runtime, urlOf(m_server));
        return error;
    }
    QString url() const override { return m_server.url(); }
    std::vector<std::uint16_t> ports() const override { return {m_server.port()}; }
    Words left(const RecipeInfo&, const QByteArray&) override {
        Words words;
        etcd::Range all;
        all.key = QByteArray(1, '\0');
        all.end = QByteArray(1, '\0');
        const auto found = run(m_operator->range(all));
        if (!found) return {"the server does not answer"};
        for (const etcd::KeyValue& key : found->keys)
            words.insert(key.key);
        add(words, "lease", leases());
        return words;
    }
    Nanos lease() const override { return 2s; } // it grants none that is shorter

private:
    std::int64_t leases() {
        QNetworkRequest request(QUrl(m_server.endpoint() + QStringLiteral("/v3/lease/leases")));
        request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
        const std::unique_ptr<QNetworkReply> reply(m_network.post(request, "{}"));
        QEventLoop loop;
        QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
        if (!reply->isFinished()) loop.exec();
        return QJsonDocument::fromJson(reply->readAll())[QStringLiteral("leases")].toArray().size();
    }
    Runtime& m_runtime;
    sandbox::EtcdServer m_server;
    std::unique_ptr<etcd::EtcdDriver> m_operator;
    QNetworkAccessManager m_network;
};

template <typename G>
std::unique_ptr<Ground> make(Runtime& runtime) {
    return std::make_unique<G>(runtime);
}
bool all(const RecipeInfo&, Mode) {
    return true;
}
bool isRedisson(const RecipeInfo& recipe, Mode) {
    return recipe.layout == "Redisson";
}
bool isPlain(const RecipeInfo& recipe, Mode mode) {
    return recipe.id != "redis-redlock" && !isRedisson(recipe, mode);
}
bool onSeveralRedis(const RecipeInfo& recipe, Mode) {
    return recipe.id == "redis-redlock";
}
/// GET_LOCK knows no readers.
bool onMariaDb(const RecipeInfo&, Mode mode) {
    return mode != Mode::Shared;
}
/// A file has no connections that the other side could count on.
bool inAFile(const RecipeInfo& recipe, Mode) {
    return recipe.heldBy != HeldBy::Connection;
}
} // namespace

const std::vector<GroundKind>& groundKinds() {
    static const std::vector<GroundKind> kinds{
        {"redis", "redis", &isPlain, &make<RedisGround>},
        {"redisson", "redis", &isRedisson, &make<RedisGround>}, // they are many
        {"sentinel", "redis", &isPlain, &make<SentinelGround>},
        {"sentinel-redisson", "redis", &isRedisson, &make<SentinelGround>},
        {"cluster", "redis", &isPlain, &make<ClusterGround>},
        {"cluster-redisson", "redis", &isRedisson, &make<ClusterGround>},
        {"redlock", "redis", &onSeveralRedis, &make<RedlockGround>},
        {"zookeeper", "zookeeper", &all, &make<ZooKeeperGround>},
        {"postgresql", "sql", &all, &make<PostgresGround>},
        {"mariadb", "sql", &onMariaDb, &make<MariaDbGround>},
        {"sqlite", "sql", &inAFile, &make<SqliteGround>},
        {"memcached", "memcached", &all, &make<MemcachedGround>},
        {"etcd", "etcd", &all, &make<EtcdGround>},
    };
    return kinds;
}

} // namespace lockscope::test
