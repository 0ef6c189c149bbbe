// SPDX-License-Identifier: Apache-2.0
// Two lock objects of one thread hold one lock, each with a lease of its own.
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;

class TestRedisOwnLeases : public QObject {
    Q_OBJECT
    Grant take(recipes::Recipe& recipe, Mode mode, Nanos lease, int held) {
        Request request = requestFor(recipe, 0s, lease);
        request.mode = mode;
        request.held = held;
        const auto grant = run(recipe.acquire(request, {}));
        if (grant && *grant) return **grant;
        QTest::qFail(grant ? "not taken" : qPrintable(grant.error().message), __FILE__, __LINE__);
        return {};
    }
    qint64 left(const QByteArray& key) { return call(m_client->driver, {"PTTL", key}).value().integer; }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_client = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(call(m_client->driver, {"FLUSHALL"}));
    }

    /// Nothing renews the longer one, and its holder counts on all of it.
    void theShorterOneDoesNotEndTheLonger_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("mode");
        QTest::addColumn<int>("seconds");
        QTest::newRow("reentrant") << QByteArray("redis-reentrant") << Mode::Exclusive << 20;
        QTest::newRow("fenced") << QByteArray("redis-fenced") << Mode::Exclusive << 20;
        QTest::newRow("fair") << QByteArray("redis-fair") << Mode::Exclusive << 20;
        QTest::newRow("writer") << QByteArray("redis-rw") << Mode::Exclusive << 30; // a re-entry adds, as Redisson's
        QTest::newRow("reader") << QByteArray("redis-rw") << Mode::Shared << 20;
    }
    void theShorterOneDoesNotEndTheLonger() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        QFETCH(int, seconds);
        const auto one = m_client->recipe(id, "orders"), other = m_client->recipe(id, "orders");
        const Grant longer = take(*one, mode, 20s, 0), shorter = take(*other, mode, 10s, 1);
        const QByteArray hold = "{orders}:" + m_client->uuid + ":1:rwlock_timeout:1";
        const auto lives = [&] {
            const qint64 least = (seconds - 2) * 1000;
            return left("orders") > least && (mode == Mode::Exclusive || left(hold) > least);
        };
        QVERIFY2(lives(), qPrintable(QString::number(left("orders"))));
        QVERIFY(run(other->renew(shorter, {})).value_or(false));
        QVERIFY2(lives(), qPrintable(QString::number(left("orders"))));
        QCOMPARE(run(other->release(shorter, {})).value_or(-1), 1);
        QVERIFY2(lives(), qPrintable(QString::number(left("orders"))));
        QCOMPARE(run(one->release(longer, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_client->driver), QStringList());
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_client;
};

QTEST_GUILESS_MAIN(TestRedisOwnLeases)
#include "tst_redis_own_leases.moc"
