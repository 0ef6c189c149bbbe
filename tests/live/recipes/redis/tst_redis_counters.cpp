// SPDX-License-Identifier: Apache-2.0
// Counters of fencing tokens: where they begin, and when they end.
#include "recipe_bench.h"
#include "recipes/token_start.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
constexpr std::int64_t kCounterLifeMs = recipes::kTokenCounterLife / 1ms;
bool about(std::int64_t ms, std::int64_t wanted) {
    return ms <= wanted && ms > wanted - 2000;
}
bool taken(const std::expected<std::optional<Grant>, LockError>& grant) {
    return grant.has_value() && grant->has_value();
}
} // namespace

class TestRedisCounters : public QObject {
    Q_OBJECT

    redis::Result ask(redis::Args args) { return call(m_process->driver, std::move(args)); }
    std::int64_t pttl(const QByteArray& key) { return ask({"PTTL", key}).value().integer; }
    std::int64_t serverMs() {
        const redis::Result time = ask({"TIME"});
        return time->items[0].text.toLongLong() * 1000 + time->items[1].text.toLongLong() / 1000;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_process = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(ask({"FLUSHALL"}));
    }

    void countersBeginAtTheServersClockAndEnd_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("counter");
        QTest::newRow("redis-set") << QByteArray("redis-set") << QByteArray("lockscope_token:{orders}");
        QTest::newRow("redis-reentrant") << QByteArray("redis-reentrant") << QByteArray("redisson_lock_token:{orders}");
        QTest::newRow("redis-fenced") << QByteArray("redis-fenced") << QByteArray("redisson_lock_token:{orders}");
    }
    void countersBeginAtTheServersClockAndEnd() {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, counter);
        const auto recipe = m_process->recipe(id, "orders");
        const auto once = [&] {
            Request request = requestFor(*recipe, 0s);
            request.token = true;
            const auto grant = run(recipe->acquire(request, {}));
            if (!taken(grant)) return std::int64_t(-1);
            return run(recipe->release(**grant, {})) ? (*grant)->token : -1;
        };
        const std::int64_t before = recipes::tokenStart(serverMs() / 1000);
        const std::int64_t first = once();
        QVERIFY2(first > before && first <= recipes::tokenStart(serverMs() / 1000 + 1), QByteArray::number(first));
        QVERIFY(about(pttl(counter), kCounterLifeMs));
        QCOMPARE(once(), first + 1);

        // Each use keeps it.
        QVERIFY(ask({"PEXPIRE", counter, "60000"}));
        QCOMPARE(once(), first + 2);
        QVERIFY(about(pttl(counter), kCounterLifeMs));

        // All data are lost: tokens grow all the same.
        QVERIFY(ask({"FLUSHALL"}));
        QVERIFY(once() > first + 2);

        // One without an end is another library's, whose users may count on it: it goes on as it is.
        QVERIFY(ask({"SET", counter, "41"}));
        QCOMPARE(once(), 42);
        QCOMPARE(pttl(counter), -1);
    }

    /// A semaphore's counter and the number of its permits, as a counter of tokens.
    void aSemaphoreThatNobodyUsesEnds() {
        const auto pool = m_process->recipe("redis-semaphore", "pool", 2);
        Request request = requestFor(*pool, 0s);
        const auto grant = run(pool->acquire(request, {}));
        QVERIFY(taken(grant));
        const redis::Result keys = ask({"KEYS", "*"});
        QCOMPARE(keys->items.size(), std::size_t(3));
        for (const redis::Reply& key : keys->items)
            QVERIFY2(about(pttl(key.text), kCounterLifeMs), key.text);
        // No key may end before a permit that is renewed.
        for (const redis::Reply& key : keys->items)
            QVERIFY(ask({"PEXPIRE", key.text, QByteArray::number(qlonglong(kCounterLifeMs - 7'200'000))}));
        const auto renewed = run(pool->renew(**grant, {}));
        QVERIFY(renewed && *renewed);
        int full = 0;
        for (const redis::Reply& key : keys->items)
            full += about(pttl(key.text), kCounterLifeMs);
        QCOMPARE(full, 1); // of the permits that are taken
        QVERIFY(run(pool->release(**grant, {})));
        const auto again = run(pool->acquire(request, {}));
        QVERIFY(taken(again));
        for (const redis::Reply& key : keys->items)
            QVERIFY2(about(pttl(key.text), kCounterLifeMs), key.text);
        QVERIFY(run(pool->release(**again, {})));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_process;
};

QTEST_GUILESS_MAIN(TestRedisCounters)
#include "tst_redis_counters.moc"
