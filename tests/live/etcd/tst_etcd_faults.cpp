// SPDX-License-Identifier: Apache-2.0
#include "backends/etcd/http_reader.h"
#include "live_etcd.h"
#include "recipes/etcd/etcd_lease.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using recipes::Request;
using sandbox::EtcdCluster;
using sandbox::EtcdServer;
using Kind = Error::Kind;
using ErrorKind = LockError::Kind;

namespace {

Request asked(Nanos wait, Nanos lease = 10s) {
    Request request;
    request.wait = wait;
    request.lease = lease;
    return request;
}

/// A server that answers each request as the test says; requests are numbered from 1.
class FakeEtcd : public QObject {
public:
    using Script = std::function<void(QTcpSocket&, int request)>;
    FakeEtcd(Runtime& runtime, Script script) : m_script(std::move(script)) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* socket = m_server.nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, this, [this, socket] {
                if (socket->readAll().startsWith("POST ")) m_script(*socket, ++requests);
            });
        });
    }
    QString url() const { return QStringLiteral("etcd://127.0.0.1:%1").arg(m_server.serverPort()); }
    int requests = 0;

private:
    QTcpServer m_server;
    Script m_script;
};

QByteArray reply(const QByteArray& body, const QByteArray& status = "200 OK") {
    return "HTTP/1.1 " + status +
           "\r\nContent-Type: application/json\r\nContent-Length: " + QByteArray::number(body.size()) + "\r\n\r\n" +
           body;
}
const QByteArray kFine = R"({"header":{"revision":"7"},"count":"0"})";

DriverOptions impatient() {
    DriverOptions options;
    options.requestTimeout = 400ms;
    options.shortestTry = 100ms;
    return options;
}

Range key() {
    Range range;
    range.key = "k";
    return range;
}

} // namespace

class TestEtcdFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() {
        m_server.resume();
        for (int i = 0; m_cluster && i < m_cluster->size(); ++i)
            m_cluster->member(i).resume();
        if (!m_server.running()) VERIFY_STARTED(m_server);
        EtcdDriver driver(m_runtime, urlOf(m_server));
        QTRY_COMPARE(keysUnder(driver, "").size(), 0U);
        QTRY_COMPARE_WITH_TIMEOUT(leaseCount(m_server), 0, 15'000);
    }

