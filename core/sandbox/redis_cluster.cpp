// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_cluster.h"

#include "sandbox/redis_question.h"

#include <QCoreApplication>
#include <QUrl>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr Nanos kMeetLimit = 20s;

} // namespace

RedisCluster::RedisCluster(Runtime& runtime, RedisClusterOptions options)
    : m_runtime(runtime), m_options(std::move(options)), m_ids(std::size_t(m_options.masters)) {
}

QCoro::Task<std::expected<void, QString>> RedisCluster::start(std::stop_token stop) {
    std::vector<QCoro::Task<std::expected<void, QString>>> starts;
    for (int i = 0; i < m_options.masters && m_servers.size() < std::size_t(m_options.masters); ++i) {
        // The nodes' own port is by default 10 000 above the clients', where the kernel takes its ports from.
        const auto busPort = freePort(m_runtime);
        if (!busPort) co_return std::unexpected(Text::tr("There is no free port on 127.0.0.1."));
        m_busPorts.push_back(*busPort);
        RedisServerOptions options;
        options.password = m_options.password;
        options.extraLines = {QStringLiteral("cluster-enabled yes"), QStringLiteral("cluster-config-file nodes.conf"),
                              QStringLiteral("cluster-port %1").arg(*busPort),
                              QStringLiteral("cluster-node-timeout %1").arg(m_options.nodeTimeoutMs),
                              QStringLiteral("cluster-require-full-coverage %1")
                                  .arg(m_options.wantFullCoverage ? QStringLiteral("yes") : QStringLiteral("no"))};
        m_servers.push_back(std::make_unique<RedisServer>(m_runtime, options));
    }
    for (const auto& server : m_servers)
        if (!server->running()) starts.push_back(server->start(stop));
    const std::expected<void, QString> started = co_await allOf(std::move(starts));
    if (!started || !m_ids.front().isEmpty()) co_return started;
    co_return co_await meet(stop);
}

QCoro::Task<std::expected<void, QString>> RedisCluster::meet(std::stop_token stop) {
    std::vector<std::pair<int, QByteArrayList>> orders; // to which node, what
    for (int i = 0; i < count(); ++i) {
        const int first = (i * kSlots + count() - 1) / count(), next = ((i + 1) * kSlots + count() - 1) / count();
        const QByteArrayList slots{"CLUSTER", "ADDSLOTSRANGE", QByteArray::number(first), QByteArray::number(next - 1)};
        orders.emplace_back(i, slots);
        // Different from the start: equal ones are sorted out later, and slots may change hands meanwhile.
        orders.emplace_back(i, QByteArrayList{"CLUSTER", "SET-CONFIG-EPOCH", QByteArray::number(i + 1)});
    }
    for (int i = 1; i < count(); ++i) {
        const QByteArrayList meeting{"CLUSTER", "MEET", "127.0.0.1", QByteArray::number(at(i).port()),
                                     QByteArray::number(m_busPorts[std::size_t(i)])};
        orders.emplace_back(0, meeting);
    }
    for (const auto& [node, words] : orders) {
        const std::optional<QByteArray> answer =
            co_await askRedis(m_runtime, at(node).port(), words, m_options.password, stop);
        if (!answer || *answer != "OK")
            co_return std::unexpected(Text::tr("The node on port %1 answers to %2: %3")
                                          .arg(QString::number(at(node).port()), QString::fromUtf8(words.join(' ')),
                                               QString::fromUtf8(answer.value_or(QByteArray()))));
    }
    const bool fine = co_await waitUntilFine(kMeetLimit, stop);
    if (!fine) co_return std::unexpected(Text::tr("The nodes of the cluster did not find each other."));
    const QByteArrayList question{"CLUSTER", "MYID"};
    for (int i = 0; i < count(); ++i) {
        const std::optional<QByteArray> answer =
            co_await askRedis(m_runtime, at(i).port(), question, m_options.password, stop);
        m_ids[std::size_t(i)] = answer.value_or(QByteArray());
    }
    co_return std::expected<void, QString>();
}

QCoro::Task<bool> RedisCluster::waitUntilFine(Nanos limit, std::stop_token stop) {
    const Nanos end = m_runtime.monotonic() + limit;
    const QByteArrayList question{"CLUSTER", "INFO"};
    const QByteArrayList fine{"cluster_state:ok", "cluster_slots_ok:16384",
                              "cluster_known_nodes:" + QByteArray::number(count())};
    for (const auto& server : m_servers) {
        const bool one =
            co_await waitForAnswer(m_runtime, server->port(), question, fine,
                                   std::max(Nanos(0), end - m_runtime.monotonic()), m_options.password, stop);
        if (!one) co_return false;
    }
    co_return true;
}

QString RedisCluster::url() const {
    QStringList hosts;
    for (const auto& server : m_servers)
        hosts += QStringLiteral("127.0.0.1:%1").arg(server->port());
    QString login;
    if (!m_options.password.isEmpty())
        login = u':' + QString::fromLatin1(QUrl::toPercentEncoding(m_options.password)) + u'@';
    return QStringLiteral("redis+cluster://%1%2").arg(login, hosts.join(u','));
}

} // namespace lockscope::sandbox
