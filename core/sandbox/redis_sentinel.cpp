// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_sentinel.h"

#include "sandbox/file_text.h"
#include "sandbox/start_on_free_port.h"

#include <QCoreApplication>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr Nanos kStartLimit = 10s;
constexpr Nanos kMeetLimit = 20s;
constexpr Nanos kBetweenProbes = 5ms;
constexpr int kStarts = 2;

RedisServerOptions serverOptions(const RedisSentinelOptions& options) {
    RedisServerOptions server;
    if (options.user.isEmpty())
        server.password = options.password;
    else
        server.users = {{options.user, options.password, QStringLiteral("~* &* +@all")}};
    server.tls = options.tls;
    return server;
}

} // namespace

RedisSentinels::RedisSentinels(Runtime& runtime, RedisSentinelOptions options)
    : m_runtime(runtime),
      m_options(std::move(options)),
      m_group(runtime, m_options.replicas, serverOptions(m_options)) {
    for (int i = 0; i < m_options.sentinels; ++i)
        m_sentinels.push_back(std::make_unique<Sentinel>());
}

QByteArray RedisSentinels::configuration(const Sentinel& sentinel) {
    const QString name = QString::fromLatin1(kMaster);
    QStringList lines = {
        QStringLiteral("bind 127.0.0.1"),
        QStringLiteral("daemonize no"),
        QStringLiteral("dir \"%1\"").arg(sentinel.workspace.path()),
        QStringLiteral("sentinel monitor %1 127.0.0.1 %2 %3")
            .arg(name, QString::number(m_group.at(0).port()), QString::number(m_options.sentinels / 2 + 1)),
        QStringLiteral("sentinel down-after-milliseconds %1 %2").arg(name, QString::number(m_options.downAfterMs)),
        QStringLiteral("sentinel failover-timeout %1 %2").arg(name, QString::number(m_options.failoverTimeoutMs)),
        QStringLiteral("sentinel parallel-syncs %1 8").arg(name)};
    if (m_options.tls) {
        const TlsAuthority& authority = m_group.at(0).authority();
        lines += {QStringLiteral("port 0"),
                  QStringLiteral("tls-port %1").arg(sentinel.port),
                  QStringLiteral("tls-replication yes"), // also of what sentinels say to others
                  QStringLiteral("tls-cert-file \"%1\"").arg(authority.serverCertificate),
                  QStringLiteral("tls-key-file \"%1\"").arg(authority.serverKey),
                  QStringLiteral("tls-client-cert-file \"%1\"").arg(authority.clientCertificate),
                  QStringLiteral("tls-client-key-file \"%1\"").arg(authority.clientKey),
                  QStringLiteral("tls-ca-cert-file \"%1\"").arg(authority.ca)};
    } else {
        lines += QStringLiteral("port %1").arg(sentinel.port);
    }
    if (!m_options.password.isEmpty()) {
        lines += QStringLiteral("sentinel auth-pass %1 \"%2\"").arg(name, m_options.password);
        if (!m_options.user.isEmpty()) lines += QStringLiteral("sentinel auth-user %1 %2").arg(name, m_options.user);
    }
    if (const QString password = defaultPassword(); !password.isEmpty())
        lines += {QStringLiteral("requirepass \"%1\"").arg(password),
                  QStringLiteral("sentinel sentinel-pass \"%1\"").arg(password)};
    if (!m_options.sentinelUser.isEmpty())
        lines +=
            QStringLiteral("user %1 on \">%2\" ~* &* +@all").arg(m_options.sentinelUser, m_options.sentinelPassword);
    return lines.join(u'\n').toUtf8() + '\n';
}

QString RedisSentinels::defaultPassword() const {
    // Where another user has the password that clients are told, we come in beside it.
    if (!m_options.sentinelUser.isEmpty()) return QStringLiteral("the sandbox's");
    if (!m_options.sentinelPassword.isEmpty()) return m_options.sentinelPassword;
    return m_options.sentinelsWantLogin ? m_options.password : QString();
}

RedisDoor RedisSentinels::doorOf(const Sentinel& sentinel) {
    RedisDoor door = m_group.at(0).door();
    door.port = sentinel.port;
    door.password = defaultPassword();
    return door;
}

/// How often a sentinel tells others of itself, ms, and of a master that is down. A server before 7.0 refuses, and goes
/// at its own pace.
QCoro::Task<> RedisSentinels::setPace(const Sentinel& sentinel, QByteArray publishPeriod, std::stop_token stop) {
    const QByteArrayList words{"SENTINEL", "DEBUG", "PUBLISH-PERIOD", publishPeriod, "ASK-PERIOD", "100"};
    co_await askRedis(m_runtime, doorOf(sentinel), words, stop);
}

