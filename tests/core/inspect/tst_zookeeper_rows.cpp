// SPDX-License-Identifier: Apache-2.0
#include "alert_reports.h"
#include "inspect/held_twice.h"
#include "inspect/zookeeper/formats.h"
#include "inspect/zookeeper/queue_rows.h"

#include <QJsonObject>
#include <QTest>

using namespace lockscope;
using namespace lockscope::inspect;

namespace {

constexpr char kCurator[] = "_c_01234567-89ab-cdef-0123-456789abcdef-lock-";
constexpr char kGo[] = "_c_0123456789abcdef0123456789abcdef-lock-";
constexpr char kKazoo[] = "0123456789abcdef0123456789abcdef__lock__";

/// A node with children of those stems, in their order, each of a session of its own: 1, 2, …
SeenNode queueOf(const std::vector<QByteArray>& stems) {
    SeenNode node;
    node.path = "/orders";
    std::vector<QByteArray> names;
    for (std::size_t i = 0; i < stems.size(); ++i)
        names.push_back(stems[i] + QByteArray::number(qulonglong(i)).rightJustified(10, '0'));
    for (recipes::ZkChild& child : recipes::readZkChildren(names)) {
        zookeeper::NodeStat stat;
        stat.ephemeralOwner = std::int64_t(node.children.size()) + 1;
        node.children.push_back({std::move(child), stat, {}});
    }
    return node;
}

std::optional<LockRow> rowOf(const SeenNode& node) {
    for (const auto& format : zookeeperFormats())
        if (auto rows = format.read(node); !rows.empty()) return rows.front();
    return std::nullopt;
}

QByteArrayList clientsOf(const std::vector<Party>& parties) {
    QByteArrayList all;
    for (const Party& party : parties)
        all << party.client;
    return all;
}

} // namespace

