// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_cluster.h"

#include <QCoreApplication>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr Nanos kMeetLimit = 20s;

} // namespace

RedisCluster::RedisCluster(Runtime& runtime, RedisClusterOptions options)
    : m_runtime(runtime), m_options(std::move(options)), m_ids(std::size_t(count())) {
}

RedisServerOptions RedisCluster::nodeOptions(std::uint16_t busPort) const {
    RedisServerOptions options;
    options.password = m_options.password;
    options.users = m_options.users;
    options.tls = m_options.tls;
    options.authority = m_authority;
    options.extraLines = {QStringLiteral("cluster-enabled yes"),
                          QStringLiteral("cluster-config-file nodes.conf"),
                          QStringLiteral("cluster-port %1").arg(busPort),
                          QStringLiteral("cluster-node-timeout %1").arg(m_options.nodeTimeoutMs),
                          QStringLiteral("cluster-require-full-coverage %1")
                              .arg(m_options.wantFullCoverage ? QStringLiteral("yes") : QStringLiteral("no")),
                          QStringLiteral("repl-diskless-sync yes"),
                          QStringLiteral("repl-diskless-sync-delay 0")};
    options.extraLines += m_options.extraLines;
    if (!m_options.password.isEmpty())
        options.extraLines += QStringLiteral("masterauth \"%1\"").arg(m_options.password);
    if (m_options.tls) options.extraLines += {QStringLiteral("tls-cluster yes"), QStringLiteral("tls-replication yes")};
    return options;
}

QCoro::Task<std::expected<void, QString>> RedisCluster::start(std::stop_token stop) {
    if (m_options.tls && m_authority.ca.isEmpty()) {
        auto authority = co_await TlsAuthority::make(m_runtime, m_workspace, QStringLiteral("cluster-"), stop);
        if (!authority) co_return std::unexpected(authority.error());
        m_authority = *authority;
    }
    while (std::ssize(m_servers) < count()) {
        // The nodes' own port is by default 10 000 above the clients', where the kernel takes its ports from.
        const auto busPort = freePort(m_runtime);
        if (!busPort) co_return std::unexpected(Text::tr("There is no free port on 127.0.0.1."));
        m_busPorts.push_back(*busPort);
        m_servers.push_back(std::make_unique<RedisServer>(m_runtime, nodeOptions(*busPort)));
    }
    std::vector<QCoro::Task<std::expected<void, QString>>> starts;
    for (const auto& server : m_servers)
        if (!server->running()) starts.push_back(server->start(stop));
    const std::expected<void, QString> started = co_await allOf(std::move(starts));
    if (!started || !m_ids.front().isEmpty()) co_return started;
    co_return co_await meet(stop);
}

QCoro::Task<std::expected<void, QString>> RedisCluster::order(int node, QByteArrayList words, std::stop_token stop) {
    const std::optional<QByteArray> answer = co_await askRedis(m_runtime, at(node).door(), words, stop);
    if (answer && *answer == "OK") co_return std::expected<void, QString>();
    co_return std::unexpected(Text::tr("The node on port %1 answers to %2: %3")
                                  .arg(QString::number(at(node).port()), QString::fromUtf8(words.join(' ')),
                                       QString::fromUtf8(answer.value_or(QByteArray()))));
}

QCoro::Task<std::expected<void, QString>> RedisCluster::meet(std::stop_token stop) {
    const QByteArrayList question{"CLUSTER", "MYID"};
    for (int i = 0; i < count(); ++i) {
        const std::optional<QByteArray> answer = co_await askRedis(m_runtime, at(i).door(), question, stop);
        m_ids[std::size_t(i)] = answer.value_or(QByteArray());
    }
    std::vector<std::pair<int, QByteArrayList>> orders; // to which node, what
    for (int i = 0; i < masters(); ++i) {
        const int first = (i * kSlots + masters() - 1) / masters();
        const int next = ((i + 1) * kSlots + masters() - 1) / masters();
        const QByteArrayList slots{"CLUSTER", "ADDSLOTSRANGE", QByteArray::number(first), QByteArray::number(next - 1)};
        orders.emplace_back(i, slots);
    }
    for (int i = 0; i < count(); ++i) {
        // Different from the start: equal ones are sorted out later, and slots may change hands meanwhile.
        orders.emplace_back(i, QByteArrayList{"CLUSTER", "SET-CONFIG-EPOCH", QByteArray::number(i + 1)});
    }
    for (int i = 1; i < count(); ++i) {
        for (int other = 0; other < i; ++other) { // all of them: word of mouth takes seconds
            const QByteArrayList meeting{"CLUSTER", "MEET", "127.0.0.1", QByteArray::number(at(i).port()),
                                         QByteArray::number(m_busPorts[std::size_t(i)])};
            orders.emplace_back(other, meeting);
        }
    }
    std::expected<void, QString> done;
    for (const auto& [node, words] : orders) {
        done = co_await order(node, words, stop);
        if (!done) co_return done;
    }
    std::vector<QCoro::Task<std::expected<void, QString>>> follows;
    for (int i = masters(); i < count(); ++i)
        follows.push_back(follow(i, stop));
    done = co_await allOf(std::move(follows));
    if (!done) co_return done;
    const bool fine = co_await waitUntilFine(kMeetLimit, stop);
    if (!fine) co_return std::unexpected(Text::tr("The nodes of the cluster did not find each other."));
    co_return done;
}

/// Makes a node the replica of its master, as soon as it knows that one, and waits until it is in step.
QCoro::Task<std::expected<void, QString>> RedisCluster::follow(int replica, std::stop_token stop) {
    const QByteArrayList words{"CLUSTER", "REPLICATE", id((replica - masters()) % masters())};
    const QByteArrayList ok{"OK"};
    const bool follows = co_await waitForAnswer(m_runtime, at(replica).door(), words, ok, kMeetLimit, stop);
    const QByteArrayList question{"INFO", "replication"};
    const QByteArrayList inStep{"master_link_status:up"};
    bool synced = follows;
    if (follows) synced = co_await waitForAnswer(m_runtime, at(replica).door(), question, inStep, kMeetLimit, stop);
    if (synced) co_return std::expected<void, QString>();
    co_return std::unexpected(
        Text::tr("The replica on port %1 did not get in step with its master.").arg(at(replica).port()));
}

QCoro::Task<bool> RedisCluster::waitUntilFine(Nanos limit, std::stop_token stop) {
    const Nanos end = m_runtime.monotonic() + limit;
    const QByteArrayList question{"CLUSTER", "INFO"};
    const QByteArrayList fine{"cluster_state:ok", "cluster_slots_ok:16384",
                              "cluster_known_nodes:" + QByteArray::number(count())};
    for (const auto& server : m_servers) {
        if (!server->running() || server->paused()) continue;
        const bool one = co_await waitForAnswer(m_runtime, server->door(), question, fine,
                                                std::max(Nanos(0), end - m_runtime.monotonic()), stop);
        if (!one) co_return false;
    }
    co_return true;
}

QString RedisCluster::url(const RedisLogin& login) const {
    std::vector<std::uint16_t> ports;
    ports.reserve(m_servers.size());
    for (const auto& server : m_servers)
        ports.push_back(server->port());
    return redisUrl(QStringLiteral("redis+cluster"), ports, login, m_authority);
}

} // namespace lockscope::sandbox
