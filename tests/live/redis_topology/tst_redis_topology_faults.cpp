// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "connections/redis/cluster_port.h"
#include "connections/redis/sentinel_port.h"
#include "drivers/dial.h"
#include "fake_redis.h"
#include "lock_fleet.h"
#include "recipes/redis/redis_recipe.h"
#include "wire_faults.h"

#include <QElapsedTimer>
#include <QPointer>

using namespace lockscope;
using namespace lockscope::redis;
using namespace lockscope::test;
using Kind = Error::Kind;

namespace {
const Dialler& kDial = realDiallers().redis;

DriverOptions quick() {
    DriverOptions options;
    options.commandTimeout = 600ms;
    options.connectTimeout = 500ms;
    options.retryLongest = 100ms;
    return options;
}

/// Twice the time-out for what waits for a server and then for its answer, and room for a busy machine.
constexpr qint64 kCallLimit = 5'000;

ConnectionUrl urlOfAll(Service service, const std::vector<Endpoint>& endpoints) {
    ConnectionUrl url;
    url.service = service;
    url.scheme = QStringLiteral("redis");
    url.path = QStringLiteral("mymaster");
    url.endpoints = endpoints;
    return url;
}

} // namespace

class TestRedisTopologyFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // --- Sentinel ---
    void sentinelsThatMisbehave_data() { addFaults(); }
    void sentinelsThatMisbehave() {
        QFETCH(int, fault);
        FakeRedis master(m_runtime, masterAnswer());
        // One of three is in order: it has to do.
        FakeRedis good(m_runtime, sentinelAnswer(master.port()));
        const auto bad = [fault](QTcpSocket& socket, const QByteArrayList&) {
            return misbehave(socket, Fault(fault), "*-1\r\n");
        };
        FakeRedis first(m_runtime, bad), second(m_runtime, bad);
        SentinelPort port(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {first.at(), second.at(), good.at()}), [] {
            DriverOptions options = quick();
            options.commandTimeout = 4s; // the bad ones are waited for, a second at most
            return options;
        }());
        QElapsedTimer took;
        took.start();
        QCOMPARE(run(port.call({"GET", "x"})).value().text, "value");
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
    }
    void aSentinelThatNamesAReplica() {
        FakeRedis replica(m_runtime, [](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "ROLE") return listOf({"slave", "127.0.0.1", "1", "connected", "0"});
            return "$5\r\nstale\r\n";
        });
        FakeRedis sentinel(m_runtime, sentinelAnswer(replica.port()));
        SentinelPort port(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}), quick());
        const Result result = run(port.call({"GET", "x"}));
        QVERIFY(!result); // never "stale"
        QVERIFY(result.error().kind == Kind::Unreachable);
        QVERIFY2(result.error().message.contains(QLatin1String("slave")), qPrintable(result.error().message));
        QVERIFY(!result.error().outcomeUnknown());
    }
    void aMasterThatMisbehaves_data() { addFaults(); }
    void aMasterThatMisbehaves() {
        QFETCH(int, fault);
        bool broken = true;
        FakeRedis master(m_runtime, [&, fault](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "ROLE") return masterAnswer()(socket, command);
            return broken ? misbehave(socket, Fault(fault), "$5\r\nvalue\r\n") : QByteArray("$5\r\nvalue\r\n");
        });
        FakeRedis sentinel(m_runtime, sentinelAnswer(master.port()));
        SentinelPort port(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}), quick());
        VERIFY_OK(run(port.open()));
        QElapsedTimer took;
        took.start();
        const Result result = run(port.call({"SET", "x", "1"}));
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
        QVERIFY(!result);
        // It was sent: nobody may say that it did not run.
        QVERIFY2(result.error().outcomeUnknown() || result.error().kind == Kind::Protocol,
                 qPrintable(result.error().message));
        broken = false;
        master.hangUp(); // as one that is started again
        Result again = std::unexpected(Error());
        for (int tries = 0; tries < 20 && !again; ++tries)
            again = run(port.call({"GET", "x"}));
        QCOMPARE(again.value().text, "value");
    }
    void aMasterThatIsReadOnlyIsLeft() {
        int role = 0;
        FakeRedis old(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "ROLE") {
                ++role;
                return listOf({"master", "0"});
            }
            return "-READONLY You can't write against a read only replica.\r\n";
        });
        FakeRedis fresh(m_runtime, masterAnswer());
        std::uint16_t named = old.port();
        FakeRedis sentinel(m_runtime, [&](QTcpSocket& socket, const QByteArrayList& command) {
            return sentinelAnswer(named)(socket, command);
        });
        DriverOptions options = quick();
        options.commandTimeout = 3s;
        SentinelPort port(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}), options);
        VERIFY_OK(run(port.open()));
        QTimer::singleShot(300, this, [&] { named = fresh.port(); });
        QCOMPARE(run(port.call({"GET", "x"})).value().text, "value");
        QCOMPARE(port.master()->port, fresh.port());
        QVERIFY(role > 1);
    }

    void theNextMastersReplicasConfirmNothing() {
        // The master takes the lock and goes; before the client gets round to asking for replicas it is behind the next
        // master, which has never heard of the lock, and whose replicas have all of that.
        int asked = 0;
        FakeRedis next(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "ROLE") return listOf({"master", "0"});
            asked += command.front() == "WAIT" ? 1 : 0;
            return command.front() == "WAIT" ? ":1\r\n" : ":0\r\n";
        });
        std::uint16_t named = 0;
        EventLoopRuntime clientRuntime;
        FakeRedis first(m_runtime, [&](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "ROLE") return listOf({"master", "0"});
            if (command.front() == "WAIT") return ":1\r\n";
            clientRuntime.pause(); // it is slow to go on; its sockets are not
            named = next.port();
            socket.write("+OK\r\n");
            socket.disconnectFromHost();
            return {};
        });
        named = first.port();
        FakeRedis sentinel(m_runtime, [&](QTcpSocket& socket, const QByteArrayList& command) {
            return sentinelAnswer(named)(socket, command);
        });
        SentinelPort port(clientRuntime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}), quick());
        VERIFY_OK(run(port.open()));
        recipes::RedisLock spec{port, "orders", "client"};
        spec.replicas = 1;
        const auto recipe = recipes::makeRedisRecipe("redis-set", std::move(spec));
        recipes::Request request;
        request.wait = Nanos(0);
        request.lease = 10s;
        const auto taking = beside(recipe->acquire(request, {}));
        QVERIFY(comesTrue([&] { return clientRuntime.life() == Runtime::Life::Paused && !port.master(); }));
        clientRuntime.resume();
        QVERIFY(ends(taking, 10s));
        QVERIFY2(!*taking->result, "confirmed by a server that never had it");
        QCOMPARE(asked, 0);
        clientRuntime.kill();
    }

    void aSubscriptionWithoutAMasterSaysWhy() {
        std::uint16_t named = 0;
        FakeRedis master(m_runtime, masterAnswer());
        named = master.port();
        FakeRedis sentinel(m_runtime, [&](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            return named ? sentinelAnswer(named)(socket, command) : QByteArray("*-1\r\n");
        });
        SentinelPort port(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}), quick());
        VERIFY_OK(run(port.open()));
        named = 0; // it is gone, and the sentinel has no other one
        master.hangUp();
        QVERIFY(comesTrue([&] { return !port.master(); }));
        const auto subscription = run(port.subscribe("news"));
        QVERIFY(!subscription);
        const QString said = subscription.error().message;
        QVERIFY2(said.contains(QLatin1String("mymaster")), qPrintable(said));
        QVERIFY(!subscription.error().outcomeUnknown());
    }
    void aSubscriptionThatIsNotConfirmedSaysWhere() {
        FakeRedis master(m_runtime, [](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "SUBSCRIBE") FakeRedis::hold(socket);
            return masterAnswer()(socket, command);
        });
        FakeRedis sentinel(m_runtime, sentinelAnswer(master.port()));
        SentinelPort port(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}), quick());
        const auto subscription = run(port.subscribe("news"));
        QVERIFY(!subscription);
        const QString said = subscription.error().message;
        QVERIFY2(said.startsWith(master.at().display()), qPrintable(said));
        QVERIFY2(said.count(master.at().display()) == 1, qPrintable(said));
        QVERIFY(!subscription.error().outcomeUnknown());
    }
    void aPortThatGoesBetweenTwoAnswers_data() {
        QTest::addColumn<bool>("cluster");
        QTest::newRow("sentinel") << false;
        QTest::newRow("cluster") << true;
    }
    void aPortThatGoesBetweenTwoAnswers() {
        QFETCH(bool, cluster);
        // Both answers are there; who gets the first one ends the port, and the second wants to ask once more.
        FakeRedis server(m_runtime, [&](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "CLUSTER") return mapOf(server.port());
            if (command.front() == "ROLE") return listOf({"master", "0"});
            if (command.front() == "GET") {
                FakeRedis::hold(socket);
                return "$5\r\nvalue\r\n";
            }
            QTimer::singleShot(0, &socket, [&socket] { FakeRedis::letGo(socket); });
            return "-NOSCRIPT No matching script.\r\n";
        });
        FakeRedis sentinel(m_runtime, sentinelAnswer(server.port()));
        std::unique_ptr<Port> port;
        if (cluster) {
            port = std::make_unique<ClusterPort>(m_runtime, kDial, urlOfAll(Service::RedisCluster, {server.at()}),
                                                 quick());
        } else {
            port = std::make_unique<SentinelPort>(m_runtime, kDial, urlOfAll(Service::RedisSentinel, {sentinel.at()}),
                                                  quick());
        }
        QVERIFY(run(port->call({"SET", "x", "1"})).error().code == "NOSCRIPT"); // what it says to anything else
        const auto getting = beside(getAndEnd(port));
        const Script script("any", "return 1");
        const auto running = beside(port->eval(script, {"x"}, {}));
        QVERIFY(ends(running, 5s));
        QVERIFY(getting->done && !port);
        QVERIFY(!*running->result);
        QVERIFY(running->result->error().code != "NOSCRIPT");
    }

    // --- Cluster ---
    void anOwnerThatIsCutOffIsNotAskedWhoOwnsWhat() {
        // It answers us, but not the other nodes, which have put another one in its place; and it is the first we know.
        std::uint16_t successor = 0;
        FakeRedis old(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "CLUSTER") return mapOf(old.port());
            return "-CLUSTERDOWN The cluster is down\r\n";
        });
        FakeRedis next(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            return command.front() == "CLUSTER" ? mapOf(successor) : QByteArray("+OK\r\n");
        });
        successor = next.port();
        DriverOptions options = quick();
        options.commandTimeout = 3s;
        ClusterPort port(m_runtime, kDial, urlOfAll(Service::RedisCluster, {old.at(), next.at()}), options);
        VERIFY_OK(run(port.open()));
        QCOMPARE(port.ownerOf("x")->port, old.port());
        const Result set = run(port.call({"SET", "x", "1"}));
        VERIFY_OK(set);
        QCOMPARE(port.ownerOf("x")->port, successor);
    }
    void aNodeThatMisbehaves_data() { addFaults(); }
    void aNodeThatMisbehaves() {
        QFETCH(int, fault);
        bool broken = true;
        FakeRedis node(m_runtime, [&, fault](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "CLUSTER") return mapOf(node.port());
            return broken ? misbehave(socket, Fault(fault), "$5\r\nvalue\r\n") : QByteArray("$5\r\nvalue\r\n");
        });
        ClusterPort port(m_runtime, kDial, urlOfAll(Service::RedisCluster, {node.at()}), quick());
        VERIFY_OK(run(port.open()));
        QElapsedTimer took;
        took.start();
        const Result result = run(port.call({"SET", "x", "1"}));
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
        QVERIFY(!result);
        QVERIFY2(result.error().outcomeUnknown() || result.error().kind == Kind::Protocol,
                 qPrintable(result.error().message));
        broken = false;
        node.hangUp();
        Result again = std::unexpected(Error());
        for (int tries = 0; tries < 20 && !again; ++tries)
            again = run(port.call({"GET", "x"}));
        QCOMPARE(again.value().text, "value");
    }
    void seedsThatMisbehave_data() { addFaults(); }
    void seedsThatMisbehave() {
        QFETCH(int, fault);
        const auto bad = [fault](QTcpSocket& socket, const QByteArrayList&) {
            return misbehave(socket, Fault(fault), "*0\r\n");
        };
        FakeRedis first(m_runtime, bad), second(m_runtime, bad);
        FakeRedis good(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            return command.front() == "CLUSTER" ? mapOf(good.port()) : QByteArray("$5\r\nvalue\r\n");
        });
        DriverOptions options = quick();
        options.commandTimeout = 3s;
        ClusterPort port(m_runtime, kDial, urlOfAll(Service::RedisCluster, {first.at(), second.at(), good.at()}),
                         options);
        QElapsedTimer took;
        took.start();
        QCOMPARE(run(port.call({"GET", "x"})).value().text, "value");
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
    }
    void mapsThatMakeNoSense_data() {
        QTest::addColumn<QByteArray>("map");
        QTest::newRow("empty") << QByteArray("*0\r\n");
        QTest::newRow("a text") << QByteArray("$3\r\nabc\r\n");
        QTest::newRow("texts") << listOf({"a", "b"});
        QTest::newRow("slots that are none") << QByteArray("*1\r\n*3\r\n:-5\r\n:99999\r\n*2\r\n$0\r\n\r\n:0\r\n");
        QTest::newRow("refused") << QByteArray("-ERR This instance has cluster support disabled\r\n");
    }
    void mapsThatMakeNoSense() {
        QFETCH(QByteArray, map);
        FakeRedis node(m_runtime, [map](QTcpSocket&, const QByteArrayList&) { return map; });
        ClusterPort port(m_runtime, kDial, urlOfAll(Service::RedisCluster, {node.at()}), quick());
        QElapsedTimer took;
        took.start();
        QVERIFY(!run(port.call({"GET", "x"})));
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
    }
    void redirectionsInACircleEnd() {
        FakeRedis node(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "CLUSTER") return mapOf(node.port());
            return "-MOVED 16287 127.0.0.1:" + QByteArray::number(node.port()) + "\r\n";
        });
        ClusterPort port(m_runtime, kDial, urlOfAll(Service::RedisCluster, {node.at()}), quick());
        QElapsedTimer took;
        took.start();
        QVERIFY(!run(port.call({"GET", "x"})));
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
        QVERIFY2(node.asked < 300, QByteArray::number(node.asked).constData()); // nor is it a storm
    }

    void aNodesNextConnectionConfirmsNothing() {
        // Two locks of one client at two nodes, which asks for replicas with one WAIT at a time: while the first is
        // awaited, the connection over which the second lock was taken ends, and the next one is there.
        QPointer<QTcpSocket> awaited;
        std::function<QByteArray()> map;
        FakeRedis one(m_runtime, [&](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "CLUSTER") return map();
            if (command.front() == "WAIT") {
                FakeRedis::hold(socket);
                awaited = &socket;
            }
            return command.front() == "SET" ? "+OK\r\n" : ":1\r\n";
        });
        int waits = 0, sets = 0;
        FakeRedis two(m_runtime, [&](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            if (command.front() == "CLUSTER") return map();
            waits += command.front() == "WAIT" ? 1 : 0;
            sets += command.front() == "SET" ? 1 : 0;
            return command.front() == "SET" ? "+OK\r\n" : ":1\r\n";
        });
        map = [&] { return mapOf(one.port(), two.port()); };
        EventLoopRuntime runtime;
        const auto connection = makeConnection(
            runtime, parseConnectionUrl(QStringLiteral("redis+cluster://%1?wait=1").arg(one.at().display())).value());
        LockOptions plain;
        plain.token = false; // a lock is taken by SET then, without a script
        DistributedLock first({runtime, connection->client()}, connection->makeRecipe("redis-set", {"bar"}).value(),
                              plain);
        DistributedLock second({runtime, connection->client()}, connection->makeRecipe("redis-set", {"foo"}).value(),
                               plain);
        VERIFY_OK(run(connection->open()));
        auto takingFirst = beside(first.tryLock());
        QVERIFY(comesTrue([&] { return !awaited.isNull(); }));
        auto takingSecond = beside(second.tryLock());
        QVERIFY(comesTrue([&] { return sets == 1; }));
        const int before = two.connections;
        two.hangUp();
        QVERIFY(comesTrue([&] { return two.greeted > before; }));
        FakeRedis::letGo(*awaited);
        QVERIFY(ends(takingFirst, 10s));
        VERIFY_OK(*takingFirst->result);
        QVERIFY(**takingFirst->result);
        QVERIFY(ends(takingSecond, 10s));
        QVERIFY2(!*takingSecond->result, "confirmed over a connection that wrote nothing");
        QCOMPARE(waits, 0);
        const auto again = run(second.tryLock()); // over the one that is there now
        VERIFY_OK(again);
        QVERIFY(*again);
        QCOMPARE(waits, 1);
        runtime.kill();
    }

    // --- Redlock ---
    void mastersThatMisbehave_data() { addFaults(); }
    void mastersThatMisbehave() {
        QFETCH(int, fault);
        int broken = 2; // of five
        std::vector<std::unique_ptr<FakeRedis>> masters;
        QStringList hosts;
        for (int i = 0; i < 5; ++i) {
            auto held = std::make_shared<QByteArray>();
            masters.push_back(std::make_unique<FakeRedis>(
                m_runtime, [&broken, held, i, fault](QTcpSocket& socket, const QByteArrayList& command) -> QByteArray {
                    if (i < broken) return misbehave(socket, Fault(fault), "+OK\r\n");
                    if (command.front() == "SET") {
                        if (!held->isEmpty()) return "$-1\r\n";
                        *held = command[2];
                        return "+OK\r\n";
                    }
                    const bool ours = command.size() > 4 && *held == command[4];
                    if (ours) held->clear();
                    return ours ? ":1\r\n" : ":0\r\n";
                }));
            hosts += masters.back()->at().display();
        }
        LockOptions options;
        options.watchdog = Nanos(0);
        LockUser user(QStringLiteral("redlock://") + hosts.join(u','), "redis-redlock", "faulty", options);
        VERIFY_OPEN(user);
        QElapsedTimer took;
        took.start();
        QVERIFY(run(user.lock->tryLock()).value());
        QVERIFY2(took.elapsed() < 1'000, QByteArray::number(took.elapsed()).constData());
        QCOMPARE(run(user.lock->unlock()).value(), 0);
        broken = 3;
        took.start();
        const auto refused = run(user.lock->tryLock());
        QVERIFY(!refused);
        QVERIFY(refused.error().kind == LockError::Kind::Unreachable);
        QVERIFY2(took.elapsed() < kCallLimit, QByteArray::number(took.elapsed()).constData());
        broken = 0;
        for (const auto& master : masters)
            master->hangUp();
        bool again = false;
        for (int tries = 0; tries < 30 && !again; ++tries)
            again = run(user.lock->tryLockFor(1s)).value_or(false);
        QVERIFY(again); // nothing of the failed try is left where it could have been taken back
    }

private:
    /// Ends the port as soon as it has answered.
    static QCoro::Task<Result> getAndEnd(std::unique_ptr<Port>& port) {
        Args get = argsOf("GET", "x");
        Result result = co_await port->call(std::move(get));
        port.reset();
        co_return result;
    }
    static FakeRedis::Answer masterAnswer() {
        return [](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            return command.front() == "ROLE" ? listOf({"master", "0"}) : QByteArray("$5\r\nvalue\r\n");
        };
    }
    static FakeRedis::Answer sentinelAnswer(std::uint16_t master) {
        return [master](QTcpSocket&, const QByteArrayList& command) -> QByteArray {
            const QByteArray port = QByteArray::number(master);
            if (command.front() == "SUBSCRIBE") return "*3\r\n$9\r\nsubscribe\r\n$14\r\n+switch-master\r\n:1\r\n";
            if (command.value(1) == "MASTER")
                return listOf({"name", "mymaster", "ip", "127.0.0.1", "port", port, "config-epoch", "0"});
            return listOf({"127.0.0.1", port});
        };
    }
    /// All slots at one node.
    static QByteArray mapOf(std::uint16_t port) {
        return "*1\r\n*3\r\n:0\r\n:16383\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + QByteArray::number(port) + "\r\n";
    }
    /// Half of them at each of two.
    static QByteArray mapOf(std::uint16_t low, std::uint16_t high) {
        const auto range = [](int first, int last, std::uint16_t port) {
            return "*3\r\n:" + QByteArray::number(first) + "\r\n:" + QByteArray::number(last) +
                   "\r\n*2\r\n$9\r\n127.0.0.1\r\n:" + QByteArray::number(port) + "\r\n";
        };
        return "*2\r\n" + range(0, 8191, low) + range(8192, 16383, high);
    }
    EventLoopRuntime m_runtime;
};

QTEST_GUILESS_MAIN(TestRedisTopologyFaults)
#include "tst_redis_topology_faults.moc"
