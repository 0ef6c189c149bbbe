// SPDX-License-Identifier: Apache-2.0
#include "sandbox/etcd_server.h"

#include "runtime/completion.h"
#include "sandbox/end_process.h"
#include "sandbox/file_text.h"

#include <QCoreApplication>
#include <QDir>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr auto kStartLimit = 20s;
constexpr auto kProbeLimit = 1s;
constexpr auto kLoginLimit = 10s; ///< hashing passwords takes its time, above all on a busy machine
constexpr auto kBetweenProbes = 10ms;
// A leader is missed after half a second, not after one: tests that kill it need not wait so long. It also lets leases
// be as short as one second (the shortest TTL is 1.5 election time-outs).
constexpr int kHeartbeatMs = 50, kElectionMs = 500;

QString loopback(std::uint16_t port, bool tls) {
    return (tls ? QStringLiteral("https://127.0.0.1:%1") : QStringLiteral("http://127.0.0.1:%1")).arg(port);
}

} // namespace

EtcdServer::EtcdServer(Runtime& runtime, EtcdServerOptions options)
    : m_runtime(runtime), m_options(std::move(options)) {
    m_network.setProxy(QNetworkProxy::NoProxy);
}

EtcdServer::~EtcdServer() = default;

QStringList EtcdServer::arguments() const {
    const QString client = loopback(m_options.port, m_options.tls);
    const QString peer = loopback(m_options.peerPort, false);
    const QString alone = m_options.name + u'=' + peer;
    QStringList all{QStringLiteral("--name"),
                    m_options.name,
                    QStringLiteral("--data-dir"),
                    m_workspace.file(QStringLiteral("data")),
                    QStringLiteral("--listen-client-urls"),
                    client,
                    QStringLiteral("--advertise-client-urls"),
                    client,
                    QStringLiteral("--listen-peer-urls"),
                    peer,
                    QStringLiteral("--initial-advertise-peer-urls"),
                    peer,
                    QStringLiteral("--initial-cluster"),
                    m_options.cluster.isEmpty() ? alone : m_options.cluster,
                    QStringLiteral("--heartbeat-interval"),
                    QString::number(kHeartbeatMs),
                    QStringLiteral("--election-timeout"),
                    QString::number(kElectionMs),
                    QStringLiteral("--logger"),
                    QStringLiteral("zap"),
                    QStringLiteral("--log-level"),
                    QStringLiteral("error")};
    if (m_options.tokenSeconds > 0)
        all << QStringLiteral("--auth-token-ttl") << QString::number(m_options.tokenSeconds);
    if (m_options.tls) {
        all << QStringLiteral("--cert-file") << m_nodeCertificate << QStringLiteral("--key-file") << m_nodeKey;
        if (m_options.wantClientCertificate)
            all << QStringLiteral("--client-cert-auth") << QStringLiteral("--trusted-ca-file") << m_authority.ca;
    }
    return all;
}

// etcd's gateway is a client of its own server, by the server's certificate: that must be good for both.
QCoro::Task<std::expected<void, QString>> EtcdServer::makeCertificates(std::stop_token stop) {
    auto authority = co_await TlsAuthority::make(m_runtime, m_workspace, QStringLiteral("own-"), stop);
    if (!authority) co_return std::unexpected(authority.error());
    m_workspace.write(QStringLiteral("node.ext"),
                      "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n");
    const QStringList steps{
        QStringLiteral("req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=node -keyout node.key "
                       "-out node.csr"),
        QStringLiteral("x509 -req -in node.csr -CA own-ca.pem -CAkey own-ca.key -CAcreateserial -days 3 -extfile "
                       "node.ext -out node.pem")};
    for (const QString& step : steps) {
        const auto done = co_await run(m_runtime, QStringLiteral("openssl"), step.split(u' ', Qt::SkipEmptyParts),
                                       m_workspace.path(), stop);
        if (!done) co_return std::unexpected(done.error());
    }
    m_authority = *authority;
    m_nodeCertificate = m_workspace.file(QStringLiteral("node.pem"));
    m_nodeKey = m_workspace.file(QStringLiteral("node.key"));
    co_return std::expected<void, QString>();
}

QCoro::Task<std::expected<void, QString>> EtcdServer::launch(std::stop_token stop) {
    if (!m_workspace.valid()) co_return std::unexpected(Text::tr("No private directory can be made for the server."));
    if (m_options.tls && m_authority.ca.isEmpty()) {
        const auto made = co_await makeCertificates(stop);
        if (!made) co_return made;
    }
    for (std::uint16_t* port : {&m_options.port, &m_options.peerPort}) {
        if (!*port) *port = freePort(m_runtime).value_or(0);
    }
    if (!m_process.start(QStringLiteral("etcd"), arguments(), m_workspace.path()))
        co_return std::unexpected(
            Text::tr("etcd can not be run: %1. Is the package etcd-server installed?").arg(m_process.lastOutput()));
    co_return std::expected<void, QString>();
}

QCoro::Task<std::expected<void, QString>> EtcdServer::becomeReady(std::stop_token stop) {
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (m_process.running() && m_runtime.monotonic() < end) {
        const auto health = co_await ask(QStringLiteral("/health"), {}, kProbeLimit, stop);
        if (health && health->contains("true")) {
            if (m_options.rootPassword.isEmpty() || m_loginsEnabled) co_return std::expected<void, QString>();
            co_return co_await enableLogins(stop);
        }
        co_await m_runtime.sleep(kBetweenProbes, stop);
    }
    const QString said = m_process.lastOutput();
    m_process.kill();
    co_return std::unexpected(
        Text::tr("etcd did not come up on port %1. It said: %2").arg(QString::number(m_options.port), said));
}

