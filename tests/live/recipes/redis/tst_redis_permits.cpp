// SPDX-License-Identifier: Apache-2.0
// How many permits there are in all: said by everybody who takes one, and by other libraries' clients as well.
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
bool taken(const std::expected<std::optional<Grant>, LockError>& grant) {
    return grant.has_value() && grant->has_value();
}
} // namespace

class TestRedisPermits : public QObject {
    Q_OBJECT

    redis::Result ask(redis::Args args) { return call(m_process->driver, std::move(args)); }
    QByteArray text(const QByteArray& key) { return ask({"GET", key}).value().text; }
    std::unique_ptr<recipes::Recipe> pool(int permits) { return m_process->recipe("redis-semaphore", "pool", permits); }
    std::expected<std::optional<Grant>, LockError> tryOne(recipes::Recipe& recipe, Nanos wait = 0s) {
        return run(recipe.acquire(requestFor(recipe, wait), {}));
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_process = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(ask({"FLUSHALL"}));
    }

    void whileNoneIsTakenTheNumberIsSetAnew() {
        const auto three = pool(3), one = pool(1), four = pool(4);
        const auto first = tryOne(*three);
        QVERIFY(taken(first));
        QVERIFY(run(three->release(**first, {})).has_value());

        const auto only = tryOne(*one);
        QVERIFY(taken(only));
        QCOMPARE(text("pool"), "0");
        const auto second = tryOne(*pool(1));
        QVERIFY2(second.has_value() && !*second, "one permit is one permit");
        QVERIFY(run(one->release(**only, {})).has_value());
        QCOMPARE(text("pool"), "1");

        QVERIFY(taken(tryOne(*four)));
        QCOMPARE(text("pool"), "3");
    }

    void whileSomeAreTakenAnotherNumberIsRefused() {
        const auto three = pool(3);
        const auto grant = tryOne(*three);
        QVERIFY(taken(grant));
        for (const Nanos wait : {Nanos(0), Nanos(20s)}) { // nobody waits for what may never come
            const auto refused = tryOne(*pool(1), wait);
            QVERIFY(!refused);
            QCOMPARE(lockErrorId(refused.error().kind), lockErrorId(LockError::Kind::Refused));
            QVERIFY2(refused.error().message.contains(QStringLiteral("“pool” has 3 permits in all, not 1")),
                     qPrintable(refused.error().message));
        }
        QCOMPARE(text("pool"), "2");
        QVERIFY(run(three->release(**grant, {})).has_value());
        QVERIFY(taken(tryOne(*pool(1))));
    }

    void whoEndsWithoutReleasingIsNoObstacle() {
        const auto three = pool(3);
        Request brief = requestFor(*three, 0s, 1ms);
        brief.permits = 2;
        QVERIFY(taken(run(three->acquire(brief, {}))));
        bool done = false;
        QTRY_VERIFY(done = done || taken(tryOne(*pool(1))));
        QCOMPARE(text("pool"), "0");
    }

    void theTtlOfTheCounterStays() {
        const auto three = pool(3);
        const auto grant = tryOne(*three);
        QVERIFY(taken(grant));
        QVERIFY(run(three->release(**grant, {})).has_value());
        QCOMPARE(ask({"PEXPIRE", "pool", "50000"}).value().integer, 1);
        QVERIFY(taken(tryOne(*pool(2))));
        QVERIFY(ask({"PTTL", "pool"}).value().integer > 0);
        QVERIFY(ask({"PTTL", "{pool}:timeout"}).value().integer > 0);
    }

    void whatCountsSomethingElseIsLeftAlone() {
        QVERIFY(ask({"SET", "pool", "12345"}));
        const auto refused = tryOne(*pool(1), 20s);
        QVERIFY(!refused);
        QCOMPARE(lockErrorId(refused.error().kind), lockErrorId(LockError::Kind::ForeignFormat));
        QVERIFY2(refused.error().message.contains(QLatin1String("12345 permits instead of 1")),
                 qPrintable(refused.error().message));
        QCOMPARE(text("pool"), "12345");
        QCOMPARE(ask({"DBSIZE"}).value().integer, 1);
        // One of ours, which something else has counted up since.
        QVERIFY(ask({"SET", "lockscope_permits:{pool}", "3"}));
        QVERIFY(!tryOne(*pool(3)));
        QCOMPARE(text("pool"), "12345");
    }

    void redissonsPermitsAreTakenByItsNumber() {
        QVERIFY(ask({"SET", "pool", "3"})); // trySetPermits(3)
        QVERIFY(!tryOne(*pool(1)));
        const auto three = pool(3);
        const auto ours = tryOne(*three);
        QVERIFY(taken(ours));
        QVERIFY(run(three->release(**ours, {})).has_value());
        QVERIFY(!tryOne(*pool(1))); // it is Redisson's still
        QCOMPARE(text("pool"), "3");

        // One of its clients takes one for ever.
        QCOMPARE(ask({"DECRBY", "pool", "1"}).value().integer, 2);
        QCOMPARE(ask({"ZADD", "{pool}:timeout", "922337203685477", "0123456789abcdef"}).value().integer, 1);
        const auto refused = tryOne(*pool(2));
        QVERIFY(!refused && refused.error().kind == LockError::Kind::Refused);
        QVERIFY(taken(tryOne(*pool(3))));
        QCOMPARE(text("pool"), "1");
        QCOMPARE(ask({"INCRBY", "pool", "2"}).value().integer, 3); // addPermits(2)
        QVERIFY(taken(tryOne(*pool(5))));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_process;
};

QTEST_GUILESS_MAIN(TestRedisPermits)
#include "tst_redis_permits.moc"
