// SPDX-License-Identifier: Apache-2.0
#include "restricted_redis.h"

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

/// Accounts that may do less: what they cannot see is not known, and never told as nothing.
class TestRedisWatcherRights : public WatchedRedis {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

    void whatItMayNotReadIsNotFree() {
        RestrictedRedis server(m_runtime, {{"some", "~ro:* &* +@all"}, {"none", "&* +@all"}});
        VERIFY_EMPTY(server.start());
        RedisDriver& writer = server.writer();
        QVERIFY(call(writer, {"HSET", "ro:orders", owner(kA, 1), "1"}));
        QVERIFY(call(writer, {"PEXPIRE", "ro:orders", "60000"}));
        QVERIFY(call(writer, {"RPUSH", "redisson_lock_queue:{ro:orders}", owner(kB, 1)}));
        auto waiter = run(writer.subscribe("redisson_lock__channel:{ro:orders}"));
        const LockReport some = server.seenBy("some");
        QVERIFY2(!some.trouble, some.trouble ? qPrintable(some.trouble->message) : "");
        QVERIFY(rowOf(some, "ro:orders"));
        QVERIFY(!rowOf(some, "ro:orders")->waiterCount); // not 0: the queue may not be read
        QVERIFY(!rowOf(some, "ro:orders")->waiters);
        const LockReport none = server.seenBy("none");
        QVERIFY(none.locks.empty()); // not "queued": it is held
        QVERIFY(none.keysRefused >= 1);
        QCOMPARE(none.notes.at(0).kind, WatchNote::Kind::KeysRefused);
    }
    void onlyReads() {
        RestrictedRedis server(m_runtime,
                               "%R~* &* -@all +scan +type +memory|usage +hgetall +strlen +getrange +lrange +llen "
                               "+zrange +zcard +pttl +time +pubsub");
        VERIFY_EMPTY(server.start());
        QVERIFY(call(server.writer(), {"HSET", "orders", owner(kA, 1), "1"}));
        const LockReport report = server.seenBy();
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QCOMPARE(report.locks.size(), 1u);
        QCOMPARE(report.locks[0].waiterCount.value(), 0);
    }
    void saysThatItMayNot() {
        RestrictedRedis server(m_runtime, "-@all +ping");
        VERIFY_EMPTY(server.start());
        const LockReport report = server.seenBy();
        QVERIFY(report.trouble);
        QCOMPARE(report.trouble->code, QByteArray("NOPERM"));
    }
    void waitersAreUnknownWithoutPubSubRights() {
        RestrictedRedis server(m_runtime,
                               "~* -@all +scan +type +memory|usage +hgetall +strlen +getrange +lrange +llen +zrange "
                               "+zcard +pttl");
        VERIFY_EMPTY(server.start());
        QVERIFY(call(server.writer(), {"HSET", "orders", owner(kA, 1), "1"}));
        const LockReport report = server.seenBy();
        QVERIFY(!report.trouble);
        QVERIFY(!report.locks.at(0).waiterCount);
        QCOMPARE(report.notes.at(0).kind, WatchNote::Kind::WaitersRefused);
    }
    void hashesAreLeftAloneWhereTheirSizeMayNotBeAsked() {
        RestrictedRedis server(m_runtime, "~* -@all +scan +type +hgetall +strlen +getrange +pttl");
        VERIFY_EMPTY(server.start());
        RedisDriver& writer = server.writer();
        QVERIFY(call(writer, {"HSET", "orders", owner(kA, 1), "1"}));
        QVERIFY(call(writer, {"SET", "lock:stock", "me"}));
        const LockReport report = server.seenBy();
        QVERIFY(!report.trouble && rowOf(report, "lock:stock"));
        QVERIFY(std::ranges::any_of(report.notes, [](const WatchNote& note) {
            return note.kind == WatchNote::Kind::SizesRefused && note.examples == std::vector<QByteArray>{"orders"};
        }));
    }
};

QTEST_GUILESS_MAIN(TestRedisWatcherRights)
#include "tst_redis_watcher_rights.moc"
