// SPDX-License-Identifier: Apache-2.0
#include "sandbox/redis_server.h"

#include "runtime/completion.h"
#include "sandbox/end_process.h"
#include "sandbox/file_text.h"
#include "sandbox/start_on_free_port.h"

#include <QCoreApplication>
#include <QNetworkProxy>
#include <QSslKey>
#include <QSslSocket>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr auto kStartLimit = 15s;
constexpr auto kProbeLimit = 1s;
constexpr auto kBetweenProbes = 5ms;

} // namespace

QString redisUrl(const QString& kind, const std::vector<std::uint16_t>& ports, const RedisLogin& login,
                 const TlsAuthority& authority, const QString& path) {
    const bool tls = !authority.ca.isEmpty();
    QString scheme = kind;
    if (tls) scheme.insert(kind.startsWith(u"redis") ? 5 : kind.size(), u's');
    QString text = scheme + QStringLiteral("://");
    if (!login.password.isEmpty()) text += encoded(login.user) + u':' + encoded(login.password) + u'@';
    QStringList hosts;
    for (const std::uint16_t port : ports)
        hosts += QStringLiteral("127.0.0.1:%1").arg(port);
    text += hosts.join(u',');
    if (!path.isEmpty()) text += u'/' + path;
    if (tls) text += QStringLiteral("?ca=") + encoded(authority.ca);
    if (!authority.clientCertificate.isEmpty())
        text +=
            QStringLiteral("&cert=%1&key=%2").arg(encoded(authority.clientCertificate), encoded(authority.clientKey));
    return text;
}

RedisServer::RedisServer(Runtime& runtime, RedisServerOptions options)
    : m_runtime(runtime), m_options(std::move(options)), m_authority(m_options.authority), m_port(m_options.port) {
}

RedisServer::~RedisServer() = default;

// In a file, not on the command line: passwords would show in the list of processes.
QByteArray RedisServer::configuration() const {
    QStringList lines = {QStringLiteral("bind 127.0.0.1"), QStringLiteral("daemonize no"), QStringLiteral("save \"\""),
                         QStringLiteral("appendonly no"), QStringLiteral("dir \"%1\"").arg(m_workspace.path())};
    if (m_options.tls) {
        lines << QStringLiteral("port 0") << QStringLiteral("tls-port %1").arg(m_port)
              << QStringLiteral("tls-cert-file \"%1\"").arg(m_authority.serverCertificate)
              << QStringLiteral("tls-key-file \"%1\"").arg(m_authority.serverKey)
              << QStringLiteral("tls-ca-cert-file \"%1\"").arg(m_authority.ca)
              // The certificate that it shows to other servers, as a replica or in a cluster.
              << QStringLiteral("tls-client-cert-file \"%1\"").arg(m_authority.clientCertificate)
              << QStringLiteral("tls-client-key-file \"%1\"").arg(m_authority.clientKey)
              << QStringLiteral("tls-auth-clients %1")
                     .arg(m_options.wantClientCertificate ? QStringLiteral("yes") : QStringLiteral("no"));
    } else {
        lines << QStringLiteral("port %1").arg(m_port);
    }
    if (!m_options.password.isEmpty()) lines << QStringLiteral("requirepass \"%1\"").arg(m_options.password);
    for (const RedisServerOptions::User& user : m_options.users)
        lines << QStringLiteral("user %1 on >%2 %3").arg(user.name, user.password, user.rules);
    lines << m_options.extraLines;
    return lines.join(QLatin1Char('\n')).toUtf8() + '\n';
}

QCoro::Task<std::expected<void, QString>> RedisServer::start(std::stop_token stop) {
    if (!m_workspace.valid()) co_return std::unexpected(Text::tr("No private directory can be made for the server."));
    if (m_options.tls && m_authority.ca.isEmpty()) {
        auto authority = co_await TlsAuthority::make(m_runtime, m_workspace, QStringLiteral("own-"), stop);
        if (!authority) co_return std::unexpected(authority.error());
        m_authority = *authority;
    }
    const std::function here = [this, stop] { return startOnPort(stop); };
    co_return co_await startOnFreePort(m_runtime, m_port, here);
}

