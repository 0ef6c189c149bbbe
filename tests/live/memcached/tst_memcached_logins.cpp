// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_memcached.h"
#include "lock/distributed_lock.h"

using namespace lockscope;
using namespace lockscope::memcached;
using namespace lockscope::test;
using sandbox::MemcachedServer;
using sandbox::MemcachedServerOptions;
using Kind = Error::Kind;
using ErrorKind = LockError::Kind;

namespace {

const QString kSecret = QStringLiteral("s3cret:p@ss%word");

MemcachedServerOptions withLogins() {
    MemcachedServerOptions options;
    options.logins = "ann:other\nbob:" + kSecret.toUtf8() + '\n';
    return options;
}

ConnectionUrl as(const MemcachedServer& server, const QString& user, const QString& password) {
    ConnectionUrl url = urlOf(server);
    url.user = user;
    url.password = password;
    return url;
}

/// The server's answer to a bare client that sends these bytes.
QByteArray said(const MemcachedServer& server, const QByteArray& bytes, const QByteArray& untilItEndsIn) {
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), server.port());
    if (!socket.waitForConnected(5000)) return {};
    socket.write(bytes);
    QByteArray all;
    while (!all.endsWith(untilItEndsIn) && socket.waitForReadyRead(5000))
        all += socket.readAll();
    return all;
}

} // namespace

