// SPDX-License-Identifier: Apache-2.0
#include "live_redis.h"

#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using Kind = Error::Kind;

namespace {

/// A server that greets as Redis does and then answers each command as the test says.
class FakeRedis : public QObject {
public:
    using Script = std::function<void(QTcpSocket&, int command)>;
    FakeRedis(Runtime& runtime, Script script) : m_script(std::move(script)) {
        for (int tries = 0; tries < 10 && !m_server.isListening(); ++tries)
            m_server.listen(QHostAddress::LocalHost, sandbox::freePort(runtime).value_or(0));
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* socket = m_server.nextPendingConnection();
            ++connections;
            socket->setProperty("seen", 0);
            connect(socket, &QTcpSocket::readyRead, this, [this, socket] { onBytes(*socket); });
        });
    }
    /// As a server that is not there, or is there again.
    void refuse(bool refused) {
        if (refused) {
            m_port = m_server.serverPort();
            m_server.close();
        } else {
            m_server.listen(QHostAddress::LocalHost, m_port);
        }
    }
    ConnectionUrl url() const {
        ConnectionUrl url;
        url.scheme = QStringLiteral("redis");
        url.endpoints = {{QStringLiteral("127.0.0.1"), m_server.serverPort()}};
        return url;
    }
    int connections = 0;
    int greetings = 1; ///< PING alone: the driver's client name is left empty

private:
    void onBytes(QTcpSocket& socket) {
        // One command at a time is enough here: each begins with '*'.
        const auto commands = int(socket.readAll().count('*'));
        for (int i = 0; i < commands; ++i) {
            const int seen = socket.property("seen").toInt() + 1;
            socket.setProperty("seen", seen);
            if (seen <= greetings)
                socket.write("+PONG\r\n");
            else
                m_script(socket, seen - greetings);
        }
    }
    QTcpServer m_server;
    std::uint16_t m_port = 0; ///< while refusing
    Script m_script;
};

DriverOptions nameless() {
    DriverOptions options;
    options.clientName.clear();
    return options;
}

} // namespace

class TestRedisWireFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void replyByteByByte() {
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int) {
            const QByteArray reply("*3\r\n$5\r\nhello\r\n:42\r\n*1\r\n$-1\r\n");
            auto* timer = new QTimer(&socket);
            auto at = std::make_shared<int>(0);
            connect(timer, &QTimer::timeout, &socket, [timer, at, reply, &socket] {
                socket.write(reply.mid((*at)++, 1));
                socket.flush();
                if (*at == reply.size()) timer->deleteLater();
            });
            timer->start(0);
        });
        RedisDriver driver(m_runtime, server.url(), nameless());
        QCOMPARE(call(driver, {"X"}).value(),
                 Reply::array({Reply::bulk("hello"), Reply::number(42), Reply::array({Reply::nil()})}));
    }
    void connectionCutInTheMiddleOfAReply() {
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int) {
            socket.write("$10\r\nhal");
            socket.disconnectFromHost();
        });
        RedisDriver driver(m_runtime, server.url(), nameless());
        const Result result = call(driver, {"X"});
        QVERIFY(result.error().kind == Kind::Disconnected);
        QVERIFY(result.error().outcomeUnknown());
        QTRY_VERIFY(server.connections >= 2); // and comes back
    }
    void writingIntoAConnectionThatWasReset() {
        // A reset that comes while replies are being read is noticed by the next write only.
        for (int round = 0; round < 50; ++round) {
            FakeRedis server(m_runtime, [](QTcpSocket& socket, int) { socket.abort(); });
            DriverOptions options = nameless();
            options.commandTimeout = 20s;
            RedisDriver driver(m_runtime, server.url(), options);
            std::vector<QCoro::Task<Result>> calls;
            for (int i = 0; i < 5; ++i)
                calls.push_back(driver.call({"X", QByteArray(1000, 'x')}));
            for (auto& waiting : calls) {
                const Result result = run(std::move(waiting));
                QVERIFY(result.error().kind == Kind::Disconnected || result.error().kind == Kind::Unreachable);
            }
        }
    }
    void whatCameBeforeTheCutIsDelivered() {
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int command) {
            if (command == 1) socket.write(":1\r\n");
            if (command == 2) socket.disconnectFromHost();
        });
        RedisDriver driver(m_runtime, server.url(), nameless());
        auto first = driver.call({"A"});
        auto second = driver.call({"B"});
        QCOMPARE(run(std::move(first)).value(), Reply::number(1));
        QVERIFY(run(std::move(second)).error().kind == Kind::Disconnected);
    }
    void garbage_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::newRow("http") << QByteArray("HTTP/1.1 400 Bad Request\r\n\r\n");
        QTest::newRow("binary") << QByteArray("\x16\x03\x01\x02\x00", 5);
        QTest::newRow("bad length") << QByteArray("$x\r\n");
        QTest::newRow("negative array") << QByteArray("*-7\r\n");
        QTest::newRow("enormous array") << QByteArray("*2000000000\r\n");
        QTest::newRow("too deep") << QByteArray("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n");
        QTest::newRow("bad integer") << QByteArray(":12a\r\n");
    }
    void garbage() {
        QFETCH(QByteArray, bytes);
        FakeRedis server(m_runtime, [bytes](QTcpSocket& socket, int) { socket.write(bytes); });
        RedisDriver driver(m_runtime, server.url(), nameless());
        const Result result = call(driver, {"X"});
        QVERIFY(!result);
        // A server that sends such bytes may have run the command before.
        QVERIFY2(result.error().outcomeUnknown(), qPrintable(result.error().message));
        QVERIFY(driver.status().state == Status::State::Retrying);
        QVERIFY(driver.status().error.kind == Kind::Protocol);
        QCOMPARE(result.error().message, driver.status().error.message);
    }
    void garbageInsteadOfAGreeting() {
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int) { socket.write("220 mail.example ESMTP\r\n"); });
        server.greetings = 0;
        RedisDriver driver(m_runtime, server.url(), nameless());
        QVERIFY(call(driver, {"X"}).error().kind == Kind::Protocol);
    }
    void replyToNothing() {
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int) { socket.write(":1\r\n:2\r\n"); });
        RedisDriver driver(m_runtime, server.url(), nameless());
        QCOMPARE(call(driver, {"X"}).value().integer, 1);
        QTRY_VERIFY(driver.status().state == Status::State::Retrying);
        QVERIFY(driver.status().error.kind == Kind::Protocol);
    }
    void serverThatNeverGreets() {
        FakeRedis server(m_runtime, [](QTcpSocket&, int) {});
        server.greetings = 0;
        DriverOptions options = nameless();
        options.connectTimeout = 100ms;
        RedisDriver driver(m_runtime, server.url(), options);
        const Result result = call(driver, {"X"});
        QVERIFY(result.error().kind == Kind::ConnectTimeout);
        QVERIFY(!result.error().outcomeUnknown());
    }
    void serverThatIsStillLoading() {
        int greeted = 0;
        FakeRedis server(m_runtime, [&greeted](QTcpSocket& socket, int command) {
            if (command == 1 && ++greeted == 1)
                socket.write("-LOADING Redis is loading the dataset in memory\r\n");
            else
                socket.write("+PONG\r\n");
        });
        server.greetings = 0;
        RedisDriver driver(m_runtime, server.url(), nameless());
        const Result first = call(driver, {"X"});
        QVERIFY(first.error().kind == Kind::Unreachable);
        QVERIFY2(first.error().message.contains(QLatin1String("LOADING")), qPrintable(first.error().message));
        QTRY_VERIFY(driver.status().state == Status::State::Connected);
    }
    void turnedAwayForNow_data() {
        QTest::addColumn<QString>("password");
        QTest::addColumn<int>("database");
        QTest::addColumn<QByteArrayList>("answers");
        const QString none, secret = QStringLiteral("secret");
        const QByteArray full = "-ERR max number of clients reached", ok = "+OK";
        const QByteArray busy = "-BUSY Redis is busy running a script.";
        QTest::newRow("no room, with a password") << secret << 0 << QByteArrayList{full};
        QTest::newRow("no room, without") << none << 0 << QByteArrayList{full};
        QTest::newRow("no room, with a database") << none << 3 << QByteArrayList{ok, full};
        QTest::newRow("busy") << none << 3 << QByteArrayList{ok, busy};
        QTest::newRow("loading") << secret << 3 << QByteArrayList{"-LOADING Redis is loading the dataset in memory"};
    }
    void turnedAwayForNow() {
        QFETCH(QString, password);
        QFETCH(int, database);
        QFETCH(QByteArrayList, answers);
        bool room = false;
        FakeRedis server(m_runtime, [&](QTcpSocket& socket, int command) {
            if (room) {
                socket.write("+PONG\r\n");
            } else if (command <= answers.size()) {
                socket.write(answers[command - 1] + "\r\n");
                if (command == answers.size()) socket.disconnectFromHost();
            }
        });
        server.greetings = 0;
        ConnectionUrl url = server.url();
        url.password = password;
        url.database = database;
        RedisDriver driver(m_runtime, url);
        const Result first = call(driver, {"X"});
        QVERIFY(first.error().kind == Kind::Unreachable);
        const QString said = QString::fromLatin1(answers.back().mid(1));
        QVERIFY2(first.error().message.contains(said), qPrintable(first.error().message));
        QVERIFY(driver.status().state == Status::State::Retrying);
        room = true;
        QTRY_VERIFY(driver.status().state == Status::State::Connected);
        QVERIFY(call(driver, {"X"}));
    }
    void aCallLivesLongerThanThePauseBetweenTwoTries() {
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int) { socket.write("+OK\r\n"); });
        const ConnectionUrl url = server.url();
        server.refuse(true);
        const DriverOptions options = nameless();
        RedisDriver driver(m_runtime, url, options);
        int tries = 0;
        driver.onStatus([&](const Status& status) { tries += status.state == Status::State::Retrying ? 1 : 0; });
        QVERIFY(!run(driver.open()));
        QVERIFY(comesTrue([&] { return tries >= 6; })); // until the pauses grow no more
        QVERIFY(driver.status().retryIn < options.commandTimeout / 2);
        server.refuse(false);
        QVERIFY(call(driver, {"X"})); // it is back: nobody hears of the time before
    }
    void driverThatGoesBetweenTwoAnswers() {
        // Both answers come together; who gets the first one ends the driver, and the second wants to ask once more.
        FakeRedis server(m_runtime, [](QTcpSocket& socket, int command) {
            if (command == 2) socket.write(":1\r\n-NOSCRIPT No matching script.\r\n");
        });
        auto driver = std::make_unique<RedisDriver>(m_runtime, server.url(), nameless());
        const auto getting = beside(callAndEnd(driver));
        const Script script("any", "return 1");
        const auto running = beside(driver->eval(script, {"k"}, {}));
        QVERIFY(ends(running, 5s));
        QVERIFY(getting->done && !driver);
        QVERIFY(!*running->result);
        QVERIFY(running->result->error().kind == Kind::Disconnected);
    }
    void pausesBetweenTriesGrowAndStayBounded() {
        ConnectionUrl url;
        url.scheme = QStringLiteral("redis");
        url.endpoints = {{QStringLiteral("127.0.0.1"), sandbox::freePort(m_runtime).value()}};
        DriverOptions options;
        options.retryFirst = 2ms;
        options.retryLongest = 16ms;
        RedisDriver driver(m_runtime, url, options);
        std::vector<Nanos> pauses;
        driver.onStatus([&](const Status& status) {
            if (status.state == Status::State::Retrying) pauses.push_back(status.retryIn);
        });
        QVERIFY(!run(driver.open()));
        QTRY_VERIFY(pauses.size() >= 8);
        Nanos longest = 2ms;
        for (const Nanos pause : pauses) {
            QVERIFY(pause >= longest / 2 && pause <= longest);
            longest = std::min<Nanos>(longest * 2, 16ms);
        }
    }

private:
    /// Ends the driver as soon as it has answered.
    static QCoro::Task<Result> callAndEnd(std::unique_ptr<RedisDriver>& driver) {
        Args args = argsOf("GET", "k");
        Result result = co_await driver->call(std::move(args));
        driver.reset();
        co_return result;
    }
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestRedisWireFaults)
#include "tst_redis_wire_faults.moc"
