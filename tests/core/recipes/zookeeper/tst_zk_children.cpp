// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_queue.h"

#include <QTest>

using namespace lockscope::recipes;

class TestZkChildren : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void familiesByName_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("family");
        const QByteArray uuid = "3c9e9b2a-93a4-4a5f-8a3c-0b2f0e7c1a11", hex = "3c9e9b2a93a44a5f8a3c0b2f0e7c1a11";
        const auto row = [](const char* title, const QByteArray& name, ZkFamily family) {
            QTest::newRow(title) << name << int(family);
        };
        row("curator", "_c_" + uuid + "-lock-0000000001", ZkFamily::Curator);
        row("curator lease", "_c_" + uuid + "-lease-0000000001", ZkFamily::Lease);
        row("curator latch", "_c_" + uuid + "-latch-0000000001", ZkFamily::Latch);
        row("curator reader", "_c_" + uuid + "-__READ__0000000001", ZkFamily::ReadWrite);
        row("curator writer", "_c_" + uuid + "-__WRIT__0000000001", ZkFamily::ReadWrite);
        row("go", "_c_" + hex + "-lock-0000000001", ZkFamily::GoZooKeeper);
        row("kazoo", hex + "__lock__0000000001", ZkFamily::Kazoo);
        row("kazoo reader", hex + "__rlock__0000000001", ZkFamily::KazooReadWrite);
        row("kazoo lease", "lease_holder", ZkFamily::KazooLease);
        row("menagerie", "lock-0000000001", ZkFamily::Menagerie);
        row("menagerie reader", "readLock-0000000001", ZkFamily::MenagerieReadWrite);
        row("condition", "condition-0000000001", ZkFamily::Condition);
        row("recipe", "x--72057594037927936-0000000001", ZkFamily::ZkRecipe);
        row("page", "some-guid-lock-0000000001", ZkFamily::ZkPage);
        row("semaphore", "leases", ZkFamily::Semaphore);
        row("short number", "lock-000000001", ZkFamily::Unknown);
        row("no number", "config", ZkFamily::Unknown);
        row("not hex", "zc9e9b2a93a44a5f8a3c0b2f0e7c1a11__lock__0000000001", ZkFamily::Unknown);
    }
    void familiesByName() {
        QFETCH(QByteArray, name);
        QFETCH(int, family);
        QCOMPARE(int(readZkChild(name).family), family);
    }
    void numbersAsTheyStand() {
        QCOMPARE(readZkChild("lock-0000000042").number().toByteArray(), QByteArray("0000000042"));
        QCOMPARE(readZkChild("lock--2147483648").number().toByteArray(), QByteArray("-2147483648"));
        QCOMPARE(readZkChild("leases").number().toByteArray(), QByteArray());
    }
    void queueIsSortedByNumberWhateverTheName() {
        const QByteArray hex = "3c9e9b2a93a44a5f8a3c0b2f0e7c1a11";
        const auto children =
            readZkChildren({"lock-0000000003", hex + "__lock__0000000001", "condition-0000000000", "lock-0000000002"});
        QCOMPARE(lowestLock(children), std::optional<QByteArray>(hex + "__lock__0000000001"));
        const auto first = predecessor(children, "lock-0000000002");
        QCOMPARE(first->name, hex + "__lock__0000000001");
        QVERIFY(first->only);
        const auto second = predecessor(children, "lock-0000000003");
        QCOMPARE(second->name, QByteArray("lock-0000000002"));
        QVERIFY(!second->only);
        QVERIFY(!predecessor(children, hex + "__lock__0000000001"));
    }
};

QTEST_GUILESS_MAIN(TestZkChildren)
#include "tst_zk_children.moc"
