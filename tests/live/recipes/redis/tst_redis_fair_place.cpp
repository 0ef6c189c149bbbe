// SPDX-License-Identifier: Apache-2.0
// The place in a fair lock's queue, when an answer of the server gets lost.
#include "recipe_bench.h"
#include "redis_relay.h"

using namespace lockscope;
using namespace lockscope::test;
using Taken = std::expected<std::optional<Grant>, LockError>;

namespace {
const QByteArray kName = "orders";
const QByteArray kQueue = "redisson_lock_queue:{orders}";

bool taken(const Taken& grant) {
    return grant.has_value() && grant->has_value();
}
} // namespace

class TestRedisFairPlace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_server = std::make_unique<sandbox::RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
        m_a = std::make_unique<Process>(m_runtime, *m_server);
        m_c = std::make_unique<Process>(m_runtime, *m_server);
        m_relay = std::make_unique<RedisRelay>(m_runtime, m_server->port());
        m_client = std::make_unique<EventLoopRuntime>();
        m_driver = std::make_unique<redis::RedisDriver>(*m_client, urlOf(m_relay->url()));
        m_b = recipes::makeRedisRecipe("redis-fair", {*m_driver, kName, "b"});
        m_lost = 0;
        m_tries = 0;
    }
    void cleanup() {
        m_b.reset();
        m_driver.reset();
    }

    void isKeptWhenTheAnswerToEnlistingIsLost() {
        const auto a = m_a->recipe("redis-fair", kName), c = m_c->recipe("redis-fair", kName);
        const Taken held = run(a->acquire(requestFor(*a, 0s), {}));
        QVERIFY(taken(held));
        loseNext("*2\r\n:0"); // not now
        const auto second = beside(m_b->acquire(requestFor(*m_b, 30s), {}));
        QVERIFY(comesTrue([&] { return isCut(); }));
        const auto third = beside(c->acquire(requestFor(*c, 30s), {}));
        QVERIFY(comesTrue([&] { return queue().size() == 2; }));
        m_client->resume();
        QVERIFY(comesTrue([&] { return m_tries > 0; })); // the next one was answered
        QVERIFY2(queue().front().startsWith("b:"), queue().join(' ').constData());
        QCOMPARE(queue().size(), 2);

        VERIFY_OK(run(a->release(**held, {})));
        QVERIFY(ends(second, 10s));
        QVERIFY(taken(*second->result));
        QVERIFY(!third->done);
        VERIFY_OK(run(m_b->release(***second->result, {})));
        QVERIFY(ends(third, 10s));
        QVERIFY(taken(*third->result));
    }

    void isKeptWhenTheAnswerThatGrantsIsLost() {
        const auto a = m_a->recipe("redis-fair", kName), c = m_c->recipe("redis-fair", kName);
        const Taken held = run(a->acquire(requestFor(*a, 0s), {}));
        QVERIFY(taken(held));
        const auto second = beside(m_b->acquire(requestFor(*m_b, 30s), {}));
        QVERIFY(comesTrue([&] { return queue().size() == 1; }));
        const auto third = beside(c->acquire(requestFor(*c, 30s), {}));
        QVERIFY(comesTrue([&] { return queue().size() == 2; }));
        loseNext("*3\r\n:1"); // granted
        VERIFY_OK(run(a->release(**held, {})));
        QVERIFY(comesTrue([&] { return isCut(); }));
        QCOMPARE(queue().size(), 1); // it has the lock, and does not know it
        m_client->resume();
        QVERIFY(comesTrue([&] { return second->done || third->done; }));
        QVERIFY2(second->done && !third->done, "somebody behind it was first");
        QVERIFY(taken(*second->result));
        QCOMPARE((**second->result)->holds, 1);
        const redis::Result holds = call(m_a->driver, {"HVALS", kName});
        QCOMPARE(holds->items.at(0).text, QByteArray("1"));
        VERIFY_OK(run(m_b->release(***second->result, {})));
        QVERIFY(ends(third, 10s));
        QVERIFY(taken(*third->result));
    }

    void isGivenUpWhenTheWaitIsOver() {
        const auto a = m_a->recipe("redis-fair", kName), c = m_c->recipe("redis-fair", kName);
        const Taken held = run(a->acquire(requestFor(*a, 0s), {}));
        QVERIFY(taken(held));
        std::stop_source stop;
        const auto second = beside(m_b->acquire(requestFor(*m_b, 30s), stop.get_token()));
        QVERIFY(comesTrue([&] { return queue().size() == 1; }));
        loseNext("*3\r\n:1");
        VERIFY_OK(run(a->release(**held, {})));
        QVERIFY(comesTrue([&] { return isCut(); }));
        stop.request_stop();
        m_client->resume();
        QVERIFY(ends(second, 10s));
        QVERIFY(second->cancelled == Cancelled::Why::Stopped);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

private:
    /// Loses the next answer to a try that begins like `answer`, and stops the client that wanted it.
    void loseNext(const QByteArray& answer) {
        m_relay->loses = [this, answer](const QByteArray& asked, const QByteArray& said) {
            if (!asked.contains("\r\ntake\r\n")) return false;
            if (m_lost == 1) ++m_tries;
            if (m_lost == 1 || !said.startsWith(answer)) return false;
            ++m_lost;
            m_connections = m_relay->connections;
            m_client->pause(); // until the test has looked; its sockets go on
            return true;
        };
    }
    /// It has lost one, and is connected again.
    bool isCut() const { return m_lost == 1 && m_relay->connections > m_connections && m_driver->connection() != 0; }
    QByteArrayList queue() {
        QByteArrayList waiters;
        const redis::Result list = call(m_a->driver, {"LRANGE", kQueue, "0", "-1"});
        for (const redis::Reply& waiter : list->items)
            waiters += waiter.text;
        return waiters;
    }

    EventLoopRuntime m_runtime;
    std::unique_ptr<sandbox::RedisServer> m_server;
    std::unique_ptr<Process> m_a, m_c;
    std::unique_ptr<RedisRelay> m_relay;
    std::unique_ptr<EventLoopRuntime> m_client;
    std::unique_ptr<redis::RedisDriver> m_driver;
    std::unique_ptr<recipes::Recipe> m_b;
    int m_lost = 0, m_tries = 0, m_connections = 0;
};

QTEST_GUILESS_MAIN(TestRedisFairPlace)
#include "tst_redis_fair_place.moc"
