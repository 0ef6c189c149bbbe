// SPDX-License-Identifier: Apache-2.0
#include "drivers/net/tls_configuration.h"
#include "live_redis.h"
#include "sandbox/process_supervisor.h"

#include <QFile>
#include <QSslKey>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using sandbox::RedisServer;
using sandbox::RedisServerOptions;
using sandbox::TlsAuthority;
using Kind = Error::Kind;

class TestRedisTls : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        auto other = run(TlsAuthority::make(m_runtime, m_server.workspace(), QStringLiteral("other-")));
        QVERIFY2(other, other ? "" : qPrintable(other.error()));
        m_other = *other;
    }
    void authorityAndClientCertificate() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        const Result pong = call(driver, {"PING"});
        QVERIFY2(pong, pong ? "" : qPrintable(pong.error().message));
        const QByteArray big(1'000'000, 'x'); // more than one TLS record
        QVERIFY(call(driver, {"SET", "k", big}));
        QCOMPARE(call(driver, {"GET", "k"}).value().text, big);
        auto subscription = run(driver.subscribe("news"));
        QVERIFY(subscription);
        QVERIFY(call(driver, {"PUBLISH", "news", "hello"}));
        QCOMPARE(run((*subscription)->next(5s)).value().payload, QByteArray("hello"));
    }
    void aConnectionLeavesTheOthersAlone() {
        RedisDriver first(m_runtime, urlOf(m_server));
        VERIFY_OK(run(first.open()));
        const std::uint32_t number = first.connection();
        QVERIFY(number != 0);
        for (int i = 0; i < 5; ++i) {
            auto answer = first.call({"PING"}); // comes while another one reads its certificates and keys
            RedisDriver next(m_runtime, urlOf(m_server));
            auto opened = next.open();
            VERIFY_OK(run(std::move(answer)));
            VERIFY_OK(run(std::move(opened)));
            QCOMPARE(first.connection(), number);
        }
    }
    void keysOfAnyKind_data() {
        QTest::addColumn<QString>("make");
        QTest::newRow("RSA") << QStringLiteral("genrsa -traditional -out KEY 2048");
        QTest::newRow("RSA in PKCS 8") << QStringLiteral("genrsa -out KEY 2048");
        QTest::newRow("EC") << QStringLiteral("ecparam -name prime256v1 -genkey -out KEY");
        QTest::newRow("EC in PKCS 8") << QStringLiteral(
            "genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out KEY");
    }
    void keysOfAnyKind() {
        QFETCH(QString, make);
        const sandbox::Workspace workspace;
        const QString key = workspace.file(QStringLiteral("any.key"));
        const QString certificate = workspace.file(QStringLiteral("any.pem"));
        const auto openssl = [&](QString command) {
            const QStringList words = command.replace(QLatin1String("KEY"), key).split(u' ');
            const auto done = run(sandbox::run(m_runtime, QStringLiteral("openssl"), words, workspace.path()));
            return done ? QString() : done.error();
        };
        VERIFY_EMPTY(openssl(make));
        VERIFY_EMPTY(openssl(QStringLiteral("req -x509 -new -key KEY -days 3 -subj /CN=any -out ") + certificate));
        const TlsFiles files{m_server.authority().ca, certificate, key};
        const auto configuration = net::tlsConfiguration(files);
        QVERIFY2(configuration, configuration ? "" : qPrintable(configuration.error()));
        QVERIFY(!configuration->privateKey().isNull());
        QVERIFY(configuration->privateKey().algorithm() ==
                (make.contains(QLatin1String("rsa")) ? QSsl::Rsa : QSsl::Ec));
    }
    void serverOfAnotherAuthority() {
        ConnectionUrl url = urlOf(m_server);
        url.tlsFiles.ca = m_other.ca;
        expect(url, Kind::TlsFailed);
    }
    void noAuthorityAtAll() {
        ConnectionUrl url = urlOf(m_server);
        url.tlsFiles.ca.clear(); // the system's do not know our server
        expect(url, Kind::TlsFailed);
    }
    void clientCertificateOfAnotherAuthority() {
        ConnectionUrl url = urlOf(m_server);
        url.tlsFiles.certificate = m_other.clientCertificate;
        url.tlsFiles.key = m_other.clientKey;
        expectNoConnection(url);
    }
    void noClientCertificate() {
        ConnectionUrl url = urlOf(m_server);
        url.tlsFiles.certificate.clear();
        url.tlsFiles.key.clear();
        expectNoConnection(url);
    }
    void nameThatTheCertificateDoesNotHave() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].host = QStringLiteral("127.0.0.2"); // the same server, but its certificate does not say so
        expect(url, Kind::TlsFailed);
        url.endpoints[0].host = QStringLiteral("localhost");
        RedisDriver driver(m_runtime, url);
        QVERIFY(call(driver, {"PING"}));
    }
    void plainClientIsToldOfTls() {
        ConnectionUrl url = urlOf(m_server);
        url.tls = false;
        RedisDriver driver(m_runtime, url);
        const Result result = call(driver, {"PING"});
        QVERIFY(result.error().kind == Kind::Unreachable);
        QVERIFY2(result.error().message.contains(QLatin1String("rediss://")), qPrintable(result.error().message));
    }
    void filesThatDoNotServe_data() {
        QTest::addColumn<QString>("ca");
        QTest::addColumn<QString>("certificate");
        QTest::addColumn<QString>("key");
        const QString none;
        QTest::newRow("missing") << QStringLiteral("/nowhere/ca.pem") << none << none;
        QTest::newRow("no certificate") << QStringLiteral("/dev/null") << none << none;
        QTest::newRow("no key") << none << QStringLiteral("CERT") << QStringLiteral("/dev/null");
    }
    void filesThatDoNotServe() {
        QFETCH(QString, ca);
        QFETCH(QString, certificate);
        QFETCH(QString, key);
        ConnectionUrl url = urlOf(m_server);
        if (!ca.isEmpty()) url.tlsFiles.ca = ca;
        if (certificate.isEmpty())
            url.tlsFiles.certificate.clear();
        else
            url.tlsFiles.key = key;
        RedisDriver driver(m_runtime, url);
        const Result result = call(driver, {"PING"});
        QVERIFY(result.error().kind == Kind::WrongUrl);
        const QString file = ca.isEmpty() ? key : ca;
        QVERIFY2(result.error().message.contains(file), qPrintable(result.error().message));
        QVERIFY(driver.status().state == Status::State::Failed);
    }

private:
    static RedisServerOptions withTls() {
        RedisServerOptions options;
        options.tls = true;
        options.password = QStringLiteral("secret");
        options.extraLines = {QStringLiteral("bind 127.0.0.1 127.0.0.2")};
        return options;
    }
    void expect(const ConnectionUrl& url, Kind kind) {
        RedisDriver driver(m_runtime, url);
        const Result result = call(driver, {"PING"});
        QVERIFY(!result);
        QVERIFY2(result.error().kind == kind, qPrintable(result.error().message));
    }
    // With TLS 1.3 a server refuses a client only after the client thinks that it is connected.
    void expectNoConnection(const ConnectionUrl& url) {
        RedisDriver driver(m_runtime, url);
        const Result result = call(driver, {"PING"});
        QVERIFY(!result);
        const Kind kind = result.error().kind;
        QVERIFY2(kind == Kind::TlsFailed || kind == Kind::Unreachable, qPrintable(result.error().message));
    }

    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime, withTls()};
    TlsAuthority m_other;
};

QTEST_GUILESS_MAIN(TestRedisTls)
#include "tst_redis_tls.moc"