QCoro::Task<std::expected<void, QString>> EtcdServer::start(std::stop_token stop) {
    const auto launched = co_await launch(stop);
    if (!launched) co_return launched;
    co_return co_await becomeReady(stop);
}

QCoro::Task<std::expected<void, QString>> EtcdServer::enableLogins(std::stop_token stop) {
    const QByteArray user = QJsonDocument(QJsonObject{{QStringLiteral("name"), QStringLiteral("root")},
                                                      {QStringLiteral("password"), m_options.rootPassword}})
                                .toJson(QJsonDocument::Compact);
    const std::pair<const char*, QByteArray> calls[] = {{"/v3/auth/user/add", user},
                                                        {"/v3/auth/role/add", R"({"name":"root"})"},
                                                        {"/v3/auth/user/grant", R"({"user":"root","role":"root"})"},
                                                        {"/v3/auth/enable", "{}"}};
    for (const auto& [path, body] : calls) {
        const auto reply = co_await ask(QString::fromLatin1(path), body, kLoginLimit, stop);
        const bool fine = reply && (reply->contains("\"header\"") || reply->contains("already exists"));
        if (!fine)
            co_return std::unexpected(Text::tr("etcd did not take the login. It said: %1")
                                          .arg(QString::fromUtf8(reply.value_or(QByteArray()))));
    }
    m_loginsEnabled = true;
    co_return std::expected<void, QString>();
}

QCoro::Task<std::optional<QByteArray>> EtcdServer::ask(QString path, QByteArray body, Nanos limit,
                                                       std::stop_token stop) {
    QNetworkRequest request(QUrl(loopback(m_options.port, m_options.tls) + path));
    request.setHeader(QNetworkRequest::ContentTypeHeader, QStringLiteral("application/json"));
    if (m_options.tls) {
        QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
        tls.setPeerVerifyMode(QSslSocket::VerifyNone); // it is our own child
        tls.setLocalCertificate(QSslCertificate(contentOf(m_authority.clientCertificate)));
        tls.setPrivateKey(QSslKey(contentOf(m_authority.clientKey), QSsl::Ec));
        request.setSslConfiguration(tls);
    }
    const Completion<bool> finished;
    const std::unique_ptr<QNetworkReply> reply(body.isEmpty() ? m_network.get(request) : m_network.post(request, body));
    QObject::connect(reply.get(), &QNetworkReply::finished, reply.get(), [finished] { finished.complete(true); });
    const auto done = co_await finished.wait(m_runtime, limit, std::move(stop));
    if (!done) co_return std::nullopt;
    co_return reply->readAll();
}

QCoro::Task<> EtcdServer::stop(std::stop_token stop) {
    return endProcess(m_runtime, m_process, std::move(stop));
}

QString EtcdServer::endpoint() const {
    return loopback(m_options.port, m_options.tls);
}

QString EtcdServer::url() const {
    QString text = m_options.tls ? QStringLiteral("etcds://") : QStringLiteral("etcd://");
    if (!m_options.rootPassword.isEmpty()) text += QStringLiteral("root:%1@").arg(encoded(m_options.rootPassword));
    text += QStringLiteral("127.0.0.1:%1").arg(m_options.port);
    if (m_options.tls) {
        text += QStringLiteral("?ca=") + encoded(m_authority.ca);
        if (m_options.wantClientCertificate)
            text += QStringLiteral("&cert=%1&key=%2")
                        .arg(encoded(m_authority.clientCertificate), encoded(m_authority.clientKey));
    }
    return text;
}

EtcdCluster::EtcdCluster(Runtime& runtime, int size) {
    std::vector<EtcdServerOptions> all;
    QStringList names;
    std::set<std::uint16_t> taken;
    const auto port = [&] {
        std::uint16_t found = 0;
        do
            found = freePort(runtime).value_or(0);
        while (found && !taken.insert(found).second);
        return found;
    };
    for (int i = 0; i < size; ++i) {
        EtcdServerOptions options;
        options.name = QStringLiteral("m%1").arg(i + 1);
        options.port = port();
        options.peerPort = port();
        names += options.name + u'=' + loopback(options.peerPort, false);
        all.push_back(options);
    }
    for (EtcdServerOptions& options : all) {
        options.cluster = names.join(u',');
        m_members.push_back(std::make_unique<EtcdServer>(runtime, options));
    }
}

QCoro::Task<std::expected<void, QString>> EtcdCluster::start(std::stop_token stop) {
    for (const auto& member : m_members) {
        const auto launched = co_await member->launch(stop);
        if (!launched) co_return launched;
    }
    for (const auto& member : m_members) {
        const auto ready = co_await member->becomeReady(stop);
        if (!ready) co_return ready;
    }
    co_return std::expected<void, QString>();
}

QString EtcdCluster::url(int first) const {
    QStringList hosts;
    for (int i = 0; i < size(); ++i)
        hosts += QStringLiteral("127.0.0.1:%1").arg(m_members[std::size_t((first + i) % size())]->port());
    return QStringLiteral("etcd://") + hosts.join(u',');
}

} // namespace lockscope::sandbox
