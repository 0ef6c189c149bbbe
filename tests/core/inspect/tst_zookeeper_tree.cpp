// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/tree.h"

#include <QTest>
#include <qcorotask.h>

using namespace lockscope;
using namespace lockscope::inspect;
using zookeeper::Error;

namespace {

constexpr char kOne[] = "0123456789abcdef0123456789abcdef";
constexpr char kTwo[] = "1123456789abcdef0123456789abcdef";

/// A ZooKeeper that only reads, without a server: answers come at once.
class PretendZooKeeper : public zookeeper::Reader {
public:
    std::map<QByteArray, zookeeper::NodeData> nodes{{"/", {}}};
    std::set<QByteArray> refused;

    void make(const QByteArray& path, const QByteArray& data = {}, std::int64_t session = 0) {
        zookeeper::NodeStat stat;
        stat.ephemeralOwner = session;
        stat.dataLength = std::int32_t(data.size());
        nodes[path] = {data, stat};
    }

    Runtime& runtime() override { Q_UNREACHABLE(); }
    const zookeeper::Session& session() const override { Q_UNREACHABLE(); }
    void watchSession(const zookeeper::Watch& /*watch*/) override {}
    Reply<void> connected(Nanos /*patience*/, std::stop_token /*stop*/) override { Q_UNREACHABLE(); }
    Reply<std::optional<zookeeper::NodeStat>> exists(QByteArray /*path*/, std::optional<zookeeper::Watch> /*watch*/,
                                                     std::stop_token /*stop*/) override {
        Q_UNREACHABLE();
    }
    Reply<zookeeper::NodeData> get(QByteArray path, std::optional<zookeeper::Watch> /*watch*/,
                                   std::stop_token /*stop*/) override {
        zookeeper::NodeData data = nodes.at(path); // QCoro would move the node's own away
        co_return data;
    }
    Reply<zookeeper::ChildList> children(QByteArray path, std::optional<zookeeper::Watch> /*watch*/,
                                         std::stop_token /*stop*/) override {
        if (refused.contains(path)) {
            Error error;
            error.kind = Error::Kind::NoAuth;
            co_return std::unexpected(error);
        }
        zookeeper::ChildList list;
        list.stat = nodes.at(path).stat;
        for (const auto& [child, data] : nodes)
            if (child != "/" && zookeeper::parentOf(child) == path)
                list.names.push_back(child.sliced(child.lastIndexOf('/') + 1));
        co_return list;
    }
};

/// Reads one node that is due.
void step(ZkTree& tree) {
    const auto failed = QCoro::waitFor(tree.read(1, {}));
    QVERIFY(!failed);
}

QByteArrayList holdersOf(const LockRow& row) {
    QByteArrayList all;
    for (const Party& party : row.holders)
        all << party.client;
    return all;
}

} // namespace

/// A ZooKeeper's nodes as they become known, one after the other.
class TestZooKeeperTree : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void permitsAreToldWithTheirSessionOrNotYet() {
        PretendZooKeeper server;
        server.make("/pool", "3");
        server.make(QByteArray("/pool/") + kOne, "ada", 0x11);
        server.make(QByteArray("/pool/") + kTwo, "bob", 0x12);
        server.make("/pool-__lock__");
        for (int i = 0; i < 300; ++i)
            server.make("/zz-" + QByteArray::number(i));
        ZkTree tree(server);
        int steps = 0;
        for (; !tree.upToDate() && tree.rows(0).empty(); ++steps)
            step(tree);
        // Its permits are read before the other nodes.
        QVERIFY2(steps < 10, qPrintable(QString::number(steps)));
        const auto rows = tree.rows(0);
        QCOMPARE(rows.size(), 1U);
        QCOMPARE(rows.front().format, QByteArray("kazoo-semaphore"));
        QCOMPARE(holdersOf(rows.front()), (QByteArrayList{"session 0x11", "session 0x12"}));

        // A new permit: until it is read, what was told before holds on, and nothing else is taken for a lock.
        const QByteArray third = "2123456789abcdef0123456789abcdef";
        server.make("/pool/" + third, "cy", 0x13);
        zookeeper::WatchEvent event;
        event.kind = zookeeper::WatchEvent::Kind::Children;
        event.path = "/pool";
        tree.hear(event);
        step(tree);
        QCOMPARE(tree.rows(0).size(), 1U);
        QCOMPARE(holdersOf(tree.rows(0).front()), (QByteArrayList{"session 0x11", "session 0x12"}));
        step(tree);
        QCOMPARE(holdersOf(tree.rows(0).front()), (QByteArrayList{"session 0x11", "session 0x12", "session 0x13"}));
    }

    void aPermitThatMayNotBeReadIsKnownByItsNameOnly() {
        PretendZooKeeper server;
        server.make("/pool", "3");
        server.make(QByteArray("/pool/") + kOne, "ada", 0x11);
        server.refused.insert(QByteArray("/pool/") + kOne);
        ZkTree tree(server);
        while (!tree.upToDate())
            step(tree);
        const auto rows = tree.rows(0);
        QCOMPARE(rows.size(), 1U);
        QCOMPARE(holdersOf(rows.front()), QByteArrayList{kOne});
        QVERIFY(!rows.front().holders.front().neverExpires); // nobody knows
    }
};

QTEST_GUILESS_MAIN(TestZooKeeperTree)
#include "tst_zookeeper_tree.moc"
