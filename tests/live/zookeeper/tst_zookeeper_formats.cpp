// SPDX-License-Identifier: Apache-2.0
#include "zookeeper_client.h"

#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::test;
using zookeeper::NodeMode;
using Kind = LockError::Kind;

/// Nodes of other libraries below a lock's path: joined, or refused.
class TestZooKeeperFormats : public QObject {
    Q_OBJECT
private:
    QByteArray fresh() { return "lock" + QByteArray::number(++m_names); }
    static Mode modeOf(const QByteArray& id) { return id == "zk-semaphore" ? Mode::Permit : Mode::Exclusive; }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void foreignChildrenAreRefused_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("child");
        const QByteArray curator = "_c_3c9e9b2a-93a4-4a5f-8a3c-0b2f0e7c1a11-";
        const QByteArray hex = "3c9e9b2a93a44a5f8a3c0b2f0e7c1a11";
        QTest::newRow("mutex/rw") << QByteArray("zk-mutex") << curator + "__WRIT__0000000000";
        QTest::newRow("mutex/semaphore") << QByteArray("zk-mutex") << QByteArray("leases");
        QTest::newRow("mutex/kazoo rw") << QByteArray("zk-mutex") << hex + "__rlock__0000000000";
        QTest::newRow("mutex/recipe") << QByteArray("zk-mutex") << QByteArray("x-72057594037927936-0000000000");
        QTest::newRow("mutex/latch") << QByteArray("zk-mutex") << curator + "latch-0000000000";
        QTest::newRow("mutex/unknown") << QByteArray("zk-mutex") << QByteArray("config");
        QTest::newRow("rw/mutex") << QByteArray("zk-rw") << curator + "lock-0000000000";
        QTest::newRow("sequential/mutex") << QByteArray("zk-sequential") << curator + "lock-0000000000";
        QTest::newRow("semaphore/mutex") << QByteArray("zk-semaphore") << curator + "lock-0000000000";
        QTest::newRow("ephemeral/any") << QByteArray("zk-ephemeral") << QByteArray("anything");
    }
    void foreignChildrenAreRefused() {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, child);
        const Mode mode = modeOf(id);
        Client a(m_runtime, m_server, "a");
        const QByteArray name = fresh();
        VERIFY_OK(run(a.driver.makeContainers('/' + name)));
        VERIFY_OK(run(a.driver.create('/' + name + '/' + child, {}, NodeMode::Ephemeral)));
        const auto recipe = a.recipe(id, name);
        const auto refused = take(*recipe, request(1s, "1", mode));
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::ForeignFormat, qPrintable(refused.error().message));
        QCOMPARE(childrenOf(a.driver, '/' + name), std::vector<QByteArray>{child});
    }
    // Locks that are the node at the path itself, as their libraries write them.
    void foreignNodesAreRefused_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<QByteArray>("data");
        QTest::addColumn<NodeMode>("mode");
        QTest::addColumn<QString>("named");
        for (const QByteArray id : {"zk-mutex", "zk-rw", "zk-sequential", "zk-semaphore", "zk-ephemeral"}) {
            const auto row = [&](const char* what, const char* data, NodeMode mode, const char* named) {
                QTest::addRow("%s/%s", id.constData(), what)
                    << id << QByteArray(data) << mode << QString::fromLatin1(named);
            };
            // Held, or free: ShedLock takes it again by writing into it, whatever children it has.
            row("shedlock", "2999-12-31T23:59:59.999Z", NodeMode::Persistent, "ShedLock");
            row("free shedlock", "2020-02-29T08:00:00.000Z", NodeMode::Persistent, "ShedLock");
            row("shedlock's nanoseconds", "2020-02-29T08:00:00.123456789Z", NodeMode::Persistent, "ShedLock");
            row("shedlock's whole seconds", "2020-02-29T08:00:00Z", NodeMode::Persistent, "ShedLock");
            row("kazoo's free semaphore", "3", NodeMode::Persistent, "kazoo's semaphore");
            if (id != "zk-ephemeral") row("ephemeral", "them", NodeMode::Ephemeral, "one ephemeral node");
        }
    }
    void foreignNodesAreRefused() {
        QFETCH(QByteArray, id);
        QFETCH(QByteArray, data);
        QFETCH(NodeMode, mode);
        QFETCH(QString, named);
        Client a(m_runtime, m_server, "a");
        const QByteArray name = "shedlock/" + fresh(), path = '/' + name;
        VERIFY_OK(run(a.driver.makePath("/shedlock", NodeMode::Persistent)));
        VERIFY_OK(run(a.driver.create(path, data, mode)));
        const auto recipe = a.recipe(id, name, 2);
        for (const Nanos wait : {Nanos(0), Nanos(1s)}) {
            const auto refused = take(*recipe, request(wait, "1", modeOf(id)));
            QVERIFY(!refused);
            QVERIFY2(refused.error().kind == Kind::ForeignFormat, qPrintable(refused.error().message));
            QVERIFY2(refused.error().message.contains(named), qPrintable(refused.error().message));
        }
        QVERIFY(run(recipe->isLocked({})).error().kind == Kind::ForeignFormat);
        QVERIFY(run(recipe->forceRelease({})).error().kind == Kind::ForeignFormat);
        const auto left = run(a.driver.get(path));
        VERIFY_OK(left);
        QCOMPARE(left->data, data);
        QCOMPARE(left->stat.cversion, 0); // it has never had a child
    }
    // A lock object that knows its path does not trust that: containers go when they are empty.
    void nodesOfOthersThatCameLaterAreRefused_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"zk-mutex", "zk-rw", "zk-sequential", "zk-semaphore"})
            QTest::newRow(id) << QByteArray(id);
    }
    void nodesOfOthersThatCameLaterAreRefused() {
        QFETCH(QByteArray, id);
        Client a(m_runtime, m_server, "a");
        const QByteArray name = fresh(), path = '/' + name;
        const auto recipe = a.recipe(id, name, 2);
        const auto first = take(*recipe, request(1s, "1", modeOf(id)));
        VERIFY_OK(first);
        run(recipe->release(**first, {}));
        for (const QByteArray& node : below(a.driver, path))
            VERIFY_OK(run(a.driver.remove(node)));
        VERIFY_OK(run(a.driver.remove(path)));
        VERIFY_OK(run(a.driver.create(path, "2999-12-31T23:59:59.999Z", NodeMode::Persistent)));
        const auto refused = take(*recipe, request(1s, "1", modeOf(id)));
        QVERIFY(!refused);
        QVERIFY2(refused.error().kind == Kind::ForeignFormat, qPrintable(refused.error().message));
        QCOMPARE(ephemerals(a.driver, path), 0);
    }
    // A waiter for a permit looks once more when it is its turn: its first look was a while ago.
    void othersThatCameWhileWeQueuedAreRefused() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c");
        const QByteArray name = fresh(), path = '/' + name;
        const auto holder = a.recipe("zk-semaphore", name), next = b.recipe("zk-semaphore", name),
                   last = c.recipe("zk-semaphore", name);
        const auto permit = [] { return request(kNever, "1", Mode::Permit); };
        const auto held = take(*holder, permit());
        VERIFY_OK(held);
        const auto second = begin(m_runtime, *next, permit());
        QVERIFY(eventually([&] { return childrenOf(a.driver, path + "/leases").size() == 2; }));
        const auto third = begin(m_runtime, *last, permit());
        QVERIFY(eventually([&] { return childrenOf(a.driver, path + "/locks").size() == 2; }));
        VERIFY_OK(run(a.driver.create(path + "/3c9e9b2a93a44a5f8a3c0b2f0e7c1a11", {}, NodeMode::Ephemeral))); // kazoo's
        run(holder->release(**held, {}));
        QVERIFY(eventually([&] { return second->done && third->done; }));
        VERIFY_OK(second->taken);
        QVERIFY(!third->taken);
        QVERIFY(third->taken.error().kind == Kind::ForeignFormat);
        QCOMPARE(childrenOf(a.driver, path + "/leases").size(), 1u);
        QCOMPARE(childrenOf(a.driver, path + "/locks").size(), 0u);
        run(next->release(**second->taken, {}));
    }
    // ShedLock takes a node that is empty, or has no instant in it, for one that is locked for ever.
    void whatWeHoldShedLockTakesForLocked() {
        Client a(m_runtime, m_server, "a");
        for (const QByteArray id : {"zk-mutex", "zk-rw", "zk-sequential", "zk-semaphore", "zk-ephemeral"}) {
            const QByteArray name = "shedlock/" + fresh();
            const auto recipe = a.recipe(id, name, 2);
            const auto taken = take(*recipe, request(1s, "1", modeOf(id)));
            VERIFY_OK(taken);
            const auto node = run(a.driver.get('/' + name));
            VERIFY_OK(node);
            QVERIFY2(node->data.isEmpty() || node->data.startsWith("lockscope:"), node->data.constData());
            run(recipe->release(**taken, {}));
        }
    }
    // Data that people and libraries write there without meaning a lock: Curator writes its host's address.
    void otherDataAreNoLock_data() {
        QTest::addColumn<QByteArray>("data");
        for (const char* data : {"10.0.0.1", "the shop's orders", "0", "-1", "03", "99999999999", "2020-02-29", "10Z"})
            QTest::newRow(data) << QByteArray(data);
    }
    void otherDataAreNoLock() {
        QFETCH(QByteArray, data);
        Client a(m_runtime, m_server, "a");
        for (const QByteArray id : {"zk-mutex", "zk-rw", "zk-sequential", "zk-semaphore"}) {
            const QByteArray name = fresh();
            VERIFY_OK(run(a.driver.create('/' + name, data, NodeMode::Persistent)));
            const auto recipe = a.recipe(id, name, 2);
            const auto taken = take(*recipe, request(1s, "1", modeOf(id)));
            VERIFY_OK(taken);
            run(recipe->release(**taken, {}));
        }
    }
    void anEphemeralLocksPathHasNoneBelow() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto single = a.recipe("zk-ephemeral", name);
        VERIFY_OK(take(*single));
        for (const char* id : {"zk-mutex", "zk-ephemeral"}) {
            const auto refused = take(*b.recipe(id, name + "/below"), request(1s));
            QVERIFY(!refused);
            QVERIFY2(refused.error().kind == Kind::ForeignFormat, qPrintable(refused.error().message));
        }
    }
    void aQueuesPathIsNoEphemeralLock() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto queue = a.recipe("zk-mutex", name);
        const auto taken = take(*queue);
        VERIFY_OK(taken);
        const auto single = b.recipe("zk-ephemeral", name);
        QVERIFY(take(*single, request(1s)).error().kind == Kind::ForeignFormat);
        run(queue->release(**taken, {}));
        QVERIFY(take(*single, request(1s)).error().kind == Kind::ForeignFormat); // its container is still there
    }
    void othersQueuesAreJoinedInTheirFormat_data() {
        QTest::addColumn<QByteArray>("child");
        QTest::addColumn<QByteArray>("joinsAs");
        const QByteArray hex = "3c9e9b2a93a44a5f8a3c0b2f0e7c1a11";
        QTest::newRow("kazoo") << hex + "__lock__" << QByteArray("^[0-9a-f]{32}__lock__[0-9]{10}$");
        QTest::newRow("go") << "_c_" + hex + "-lock-" << QByteArray("^_c_[-0-9a-f]{36}-lock-[0-9]{10}$");
        QTest::newRow("menagerie") << QByteArray("lock-") << QByteArray("^lock-[0-9]{10}$");
    }
    void othersQueuesAreJoinedInTheirFormat() {
        QFETCH(QByteArray, child);
        QFETCH(QByteArray, joinsAs);
        Client peer(m_runtime, m_server, "peer"), a(m_runtime, m_server, "a");
        const QByteArray name = fresh();
        VERIFY_OK(run(a.driver.makeContainers('/' + name)));
        const auto theirs = run(peer.driver.create('/' + name + '/' + child, "peer", NodeMode::EphemeralSequential));
        QVERIFY(theirs.has_value());
        const auto recipe = a.recipe("zk-mutex", name);
        QVERIFY(!take(*recipe, request(Nanos(0))).value());
        const auto waiting = begin(m_runtime, *recipe);
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2; }));
        const QRegularExpression wanted(QString::fromLatin1(joinsAs));
        for (const QByteArray& each : childrenOf(a.driver, '/' + name)) {
            if (theirs->path.endsWith(each)) continue;
            QVERIFY2(wanted.match(QString::fromLatin1(each)).hasMatch(), each.constData());
        }
        pass(50ms);
        QVERIFY(!waiting->done);
        VERIFY_OK(run(peer.driver.remove(theirs->path)));
        QVERIFY(eventually([&] { return waiting->done; }));
        run(recipe->release(**waiting->taken, {}));
        // It keeps to that format: they may come back.
        const auto again = take(*recipe);
        QVERIFY(wanted.match(QString::fromLatin1(childrenOf(a.driver, '/' + name).front())).hasMatch());
        run(recipe->release(**again, {}));
    }
    void curatorBesideKazooIsRefused() {
        Client peer(m_runtime, m_server, "peer"), a(m_runtime, m_server, "a");
        const QByteArray name = fresh(), path = '/' + name;
        VERIFY_OK(run(a.driver.makeContainers(path)));
        VERIFY_OK(run(
            peer.driver.create(path + "/3c9e9b2a93a44a5f8a3c0b2f0e7c1a11__lock__", {}, NodeMode::EphemeralSequential)));
        VERIFY_OK(run(peer.driver.create(path + "/_c_3c9e9b2a-93a4-4a5f-8a3c-0b2f0e7c1a11-lock-", "10.0.0.1",
                                         NodeMode::EphemeralSequential)));
        const auto recipe = a.recipe("zk-mutex", name);
        QVERIFY(take(*recipe, request(1s)).error().kind == Kind::ForeignFormat);
        QCOMPARE(childrenOf(a.driver, path).size(), 2u);
    }

    /// This case has a message of its own: the one about other libraries would not help a user.
    void aLockAboveAnothersPathIsRefused() {
        Client a(m_runtime, m_server, "a");
        const QByteArray name = fresh();
        const auto deep = a.recipe("zk-mutex", name + "/deep"), above = a.recipe("zk-mutex", name);
        VERIFY_OK(take(*deep, request(1s)));
        const auto refused = take(*above, request(1s));
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.contains(u"“/%1/”"_qs.arg(QLatin1String(name))),
                 qPrintable(refused.error().message));
    }

    void namesThatZooKeeperCanNotHave() {
        for (const char* name : {"", "/", "a//b", "a/../b", "./a", "a/", "zookeeper/quota"})
            QVERIFY(lockPath(name).error().kind == Kind::Refused);
        for (const char* name : {"a\nb", "\xf0\x9f\x98\x80", "\xff"})
            QVERIFY(lockPath(name).error().message.contains(QLatin1String("control characters, emoji")));
        const auto huge = lockPath(QByteArray(1 << 20, 'n')); // would break the connection of all other locks
        QVERIFY(!huge && huge.error().kind == Kind::Refused);
        QVERIFY2(huge.error().message.size() < 200, "the name is part of the message");
        QCOMPARE(lockPath("orders").value(), QByteArray("/orders"));
        QCOMPARE(lockPath("/shop/orders:42").value(), QByteArray("/shop/orders:42"));
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    int m_names = 0;
};

QTEST_GUILESS_MAIN(TestZooKeeperFormats)
#include "tst_zookeeper_formats.moc"