/// Logins by memcached's own file of them, and TLS.
class TestMemcachedLogins : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_open);
        VERIFY_STARTED(m_closed);
        VERIFY_STARTED(m_secure);
        VERIFY_STARTED(m_sasl);
    }
    void cleanup() { m_closed.resume(); }

    void lockBehindALogin() {
        // As a program writes it: percent signs and all.
        const QString text = QStringLiteral("memcached://bob:s3cret%3Ap%40ss%25word@127.0.0.1:%1").arg(m_closed.port());
        const auto connection = makeConnection(m_runtime, urlOf(text));
        VERIFY_OK(run(connection->open()));
        LockOptions options;
        options.lease = 3s;
        options.watchdog = 50ms;
        DistributedLock lock({m_runtime, connection->client()}, *connection->makeRecipe("memcached-lease", {"jobs"}),
                             options);
        int renewed = 0;
        lock.listen([&](DistributedLock::Event event, const QByteArray&, const QString&) {
            if (event == DistributedLock::Event::Renewed) ++renewed;
        });
        QVERIFY(run(lock.lock()).value());
        QTRY_VERIFY(renewed > 1);
        QVERIFY(run(lock.unlock()));
        // A new connection logs in anew.
        m_closed.kill();
        QTRY_VERIFY(!m_closed.running());
        VERIFY_STARTED(m_closed);
        QTRY_VERIFY(run(connection->ping()));
        QVERIFY(run(lock.tryLock()).value());
        QVERIFY(run(lock.unlock()));
    }
    void wrongLogin_data() {
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        QTest::newRow("password") << QStringLiteral("bob") << QStringLiteral("guess-of-bobs");
        QTest::newRow("another's") << QStringLiteral("ann") << kSecret;
        QTest::newRow("user") << QStringLiteral("eve") << QStringLiteral("guess-of-bobs");
    }
    void wrongLogin() {
        QFETCH(QString, user);
        QFETCH(QString, password);
        MemcachedClient client(m_runtime, as(m_closed, user, password));
        const Error refused = run(client.driver.add("jobs", "v", 60, true)).error();
        QVERIFY2(refused.kind == Kind::AuthFailed, qPrintable(refused.message));
        QVERIFY(!refused.outcomeUnknown());
        QVERIFY(refused.message.contains(QString::number(m_closed.port())));
        QVERIFY(!refused.message.contains(password));
        const auto connection = makeConnection(m_runtime, as(m_closed, user, password));
        const auto opened = run(connection->open());
        QVERIFY(!opened && opened.error().kind == ErrorKind::Refused);
        QVERIFY(!opened.error().message.contains(password));
    }
    void loginThatIsMissing() {
        MemcachedClient client(m_runtime, urlOf(m_closed));
        const Error wanted = run(client.driver.version()).error();
        QVERIFY2(wanted.kind == Kind::AuthFailed, qPrintable(wanted.message));
        QVERIFY(wanted.message.contains(QLatin1String("memcached://user:password@host")));
        const auto none = run(client.recipe("jobs")->acquire(asked(0s), {}));
        QVERIFY(!none && none.error().kind == ErrorKind::Refused);
    }
    void loginWhereNoneIsWanted() {
        MemcachedClient client(m_runtime, as(m_open, QStringLiteral("bob"), kSecret));
        VERIFY_OK(run(client.driver.version()));
        // There it would be an item like any other, which everybody may read.
        const QByteArray stats = said(m_open, "stats\r\n", "END\r\n");
        QVERIFY2(stats.contains("STAT total_items 0\r\n"), stats.constData());
        QVERIFY(stats.contains("STAT cmd_set 0\r\n"));
    }
    void loginThatCanNotBeSent_data() {
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        QTest::newRow("space") << QStringLiteral("bob") << QStringLiteral("two words");
        QTest::newRow("line") << QStringLiteral("bob\r\nflush_all") << QStringLiteral("x");
        QTest::newRow("no user") << QString() << QStringLiteral("secret-word");
    }
    void loginThatCanNotBeSent() {
        QFETCH(QString, user);
        QFETCH(QString, password);
        FakeMemcached server(m_runtime, [](QTcpSocket&, const QByteArray&) {});
        ConnectionUrl url = urlOf(server);
        url.user = user;
        url.password = password;
        MemcachedClient client(m_runtime, url);
        const Error unfit = run(client.driver.version()).error();
        QVERIFY2(unfit.kind == Kind::WrongUrl, qPrintable(unfit.message));
        QVERIFY(!unfit.message.contains(password) || password == u"x");
        QCOMPARE(server.connections, 0);
    }
    void loginThatIsNotAnswered() {
        const auto wantsOne = [](QByteArray answer) {
            return [answer](QTcpSocket& socket, const QByteArray& bytes) {
                if (bytes.startsWith("get "))
                    socket.write("CLIENT_ERROR unauthenticated\r\n");
                else if (answer.isEmpty())
                    socket.disconnectFromHost();
                else
                    socket.write(answer);
            };
        };
        const std::pair<QByteArray, Kind> answers[] = {{"", Kind::AuthFailed},
                                                       {"STOR", Kind::ConnectTimeout},
                                                       {"hello\r\n", Kind::Protocol},
                                                       {"SERVER_ERROR busy\r\n", Kind::AuthFailed}};
        for (const auto& [answer, kind] : answers) {
            FakeMemcached server(m_runtime, wantsOne(answer), false);
            ConnectionUrl url = urlOf(server);
            url.user = QStringLiteral("bob");
            url.password = kSecret;
            MemcachedClient client(m_runtime, url, impatient());
            const Error error = run(client.driver.get("k")).error();
            QVERIFY2(error.kind == kind, qPrintable(error.message));
            QVERIFY(!error.message.contains(kSecret));
        }
    }
    void manyWaitForOneLogin() {
        MemcachedClient client(m_runtime, as(m_closed, QStringLiteral("bob"), kSecret));
        std::vector<QCoro::Task<std::expected<Change, Error>>> adds;
        for (int i = 0; i < 50; ++i)
            adds.push_back(client.driver.add("many" + QByteArray::number(i), QByteArray::number(i), 60, true));
        for (int i = 0; i < 50; ++i)
            QCOMPARE(run(std::move(adds[std::size_t(i)])).value().item->value, QByteArray::number(i));
    }

    // --- TLS ---
    void lockBehindTlsAndALogin() {
        const auto connection = makeConnection(m_runtime, as(m_secure, QStringLiteral("bob"), kSecret));
        VERIFY_OK(run(connection->open()));
        const auto recipe = connection->makeRecipe("memcached-lease", {"jobs"});
        QVERIFY(recipe.has_value());
        const auto grant = run((*recipe)->acquire(asked(0s), {})).value();
        QVERIFY(grant);
        QCOMPARE(run((*recipe)->renew(*grant, {})).value(), true);
        QVERIFY(!run((*connection->makeRecipe("memcached-lease", {"jobs"}))->acquire(asked(0s), {})).value());
        QCOMPARE(run((*recipe)->release(*grant, {})).value(), 0);
        QVERIFY(connection->url().display().startsWith(QLatin1String("memcacheds://bob@")));
    }
    void largeItemsOverTls() {
        MemcachedClient client(m_runtime, as(m_secure, QStringLiteral("bob"), kSecret));
        const QByteArray large(300'000, 'x');
        VERIFY_OK(run(client.driver.add("large", large, 60, false)));
        QCOMPARE(run(client.driver.get("large")).value()->value, large);
        QVERIFY(run(client.driver.remove("large")).value());
    }
    void authorityThatIsNotTrusted() {
        ConnectionUrl url = as(m_secure, QStringLiteral("bob"), kSecret);
        url.tlsFiles = {};
        const Error refused = run(MemcachedClient(m_runtime, url).driver.version()).error();
        QVERIFY2(refused.kind == Kind::TlsFailed, qPrintable(refused.message));
        url.tlsFiles.ca = QStringLiteral("/nonexistent/ca.pem");
        const Error missing = run(MemcachedClient(m_runtime, url).driver.version()).error();
        QVERIFY2(missing.kind == Kind::WrongUrl, qPrintable(missing.message));
        QVERIFY(missing.message.contains(QLatin1String("/nonexistent/ca.pem")));
    }
    void certificateThatIsMissing() {
        ConnectionUrl url = as(m_secure, QStringLiteral("bob"), kSecret);
        url.tlsFiles.certificate.clear();
        url.tlsFiles.key.clear();
        const Error refused = run(MemcachedClient(m_runtime, url).driver.version()).error();
        QVERIFY2(refused.kind == Kind::TlsFailed, qPrintable(refused.message));
        QVERIFY(refused.message.contains(QLatin1String("cert=")));
    }
    void tlsOnOneSideOnly() {
        ConnectionUrl plain = as(m_secure, QStringLiteral("bob"), kSecret);
        plain.tls = false;
        plain.tlsFiles = {};
        MemcachedClient careless(m_runtime, plain);
        const Error silent = run(careless.driver.version()).error();
        QVERIFY2(silent.kind == Kind::Unreachable, qPrintable(silent.message));
        QVERIFY(silent.message.contains(QLatin1String("memcacheds://")));
        ConnectionUrl tls = urlOf(m_open);
        tls.tls = true;
        const Error refused = run(MemcachedClient(m_runtime, tls).driver.version()).error();
        QVERIFY2(refused.kind == Kind::TlsFailed, qPrintable(refused.message));
    }

    // --- SASL, and with it the binary protocol ---
    void lockBehindSasl() {
        const auto connection = makeConnection(m_runtime, as(m_sasl, QStringLiteral("bob"), kSecret));
        VERIFY_OK(run(connection->open()));
        const auto lock = [&] { return *connection->makeRecipe("memcached-lease", {"jobs"}); };
        const auto mine = lock(), yours = lock();
        const auto grant = run(mine->acquire(asked(0s), {})).value();
        QVERIFY(grant);
        QVERIFY(!run(yours->acquire(asked(0s), {})).value());
        QCOMPARE(run(mine->renew(*grant, {})).value(), true);
        QCOMPARE(run(mine->release(*grant, {})).value(), 0);
        const auto next = run(yours->acquire(asked(0s), {})).value();
        QVERIFY(next);
        QCOMPARE(run(yours->release(*next, {})).value(), 0);
        // A new connection logs in anew.
        m_sasl.kill();
        QTRY_VERIFY(!m_sasl.running());
        VERIFY_STARTED(m_sasl);
        QTRY_VERIFY(run(connection->ping()));
        QVERIFY(run(lock()->acquire(asked(0s), {})).value());
    }
    void eachCommandMeansTheSame_data() {
        QTest::addColumn<bool>("sasl");
        QTest::newRow("text") << false;
        QTest::newRow("binary") << true;
    }
    void eachCommandMeansTheSame() {
        QFETCH(bool, sasl);
        using Outcome = Change::Outcome;
        MemcachedClient client(m_runtime, as(sasl ? m_sasl : m_closed, QStringLiteral("bob"), kSecret));
        MemcachedDriver& driver = client.driver;
        QVERIFY(run(driver.version()).value().text.startsWith("1."));
        QVERIFY(!run(driver.get("same")).value());
        QVERIFY(!run(driver.remove("same")).value());
        const Change added = run(driver.add("same", "one", 60, true)).value();
        QCOMPARE(added.outcome, Outcome::Stored);
        QCOMPARE(added.item->value, QByteArray("one"));
        QVERIFY(added.item->mark.unique > 0);
        const Change taken = run(driver.add("same", "other", 60, true)).value();
        QCOMPARE(taken.outcome, Outcome::Taken);
        QCOMPARE(taken.item->value, QByteArray("one"));
        const Change changed = run(driver.compareAndSet("same", "two", 60, added.item->mark, true)).value();
        QCOMPARE(changed.outcome, Outcome::Stored);
        QVERIFY(changed.item->mark.unique > added.item->mark.unique);
        QCOMPARE(run(driver.compareAndSet("same", "no", 60, added.item->mark, false)).value().outcome, Outcome::Taken);
        Mark none = changed.item->mark;
        none.unique = 0;
        QCOMPARE(run(driver.compareAndSet("same", "no", 60, none, false)).value().outcome, Outcome::Taken);
        QCOMPARE(run(driver.get("same")).value()->value, QByteArray("two"));
        // At once.
        QCOMPARE(run(driver.compareAndSet("same", "", -1, changed.item->mark, false)).value().outcome, Outcome::Stored);
        QVERIFY(!run(driver.get("same")).value());
        QCOMPARE(run(driver.compareAndSet("same", "no", 60, changed.item->mark, false)).value().outcome, Outcome::Gone);
        const QByteArray large(300'000, 'x');
        QCOMPARE(run(driver.add("same", large, 0, true)).value().item->value, large);
        QVERIFY(run(driver.remove("same")).value());
        const Error tooLarge = run(driver.add("same", QByteArray(3'000'000, 'x'), 0, false)).error();
        QVERIFY2(tooLarge.kind == Kind::Refused, qPrintable(tooLarge.message));
        QVERIFY(!run(driver.get("same")).value());
    }
    void wrongLoginAtSasl() {
        MemcachedClient strangers[] = {{m_runtime, as(m_sasl, QStringLiteral("bob"), QStringLiteral("guess-of-bobs"))},
                                       {m_runtime, as(m_sasl, QStringLiteral("eve"), kSecret)},
                                       {m_runtime, urlOf(m_sasl)}};
        for (MemcachedClient& stranger : strangers) {
            const Error refused = run(stranger.driver.add("jobs", "v", 60, true)).error();
            QVERIFY2(refused.kind == Kind::AuthFailed, qPrintable(refused.message));
            QVERIFY(!refused.outcomeUnknown() && !refused.message.contains(QLatin1String("guess-of-bobs")));
        }
    }
    void aWayToLogInThatIsNotSpoken() {
        MemcachedServerOptions options = withLogins();
        options.sasl = true;
        options.saslWays = "cram-md5";
        MemcachedServer server(m_runtime, options);
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, as(server, QStringLiteral("bob"), kSecret));
        const Error refused = run(client.driver.version()).error();
        QVERIFY2(refused.kind == Kind::AuthFailed, qPrintable(refused.message));
        QVERIFY2(refused.message.contains(QLatin1String("CRAM-MD5")), qPrintable(refused.message));
    }
    void onlyTheBinaryProtocolWithoutALogin() {
        MemcachedServerOptions options;
        options.extra = {QStringLiteral("-B"), QStringLiteral("binary")};
        options.hangsUpOnText = true;
        MemcachedServer server(m_runtime, options);
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, as(server, QStringLiteral("bob"), kSecret));
        QCOMPARE(run(client.driver.add("k", "v", 60, true)).value().item->value, QByteArray("v"));
    }
    void aServerThatSpeaksNeitherIsTriedByBoth() {
        std::vector<QByteArray> first;
        FakeMemcached server(
            m_runtime,
            [&](QTcpSocket& socket, const QByteArray& bytes) {
                first.push_back(bytes);
                socket.disconnectFromHost();
            },
            false);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("bob");
        url.password = kSecret;
        MemcachedClient client(m_runtime, url);
        const Error error = run(client.driver.version()).error();
        QVERIFY2(error.kind == Kind::Unreachable, qPrintable(error.message));
        QCOMPARE(first.size(), std::size_t(2));
        QVERIFY(first[0].startsWith("get ") && first[1].startsWith('\x80'));
        for (const QByteArray& bytes : first)
            QVERIFY(!bytes.contains(kSecret.toUtf8())); // not before it has asked
    }
    void garbageInTheBinaryProtocol_data() {
        QTest::addColumn<QByteArray>("answer");
        const auto header = [](char code, QByteArray sizes) {
            return QByteArray("\x81", 1) + code + sizes.leftJustified(22, '\0');
        };
        QTest::newRow("magic") << QByteArray("\x82" + QByteArray(40, '\0'));
        QTest::newRow("more key than body") << header(' ', QByteArray::fromHex("00090000000000000003"));
        QTest::newRow("endless") << header(' ', QByteArray::fromHex("000000000000ffffffff"));
    }
    void garbageInTheBinaryProtocol() {
        QFETCH(QByteArray, answer);
        FakeMemcached server(
            m_runtime,
            [&](QTcpSocket& socket, const QByteArray& bytes) {
                if (bytes.startsWith("get "))
                    socket.disconnectFromHost();
                else
                    socket.write(answer);
            },
            false);
        MemcachedClient client(m_runtime, urlOf(server), impatient());
        const Error error = run(client.driver.version()).error();
        QVERIFY2(error.kind == Kind::Protocol && !error.outcomeUnknown(), qPrintable(error.message));
    }

    // --- who shares a connection ---
    void connectionsOfOneLoginShareASocket() {
        FakeMemcached server(m_runtime, [](QTcpSocket& socket, const QByteArray& bytes) {
            for (int i = 0; i < bytes.count('\n'); ++i)
                socket.write("VERSION 1\r\n");
        });
        const auto one = makeConnection(m_runtime, urlOf(server));
        auto other = makeConnection(m_runtime, urlOf(server));
        QVERIFY(one->client() != other->client());
        QVERIFY(run(one->open()) && run(other->open()));
        QCOMPARE(server.connections, 1);
        other.reset();
        QVERIFY(run(one->ping()));
        QCOMPARE(server.connections, 1);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("bob");
        url.password = kSecret;
        const auto bobs = makeConnection(m_runtime, url);
        QVERIFY(run(bobs->open()));
        QCOMPARE(server.connections, 2);
        EventLoopRuntime process;
        const auto elsewhere = makeConnection(process, urlOf(server));
        QVERIFY(run(elsewhere->open()));
        QCOMPARE(server.connections, 3);
    }

private:
    EventLoopRuntime m_runtime;
    MemcachedServer m_open{m_runtime}, m_closed{m_runtime, withLogins()},
        m_sasl{m_runtime,
               [] {
                   MemcachedServerOptions options = withLogins();
                   options.sasl = true;
                   return options;
               }()},
        m_secure{m_runtime, [] {
                     MemcachedServerOptions options = withLogins();
                     options.tls = true;
                     return options;
                 }()};
};

QTEST_GUILESS_MAIN(TestMemcachedLogins)
#include "tst_memcached_logins.moc"
