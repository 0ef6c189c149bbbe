// SPDX-License-Identifier: Apache-2.0
#include "live_redis.h"

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using sandbox::RedisServer;

class TestRedisPubSub : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void messagesArriveInOrder() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto news = run(driver.subscribe("news"));
        QVERIFY(news);
        for (const char* text : {"1", "2", "3"})
            QVERIFY(call(driver, {"PUBLISH", "news", text}));
        for (const char* text : {"1", "2", "3"}) {
            const auto message = run((*news)->next(5s));
            QVERIFY(message.has_value());
            QCOMPARE(message->payload, QByteArray(text));
            QVERIFY(!message->gap);
        }
        QVERIFY(!run((*news)->next(1ms)));
    }
    void confirmedMeansCounted() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto news = run(driver.subscribe("confirmed"));
        QCOMPARE(subscribers(driver, "confirmed"), 1);
    }
    void manySubscriptionsOfAClientAreOneOnTheServer() {
        RedisDriver driver(m_runtime, urlOf(m_server)), other(m_runtime, urlOf(m_server));
        {
            auto first = run(driver.subscribe("c"));
            QVERIFY(first.has_value());
            auto second = run(driver.subscribe("c"));
            QVERIFY(second.has_value());
            QCOMPARE(subscribers(driver, "c"), 1);
            {
                auto third = run(other.subscribe("c"));
                QCOMPARE(subscribers(driver, "c"), 2);
            }
            QTRY_COMPARE(subscribers(driver, "c"), 1);
            QVERIFY(call(driver, {"PUBLISH", "c", "x"}));
            QCOMPARE(run((*first)->next(5s)).value().payload, QByteArray("x"));
            QCOMPARE(run((*second)->next(5s)).value().payload, QByteArray("x"));
        }
        QTRY_COMPARE(subscribers(driver, "c"), 0);
    }
    void oneOfTwoLeaves() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto stays = run(driver.subscribe("c"));
        QVERIFY(stays.has_value());
        { auto leaves = run(driver.subscribe("c")); }
        QVERIFY(call(driver, {"PUBLISH", "c", "x"}));
        QCOMPARE(run((*stays)->next(5s)).value().payload, QByteArray("x"));
    }
    void leftAndJoinedAgainAtOnce() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        for (int i = 0; i < 50; ++i) {
            auto subscription = run(driver.subscribe("again"));
            QVERIFY(subscription);
            QVERIFY(call(driver, {"PUBLISH", "again", QByteArray::number(i)}));
            QCOMPARE(run((*subscription)->next(5s)).value().payload, QByteArray::number(i));
        }
    }
    void joinedWhileOthersWaitForTheConfirmation() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto first = driver.subscribe("together");
        auto second = driver.subscribe("together");
        QVERIFY(run(std::move(first)));
        QVERIFY(run(std::move(second)));
    }
    void patterns() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto all = run(driver.subscribePattern("lock:*"));
        QVERIFY(all.has_value());
        auto one = run(driver.subscribe("lock:a"));
        QVERIFY(one.has_value());
        QVERIFY(call(driver, {"PUBLISH", "lock:a", "x"}));
        QVERIFY(call(driver, {"PUBLISH", "lock:b", "y"}));
        QCOMPARE(run((*all)->next(5s)).value().payload, QByteArray("x"));
        QCOMPARE(run((*all)->next(5s)).value().payload, QByteArray("y"));
        QCOMPARE(run((*one)->next(5s)).value().payload, QByteArray("x"));
        QVERIFY(!run((*one)->next(1ms)));
    }
    void binaryNamesAndPayloads() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        const QByteArray bytes("\0\r\n\xff", 4);
        auto subscription = run(driver.subscribe(bytes));
        QVERIFY(subscription.has_value());
        QVERIFY(call(driver, {"PUBLISH", bytes, bytes}));
        QCOMPARE(run((*subscription)->next(5s)).value().payload, bytes);
    }
    void floodEndsInAGapNotInMemory() {
        RedisDriver driver(m_runtime, urlOf(m_server));
        auto news = run(driver.subscribe("flood"));
        QVERIFY(news.has_value());
        auto marker = run(driver.subscribe("marker"));
        QVERIFY(marker.has_value());
        QVERIFY(call(driver, {"EVAL", "for i = 1, 6000 do redis.call('PUBLISH', 'flood', i) end", "0"}));
        QVERIFY(call(driver, {"PUBLISH", "marker", "x"}));
        QVERIFY(run((*marker)->next(10s)));
        QVERIFY(run((*news)->next(1s)).value().gap);
        int left = 0;
        while (run((*news)->next(1ms)))
            ++left;
        QVERIFY2(left < 4096, qPrintable(QString::number(left)));
    }

    void subscriptionsComeBackWithTheServer() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        RedisDriver driver(m_runtime, urlOf(server));
        auto news = run(driver.subscribe("news"));
        QVERIFY(news.has_value());
        auto pattern = run(driver.subscribePattern("n*"));
        QVERIFY(pattern.has_value());
        run(server.stop());
        VERIFY_STARTED(server);
        for (auto* subscription : {&*news, &*pattern}) {
            const auto gap = run((*subscription)->next(20s));
            QVERIFY(gap && gap->gap);
        }
        QCOMPARE(subscribers(driver, "news"), 1);
        QVERIFY(call(driver, {"PUBLISH", "news", "again"}));
        QCOMPARE(run((*news)->next(5s)).value().payload, QByteArray("again"));
        QCOMPARE(run((*pattern)->next(5s)).value().payload, QByteArray("again"));
    }
    void whoMayNotListenAnyMoreIsTold() {
        sandbox::RedisServerOptions options;
        options.users = {{QStringLiteral("listener"), QStringLiteral("secret"), QStringLiteral("~* &* +@all")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("listener");
        url.password = QStringLiteral("secret");
        DriverOptions soonBack;
        soonBack.retryLongest = 100ms;
        RedisDriver driver(m_runtime, url, soonBack), admin(m_runtime, urlOf(server));
        auto news = run(driver.subscribe("news"));
        QVERIFY(news);
        QVERIFY(call(admin, {"ACL", "SETUSER", "listener", "resetchannels"})); // ends the connection, too
        // There is nobody else to say so, however often it is tried in vain.
        for (int times = 0; times < 3; ++times) {
            const auto gap = run((*news)->next(10s));
            QVERIFY(gap && gap->gap);
        }
        const auto another = run(driver.subscribe("news"));
        QVERIFY(!another);
        QCOMPARE(another.error().code, QByteArray("NOPERM"));
        QVERIFY(call(admin, {"ACL", "SETUSER", "listener", "allchannels"}));
        QVERIFY(comesTrue([&] { return subscribers(admin, "news") == 1; }));
        QVERIFY(call(admin, {"PUBLISH", "news", "again"}));
        auto message = run((*news)->next(10s));
        while (message && message->gap)
            message = run((*news)->next(10s));
        QVERIFY(message);
        QCOMPARE(message->payload, QByteArray("again"));
    }
    void whoseLoginEndsIsTold() {
        sandbox::RedisServerOptions options;
        options.users = {{QStringLiteral("listener"), QStringLiteral("secret"), QStringLiteral("~* &* +@all")}};
        RedisServer server(m_runtime, options);
        VERIFY_STARTED(server);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("listener");
        url.password = QStringLiteral("secret");
        DriverOptions soonBack;
        soonBack.retryLongest = 100ms;
        RedisDriver driver(m_runtime, url, soonBack), admin(m_runtime, urlOf(server));
        auto news = run(driver.subscribe("news"));
        QVERIFY(news);
        QVERIFY(call(admin, {"ACL", "SETUSER", "listener", "off"}));
        QVERIFY(call(admin, {"CLIENT", "KILL", "TYPE", "pubsub"}));
        const auto gap = run((*news)->next(10s));
        QVERIFY(gap && gap->gap);
        QVERIFY(call(admin, {"ACL", "SETUSER", "listener", "on"}));
        QVERIFY(comesTrue([&] { return subscribers(admin, "news") == 1; }));
    }
    void subscribeSaysThatNobodyListens() {
        ConnectionUrl url = urlOf(m_server);
        url.endpoints[0].port = sandbox::freePort(m_runtime).value();
        RedisDriver driver(m_runtime, url);
        const auto answer = run(driver.subscribe("news"));
        QVERIFY(!answer);
        QVERIFY(answer.error().kind == Error::Kind::Unreachable);
    }
    void subscribeTimesOut() {
        DriverOptions options;
        options.commandTimeout = 100ms;
        RedisDriver driver(m_runtime, urlOf(m_server), options);
        auto first = run(driver.subscribe("a"));
        QVERIFY(first);
        m_server.pause();
        const auto answer = run(driver.subscribe("b"));
        m_server.resume();
        QVERIFY(answer.error().kind == Error::Kind::Unreachable); // and not unknown: it would have changed nothing
        QTRY_COMPARE(subscribers(driver, "b"), 0);                // what nobody waits for is not kept
        QVERIFY(run(driver.subscribe("b")));
    }

private:
    static int subscribers(RedisDriver& driver, const QByteArray& channel) {
        const Result counts = call(driver, {"PUBSUB", "NUMSUB", channel});
        return counts ? int(counts->items.at(1).integer) : -1;
    }
    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestRedisPubSub)
#include "tst_redis_pubsub.moc"
