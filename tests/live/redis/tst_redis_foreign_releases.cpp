// SPDX-License-Identifier: Apache-2.0
#include "drivers/dial.h"
#include "inspect/releaser.h"
#include "restricted_redis.h"

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

/// Locks in layouts that no recipe of ours has, taken away from their holders by force: only as they were seen.
class TestRedisForeignReleases : public WatchedRedis {
    Q_OBJECT
    /// Frees the lock; its commands name all of `words`.
    Freed freed(const LockRow& seen, const QByteArrayList& words) {
        const auto releaser = makeReleaser(m_runtime, urlOf(m_server), realDiallers());
        const auto lines = (*releaser)->commands(seen);
        if (!lines) QTest::qFail(qPrintable(lines.error()), __FILE__, __LINE__);
        for (const QByteArray& word : words)
            if (lines && !lines->join('\n').contains(word)) QTest::qFail(word.constData(), __FILE__, __LINE__);
        const auto result = run((*releaser)->free(seen));
        if (!result) QTest::qFail(qPrintable(result.error()), __FILE__, __LINE__);
        return result.value_or(Freed::NotAsSeen);
    }
    void takeValue(const QByteArray& value, const QByteArray& owner) {
        QVERIFY(call(*m_client, {"HSET", "group", value, owner, value + ':' + owner + ":expire_time", kFarAway,
                                 value + ':' + owner + ":lock_count", "1"}));
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

    void onePartOfAFastMultiLock() {
        takeValue("v1", owner(kA, 1));
        takeValue("v2", owner(kB, 2));
        const LockReport report = lookOnce();
        QVERIFY(rowOf(report, "group:v1"));
        const LockRow seen = *rowOf(report, "group:v1");
        // Another owner by now.
        QVERIFY(call(*m_client, {"HDEL", "group", "v1", "v1:" + owner(kA, 1) + ":expire_time",
                                 "v1:" + owner(kA, 1) + ":lock_count"}));
        takeValue("v1", owner(kB, 7));
        QVERIFY(freed(seen, {"'group'", "'v1'", owner(kA, 1)}) == Freed::HeldByAnother);
        QCOMPARE(call(*m_client, {"HGET", "group", "v1"}).value().text, owner(kB, 7));
        // As it is.
        const LockReport now = lookOnce();
        const LockRow present = *rowOf(now, "group:v1");
        QVERIFY(freed(present, {owner(kB, 7)}) == Freed::Freed);
        const LockReport after = lookOnce();
        QVERIFY(!rowOf(after, "group:v1"));
        QVERIFY(rowOf(after, "group:v2")->state == LockRow::State::Held); // the others stay
        QCOMPARE(call(*m_client, {"HLEN", "group"}).value().integer, 3);
        QVERIFY(freed(present, {}) == Freed::WasFree);
    }

    void permitsOfTheNpmSemaphore() {
        QVERIFY(call(*m_client, {"ZADD", "semaphore:pool", kFarAway, kA, kFarAway, kB}));
        const LockReport report = lookOnce();
        QVERIFY(rowOf(report, "semaphore:pool"));
        const LockRow seen = *rowOf(report, "semaphore:pool");
        QCOMPARE(seen.entries.size(), 2u);
        const QByteArray third = "3c1f0a52-7b00-4000-8000-00000000000c";
        QVERIFY(call(*m_client, {"ZADD", "semaphore:pool", kFarAway, third}));
        QVERIFY(freed(seen, {"'semaphore:pool'", kA, kB}) == Freed::HeldByAnother);
        QCOMPARE(call(*m_client, {"ZCARD", "semaphore:pool"}).value().integer, 3);
        QVERIFY(call(*m_client, {"ZREM", "semaphore:pool", third}));
        QVERIFY(call(*m_client, {"ZREM", "semaphore:pool", kB})); // it has gone by itself; the other one holds on
        QVERIFY(freed(seen, {}) == Freed::Freed);
        QCOMPARE(call(*m_client, {"ZCARD", "semaphore:pool"}).value().integer, 0);
        QVERIFY(freed(seen, {}) == Freed::WasFree);
    }
};

QTEST_GUILESS_MAIN(TestRedisForeignReleases)
#include "tst_redis_foreign_releases.moc"
