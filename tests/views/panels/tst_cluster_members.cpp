// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a watched Redis Cluster shows its servers, and not one box for all of them.
#include "cluster/cluster_layout.h"
#include "cluster/cluster_panel.h"
#include "fake_session.h"
#include "models/event_words.h"
#include "models/lock_facts.h"
#include "trace/connection.h"
#include "trace/member.h"
#include "trace/server_told.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// A master with a replica, another master, and a lock that the first one keeps; at 5 s the replica takes over, and at
/// 8 s the former master is its replica.
struct Watched {
    testing::FakeSession session;
    trace::Trace& trace = session.writable();
    EntityId connection = trace::internConnection(trace, "shop", "redis+cluster://10.0.0.1:7001");
    EntityId group = trace.intern(EntityKind::Node, "10.0.0.1:7001", connection);
    EntityId first = trace.intern(EntityKind::Node, "10.0.0.1:7001", connection, group);
    EntityId replica = trace.intern(EntityKind::Node, "10.0.0.4:7004", connection, group);
    EntityId second = trace.intern(EntityKind::Node, "10.0.0.2:7002", connection, group);
    EntityId lock = trace.intern(EntityKind::Lock, "orders", group);
    EntityId observer = trace.intern(EntityKind::Client, "lockscope");
    EntityId holder = trace.intern(EntityKind::Thread, "1", trace.intern(EntityKind::Client, "A", connection));
    ViewContext context;
    ClusterPanel panel{&context};

    Watched() {
        add(0s, EventKind::NodeStarted, group);
        for (const EntityId server : {first, replica, second})
            add(0s, EventKind::NodeStarted, server);
        add(0s, EventKind::NodeRole, first, 0, 0, trace.text("master"));
        add(0s, EventKind::NodeRole, second, 0, 0, trace.text("master"));
        add(0s, EventKind::NodeRole, replica, first, 0, trace.text("replica"));
        lag(1s, replica, first, 2048);
        has(1s, first, "0-8191");
        has(1s, second, "8192-16383");
        add(1s, EventKind::RecordHeld, holder, lock, -1, 1);
        add(1s, EventKind::RecordDecider, first, lock, 1);
        add(4s, EventKind::ConnectionLost, observer, first, 0, trace.text("it does not answer"));
        lag(4s, replica, first, -1);
        add(5s, EventKind::NodeRole, replica, 0, 0, trace.text("master"));
        has(5s, replica, "0-8191");
        add(5s, EventKind::RecordFailedOver, holder, lock);
        add(5s, EventKind::RecordDecider, replica, lock, 1);
        add(7s, EventKind::ConnectionRestored, observer, first);
        add(7s, EventKind::ConnectionLost, observer, first, 0, trace.text(trace::kOutOfService.toByteArray()));
        add(8s, EventKind::ConnectionRestored, observer, first);
        add(8s, EventKind::NodeRole, first, replica, 0, trace.text("replica"));
        has(8s, first, "");
        trace.reach(20s);
        context.setSession(&session);
        panel.resize(900, 320);
        panel.show();
    }
    void add(Nanos at, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0, EntityId aux = 0,
             std::uint8_t flags = 0) {
        trace.append({at.count(), value, actor, subject, aux, kind, flags});
    }
    void lag(Nanos at, EntityId server, EntityId master, std::int64_t bytes) {
        add(at, EventKind::ReplicationLag, server, master, bytes, 0, std::uint8_t(trace::LagUnit::Bytes));
    }
    void has(Nanos at, EntityId server, const QByteArray& ranges) {
        add(at, EventKind::ServerTold, server, 0, 0, trace.text(trace::serverTold(trace::kHasSlots, ranges)));
    }
    QString told(Nanos at, EntityId node) {
        context.setPlayhead(at);
        return panel.describe(*panel.picture().find(node));
    }
    QString keeper(Nanos at) {
        context.setPlayhead(at);
        return serverText(lockFacts(lock, trace, context.state(), context.settings(), at), trace);
    }
};

} // namespace

class ClusterMembersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Nine connections in the low picture of a common window: names are more use than room for messages.
    void manyServersStandInSeveralRows() {
        trace::Trace trace;
        std::vector<EntityId> servers, clients;
        for (const int members : {1, 3, 6, 3, 3, 1, 1, 1}) {
            const EntityId connection = trace::internConnection(trace, QByteArray::number(servers.size()), "redis://h");
            for (int i = 0; i < members; ++i)
                servers.push_back(
                    trace.intern(EntityKind::Node, "10.0.0.1:" + QByteArray::number(servers.size()), connection));
        }
        for (int i = 0; i < 24; ++i)
            clients.push_back(trace.intern(EntityKind::Client, "a client " + QByteArray::number(i)));
        ClusterShape shape;
        shape.replicated = true;
        const QSizeF size(1020, 258);
        const ClusterLayout layout = layOutCluster(size, servers, clients, {}, trace, shape);
        constexpr double kHalfAnAddress = 80;
        for (const ClusterLayout::Item& item : layout.items) {
            QVERIFY(QRectF({}, size).contains(item.box));
            if (item.kind == EntityKind::Node) QVERIFY(item.box.width() > kHalfAnAddress);
            for (const ClusterLayout::Item& other : layout.items)
                QVERIFY(&other == &item || !other.box.intersects(item.box));
        }
    }

    void eachServerHasABoxAndTheGroupHasNone() {
        Watched shop;
        QVERIFY(!shop.panel.picture().find(shop.group));
        QCOMPARE(shop.told(2s, shop.first), u"server 10.0.0.1:7001: running, master, slots 0-8191, 1 lock(s) held"_qs);
        QCOMPARE(shop.told(2s, shop.second), u"server 10.0.0.2:7002: running, master, slots 8192-16383"_qs);
        QCOMPARE(shop.told(2s, shop.replica),
                 u"server 10.0.0.4:7004: running, replica of 10.0.0.1:7001, 2.05 kB behind"_qs);
        // A replica stands beside its master.
        const auto& layout = shop.panel.picture();
        const QRectF one = layout.find(shop.first)->box, its = layout.find(shop.replica)->box,
                     other = layout.find(shop.second)->box;
        QVERIFY(std::abs(one.center().x() - its.center().x()) < std::abs(one.center().x() - other.center().x()));
    }

    void aServerThatDoesNotAnswerIsNoRunningOne() {
        Watched shop;
        QCOMPARE(shop.told(4500ms, shop.first),
                 u"server 10.0.0.1:7001: does not answer, it does not answer, master, slots 0-8191"_qs);
        QCOMPARE(shop.told(4500ms, shop.replica), u"server 10.0.0.4:7004: running, replica of 10.0.0.1:7001"_qs);
        QCOMPARE(shop.told(6s, shop.replica),
                 u"server 10.0.0.4:7004: running, master, slots 0-8191, 1 lock(s) held"_qs);
        QVERIFY2(shop.told(7500ms, shop.first).startsWith(u"server 10.0.0.1:7001: out of service, it is neither"_qs),
                 qPrintable(shop.told(7500ms, shop.first)));
        QCOMPARE(shop.told(9s, shop.first), u"server 10.0.0.1:7001: running, replica of 10.0.0.4:7004"_qs);
        // The picture changes with each of these.
        std::vector<QImage> pictures;
        for (const Nanos at : {2s, 6s, 9s}) {
            shop.context.setPlayhead(at);
            pictures.push_back(shop.panel.grab().toImage());
        }
        QVERIFY(pictures[0] != pictures[1] && pictures[1] != pictures[2] && pictures[0] != pictures[2]);
    }

    void theLockIsOneOfTheServerThatHasIt() {
        Watched shop;
        QCOMPARE(shop.keeper(2s), u"10.0.0.1:7001"_qs);
        QCOMPARE(shop.keeper(6s), u"10.0.0.4:7004"_qs);
        shop.context.setPlayhead(6s);
        shop.context.select(shop.replica);
        QCOMPARE(shop.context.focusedLock(), shop.lock);
    }
};

QTEST_MAIN(ClusterMembersTest)
#include "tst_cluster_members.moc"