QCoro::Task<std::expected<void, QString>> RedisSentinels::startOne(Sentinel& sentinel, std::stop_token stop) {
    sentinel.port = 0; // a configuration of its own each time, and a port of its own
    const std::function here = [this, &sentinel, stop] { return startOnPort(sentinel, stop); };
    const auto started = co_await startOnFreePort(m_runtime, sentinel.port, here);
    if (started) co_await setPace(sentinel, "100", stop);
    co_return started;
}

QCoro::Task<std::expected<void, QString>> RedisSentinels::startOnPort(Sentinel& sentinel, std::stop_token stop) {
    // A sentinel writes into its own configuration, so it is a file of its own.
    const QString file = QStringLiteral("sentinel.conf");
    if (!sentinel.workspace.write(file, configuration(sentinel)))
        co_return std::unexpected(Text::tr("The file %1 can not be written.").arg(sentinel.workspace.file(file)));
    const QStringList arguments{sentinel.workspace.file(file), QStringLiteral("--sentinel")};
    if (!sentinel.process.start(QStringLiteral("redis-server"), arguments, sentinel.workspace.path()))
        co_return std::unexpected(Text::tr("redis-server can not be run: %1. Is the package redis-server installed?")
                                      .arg(sentinel.process.lastOutput()));
    const QByteArrayList ping{"PING"};
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (sentinel.process.running() && m_runtime.monotonic() < end) {
        // Its own word comes first: on a port that is taken somebody else would answer.
        const bool listening = sentinel.process.lastOutput().contains(QLatin1String("Sentinel ID is"));
        std::optional<QByteArray> answer;
        if (listening) answer = co_await askRedis(m_runtime, doorOf(sentinel), ping, stop);
        if (answer && answer->contains("PONG")) co_return std::expected<void, QString>();
        co_await m_runtime.sleep(kBetweenProbes, stop);
    }
    const QString said = sentinel.process.lastOutput();
    co_await killed(sentinel, stop);
    co_return std::unexpected(
        Text::tr("redis-server did not come up on port %1. It said: %2").arg(QString::number(sentinel.port), said));
}

QCoro::Task<> RedisSentinels::killed(Sentinel& sentinel, std::stop_token stop) {
    sentinel.process.kill();
    while (sentinel.process.running()) // dead in a moment: no signal is worth its keeping
        co_await m_runtime.sleep(2ms, stop);
}

/// Starts the sentinels, and waits until each knows all others and the replicas.
QCoro::Task<std::expected<void, QString>> RedisSentinels::meet(std::stop_token stop) {
    std::vector<QCoro::Task<std::expected<void, QString>>> starts;
    for (const auto& sentinel : m_sentinels)
        starts.push_back(startOne(*sentinel, stop));
    std::expected<void, QString> started = co_await allOf(std::move(starts));
    if (!started) co_return started;
    const QByteArrayList question{"INFO", "sentinel"};
    const QByteArrayList complete{"status=ok", "slaves=" + QByteArray::number(m_options.replicas) +
                                                   ",sentinels=" + QByteArray::number(m_options.sentinels)};
    for (const auto& sentinel : m_sentinels) {
        const bool met = co_await waitForAnswer(m_runtime, doorOf(*sentinel), question, complete, kMeetLimit, stop);
        if (!met) co_return std::unexpected(Text::tr("The sentinels did not find each other and the replicas."));
    }
    co_return started;
}

QCoro::Task<std::expected<void, QString>> RedisSentinels::start(std::stop_token stop) {
    // Sentinels look for replicas every ten seconds only: these have to be there before.
    std::expected<void, QString> started = co_await m_group.start(stop);
    if (!started) co_return started;
    for (int tries = 0; tries < kStarts; ++tries) {
        // The cause that keeps Sentinels apart is rare, and lasts.
        for (const auto& sentinel : m_sentinels)
            co_await killed(*sentinel, stop);
        started = co_await meet(stop);
        if (started) break;
    }
    if (!started) co_return started;
    // From four periods on they take a server that was promoted without their knowing for one that is mistaken.
    for (const auto& sentinel : m_sentinels)
        co_await setPace(*sentinel, "2000", stop);
    co_return started;
}

QString RedisSentinels::url() {
    std::vector<std::uint16_t> ports;
    for (const auto& sentinel : m_sentinels)
        ports.push_back(sentinel->port);
    QString url = redisUrl(QStringLiteral("redis+sentinel"), ports, {m_options.user, m_options.password},
                           m_options.tls ? m_group.at(0).authority() : TlsAuthority(), QString::fromLatin1(kMaster));
    const auto add = [&url](const char* option, const QString& value) {
        if (value.isEmpty()) return;
        url += (url.contains(u'?') ? u'&' : u'?') + QLatin1String(option) + u'=' + encoded(value);
    };
    add("sentinel-user", m_options.sentinelUser);
    add("sentinel-password", m_options.sentinelPassword);
    return url;
}

} // namespace lockscope::sandbox