QCoro::Task<std::expected<void, QString>> RedisServer::startOnPort(std::stop_token stop) {
    // The kernel may not be done with a killed one, which would then count as running still.
    if (m_killed) co_await hasEnded(m_runtime, m_process, 5s, stop);
    m_killed = false;
    const QString file = QStringLiteral("redis.conf");
    if (!m_workspace.write(file, configuration()))
        co_return std::unexpected(Text::tr("The file %1 can not be written.").arg(m_workspace.file(file)));
    if (!m_process.start(QStringLiteral("redis-server"), {m_workspace.file(file)}, m_workspace.path()))
        co_return std::unexpected(Text::tr("redis-server can not be run: %1. Is the package redis-server installed?")
                                      .arg(m_process.lastOutput()));
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (m_process.running() && m_runtime.monotonic() < end) {
        // Its own word comes first: on a port that is taken somebody else would answer.
        const bool listening = m_process.lastOutput().contains(QLatin1String("Ready to accept connections"));
        const bool ready = listening && co_await answers(stop);
        if (ready) co_return std::expected<void, QString>();
        co_await m_runtime.sleep(kBetweenProbes, stop);
    }
    const QString said = m_process.lastOutput();
    kill();
    co_return std::unexpected(
        Text::tr("redis-server did not come up on port %1. It said: %2").arg(QString::number(m_port), said));
}

QSslConfiguration RedisServer::probeTls() const {
    QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
    tls.setPeerVerifyMode(QSslSocket::VerifyNone); // it is our own child
    tls.setLocalCertificate(QSslCertificate(contentOf(m_authority.clientCertificate)));
    tls.setPrivateKey(QSslKey(contentOf(m_authority.clientKey), QSsl::Ec));
    return tls;
}

QCoro::Task<bool> RedisServer::answers(std::stop_token stop) {
    const Completion<bool> answered;
    QSslSocket socket;
    socket.setProxy(QNetworkProxy::NoProxy);
    QObject::connect(&socket, &QSslSocket::errorOccurred, &socket, [answered] { answered.complete(false); });
    QObject::connect(&socket, &QSslSocket::readyRead, &socket, [answered, &socket] {
        const QByteArray reply = socket.readAll(); // a server that wants a login is up as well
        answered.complete(reply.startsWith("+PONG") || reply.startsWith("-NOAUTH") || reply.startsWith("-NOPERM"));
    });
    const auto ping = [&socket] { socket.write("PING\r\n"); };
    if (m_options.tls) {
        socket.setSslConfiguration(probeTls());
        QObject::connect(&socket, &QSslSocket::encrypted, &socket, ping);
        socket.connectToHostEncrypted(QStringLiteral("127.0.0.1"), m_port);
    } else {
        QObject::connect(&socket, &QSslSocket::connected, &socket, ping);
        socket.connectToHost(QStringLiteral("127.0.0.1"), m_port);
    }
    const std::optional<bool> answer = co_await answered.wait(m_runtime, kProbeLimit, std::move(stop));
    socket.disconnect();
    co_return answer.value_or(false);
}

QCoro::Task<> RedisServer::stop(std::stop_token stop) {
    return endProcess(m_runtime, m_process, std::move(stop));
}

QString RedisServer::url() const {
    TlsAuthority shown = m_options.tls ? m_authority : TlsAuthority();
    if (!m_options.wantClientCertificate) shown.clientCertificate.clear();
    return redisUrl(QStringLiteral("redis"), {m_port}, {{}, m_options.password}, shown);
}

RedisDoor RedisServer::door() const {
    return {m_port, m_options.password, m_options.tls ? std::optional(probeTls()) : std::nullopt};
}

} // namespace lockscope::sandbox
