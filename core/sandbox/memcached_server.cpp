// SPDX-License-Identifier: Apache-2.0
#include "sandbox/memcached_server.h"

#include "runtime/completion.h"
#include "sandbox/end_process.h"
#include "sandbox/file_text.h"

#include <QCoreApplication>
#include <QFile>
#include <QNetworkProxy>
#include <QSslCertificate>
#include <QSslConfiguration>
#include <QSslKey>
#include <QSslSocket>
#include <unistd.h>

namespace lockscope::sandbox {

namespace {

struct Text {
    Q_DECLARE_TR_FUNCTIONS(Sandbox)
};

constexpr auto kStartLimit = 10s;
constexpr auto kProbeLimit = 1s;
constexpr auto kBetweenProbes = 5ms;

} // namespace

MemcachedServer::MemcachedServer(Runtime& runtime, MemcachedServerOptions options)
    : m_runtime(runtime), m_options(std::move(options)), m_port(m_options.port) {
}

QStringList MemcachedServer::arguments() const {
    QStringList all{QStringLiteral("-l"), QStringLiteral("127.0.0.1"),
                    QStringLiteral("-p"), QString::number(m_port),
                    QStringLiteral("-U"), QStringLiteral("0"),
                    QStringLiteral("-t"), QStringLiteral("2"),
                    QStringLiteral("-m"), QString::number(m_options.megabytes)};
    const bool files = !m_options.logins.isEmpty() || m_options.tls || m_options.sasl; // that only we may read
    if (::geteuid() == 0) all << QStringLiteral("-u") << (files ? QStringLiteral("root") : QStringLiteral("nobody"));
    if (!m_options.logins.isEmpty() && !m_options.sasl)
        all << QStringLiteral("-Y") << m_workspace.file(QStringLiteral("logins"));
    if (m_options.sasl) all << QStringLiteral("-S");
    if (m_options.tls) {
        QString given =
            QStringLiteral("ssl_chain_cert=%1,ssl_key=%2").arg(m_authority.serverCertificate, m_authority.serverKey);
        if (m_options.wantClientCertificate)
            given += QStringLiteral(",ssl_verify_mode=2,ssl_ca_cert=") + m_authority.ca;
        all << QStringLiteral("-Z") << QStringLiteral("-o") << given;
    }
    return all + m_options.extra;
}

QCoro::Task<std::expected<void, QString>> MemcachedServer::makeFiles(std::stop_token stop) {
    if (!m_workspace.valid()) co_return std::unexpected(Text::tr("No private directory can be made for the server."));
    if (!m_options.logins.isEmpty()) m_workspace.write(QStringLiteral("logins"), m_options.logins);
    if (m_options.sasl) {
        const auto made = co_await makeSaslFiles(stop);
        if (!made) co_return made;
    }
    if (m_options.tls && m_authority.ca.isEmpty()) {
        auto authority = co_await TlsAuthority::make(m_runtime, m_workspace, QStringLiteral("own-"), stop);
        if (!authority) co_return std::unexpected(authority.error());
        m_authority = *authority;
    }
    co_return std::expected<void, QString>();
}

/// Writes the configuration that Cyrus SASL reads, and its database of logins.
QCoro::Task<std::expected<void, QString>> MemcachedServer::makeSaslFiles(std::stop_token stop) {
    const QString database = m_workspace.file(QStringLiteral("sasldb"));
    m_workspace.write(QStringLiteral("memcached.conf"), "mech_list: " + m_options.saslWays +
                                                            "\npwcheck_method: auxprop\nauxprop_plugin: sasldb\n"
                                                            "sasldb_path: " +
                                                            database.toUtf8() + '\n');
    if (QFile::exists(database)) co_return std::expected<void, QString>();
    for (const QByteArray& login : m_options.logins.split('\n')) {
        const qsizetype colon = login.indexOf(':');
        if (colon < 0) continue;
        m_workspace.write(QStringLiteral("password"), login.mid(colon + 1));
        const QStringList command{QStringLiteral("-c"),
                                  QStringLiteral("saslpasswd2 -p -c -f \"$1\" \"$2\" <\"$3\""),
                                  QStringLiteral("sh"),
                                  database,
                                  QString::fromUtf8(login.left(colon)),
                                  m_workspace.file(QStringLiteral("password"))};
        const auto added = co_await run(m_runtime, QStringLiteral("sh"), command, m_workspace.path(), stop);
        if (!added) co_return added;
    }
    co_return std::expected<void, QString>();
}

QString MemcachedServer::url() const {
    if (!m_options.tls) return QStringLiteral("memcached://127.0.0.1:%1").arg(m_port);
    QString text =
        QStringLiteral("memcacheds://127.0.0.1:%1?ca=%2").arg(QString::number(m_port), encoded(m_authority.ca));
    if (m_options.wantClientCertificate)
        text += QStringLiteral("&cert=%1&key=%2")
                    .arg(encoded(m_authority.clientCertificate), encoded(m_authority.clientKey));
    return text;
}

QCoro::Task<std::expected<void, QString>> MemcachedServer::start(std::stop_token stop) {
    if (!m_port) m_port = freePort(m_runtime).value_or(0);
    const auto made = co_await makeFiles(stop);
    if (!made) co_return made;
    QString program = QStringLiteral("memcached");
    QStringList line = arguments();
    if (m_options.sasl) {
        line.prepend(std::exchange(program, QStringLiteral("env")));
        line.prepend(QStringLiteral("SASL_CONF_PATH=") + m_workspace.path());
    }
    if (!m_process.start(program, line, QStringLiteral("/")))
        co_return std::unexpected(
            Text::tr("memcached can not be run: %1. Is the package memcached installed?").arg(m_process.lastOutput()));
    const Nanos end = m_runtime.monotonic() + kStartLimit;
    while (m_process.running() && m_runtime.monotonic() < end) {
        const bool ready = co_await answers(stop);
        if (ready && m_process.running()) co_return std::expected<void, QString>();
        co_await m_runtime.sleep(kBetweenProbes, stop);
    }
    const QString said = m_process.lastOutput();
    m_process.kill();
    co_return std::unexpected(
        Text::tr("memcached did not come up on port %1. It said: %2").arg(QString::number(m_port), said));
}

QCoro::Task<bool> MemcachedServer::answers(std::stop_token stop) {
    const Completion<bool> answered;
    const auto secure = m_options.tls ? std::make_unique<QSslSocket>() : nullptr;
    const auto bare = m_options.tls ? nullptr : std::make_unique<QTcpSocket>();
    QTcpSocket* const plain = secure ? secure.get() : bare.get();
    plain->setProxy(QNetworkProxy::NoProxy);
    const bool hangsUp = m_options.sasl || m_options.hangsUpOnText; // on clients that do not speak the binary protocol
    QObject::connect(plain, &QTcpSocket::errorOccurred, plain, [answered, hangsUp](QAbstractSocket::SocketError error) {
        answered.complete(hangsUp && error == QAbstractSocket::RemoteHostClosedError);
    });
    QObject::connect(plain, &QTcpSocket::readyRead, plain, [answered, plain] {
        const QByteArray said = plain->readAll();
        answered.complete(said.startsWith("VERSION ") || said.startsWith("CLIENT_ERROR unauthenticated"));
    });
    // Longer than a header of the binary protocol, where that is what it waits for.
    const QByteArray question = hangsUp ? QByteArray(30, 'x') + "\r\n" : QByteArray("version\r\n");
    const auto ask = [plain, question] { plain->write(question); };
    if (secure) {
        QSslConfiguration tls = QSslConfiguration::defaultConfiguration();
        tls.setPeerVerifyMode(QSslSocket::VerifyNone); // it is our own child
        tls.setLocalCertificate(QSslCertificate(contentOf(m_authority.clientCertificate)));
        tls.setPrivateKey(QSslKey(contentOf(m_authority.clientKey), QSsl::Ec));
        secure->setSslConfiguration(tls);
        QObject::connect(secure.get(), &QSslSocket::encrypted, plain, ask);
        secure->connectToHostEncrypted(QStringLiteral("127.0.0.1"), m_port);
    } else {
        QObject::connect(plain, &QTcpSocket::connected, plain, ask);
        plain->connectToHost(QStringLiteral("127.0.0.1"), m_port);
    }
    const std::optional<bool> answer = co_await answered.wait(m_runtime, kProbeLimit, std::move(stop));
    plain->disconnect();
    co_return answer.value_or(false);
}

QCoro::Task<> MemcachedServer::stop(std::stop_token stop) {
    return endProcess(m_runtime, m_process, std::move(stop));
}

} // namespace lockscope::sandbox
