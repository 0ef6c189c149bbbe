// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_paint.h"
#include "scenario/scenario.h"

#include <QTest>
#include <map>

using namespace lockscope;
using namespace lockscope::views;

/// Where each member of a cluster stands in its picture.
class ClusterLayoutTest : public QObject {
    Q_OBJECT

    /// The boxes of the nodes, by name, at 900 by 420.
    static std::map<QByteArray, QRectF> boxesOf(const QByteArrayList& names, const trace::Trace& trace,
                                                const std::vector<trace::EntityId>& nodes, const ClusterShape& shape) {
        const ClusterLayout layout = layOutCluster({900, 420}, nodes, {}, {}, trace, shape);
        std::map<QByteArray, QRectF> boxes;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            boxes[names[int(i)]] = layout.find(nodes[i])->box;
        return boxes;
    }

private Q_SLOTS:
    void everythingHasAPlaceOfItsOwn_data() {
        QTest::addColumn<int>("clients");
        QTest::addColumn<int>("nodes");
        QTest::addColumn<QSize>("size");
        for (const int clients : {1, 3, 26, 200})
            for (const int nodes : {1, 5, 9})
                for (const QSize size : {QSize(800, 320), QSize(360, 240)})
                    QTest::addRow("%d clients, %d nodes, %d px", clients, nodes, size.width())
                        << clients << nodes << size;
    }
    void everythingHasAPlaceOfItsOwn() {
        QFETCH(int, clients);
        QFETCH(int, nodes);
        QFETCH(QSize, size);
        trace::Trace trace;
        std::vector<trace::EntityId> nodeIds, clientIds, links;
        for (int i = 0; i < nodes; ++i)
            nodeIds.push_back(trace.intern(trace::EntityKind::Node, "n" + QByteArray::number(i)));
        for (int i = 0; i < clients; ++i) {
            clientIds.push_back(trace.intern(trace::EntityKind::Client, scenario::clientName(i).toUtf8()));
            for (const auto node : nodeIds)
                links.push_back(trace.intern(trace::EntityKind::Link, "", clientIds.back(), node));
        }
        const ClusterLayout layout = layOutCluster(size, nodeIds, clientIds, links, trace);
        QCOMPARE(layout.items.size(), std::size_t(nodes + clients + nodes * clients));
        const QRectF picture(QPointF(0, 0), QSizeF(size));
        for (const auto& item : layout.items) {
            if (item.kind == trace::EntityKind::Link) continue;
            QVERIFY2(picture.contains(item.box), qPrintable(trace.displayName(item.entity)));
            // Where not all links are drawn, a line of words says so below the last client.
            const int words = links.size() > ClusterLayout::kMostLinks ? 20 : 0;
            QVERIFY(item.box.bottom() <= size.height() - words);
            QCOMPARE(layout.at(item.box.center())->entity, item.entity);
            for (const auto& other : layout.items)
                if (other.entity != item.entity && other.kind != trace::EntityKind::Link)
                    QVERIFY(!item.box.intersects(other.box));
        }
    }

    void aShardsServersStandBesideEachOther() {
        trace::Trace trace;
        QByteArrayList names;
        std::vector<trace::EntityId> nodes;
        ClusterShape shape;
        shape.replicated = true;
        for (int i = 0; i < 9; ++i) { // three masters, then two replicas of each in turn
            names << "redis-" + QByteArray::number(i + 1);
            nodes.push_back(trace.intern(trace::EntityKind::Node, names.back()));
            shape.shards[nodes.back()] = nodes[std::size_t(i % 3)];
        }
        auto boxes = boxesOf(names, trace, nodes, shape);
        std::set<double> rows;
        for (const auto& [name, box] : boxes) {
            rows.insert(box.top());
            QVERIFY2(box.width() >= 100, qPrintable(QString::number(box.width()))); // a name can be read
        }
        QCOMPARE(rows.size(), std::size_t(2));
        for (int shard = 0; shard < 3; ++shard) {
            const QRectF master = boxes.at(names[shard]);
            QCOMPARE(boxes.at(names[shard + 3]).top(), master.top());
            QCOMPARE(boxes.at(names[shard + 6]).top(), master.top());
            QVERIFY(boxes.at(names[shard + 3]).left() > master.right());
            QVERIFY(boxes.at(names[shard + 6]).left() - master.right() < 2 * master.width()); // none stands between
        }
    }

    void eachServiceHasItsPlace() {
        trace::Trace trace;
        QByteArrayList names;
        std::vector<trace::EntityId> nodes;
        for (const char* name :
             {"redis-1", "zk-1", "redis-2", "zk-2", "redis-3", "zk-3", "etcd-1", "etcd-2", "etcd-3"}) {
            names << name;
            nodes.push_back(trace.intern(trace::EntityKind::Node, name));
        }
        auto boxes = boxesOf(names, trace, nodes, {});
        for (const char* service : {"redis-", "zk-", "etcd-"})
            for (int i = 2; i <= 3; ++i) {
                const QRectF before = boxes.at(service + QByteArray::number(i - 1));
                const QRectF box = boxes.at(service + QByteArray::number(i));
                QCOMPARE(box.top(), before.top());
                QVERIFY(box.left() > before.right() && box.left() - before.right() < before.width());
            }
        QVERIFY(boxes.at("etcd-1").top() > boxes.at("redis-1").bottom());
    }
};

QTEST_MAIN(ClusterLayoutTest)
#include "tst_cluster_layout.moc"
