// SPDX-License-Identifier: Apache-2.0
#include "live_redis.h"

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using sandbox::RedisServer;
using Why = Cancelled::Why;

namespace {

// Not written in place: GCC 12 can not build a list inside a coroutine's await.
Args increment() {
    return {"INCR", "n"};
}

/// How a call that is stopped, killed or left alone ended.
struct HowItEnded {
    std::optional<Why> cancelled;
    std::optional<Result> result;
    bool done = false;
};

QCoro::Task<> watch(QCoro::Task<Result> task, HowItEnded& ending) {
    try {
        ending.result = co_await std::move(task);
    } catch (const Cancelled& cancelled) {
        ending.cancelled = cancelled.why();
    }
    ending.done = true;
}

} // namespace

class TestRedisCancellation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() { m_server.resume(); }

    void stopWhileAReplyIsDue() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(call(driver, {"SET", "n", "0"}));
        m_server.pause();
        std::stop_source stop;
        auto stopped = driver.call({"INCR", "n"}, stop.get_token());
        auto other = driver.call({"INCR", "n"});
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(stopped))), std::optional(Why::Stopped));
        m_server.resume();
        // The reply to the stopped call came first and was thrown away; the next one has its own.
        QCOMPARE(run(std::move(other)).value().integer, 2);
    }
    void stopBeforeTheCallSendsNothing() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(call(driver, {"SET", "n", "0"}));
        const std::uint64_t sent = driver.commandsSent();
        std::stop_source stop;
        stop.request_stop();
        QCOMPARE(run(howCancelled(driver.call({"INCR", "n"}, stop.get_token()))), std::optional(Why::Stopped));
        QCOMPARE(driver.commandsSent(), sent);
    }
    void stopBeforeTheConnectionSendsNothing() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        RedisDriver driver(m_runtime, urlOf(server));
        std::stop_source stop;
        auto stopped = driver.call({"SET", "k", "1"}, stop.get_token());
        auto other = driver.call({"GET", "k"});
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(stopped))), std::optional(Why::Stopped));
        QVERIFY(run(std::move(other)).value().isNil());
    }
    void stopWhileSubscribing() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto kept = run(driver.subscribe("kept"));
        QVERIFY(kept.has_value());
        m_server.pause();
        std::stop_source stop;
        auto subscribing = driver.subscribe("c", stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(subscribing))), std::optional(Why::Stopped));
        m_server.resume();
        QTRY_COMPARE(call(driver, {"PUBSUB", "NUMSUB", "c"}).value().items.at(1).integer, 0);
        QVERIFY(call(driver, {"PUBLISH", "kept", "x"}));
        QCOMPARE(run((*kept)->next(5s)).value().payload, QByteArray("x"));
    }
    void stopWhileWaitingForAMessage() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto news = run(driver.subscribe("news"));
        QVERIFY(news.has_value());
        std::stop_source stop;
        auto waiting = (*news)->next(kNever, stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(waiting))), std::optional(Why::Stopped));
        QVERIFY(call(driver, {"PUBLISH", "news", "x"}));
        QCOMPARE(run((*news)->next(5s)).value().payload, QByteArray("x")); // still usable
    }
    void stopDuringEval() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        QVERIFY(call(driver, {"PING"}));
        m_server.pause();
        std::stop_source stop;
        const Script script("one", "return 1");
        auto evaluating = driver.eval(script, {}, {}, stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(evaluating))), std::optional(Why::Stopped));
    }

    void killEndsEverythingThatWaits() {
        HowItEnded reply, message, subscribing;
        m_server.pause();
        {
            EventLoopRuntime client;
            RedisDriver driver(client, urlOf(m_server));
            m_server.resume();
            auto news = run(driver.subscribe("news"));
            QVERIFY(news.has_value());
            QVERIFY(call(driver, {"PING"}));
            m_server.pause();
            client.spawn([&]() -> QCoro::Task<> { co_await watch(driver.call(increment()), reply); });
            client.spawn([&]() -> QCoro::Task<> {
                message.cancelled = co_await howCancelled((*news)->next(kNever));
                message.done = true;
            });
            client.spawn([&]() -> QCoro::Task<> {
                subscribing.cancelled = co_await howCancelled(driver.subscribe("more"));
                subscribing.done = true;
            });
            QVERIFY(!reply.done && !message.done && !subscribing.done);
            client.kill();
            for (const HowItEnded* ending : {&reply, &message, &subscribing}) {
                QVERIFY(ending->done);
                QCOMPARE(ending->cancelled, std::optional(Why::Killed));
            }
            QCOMPARE(run(howCancelled(driver.call({"PING"}))), std::optional(Why::Killed));
        }
        m_server.resume();
    }
    void pausedClientHearsOfItsReplyWhenResumed() {
        EventLoopRuntime client;
        RedisDriver driver(client, urlOf(m_server));
        RedisDriver other(m_runtime, urlOf(m_server));
        QVERIFY(call(driver, {"SET", "n", "0"}));
        HowItEnded ending;
        auto watching = watch(driver.call({"INCR", "n"}), ending);
        client.pause();
        QTRY_COMPARE(call(other, {"GET", "n"}).value().text, QByteArray("1")); // it ran on the server
        for (int i = 0; i < 20; ++i)
            QVERIFY(call(other, {"PING"})); // and the reply is long here
        QVERIFY(!ending.done);
        client.resume();
        QTRY_VERIFY(ending.done);
        QCOMPARE((*ending.result)->integer, 1);
    }

    void driverThatGoesAwayEndsItsCalls() {
        auto driver = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
        QVERIFY(call(*driver, {"PING"}));
        auto news = run(driver->subscribe("news"));
        QVERIFY(news.has_value());
        m_server.pause();
        auto reply = driver->call({"INCR", "n"});
        const Script script("one", "return 1");
        auto evaluating = driver->eval(script, {}, {});
        auto subscribing = driver->subscribe("more");
        auto waiting = (*news)->next(kNever);
        driver.reset();
        QVERIFY(run(std::move(reply)).error().kind == Error::Kind::Disconnected);
        QVERIFY(run(std::move(evaluating)).error().kind == Error::Kind::Disconnected);
        QVERIFY(run(std::move(subscribing)).error().kind == Error::Kind::Disconnected);
        QVERIFY(run(std::move(waiting)).value().gap);
        QVERIFY(!run((*news)->next(1ms)));
    }
    void driverThatGoesAwayWhileConnecting() {
        auto driver = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
        auto reply = driver->call({"PING"});
        driver.reset();
        QVERIFY(run(std::move(reply)).error().kind == Error::Kind::Disconnected);
    }
    void driverThatGoesAwayBetweenTries() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        auto driver = std::make_unique<RedisDriver>(m_runtime, url);
        QVERIFY(!run(driver->open()));
        auto reply = driver->call({"PING"});
        driver.reset();
        QVERIFY(run(std::move(reply)).error().kind == Error::Kind::Disconnected);
    }
    void driverThatGoesAwayWithRepliesUnread() {
        for (int round = 0; round < 20; ++round) {
            auto driver = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server));
            QVERIFY(call(*driver, {"PING"}));
            std::vector<QCoro::Task<Result>> tasks;
            for (int i = 0; i < 50; ++i)
                tasks.push_back(driver->call({"INCR", "n"}));
            QVERIFY(run(std::move(tasks[std::size_t(round)])));
            driver.reset();
            QVERIFY(run(howCancelled(std::move(tasks.back()))) == std::nullopt);
        }
    }
    void callsThatAreForgottenDoNoHarm() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        for (int i = 0; i < 10; ++i)
            (void)driver.call({"INCR", "n"});
        QVERIFY(call(driver, {"PING"}));
    }

private:
    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestRedisCancellation)
#include "tst_redis_cancellation.moc"
