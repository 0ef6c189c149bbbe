// SPDX-License-Identifier: Apache-2.0
// Sessions: subscriptions and their pushes, transactions, and what goes when a session goes.
#include "engine_on_a_clock.h"

using namespace lockscope::sim_test;

namespace {

QByteArray text(const std::vector<RedisEngine::Push>& pushes) {
    QByteArray all;
    for (const auto& push : pushes)
        all += QByteArray::number(push.to) + ':' + push.pattern + ':' + push.channel + ':' + push.payload + ' ';
    return all;
}

Reply confirmation(const char* kind, const Reply& channel, int count) {
    return Reply::array({bulk(kind), channel, number(count)});
}

} // namespace

class tst_redis_sessions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void pushesComeInTheOrderOfSubscriptionAndBeforeTheReply() {
        EngineOnAClock t;
        const auto a = t.engine.connect(), b = t.engine.connect(), c = t.engine.connect();
        QCOMPARE(t.runAs(c, "SUBSCRIBE ch"), confirmation("subscribe", bulk("ch"), 1));
        t.runAs(a, "SUBSCRIBE ch");
        t.runAs(b, "PSUBSCRIBE c*");
        t.runAs(a, "PSUBSCRIBE ?h");
        t.runAs(c, "UNSUBSCRIBE ch");
        t.runAs(c, "SUBSCRIBE ch");
        QCOMPARE(t.run("PUBLISH ch hello"), number(4));
        QCOMPARE(text(t.pushes), QByteArray("2::ch:hello 4::ch:hello 3:c*:ch:hello 2:?h:ch:hello "));
        t.pushes.clear();
        QCOMPARE(t.run("PUBLISH other hello"), number(0));
        QVERIFY(t.pushes.empty());
    }

    void scriptsPublishToo() {
        EngineOnAClock t;
        t.runAs(t.engine.connect(), "SUBSCRIBE ch");
        QCOMPARE(t.eval("return redis.call('publish', 'ch', '0')"), number(1));
        QCOMPARE(text(t.pushes), QByteArray("2::ch:0 "));
    }

    void subscriptionsAreCountedAndConfirmed() {
        EngineOnAClock t;
        QCOMPARE(t.run("SUBSCRIBE a b"),
                 Reply::array({confirmation("subscribe", bulk("a"), 1), confirmation("subscribe", bulk("b"), 2)}));
        QCOMPARE(t.run("SUBSCRIBE a"), confirmation("subscribe", bulk("a"), 2));
        QCOMPARE(t.run("PSUBSCRIBE p*"), confirmation("psubscribe", bulk("p*"), 3));
        const auto other = t.engine.connect();
        QCOMPARE(t.runAs(other, "PUBSUB NUMSUB a z"), Reply::array({bulk("a"), number(1), bulk("z"), number(0)}));
        QCOMPARE(t.runAs(other, "PUBSUB CHANNELS"), Reply::array({bulk("a"), bulk("b")}));
        QCOMPARE(t.runAs(other, "PUBSUB NUMPAT"), number(1));
        QVERIFY(t.run("GET a").text.startsWith("ERR Can't execute 'get'"));
        QCOMPARE(t.run("PING"), Reply::array({bulk("pong"), bulk("")}));
        QCOMPARE(t.run("PUNSUBSCRIBE"), confirmation("punsubscribe", bulk("p*"), 2));
        QCOMPARE(t.run("UNSUBSCRIBE").items.size(), std::size_t(2));
        QCOMPARE(t.run("UNSUBSCRIBE"), confirmation("unsubscribe", Reply::nil(), 0));
        QCOMPARE(t.run("GET a"), Reply::nil());
    }

    void whatASubscriberDoesWhileItHearsChangesNothingForTheOthers() {
        EngineOnAClock t;
        const auto a = t.engine.connect(), b = t.engine.connect();
        t.runAs(a, "SUBSCRIBE ch");
        t.runAs(b, "SUBSCRIBE ch");
        int heard = 0;
        t.engine.onPush = [&](const RedisEngine::Push& push) {
            ++heard;
            t.engine.execute(push.to, {"UNSUBSCRIBE", "ch"});
        };
        QCOMPARE(t.run("PUBLISH ch x"), number(2));
        QCOMPARE(heard, 2);
        QCOMPARE(t.run("PUBLISH ch x"), number(0));
    }

    void whoLeftWhileAMessageIsOnItsWayHearsNothing() {
        EngineOnAClock t;
        const auto a = t.engine.connect(), b = t.engine.connect();
        t.runAs(a, "SUBSCRIBE ch");
        t.runAs(b, "SUBSCRIBE ch");
        std::vector<RedisEngine::SessionId> heard;
        t.engine.onPush = [&](const RedisEngine::Push& push) {
            heard.push_back(push.to);
            t.engine.disconnect(b);
        };
        t.run("PUBLISH ch x");
        QCOMPARE(heard, (std::vector<RedisEngine::SessionId>{a}));
    }

    void aTransactionRunsAsOneAndNothingBefore() {
        EngineOnAClock t;
        QCOMPARE(t.run("MULTI"), ok());
        QCOMPARE(t.run("SET a 1"), Reply::status("QUEUED"));
        QCOMPARE(t.run("LPUSH a x"), Reply::status("QUEUED"));
        const auto other = t.engine.connect();
        QCOMPARE(t.runAs(other, "GET a"), Reply::nil());
        const Reply reply = t.run("EXEC");
        QCOMPARE(reply.items.size(), std::size_t(2));
        QCOMPARE(reply.items[0], ok());
        QVERIFY(reply.items[1].text.startsWith("WRONGTYPE"));
        t.run("MULTI");
        t.run("NOSUCH");
        t.run("DEL a");
        QCOMPARE(t.run("EXEC"), Reply::error("EXECABORT Transaction discarded because of previous errors."));
        QCOMPARE(t.run("GET a"), bulk("1"));
    }

    void aWatchedKeyThatChangesStopsTheTransaction_data() {
        QTest::addColumn<QByteArray>("meanwhile");
        QTest::addColumn<int>("passMs");
        QTest::addColumn<bool>("runs");
        QTest::newRow("nothing") << QByteArray("GET k") << 0 << true;
        QTest::newRow("another key") << QByteArray("SET other 1") << 0 << true;
        QTest::newRow("set") << QByteArray("SET k 1") << 0 << false;
        QTest::newRow("deadline") << QByteArray("EXPIRE k 100") << 0 << false;
        QTest::newRow("flush") << QByteArray("FLUSHALL") << 0 << false;
        QTest::newRow("expiry") << QByteArray("PING") << 11 << false;
    }
    void aWatchedKeyThatChangesStopsTheTransaction() {
        QFETCH(QByteArray, meanwhile);
        QFETCH(int, passMs);
        QFETCH(bool, runs);
        EngineOnAClock t;
        const auto other = t.engine.connect();
        t.run("SET k 0 PX 10");
        t.run("WATCH k");
        t.runAs(other, meanwhile);
        t.passMs(passMs);
        t.run("MULTI");
        t.run("SET done 1");
        QCOMPARE(t.run("EXEC").isNil(), !runs);
        QCOMPARE(t.run("EXISTS done"), number(runs));
        // A watch ends with its transaction.
        t.runAs(other, "SET k 5");
        t.run("MULTI");
        QCOMPARE(t.run("EXEC"), Reply::array({}));
    }

    void aSessionTakesItsStateAlong() {
        EngineOnAClock t;
        const auto a = t.engine.connect();
        t.runAs(a, "SUBSCRIBE x y");
        t.runAs(a, "PSUBSCRIBE p*");
        const auto b = t.engine.connect();
        t.runAs(b, "SELECT 4");
        t.runAs(b, "CLIENT SETNAME bob");
        t.runAs(b, "WATCH k");
        t.runAs(b, "MULTI");
        t.runAs(b, "SET k 1");
        t.engine.disconnect(a);
        t.engine.disconnect(b);
        QCOMPARE(t.run("PUBSUB CHANNELS"), Reply::array({}));
        QCOMPARE(t.run("PUBSUB NUMPAT"), number(0));
        QCOMPARE(t.run("PUBLISH x 1"), number(0));
        QCOMPARE(t.run("SET k 2"), ok());
        const auto c = t.engine.connect();
        QVERIFY(c != a && c != b);
        QCOMPARE(t.runAs(c, "CLIENT GETNAME"), Reply::nil());
        QCOMPARE(t.runAs(c, "EXISTS k"), number(1));
        QVERIFY(t.engine.execute(a, {"PING"}).isError());
    }
};

QTEST_GUILESS_MAIN(tst_redis_sessions)
#include "tst_redis_sessions.moc"
