// SPDX-License-Identifier: Apache-2.0
#include "zookeeper_client.h"

#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::test;
using zookeeper::NodeMode;
using Kind = LockError::Kind;

/// What other libraries leave below a lock's path: joined, or refused.
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

    void namesThatZooKeeperCanNotHave() {
        for (const char* name : {"", "/", "a//b", "a/../b", "./a", "a/", "zookeeper/quota"})
            QVERIFY(lockPath(name).error().kind == Kind::Refused);
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
