// SPDX-License-Identifier: Apache-2.0
#include "live_redis.h"

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using sandbox::RedisServer;
using sandbox::RedisServerOptions;
using Kind = Error::Kind;
using State = Status::State;

class TestRedisDriver : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(call(driver, {"FLUSHALL"}));
    }

    void repliesOfEveryType() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        QCOMPARE(call(driver, {"SET", "k", QByteArray("a\0\r\nb", 5)}).value(), Reply::status("OK"));
        QCOMPARE(call(driver, {"GET", "k"}).value(), Reply::bulk(QByteArray("a\0\r\nb", 5)));
        QCOMPARE(call(driver, {"GET", "missing"}).value(), Reply::nil());
        QCOMPARE(call(driver, {"INCRBY", "n", "-7"}).value(), Reply::number(-7));
        QCOMPARE(call(driver, {"EVAL", "return {1, {'x', false}, {}}", "0"}).value(),
                 Reply::array({Reply::number(1), Reply::array({Reply::bulk("x"), Reply::nil()}), Reply::array({})}));
        const Result wrong = call(driver, {"HGET", "k", "f"});
        QVERIFY(!wrong);
        QVERIFY(wrong.error().kind == Kind::Refused);
        QCOMPARE(wrong.error().code, QByteArray("WRONGTYPE"));
        QVERIFY(!wrong.error().outcomeUnknown());
    }
    void bigValues() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        const QByteArray big(5'000'000, 'x');
        QVERIFY(call(driver, {"SET", "k", big}));
        QCOMPARE(call(driver, {"GET", "k"}).value().text.size(), big.size());
    }
    void thousandsOfCommandsAreAnsweredInOrder() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        constexpr int kCommands = 10'000;
        int answered = 0, inOrder = 0;
        for (int i = 1; i <= kCommands; ++i) {
            m_runtime.spawn([&, i]() -> QCoro::Task<> {
                Args args{"INCR", "n"};
                const Result result = co_await driver.call(std::move(args));
                if (result && result->integer == i && answered == i - 1) ++inOrder;
                ++answered;
            });
        }
        QTRY_COMPARE_WITH_TIMEOUT(answered, kCommands, 30'000);
        QCOMPARE(inOrder, kCommands);
    }
    void databaseAndNameOfTheConnection() {
        ConnectionUrl url = urlOf(m_server);
        url.database = 3;
        RedisDriver driver(m_runtime, url);
        const Result info = call(driver, {"CLIENT", "INFO"});
        QVERIFY2(info->text.contains(" name=lockscope ") && info->text.contains(" db=3 "), info->text);
    }
    void databaseThatIsNotThere() {
        ConnectionUrl url = urlOf(m_server);
        url.database = 9999;
        RedisDriver driver(m_runtime, url);
        const Result result = call(driver, {"GET", "k"});
        QVERIFY(result.error().kind == Kind::WrongUrl);
        QVERIFY(driver.status().state == State::Failed);
    }
    void scriptIsSentAgainAfterAFlush() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        const Script script("add", "return tonumber(ARGV[1]) + redis.call('INCR', KEYS[1])");
        QCOMPARE(run(driver.eval(script, {"n"}, {"10"})).value().integer, 11);
        QCOMPARE(call(driver, {"SCRIPT", "EXISTS", script.sha1()}).value().items.at(0).integer, 1);
        QCOMPARE(run(driver.eval(script, {"n"}, {"10"})).value().integer, 12);
        QVERIFY(call(driver, {"SCRIPT", "FLUSH"}));
        QCOMPARE(run(driver.eval(script, {"n"}, {"10"})).value().integer, 13); // ran once more, not twice
    }

    void openSaysHowItWent() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(run(driver.open()));
        QVERIFY(driver.status().state == State::Connected);
        QVERIFY(driver.status().describe(driver.where()).contains(driver.where()));
    }
    void nobodyListens() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        RedisDriver driver(m_runtime, url);
        std::vector<State> states;
        driver.onStatus([&](const Status& status) { states.push_back(status.state); });
        const auto opened = run(driver.open());
        QVERIFY(opened.error().kind == Kind::Unreachable);
        QVERIFY2(opened.error().message.contains(driver.where()), qPrintable(opened.error().message));
        QCOMPARE(states, (std::vector<State>{State::Connecting, State::Retrying}));
        QVERIFY(driver.status().retryIn > 0ns);
        QTRY_VERIFY(states.size() >= 6); // it goes on trying
    }

    void passwordIsAccepted() {
        RedisServerOptions options;
        options.password = QStringLiteral("p@ss:w%rd/#1");
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver driver(m_runtime, urlOf(server));
        QCOMPARE(call(driver, {"PING"}).value(), Reply::status("PONG"));
    }
    void loginsThatFail_data() {
        QTest::addColumn<QString>("user");
        QTest::addColumn<QString>("password");
        QTest::newRow("wrong password") << QString() << QStringLiteral("hunter2");
        QTest::newRow("no password") << QString() << QString();
        QTest::newRow("unknown user") << QStringLiteral("ann") << QStringLiteral("hunter2");
    }
    void loginsThatFail() {
        QFETCH(QString, user);
        QFETCH(QString, password);
        RedisServerOptions options;
        options.password = QStringLiteral("secret");
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        ConnectionUrl url = urlOf(server);
        url.user = user;
        url.password = password;
        RedisDriver driver(m_runtime, url);
        int changes = 0;
        driver.onStatus([&](const Status&) { ++changes; });
        const Result result = call(driver, {"PING"});
        QVERIFY(result.error().kind == Kind::AuthFailed);
        QVERIFY(!result.error().message.contains(QLatin1String("hunter2")));
        QVERIFY(driver.status().state == State::Failed);
        QCOMPARE(changes, 2); // connecting, failed: no use in trying again
        QVERIFY(call(driver, {"GET", "k"}).error().kind == Kind::AuthFailed);
    }
    void loginThatIsPutRightLater() {
        RedisServerOptions options;
        options.password = QStringLiteral("secret");
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        DriverOptions soonBack;
        soonBack.retryLongest = 100ms;
        RedisDriver driver(m_runtime, urlOf(server), soonBack), admin(m_runtime, urlOf(server));
        QVERIFY(run(driver.open()));
        QVERIFY(call(admin, {"CONFIG", "SET", "requirepass", "another"}));
        QVERIFY(call(admin, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}));
        QVERIFY(comesTrue([&] { return driver.status().state == State::Failed; }));
        QVERIFY(call(driver, {"GET", "k"}).error().kind == Kind::AuthFailed);
        QVERIFY(call(admin, {"CONFIG", "SET", "requirepass", "secret"}));
        QTRY_VERIFY(call(driver, {"GET", "k"})); // whoever asks again begins the next try
    }
    void serverWithoutRoomForNow() {
        RedisServerOptions options;
        options.password = QStringLiteral("secret");
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        RedisDriver driver(m_runtime, urlOf(server)), admin(m_runtime, urlOf(server));
        QVERIFY(run(driver.open()));
        QVERIFY(run(admin.open()));
        QVERIFY(call(admin, {"CONFIG", "SET", "maxclients", "1"}));
        int tries = 0;
        bool failed = false, told = false;
        driver.onStatus([&](const Status& status) {
            tries += status.state == State::Retrying ? 1 : 0;
            failed = failed || status.state == State::Failed;
            told = told || status.error.message.contains(QLatin1String("max number of clients"));
        });
        QVERIFY(call(admin, {"CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"}));
        QVERIFY(comesTrue([&] { return tries >= 3 || failed; }));
        QVERIFY2(!failed, qPrintable(driver.status().error.message));
        QVERIFY2(told, qPrintable(driver.status().error.message));
        QVERIFY(call(admin, {"CONFIG", "SET", "maxclients", "100"}));
        QTRY_VERIFY(call(driver, {"GET", "k"}));
    }
    void loginOfAnAclUser() {
        RedisServerOptions options;
        options.users = {
            {QStringLiteral("locker"), QStringLiteral("secret"), QStringLiteral("~lock:* +set +get +del")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("locker");
        url.password = QStringLiteral("secret");
        RedisDriver driver(m_runtime, url);
        QVERIFY(run(driver.open())); // may not even PING
        QVERIFY(call(driver, {"SET", "lock:a", "1"}));
        QCOMPARE(call(driver, {"SET", "other", "1"}).error().code, QByteArray("NOPERM"));
        const auto subscribed = run(driver.subscribe("news"));
        QCOMPARE(subscribed.error().code, QByteArray("NOPERM"));
    }

    void timeOutOfACommandThatStillRuns() {
        DriverOptions options;
        options.commandTimeout = 150ms;
        RedisDriver driver(m_runtime, urlOf(m_server), options);
        QVERIFY(call(driver, {"PING"}));
        m_server.pause();
        const Result first = call(driver, {"INCR", "n"});
        const Result second = call(driver, {"INCR", "n"});
        m_server.resume();
        for (const Result& result : {first, second}) {
            QVERIFY(result.error().kind == Kind::CommandTimeout);
            QVERIFY(result.error().outcomeUnknown());
            QVERIFY(result.error().message.contains(QLatin1String("INCR")));
        }
        // The late replies belong to the calls that gave up, not to this one.
        QCOMPARE(call(driver, {"GET", "n"}).value().text, QByteArray("2"));
        QVERIFY(driver.status().state == State::Connected);
    }
    void silentServerIsGivenUp() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        DriverOptions options;
        options.heartbeat = 50ms;
        options.silenceLimit = 100ms;
        options.connectTimeout = 200ms;
        RedisDriver driver(m_runtime, urlOf(server), options);
        QVERIFY(run(driver.open()));
        std::vector<Status> seen;
        driver.onStatus([&](const Status& status) { seen.push_back(status); });
        server.pause();
        QTRY_VERIFY(!seen.empty());
        QVERIFY(seen.front().state == State::Retrying);
        QVERIFY(seen.front().error.kind == Kind::Disconnected);
        server.resume();
        QTRY_VERIFY(driver.status().state == State::Connected);
    }
    void idleConnectionStaysWhenTheServerAnswers() {
        DriverOptions options;
        options.heartbeat = 20ms;
        options.silenceLimit = 2s;
        RedisDriver driver(m_runtime, urlOf(m_server), options);
        QVERIFY(run(driver.open()));
        const std::uint64_t before = driver.commandsSent();
        QTRY_VERIFY(driver.commandsSent() >= before + 5);
        QVERIFY(driver.status().state == State::Connected);
        QVERIFY(call(driver, {"PING"}));
    }

    void serverThatComesBack() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        RedisDriver driver(m_runtime, urlOf(server));
        QVERIFY(run(driver.open()));
        std::vector<Status> seen;
        driver.onStatus([&](const Status& status) { seen.push_back(status); });

        server.pause(); // so that the command is surely on its way when the server dies
        auto inFlight = driver.call({"INCR", "n"});
        server.kill();
        const Result lost = run(std::move(inFlight));
        QVERIFY(lost.error().kind == Kind::Disconnected);
        QVERIFY(lost.error().outcomeUnknown());
        QVERIFY(seen.front().state == State::Retrying);
        const QString words = seen.front().describe(driver.where());
        QVERIFY2(words.contains(driver.where()), qPrintable(words));

        QTRY_VERIFY(!server.running());
        VERIFY_STARTED(server);
        QTRY_VERIFY(driver.status().state == State::Connected);
        QCOMPARE(call(driver, {"GET", "n"}).value(), Reply::nil());
    }
    void callDuringAnOutageHearsOfTheNextTry() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        RedisDriver driver(m_runtime, urlOf(server));
        QVERIFY(run(driver.open()));
        run(server.stop());
        QTRY_VERIFY(driver.status().state == State::Retrying);
        // A command given now waits for the outcome of the next try: it was not sent, and that is known.
        const Result result = call(driver, {"INCR", "n"});
        QVERIFY(result.error().kind == Kind::Unreachable);
        QVERIFY(!result.error().outcomeUnknown());
    }
    void tooManyPendingAreRefused() {
        DriverOptions options;
        options.pendingLimit = 3;
        RedisDriver driver(m_runtime, urlOf(m_server), options);
        std::vector<QCoro::Task<Result>> tasks;
        for (int i = 0; i < 4; ++i)
            tasks.push_back(driver.call({"PING"}));
        QCOMPARE(run(std::move(tasks[3])).error().code, QByteArray("BUSY"));
        for (int i = 0; i < 3; ++i)
            QVERIFY(run(std::move(tasks[std::size_t(i)])));
        QVERIFY(call(driver, {"PING"}));
    }

private:
    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestRedisDriver)
#include "tst_redis_driver.moc"
