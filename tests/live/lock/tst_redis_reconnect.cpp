// SPDX-License-Identifier: Apache-2.0
// Connections for commands that a server ends, of those who hold and of those who wait.
#include "lock_fleet.h"

using namespace lockscope;
using namespace lockscope::test;
using recipes::Mode;

namespace {
const QByteArray kName = "orders";

/// A client, and what its lock has told it.
struct Told {
    Told(const QString& url, const QByteArray& recipe) : user(url, recipe, kName, options()) {
        user.lock->listen([this](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            renewed += event == DistributedLock::Event::Renewed;
            if (event == DistributedLock::Event::Lost) lost = reason;
        });
    }
    static LockOptions options() {
        LockOptions all;
        all.lease = 10s;
        all.watchdog = 100ms;
        return all;
    }
    LockUser user;
    int renewed = 0;
    QString lost;
};
} // namespace

class TestRedisReconnect : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        m_operator = std::make_unique<redis::RedisDriver>(m_runtime, urlOf(m_server));
    }
    void cleanupTestCase() { m_operator.reset(); }

    void endedConnectionsCostNobodyAnything_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("holds");
        QTest::addColumn<Mode>("waits");
        for (const char* id : {"redis-set", "redis-fenced", "redis-reentrant", "redis-fair"})
            QTest::newRow(id) << QByteArray(id) << Mode::Exclusive << Mode::Exclusive;
        QTest::newRow("redis-rw, a reader holds") << QByteArray("redis-rw") << Mode::Shared << Mode::Exclusive;
        QTest::newRow("redis-rw, a writer holds") << QByteArray("redis-rw") << Mode::Exclusive << Mode::Shared;
        QTest::newRow("redis-semaphore") << QByteArray("redis-semaphore") << Mode::Permit << Mode::Permit;
    }
    void endedConnectionsCostNobodyAnything() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, holds);
        QFETCH(Mode, waits);
        QVERIFY(call(*m_operator, {"FLUSHALL"}));
        Told holder(m_server.url(), id), waiter(m_server.url(), id);
        VERIFY_OPEN(holder.user);
        VERIFY_OPEN(waiter.user);
        const auto taken = run(holder.user.lock->take({holds, 1, 0s}));
        VERIFY_OK(taken);
        QVERIFY(*taken);
        auto waiting = beside(waiter.user.lock->take({waits, 1, 60s}));
        QVERIFY(comesTrue([&] { return holder.renewed > 0; })); // and the waiter has tried

        for (int times = 0; times < 2; ++times) {
            QVERIFY(comesTrue([&] { return usersThere() >= 2; })); // the holder is back before the waiter
            const redis::Result ended =
                call(*m_operator, {"CLIENT", "KILL", "TYPE", "normal"}); // all but the operator's
            QVERIFY(ended && ended->integer >= 2);
            const int before = holder.renewed;
            QVERIFY(comesTrue([&] { return holder.renewed >= before + 2; }));
            QVERIFY2(holder.lost.isEmpty(), qPrintable(holder.lost));
            QVERIFY(holder.user.lock->stillMine("1", holds));
            QVERIFY(!waiting->done);
        }

        VERIFY_OK(run(holder.user.lock->unlock("1", holds)));
        QVERIFY(ends(waiting, 10s));
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        QVERIFY(call(*m_operator, {"CLIENT", "KILL", "TYPE", "normal"}));
        const int before = waiter.renewed;
        QVERIFY(comesTrue([&] { return waiter.renewed >= before + 2; }));
        QVERIFY2(waiter.lost.isEmpty(), qPrintable(waiter.lost));
        VERIFY_OK(run(waiter.user.lock->unlock("1", waits)));
        // Nothing of either is left: somebody else has it at once.
        Told next(m_server.url(), id);
        VERIFY_OPEN(next.user);
        const auto free = run(next.user.lock->take({holds, 1, 0s}));
        VERIFY_OK(free);
        QVERIFY(*free);
        VERIFY_OK(run(next.user.lock->unlock("1", holds)));
    }

    /// The message that tells of it goes to nobody.
    void freedWhileTheWaiterIsCutOff_data() { endedConnectionsCostNobodyAnything_data(); }
    void freedWhileTheWaiterIsCutOff() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, holds);
        QFETCH(Mode, waits);
        QVERIFY(call(*m_operator, {"FLUSHALL"}));
        Told holder(m_server.url(), id), waiter(m_server.url(), id);
        VERIFY_OPEN(holder.user);
        VERIFY_OPEN(waiter.user);
        QVERIFY(run(holder.user.lock->take({holds, 1, 0s})).value());
        auto waiting = beside(waiter.user.lock->take({waits, 1, 60s}));
        QVERIFY(comesTrue([&] { return holder.renewed > 0; }));
        QVERIFY(!waiting->done);
        QVERIFY(call(*m_operator, {"CLIENT", "KILL", "TYPE", "pubsub"}));
        QVERIFY(call(*m_operator, {"CLIENT", "KILL", "TYPE", "normal"}).value().integer >= 2);
        Told other(m_server.url(), id);
        VERIFY_OPEN(other.user);
        const auto freed = run(other.user.lock->forceUnlock());
        VERIFY_OK(freed);
        QVERIFY(*freed);
        QVERIFY(ends(waiting, 8s)); // the lease of 10 s is not waited for
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        VERIFY_OK(run(waiter.user.lock->unlock("1", waits)));
    }

private:
    /// The number of connections for commands, without the operator's.
    int usersThere() {
        const redis::Result all = call(*m_operator, {"CLIENT", "LIST", "TYPE", "normal"});
        return all ? int(all->text.count('\n')) - 1 : 0;
    }

    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<redis::RedisDriver> m_operator;
};

QTEST_GUILESS_MAIN(TestRedisReconnect)
#include "tst_redis_reconnect.moc"