    // --- what may come over the wire ---
    void repliesByteByByte_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("length") << reply("hello");
        QTest::newRow("chunks") << QByteArray("HTTP/1.1 200 OK\r\nTrailer: X\r\nTransfer-Encoding: "
                                              "chunked\r\n\r\n2\r\nhe\r\n3;x=1\r\nllo\r\n0\r\nX: y\r\n\r\n");
        QTest::newRow("continue") << QByteArray("HTTP/1.1 100 Continue\r\n\r\n") + reply("hello");
        QTest::newRow("bare newlines") << QByteArray("HTTP/1.1 200 OK\nContent-Length: 5\n\nhello");
    }
    void repliesByteByByte() {
        QFETCH(QByteArray, bytes);
        HttpReader reader;
        reader.begin();
        for (qsizetype i = 0; i < bytes.size(); ++i) {
            const auto complete = reader.feed(QByteArrayView(bytes).sliced(i, 1));
            QVERIFY(complete);
            QCOMPARE(*complete, i == bytes.size() - 1);
        }
        QCOMPARE(reader.body(), QByteArray("hello"));
        QCOMPARE(reader.status(), 200);
        QVERIFY(reader.keepsAlive());
        QCOMPARE(reader.leftOver(), 0);
        // And over a socket.
        const QByteArray split = reply(kFine);
        FakeEtcd server(m_runtime, [split](QTcpSocket& socket, int) {
            auto* timer = new QTimer(&socket);
            auto at = std::make_shared<int>(0);
            connect(timer, &QTimer::timeout, &socket, [timer, at, split, &socket] {
                socket.write(split.mid((*at)++, 1));
                socket.flush();
                if (*at == split.size()) timer->deleteLater();
            });
            timer->start(0);
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        QCOMPARE(run(driver.range(key()))->revision, 7);
    }
    void garbage_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("mail") << QByteArray("220 mail.example ESMTP\r\n");
        QTest::newRow("redis") << QByteArray("-ERR unknown command 'POST'\r\n");
        QTest::newRow("binary") << QByteArray("\x16\x03\x01\x02\x00\r\n", 7);
        QTest::newRow("no JSON") << reply("<html>");
        QTest::newRow("other JSON") << reply(R"({"hello":1})");
        QTest::newRow("a list") << reply("[1,2]");
        QTest::newRow("half an object") << reply(R"({"header":{"revision":)");
        QTest::newRow("bad length") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: -4\r\n\r\n");
        QTest::newRow("enormous") << QByteArray("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n");
        QTest::newRow("bad chunk") << QByteArray("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");
        QTest::newRow("bad header") << QByteArray("HTTP/1.1 200 OK\r\nnonsense\r\n\r\n");
        QTest::newRow("no end") << QByteArray("HTTP/1.1 200 OK\r\nX: ") + QByteArray(100'000, 'x');
        QTest::newRow("another server") << QByteArray("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    }
    void garbage() {
        QFETCH(QByteArray, bytes);
        FakeEtcd server(m_runtime, [bytes](QTcpSocket& socket, int) { socket.write(bytes); });
        EtcdDriver driver(m_runtime, urlOf(server));
        const auto result = run(driver.range(key()));
        QVERIFY(!result);
        QVERIFY2(result.error().kind == Kind::Protocol, qPrintable(result.error().message));
        EtcdLease recipe({driver, "jobs"});
        QVERIFY(!run(recipe.acquire(asked(0s), {})));
        QVERIFY(!run(driver.watch("k", true)));
    }
    void garbageInAWatch() {
        FakeEtcd server(m_runtime, [](QTcpSocket& socket, int) {
            const QByteArray line = R"({"result":{"header":{},"created":true}})"
                                    "\n{\"what\n";
            socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + QByteArray::number(line.size(), 16) +
                         "\r\n" + line + "\r\n");
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        auto watch = run(driver.watch("k", true));
        QVERIFY(watch);
        const auto event = run((*watch)->next(5s));
        QVERIFY(event && event->kind == WatchEvent::Kind::Gap);
        QVERIFY(event->error->kind == Kind::Protocol);
    }
    void cutInTheMiddleOfAReply() {
        FakeEtcd always(m_runtime, [](QTcpSocket& socket, int) {
            socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"header\"");
            socket.disconnectFromHost();
        });
        EtcdDriver driver(m_runtime, urlOf(always));
        const auto cut = run(driver.put("k", "v", 0));
        QVERIFY(!cut && cut.error().outcomeUnknown());
        QVERIFY(always.requests >= 2); // sent again: once more does no harm
        FakeEtcd once(m_runtime, [](QTcpSocket& socket, int request) {
            if (request == 1)
                socket.disconnectFromHost();
            else
                socket.write(reply(R"({"header":{"revision":"7"},"succeeded":true})"));
        });
        EtcdDriver again(m_runtime, urlOf(once));
        const auto second = run(again.run({}));
        QVERIFY(second && second->succeeded && second->repeated);
    }
    void refusedAfterATryThatMayHaveRun() {
        FakeEtcd server(m_runtime, [](QTcpSocket& socket, int request) {
            if (request == 1)
                socket.disconnectFromHost();
            else
                socket.write(reply(R"({"code":3,"message":"etcdserver: request is too large"})", "400 Bad Request"));
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        const auto put = run(driver.put("k", "v", 0));
        QVERIFY(!put && put.error().outcomeUnknown());
        QCOMPARE(server.requests, 2);
        const auto refused = run(driver.put("k", "v", 0));
        QVERIFY(!refused && refused.error().kind == Kind::Refused);
    }
    void ownLeaseOfATryThatRan() {
        FakeEtcd server(m_runtime, [](QTcpSocket& socket, int request) {
            if (request == 1)
                socket.disconnectFromHost();
            else if (request == 2)
                socket.write(reply(R"({"code":9,"message":"etcdserver: lease already exists"})", "400 Bad Request"));
            else
                socket.write(reply(R"({"header":{"revision":"7"},"ID":"5","TTL":"9","grantedTTL":"10"})"));
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        const auto granted = run(driver.grantLease(5, std::chrono::seconds(10)));
        QVERIFY(granted && granted->ttl == 9s);
    }
    void idleConnectionsThatWereClosed() {
        FakeEtcd server(m_runtime, [](QTcpSocket& socket, int) {
            socket.write(reply(kFine));
            socket.disconnectFromHost();
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        for (int i = 0; i < 20; ++i)
            QVERIFY(run(driver.range(key())));
    }
    void connectionThatEndsBeforeItIsUsed_data() {
        QTest::addColumn<bool>("watching");
        QTest::newRow("request") << false;
        QTest::newRow("watch") << true;
    }
    void connectionThatEndsBeforeItIsUsed() {
        QFETCH(bool, watching);
        QTcpServer server;
        QVERIFY(server.listen(QHostAddress::LocalHost, sandbox::freePort(m_runtime).value()));
        int ended = 0;
        connect(&server, &QTcpServer::newConnection, &server, [&] {
            QTcpSocket* socket = server.nextPendingConnection();
            connect(socket, &QTcpSocket::disconnected, &server, [&] { ++ended; });
            socket->disconnectFromHost();
        });
        EventLoopRuntime client;
        EtcdDriver driver(client,
                          parseConnectionUrl(QStringLiteral("etcd://127.0.0.1:%1").arg(server.serverPort())).value(),
                          impatient());
        QCoro::Task<> request;
        std::optional<Kind> kind;
        const auto ask = [&](bool watch) -> QCoro::Task<> {
            if (watch) {
                const auto started = co_await driver.watch("k", true);
                if (!started) kind = started.error().kind;
            } else {
                const auto found = co_await driver.range(key());
                if (!found) kind = found.error().kind;
            }
        };
        request = ask(watching);
        client.pause(); // as by SIGSTOP, or a laptop's lid: it goes on when all is over
        QTRY_COMPARE(ended, 1);
        QTest::qWait(20); // for our own end of it
        const Nanos begun = m_runtime.monotonic();
        client.resume();
        QTRY_VERIFY(kind.has_value());
        QVERIFY(*kind == Kind::Unreachable); // nothing was ever sent
        QVERIFY(m_runtime.monotonic() - begun < 5s);
    }
    void slowReplyAndSilence() {
        FakeEtcd slow(m_runtime, [](QTcpSocket& socket, int) {
            QTimer::singleShot(150, &socket, [&socket] { socket.write(reply(kFine)); });
        });
        EtcdDriver patient(m_runtime, urlOf(slow), impatient());
        QVERIFY(run(patient.range(key())));
        FakeEtcd silent(m_runtime, [](QTcpSocket&, int) {});
        EtcdDriver driver(m_runtime, urlOf(silent), impatient());
        const Nanos begun = m_runtime.monotonic();
        QVERIFY(run(driver.range(key())).error().kind == Kind::RequestTimeout);
        QVERIFY(!run(driver.watch("k", true)));
        QVERIFY(m_runtime.monotonic() - begun < 5s);
    }

    // --- one server ---
    void killedAndStartedAgainWhileSomebodyWaits() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        EtcdLease one({driver, "jobs"});
        EtcdDriver otherDriver(m_runtime, urlOf(m_server));
        EtcdLease other({otherDriver, "jobs"});
        const auto held = run(one.acquire(asked(0s, 30s), {})).value();
        auto waiting = beside(other.acquire(asked(30s, 30s), {}));
        QTRY_COMPARE(watchCount(m_server), 1);
        m_server.kill();
        QTRY_VERIFY(!m_server.running());
        const auto refused = run(one.renew(*held, {}));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Unreachable);
        VERIFY_STARTED(m_server); // with its data: locks outlive it
        QVERIFY(!waiting->done);
        QCOMPARE(run(one.renew(*held, {})).value(), true);
        QTRY_COMPARE(watchCount(m_server), 1); // it watches again
        QCOMPARE(run(one.release(*held, {})).value(), 0);
        QTRY_VERIFY(waiting->done);
        QVERIFY(waiting->result->has_value() && **waiting->result);
        QVERIFY(run(other.release(***waiting->result, {})));
    }
    void pausedServer() {
        EtcdDriver driver(m_runtime, urlOf(m_server), impatient());
        EtcdLease recipe({driver, "jobs"});
        const auto held = run(recipe.acquire(asked(0s), {})).value();
        pause(m_server);
        const Nanos begun = m_runtime.monotonic();
        const auto unknown = run(recipe.release(*held, {}));
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().kind == ErrorKind::OutcomeUnknown, qPrintable(unknown.error().message));
        const auto none = run(recipe.acquire(asked(5s), {}));
        QVERIFY(!none);
        QVERIFY(m_runtime.monotonic() - begun < 8s);
        m_server.resume();
        // Whatever ran of it: the second release tells, and nothing is left.
        const auto second = run(recipe.release(*held, {}));
        QVERIFY(second || second.error().kind == ErrorKind::NotOwner);
    }
    void shortPauseIsNoError() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        EtcdLease recipe({driver, "jobs"});
        pause(m_server);
        QTimer::singleShot(300, this, [this] { m_server.resume(); });
        const auto held = run(recipe.acquire(asked(0s), {})).value();
        QVERIFY(held);
        QCOMPARE(run(recipe.release(*held, {})).value(), 0);
    }

    // --- a cluster ---
    void silentMemberIsLeft() {
        startCluster();
        EtcdCluster& cluster = *m_cluster;
        EtcdDriver driver(m_runtime, parseConnectionUrl(cluster.url(0)).value());
        EtcdLease recipe({driver, "jobs"});
        QVERIFY(run(driver.open()));
        pause(cluster.member(0));
        const auto held = run(recipe.acquire(asked(0s, 20s), {}));
        QVERIFY2(held && *held, held ? "" : qPrintable(held.error().message));
        QVERIFY(driver.where() != urlOf(cluster).endpoints[0].display());
        QCOMPARE(run(recipe.release(**held, {})).value(), 0);
        cluster.member(0).resume();
    }
    void memberOfAClusterFails() {
        startCluster();
        EtcdCluster& cluster = *m_cluster;
        EtcdDriver oneDriver(m_runtime, parseConnectionUrl(cluster.url(0)).value());
        EtcdDriver otherDriver(m_runtime, parseConnectionUrl(cluster.url(0)).value());
        EtcdLease one({oneDriver, "jobs"}), other({otherDriver, "jobs"});

        // Killed under a holder and a waiter.
        auto held = run(one.acquire(asked(0s, 20s), {})).value();
        QVERIFY(held);
        auto waiting = beside(other.acquire(asked(30s, 20s), {}));
        QTRY_COMPARE(watchCount(cluster.member(0)), 1);
        cluster.member(0).kill();
        // Goes on at one of the others.
        QTRY_COMPARE_WITH_TIMEOUT(watchCount(cluster.member(1)) + watchCount(cluster.member(2)), 1, 15'000);
        QVERIFY(!waiting->done);
        QCOMPARE(run(one.renew(*held, {})).value(), true);
        QCOMPARE(run(one.release(*held, {})).value(), 0);
        QTRY_VERIFY(waiting->done);
        held = waiting->result->value();
        QVERIFY(held);

        // Without a quorum nothing is granted, and nobody is lied to.
        pause(cluster.member(1));
        EtcdDriver hasty(m_runtime, parseConnectionUrl(cluster.url(1)).value(), impatient());
        EtcdLease third({hasty, "jobs"});
        const auto none = run(third.acquire(asked(0s), {}));
        QVERIFY(!none);
        QVERIFY2(none.error().kind == ErrorKind::OutcomeUnknown || none.error().kind == ErrorKind::Unreachable,
                 qPrintable(none.error().message));
        cluster.member(1).resume();
        const auto back = [&] { return run(other.renew(*held, {})).value_or(false); };
        QTRY_VERIFY_WITH_TIMEOUT(back(), 15'000);
        QCOMPARE(run(other.release(*held, {})).value(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(keysUnder(oneDriver, "jobs").size(), 0U, 15'000);
    }

private:
    /// One for all that strike it, those who leave it in pieces last.
    void startCluster() {
        if (m_cluster) return;
        m_cluster.emplace(m_runtime);
        VERIFY_STARTED(*m_cluster);
    }
    void pause(EtcdServer& server) {
        server.pause();
        run(m_runtime.sleep(20ms)); // until all its threads stand still
    }
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
    std::optional<EtcdCluster> m_cluster;
};

QTEST_GUILESS_MAIN(TestEtcdFaults)
#include "tst_etcd_faults.moc"
