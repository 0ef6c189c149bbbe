// SPDX-License-Identifier: Apache-2.0
// A server that is full (maxmemory, nothing is thrown out): holders renew and give back all the same. A script is
// refused there when its first write is one that may need memory.
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;

class TestRedisFull : public QObject {
    Q_OBJECT
    redis::Result ask(redis::Args args) { return call(m_a->driver, std::move(args)); }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_a = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(ask({"FLUSHALL"}));
    }
    void cleanup() { QVERIFY(ask({"CONFIG", "SET", "maxmemory", "0"})); }

    void holdersGoOn_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("mode");
        for (const char* id : {"redis-set", "redis-reentrant", "redis-fenced", "redis-fair", "redis-rw"})
            QTest::newRow(id) << QByteArray(id) << Mode::Exclusive;
        QTest::newRow("redis-rw, readers") << QByteArray("redis-rw") << Mode::Shared;
        QTest::newRow("redis-semaphore") << QByteArray("redis-semaphore") << Mode::Permit;
    }
    void holdersGoOn() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        const auto recipe = m_a->recipe(id, "orders", 3);
        const bool twice = recipe->info().reentrant;
        std::optional<Grant> grant;
        for (int held = 0; held < (twice ? 2 : 1); ++held) {
            Request request = requestFor(*recipe, 0s);
            request.mode = mode;
            request.held = held;
            const auto taken = run(recipe->acquire(request, {}));
            VERIFY_OK(taken);
            QVERIFY(*taken);
            grant = **taken;
        }
        // The scripts are known there before it is full, as on a server that has been in use.
        const auto before = run(recipe->renew(*grant, {}));
        VERIFY_OK(before);
        QVERIFY(ask({"CONFIG", "SET", "maxmemory-policy", "noeviction"}));
        QVERIFY(ask({"CONFIG", "SET", "maxmemory", "1"}));
        const redis::Result full = ask({"SET", "data", "more"});
        QVERIFY(!full && full.error().code == "OOM");

        const auto renewed = run(recipe->renew(*grant, {}));
        VERIFY_OK(renewed);
        QVERIFY(*renewed);
        for (int left = twice ? 1 : 0; left >= 0; --left) {
            Grant mine = *grant;
            mine.holds = left + 1;
            const auto released = run(recipe->release(mine, {}));
            VERIFY_OK(released);
            QCOMPARE(*released, left);
        }
        QCOMPARE(run(recipe->isLocked({})).value_or(true), false);
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_a;
};

QTEST_GUILESS_MAIN(TestRedisFull)
#include "tst_redis_full.moc"