/// Nodes of a ZooKeeper, read without a server.
class TestZooKeeperRows : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void librariesThatDoNotSeeEachOtherHoldAtOnce_data() {
        QTest::addColumn<QByteArrayList>("stems");
        QTest::addColumn<QByteArrayList>("holders"); // the numbers of their sessions
        QTest::addColumn<QByteArrayList>("waiters");
        QTest::newRow("one library") << QByteArrayList{kCurator, kCurator} << QByteArrayList{"1"}
                                     << QByteArrayList{"2"};
        QTest::newRow("curator, kazoo") << QByteArrayList{kCurator, kKazoo, kCurator, kKazoo}
                                        << QByteArrayList{"1", "2"} << QByteArrayList{"3", "4"};
        QTest::newRow("kazoo, curator") << QByteArrayList{kKazoo, kCurator} << QByteArrayList{"1", "2"}
                                        << QByteArrayList{};
        QTest::newRow("curator, go") << QByteArrayList{kCurator, kGo} << QByteArrayList{"1"} << QByteArrayList{"2"};
        QTest::newRow("kazoo, go") << QByteArrayList{kKazoo, kGo} << QByteArrayList{"1"} << QByteArrayList{"2"};
        QTest::newRow("go, kazoo") << QByteArrayList{kGo, kKazoo} << QByteArrayList{"1", "2"} << QByteArrayList{};
    }
    void librariesThatDoNotSeeEachOtherHoldAtOnce() {
        QFETCH(QByteArrayList, stems);
        QFETCH(QByteArrayList, holders);
        QFETCH(QByteArrayList, waiters);
        for (QByteArrayList* list : {&holders, &waiters})
            for (QByteArray& session : *list)
                session.prepend("session 0x");
        const auto row = rowOf(queueOf({stems.begin(), stems.end()}));
        QVERIFY(row);
        QCOMPARE(clientsOf(row->holders), holders);
        QCOMPARE(clientsOf(*row->waiters), waiters);
        QCOMPARE(row->entries.size(), std::size_t(holders.size()));
        QCOMPARE(heldTwice(*row), holders.size() > 1);
        QCOMPARE(toJson(*row).contains(QLatin1String("held_twice")), holders.size() > 1);
    }

    /// Lockscope's clients see kazoo's nodes beside their own, which are Curator's or of both kinds.
    void ownClientsWaitForEveryLibrary() {
        SeenNode behind = queueOf({kKazoo, kCurator});
        behind.children[1].data = "lockscope:shop:1";
        const auto waits = rowOf(behind);
        QVERIFY(waits && !heldTwice(*waits));
        QCOMPARE(clientsOf(waits->holders), QByteArrayList{"session 0x1"});
        QCOMPARE(clientsOf(*waits->waiters), QByteArrayList{"shop"});
        SeenNode both = queueOf({kCurator, kKazoo, kKazoo, kCurator});
        for (const std::size_t own : {0, 1}) {
            both.children[own].data = "lockscope:shop:1";
            both.children[own].stat->ephemeralOwner = 1;
        }
        const auto holds = rowOf(both);
        QVERIFY(holds && !heldTwice(*holds));
        QCOMPARE(clientsOf(holds->holders), QByteArrayList{"shop"});
        QCOMPARE(clientsOf(*holds->waiters), (QByteArrayList{"session 0x3", "session 0x4"}));
        QCOMPARE(holds->entries.size(), 2u); // both are taken away by force
    }

    /// A node tells when its maker asked; whoever waited for the lock has held it for a shorter time.
    void sinceWhenIsToldOnlyOfThoseWhoNeverWaited() {
        SeenNode node = queueOf({kCurator, kCurator});
        for (std::size_t i = 0; i < node.children.size(); ++i) {
            node.children[i].stat->czxid = 10 + std::int64_t(i);
            node.children[i].stat->ctime = 1000 * (1 + std::int64_t(i));
        }
        node.stat.pzxid = 11; // the second came last: the first may have waited for others who are gone
        auto row = rowOf(node);
        QVERIFY(row && !row->holders.front().sinceWallMs);
        QCOMPARE(row->waiters->front().sinceWallMs, std::optional<std::int64_t>(2000));
        node.children.front().heldFromStart = true;
        row = rowOf(node);
        QCOMPARE(row->holders.front().sinceWallMs, std::optional<std::int64_t>(1000));

        node.children.erase(node.children.begin());
        node.stat.pzxid = 12; // the first has gone: the second holds, but not since it asked
        row = rowOf(node);
        QVERIFY(row && !row->holders.front().sinceWallMs);
        node.stat.pzxid = 11; // it came last, to an empty queue
        row = rowOf(node);
        QCOMPARE(row->holders.front().sinceWallMs, std::optional<std::int64_t>(2000));
    }

    void aLockThatIsHeldTwiceIsAnAlert() {
        AlertWatch watch = test::watching("held-twice");
        watch.observe(test::report(1s, {*rowOf(queueOf({kCurator, kCurator}))}));
        QCOMPARE(test::told(watch.check(1s)), QString());
        watch.observe(test::report(2s, {*rowOf(queueOf({kCurator, kKazoo}))}));
        const auto raised = watch.check(2s);
        QCOMPARE(test::told(raised), QStringLiteral("held-twice orders"));
        QVERIFY2(raised.front().sentence.contains(QLatin1String("session 0x1, session 0x2")),
                 qPrintable(raised.front().sentence));
    }

    void candidatesOfAnElectionMayWait() {
        AlertWatch watch = test::watching("waited>30s");
        const QByteArray latch = QByteArray(kCurator).replace("-lock-", "-latch-");
        watch.observe(test::report(1s, {*rowOf(queueOf({latch, latch}))}));
        QCOMPARE(test::told(watch.check(100s)), QString());
        watch.observe(test::report(101s, {*rowOf(queueOf({kCurator, kCurator}))}));
        QCOMPARE(test::told(watch.check(200s)), QStringLiteral("waited>30s orders"));
    }

    void aNodeOfShedLockWithoutAnInstantIsLockedForEver() {
        SeenNode node;
        node.path = "/shedlock/report";
        const auto row = rowOf(node);
        QVERIFY(row && row->format == "shedlock-zk");
        QVERIFY(row->state == LockRow::State::Held && row->neverExpires);
        node.data = "later";
        node.stat.dataLength = 5;
        QVERIFY(rowOf(node) && rowOf(node)->neverExpires);
        node.data.reset(); // this login may not read it
        QVERIFY(!rowOf(node));
        node.path = "/config/report";
        node.stat.dataLength = 0;
        QVERIFY(!rowOf(node));
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperRows)
#include "tst_zookeeper_rows.moc"
