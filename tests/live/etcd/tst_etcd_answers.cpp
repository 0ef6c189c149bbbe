// SPDX-License-Identifier: Apache-2.0
#include "fake_etcd.h"
#include "ports/etcd/http_reader.h"
#include "recipes/etcd/etcd_lease.h"

#include <QTimer>

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using Kind = Error::Kind;

namespace {

Range key() {
    Range range;
    range.key = "k";
    return range;
}

} // namespace

/// Answers over the wire, from an etcd and from other programs.
class TestEtcdAnswers : public QObject {
    Q_OBJECT
private Q_SLOTS:
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
        QCOMPARE(run(driver.range(key())).value().revision, 7);
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
        QVERIFY(!result.error().outcomeUnknown()); // it was to change nothing
        EtcdLease recipe({driver, "jobs"});
        QVERIFY(!run(recipe.acquire(asked(0s), {})));
        QVERIFY(!run(driver.watch("k", true)));
        const auto put = run(driver.put("k", "v", 0));
        QVERIFY(!put && put.error().kind == Kind::Protocol);
        // Somebody between may have passed it on; who does not know the path has not.
        QCOMPARE(put.error().outcomeUnknown(), !bytes.contains("404"));
    }
    void aProxysWords() {
        FakeEtcd server(m_runtime, [](QTcpSocket& socket, int request) {
            const QByteArray page = "<html>" + QByteArray::number(request);
            socket.write(request < 3 ? reply(page, request == 1 ? "502 Bad Gateway" : "504 Gateway Time-out")
                                     : reply(R"({"header":{"revision":"7"},"succeeded":true})"));
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        const auto done = run(driver.run({}));
        VERIFY_OK(done);
        QVERIFY(done->repeated); // either may have run
        FakeEtcd always(m_runtime, [](QTcpSocket& socket, int) { socket.write(reply("<html>", "502 Bad Gateway")); });
        EtcdDriver other(m_runtime, urlOf(always), impatient());
        const auto unknown = run(other.put("k", "v", 0));
        QVERIFY(!unknown && unknown.error().kind == Kind::Unavailable && unknown.error().outcomeUnknown());
    }
    void aMemberThatEnds_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::newRow("one reply") << QByteArray(
            R"({"error":"grpc: the client connection is closing","code":1,"message":"grpc: the client connection is closing"})");
        QTest::newRow("a stream") << QByteArray(
            R"({"error":{"grpc_code":1,"http_code":408,"message":"grpc: the client connection is closing"}})");
    }
    void aMemberThatEnds() {
        QFETCH(QByteArray, body);
        FakeEtcd server(m_runtime, [body](QTcpSocket& socket, int request) {
            socket.write(request == 1 ? reply(body, "408 Request Timeout") : reply(kFine));
        });
        EtcdDriver driver(m_runtime, urlOf(server));
        VERIFY_OK(run(driver.range(key())));
        QCOMPARE(server.requests, 2);
    }
    void usersThatWereChanged_data() {
        QTest::addColumn<QByteArray>("refusal");
        QTest::addColumn<bool>("watching");
        const QByteArray old = "etcdserver: revision of auth store is old";
        const QByteArray refused = R"({"error":"%","code":3,"message":"%"})";
        const QByteArray canceled = R"({"result":{"header":{},"created":true,"canceled":true,"cancel_reason":"%"}})";
        QTest::newRow("request") << reply(QByteArray(refused).replace('%', old), "400 Bad Request") << false;
        QTest::newRow("watch") << reply(QByteArray(canceled).replace('%', old) + '\n') << true;
    }
    void usersThatWereChanged() {
        // A token of the kind that names the users' revision is refused as soon as there is another one.
        QFETCH(QByteArray, refusal);
        QFETCH(bool, watching);
        int logins = 0;
        FakeEtcd server(m_runtime, [&](QTcpSocket& socket, int) {
            const QByteArray token = "token-" + QByteArray::number(logins);
            if (server.asked.startsWith("POST /v3/auth/authenticate"))
                socket.write(tokenReply(++logins));
            else if (logins < 2)
                socket.write(refusal);
            else if (server.asked.contains("Authorization: " + token))
                socket.write(reply(watching ? QByteArray(R"({"result":{"header":{},"created":true}})") + '\n' : kFine));
        });
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("root");
        url.password = QStringLiteral("root");
        EtcdDriver driver(m_runtime, url);
        if (watching)
            VERIFY_OK(run(driver.watch("k", true)));
        else
            VERIFY_OK(run(driver.range(key())));
        QCOMPARE(logins, 2);
    }
    void oneLoginForAll() {
        // The server has forgotten its tokens: all calls on their way find out, and one of them sees to it.
        int logins = 0, known = 1;
        bool silent = false;
        FakeEtcd server(m_runtime, [&](QTcpSocket& socket, int) {
            const bool login = server.asked.startsWith("POST /v3/auth/authenticate");
            if (login && silent) return;
            if (login)
                socket.write(tokenReply(++logins));
            else if (logins >= known && server.asked.contains("token-" + QByteArray::number(logins) + '\r'))
                socket.write(reply(kFine));
            else
                socket.write(reply(R"({"code":16,"message":"etcdserver: invalid auth token"})", "401 Unauthorized"));
        });
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("root");
        url.password = QStringLiteral("root");
        EtcdDriver driver(m_runtime, url, impatient());
        const auto all = [&] {
            std::vector<std::shared_ptr<Ending<std::expected<RangeResult, Error>>>> calls;
            for (int i = 0; i < 16; ++i)
                calls.push_back(beside(driver.range(key())));
            return calls;
        };
        for (known = 1; known <= 3; ++known) {
            for (const auto& call : all()) {
                QVERIFY(ends(call, 10s));
                VERIFY_OK(*call->result);
            }
            QCOMPARE(logins, known);
        }
        // A login that is not answered keeps nobody for longer than his own would.
        silent = true;
        const Nanos begun = m_runtime.monotonic();
        for (const auto& call : all()) {
            QVERIFY(ends(call, 10s));
            QVERIFY(!*call->result && !call->result->error().outcomeUnknown());
        }
        QVERIFY(m_runtime.monotonic() - begun < 5s);
        // Nor does one that was begun by somebody who is stopped.
        std::stop_source stop;
        const auto stopped = beside(driver.range(key(), stop.get_token()));
        const auto other = beside(driver.range(key()));
        silent = false;
        stop.request_stop();
        QVERIFY(ends(stopped, 10s) && ends(other, 10s));
        QVERIFY(stopped->cancelled == Cancelled::Why::Stopped);
        VERIFY_OK(*other->result);
    }
    /// A member announces "http://localhost:2379", where another etcd is seen from our machine.
    void anotherServerAtAnAnnouncedAddress_data() {
        QTest::addColumn<int>("atSecond"); // the id of the member that answers where the second one is announced
        QTest::addColumn<qint64>("applied");
        QTest::newRow("the member") << 2 << qint64(970);
        QTest::newRow("another one") << 3 << qint64(-1);
    }
    void anotherServerAtAnAnnouncedAddress() {
        QFETCH(int, atSecond);
        QFETCH(qint64, applied);
        const auto status = [](int id, int entries) {
            return reply(
                QByteArray(R"({"header":{"member_id":"%1"},"version":"3.5","leader":"1","raftAppliedIndex":"%2"})")
                    .replace("%1", QByteArray::number(id))
                    .replace("%2", QByteArray::number(entries)));
        };
        QByteArray told; // to whoever is there
        FakeEtcd second(m_runtime, [&](QTcpSocket& socket, int) {
            told += second.asked;
            socket.write(status(atSecond, 970));
        });
        QByteArray list;
        FakeEtcd first(m_runtime, [&](QTcpSocket& socket, int) {
            if (first.asked.startsWith("POST /v3/auth/authenticate"))
                socket.write(tokenReply(1));
            else
                socket.write(first.asked.contains("member/list") ? reply(list) : status(1, 1000));
        });
        const auto announced = [](const FakeEtcd& fake) {
            return fake.url().replace(u"etcd:"_qs, u"http:"_qs).toUtf8();
        };
        list = R"({"header":{},"members":[{"ID":"1","clientURLs":["%1"]},{"ID":"2","clientURLs":["%2"]}]})";
        list.replace("%1", announced(first)).replace("%2", announced(second));
        ConnectionUrl url = urlOf(first);
        url.user = QStringLiteral("root");
        url.password = QStringLiteral("s3cret");
        EtcdDriver driver(m_runtime, url);
        const auto members = run(driver.members());
        QVERIFY(members && members->members.size() == 2);
        QVERIFY(members->members[0].leads);
        QCOMPARE(qint64(members->members[0].applied), qint64(1000));
        QCOMPARE(qint64(members->members[1].applied), applied);
        QVERIFY(told.contains("maintenance/status"));
        QVERIFY2(!told.contains("s3cret") && !told.contains("token"), told); // no login for a stranger
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
    /// A member without a leader, whose proposal may still be agreed upon when there is one again.
    void aTimeThatRanOutOnTheServerIsNoRefusal() {
        FakeEtcd server(m_runtime, [](QTcpSocket& socket, int) {
            socket.write(
                reply(R"({"error":"context deadline exceeded","code":2,"message":"context deadline exceeded"})",
                      "500 Internal Server Error"));
        });
        EtcdDriver driver(m_runtime, urlOf(server), impatient());
        const auto put = run(driver.put("k", "v", 0));
        QVERIFY(!put);
        QVERIFY2(put.error().outcomeUnknown(), qPrintable(put.error().message));
        EtcdLease recipe({driver, "jobs"});
        const auto grant = run(recipe.acquire(asked(0s), {}));
        QVERIFY(!grant && grant.error().kind == LockError::Kind::OutcomeUnknown);
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
    /// Whether there is one at all, is a question that changes nothing.
    void whatIsNoEtcdIsNotReached() {
        FakeEtcd rude(m_runtime, [](QTcpSocket& socket, int) { socket.abort(); });
        EtcdDriver driver(m_runtime, urlOf(rude), impatient());
        const Error closed = run(driver.open()).error();
        QVERIFY2(closed.kind == Kind::Unreachable, qPrintable(closed.message));
        QVERIFY2(closed.message.contains(QStringLiteral("etcds://")), qPrintable(closed.message));
        FakeEtcd silent(m_runtime, [](QTcpSocket&, int) {});
        EtcdDriver waiting(m_runtime, urlOf(silent), impatient());
        const Error late = run(waiting.open()).error();
        QVERIFY2(late.kind == Kind::Unreachable, qPrintable(late.message));
        QVERIFY2(late.message.contains(QStringLiteral("firewall")), qPrintable(late.message));
    }

private:
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestEtcdAnswers)
#include "tst_etcd_answers.moc"
