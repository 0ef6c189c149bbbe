// SPDX-License-Identifier: Apache-2.0
// While a slot moves, some of its keys are at its old owner and some at the new one. A script that sees only some of
// them must not run.
#include "cluster_move.h"
#include "lock_fleet.h"

#include <QElapsedTimer>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using recipes::Mode;

class TestRedisClusterMoves : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() {
        const auto started = run(m_cluster.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        for (int i = 0; i < m_cluster.count(); ++i)
            m_nodes.push_back(std::make_unique<RedisDriver>(m_runtime, urlOf(m_cluster.at(i))));
    }

    void aReaderComesWhileTheSlotMoves() {
        const QByteArray name = "comes";
        LockUser first(m_cluster.url(), "redis-rw", name), second(m_cluster.url(), "redis-rw", name);
        VERIFY_OPEN(first);
        VERIFY_OPEN(second);
        QVERIFY(run(first.lock->take({.mode = Mode::Shared})).value());
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        move.begin();
        const auto taking = beside(second.lock->take({.mode = Mode::Shared, .wait = 20s}));
        letPass(m_runtime, 100ms); // it has been answered by then
        QVERIFY2(!taking->done || (*taking->result && **taking->result),
                 taking->done ? qPrintable(taking->result->error().message) : "");
        // Nothing of one who does not read yet.
        const Result fields = call(*m_nodes[std::size_t(move.from)], {"HLEN", name});
        QCOMPARE(fields.value().integer, 2);
        move.takeKeys();
        move.end();
        QVERIFY(ends(taking, 20s));
        QVERIFY(taking->result->value());
        VERIFY_OK(run(first.lock->unlock("1", Mode::Shared)));
        VERIFY_OK(run(second.lock->unlock("1", Mode::Shared)));
        QCOMPARE(call(*m_nodes[std::size_t(move.to)], {"EXISTS", name}).value().integer, 0);
    }

    void aReaderWhoseKeyHasNotMovedYetIsNotForgotten() {
        const QByteArray name = "stays";
        LockUser first(m_cluster.url(), "redis-rw", name), second(m_cluster.url(), "redis-rw", name),
            writer(m_cluster.url(), "redis-rw", name);
        VERIFY_OPEN(first);
        VERIFY_OPEN(second);
        VERIFY_OPEN(writer);
        QVERIFY(run(first.lock->take({.mode = Mode::Shared})).value());
        QVERIFY(run(second.lock->take({.mode = Mode::Shared})).value());
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        move.begin();
        move.takeKeys({name, '{' + name + "}:" + first.connection->client() + ":1:rwlock_timeout:1"});
        const auto leaving = beside(first.lock->unlock("1", Mode::Shared));
        const auto writing = beside(writer.lock->take({.wait = 500ms}));
        QVERIFY(ends(writing, 10s));
        QVERIFY(!writing->result->has_value() || !**writing->result);
        move.takeKeys();
        move.end();
        QVERIFY(ends(leaving, 10s));
        VERIFY_OK(*leaving->result);
        QVERIFY(!run(writer.lock->tryLock()).value());
        VERIFY_OK(run(second.lock->unlock("1", Mode::Shared)));
        QVERIFY(run(writer.lock->tryLock()).value());
        VERIFY_OK(run(writer.lock->unlock()));
    }

    void whatHasEndedMakesRoomWhileTheSlotMoves() {
        const QByteArray name = "ended";
        LockUser dead(m_cluster.url(), "redis-semaphore", name), user(m_cluster.url(), "redis-semaphore", name);
        VERIFY_OPEN(dead);
        VERIFY_OPEN(user);
        QVERIFY(run(dead.lock->take({.mode = Mode::Permit, .lease = 50ms})).value());
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        move.begin();
        letPass(m_runtime, 60ms);
        const auto taking = beside(user.lock->take({.mode = Mode::Permit, .wait = 20s}));
        letPass(m_runtime, 100ms); // it has been answered by then
        move.takeKeys();
        move.end();
        QVERIFY(ends(taking, 20s));
        VERIFY_OK(*taking->result);
        QVERIFY(**taking->result);
        VERIFY_OK(run(user.lock->unlock("1", Mode::Permit)));
    }

    void aSignalIsNotLostWhileTheSlotMoves() {
        const QByteArray name = "signals";
        LockUser waiter(m_cluster.url(), "redis-reentrant", name), other(m_cluster.url(), "redis-reentrant", name);
        VERIFY_OPEN(waiter);
        VERIFY_OPEN(other);
        const auto waits = waiter.connection->makeCondition("redis-reentrant", {name}).value();
        const auto signals = other.connection->makeCondition("redis-reentrant", {name}).value();
        VERIFY_OK(run(waits->enlist("1", {})));
        const auto waiting = beside(waits->awaitSignal("1", 60s, {}));
        ClusterMove move(m_runtime, m_cluster, m_nodes, name);
        move.begin();
        move.takeKeys({"lockscope_condition_waiter:{signals}:" + waiter.connection->client() + ":1"});
        const auto signalling = beside(signals->signal(1, {}));
        letPass(m_runtime, 100ms);
        move.takeKeys();
        move.end();
        QVERIFY(ends(signalling, 10s));
        VERIFY_OK(*signalling->result);
        QCOMPARE(signalling->result->value(), 1);
        QVERIFY(ends(waiting, 15s)); // it looks each 10 s
        QVERIFY(waiting->result->value());
    }

    void whoWaitsIsWokenWhereverTheSlotIs_data() {
        QTest::addColumn<QByteArray>("recipe");
        for (const char* recipe : {"redis-set", "redis-reentrant", "redis-fair", "redis-rw"})
            QTest::newRow(recipe) << QByteArray(recipe);
    }
    void whoWaitsIsWokenWhereverTheSlotIs() {
        QFETCH(QByteArray, recipe);
        const QByteArray name = "woken-" + recipe;
        LockUser holder(m_cluster.url(), recipe, name), waiter(m_cluster.url(), recipe, name);
        VERIFY_OPEN(holder);
        VERIFY_OPEN(waiter);
        for (int round = 0; round < 3; ++round) {
            QVERIFY(run(holder.lock->lock()).value());
            const auto waiting = beside(waiter.lock->lock());
            letPass(m_runtime, 50ms); // it listens
            ClusterMove move(m_runtime, m_cluster, m_nodes, name);
            move.begin();
            move.takeKeys();
            if (round == 1) letPass(m_runtime, 50ms);
            if (round < 2) move.end();
            QElapsedTimer since;
            since.start();
            const auto leaving = beside(holder.lock->unlock());
            if (round == 2) {
                letPass(m_runtime, 50ms);
                move.end();
            }
            QVERIFY(ends(leaving, 10s));
            VERIFY_OK(*leaving->result);
            QVERIFY(ends(waiting, 10s));
            VERIFY_OK(*waiting->result);
            QVERIFY2(since.elapsed() < 5'000, QByteArray::number(since.elapsed()).constData()); // the lease is 30 s
            VERIFY_OK(run(waiter.lock->unlock()));
        }
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisCluster m_cluster{m_runtime};
    ClusterMove::Nodes m_nodes;
};

QTEST_GUILESS_MAIN(TestRedisClusterMoves)
#include "tst_redis_cluster_moves.moc"
