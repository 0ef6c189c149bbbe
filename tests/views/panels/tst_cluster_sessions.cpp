// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of the cluster shows the server that each client is connected with.
#include "cluster/cluster_panel.h"
#include "fake_session.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// Three servers of one service, a client with a link to each, and a panel that looks at them.
struct Service {
    testing::FakeSession session;
    trace::Trace& trace = session.writable();
    std::array<EntityId, 3> servers{};
    EntityId client = trace.intern(EntityKind::Client, "A");
    ViewContext context;
    ClusterPanel panel{&context};

    explicit Service(const QByteArray& stem) {
        for (std::size_t i = 0; i < servers.size(); ++i) {
            servers[i] = trace.intern(EntityKind::Node, stem + QByteArray::number(i + 1));
            trace.intern(EntityKind::Link, "", client, servers[i]);
            add(0s, EventKind::NodeStarted, servers[i]);
        }
        add(0s, EventKind::ClientStarted, client);
    }
    void add(Nanos at, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0, EntityId aux = 0) {
        trace.append({at.count(), value, actor, subject, aux, kind, 0});
    }
    void role(Nanos at, std::size_t server, const char* role, EntityId follows = 0) {
        add(at, EventKind::NodeRole, servers[server], follows, 0, trace.text(role));
    }
    void ensemble() {
        role(0s, 0, "leader");
        role(0s, 1, "follower", servers[0]);
        role(0s, 2, "follower", servers[0]);
    }
    void sessionAt(Nanos at, EntityId server) {
        add(at, EventKind::SessionChanged, client, server, std::int64_t(trace::SessionPhase::Connected));
    }
    void show() {
        trace.reach(20s);
        context.setSession(&session);
        panel.resize(800, 320);
        panel.show();
    }
    QString told(Nanos at) {
        context.setPlayhead(at);
        return panel.describe(*panel.picture().find(client));
    }
    /// The uses of the links to the three servers: "connected spare spare".
    QString uses(Nanos at) {
        context.setPlayhead(at);
        QStringList words;
        for (const EntityId server : servers) {
            const auto& items = panel.picture().items;
            const auto link = std::ranges::find_if(
                items, [&](const auto& item) { return item.kind == EntityKind::Link && item.node == server; });
            const LinkUse use = panel.useOf(*link);
            words += use == LinkUse::Connected ? u"connected"_qs : use == LinkUse::Spare ? u"spare"_qs : u"any"_qs;
        }
        return words.join(u' ');
    }
};

} // namespace

class ClusterSessionsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aSessionIsSeenWhereItIsAndWhenItMoves() {
        Service s("zk-");
        s.ensemble();
        s.sessionAt(1s, s.servers[1]);
        s.add(1500ms, EventKind::Request, s.client, s.servers[0]); // its session knows better
        s.add(4s, EventKind::SessionChanged, s.client, 0, std::int64_t(trace::SessionPhase::Suspended));
        s.sessionAt(5s, s.servers[2]);
        s.show();
        QCOMPARE(s.uses(500ms), u"any any any"_qs);
        QCOMPARE(s.uses(2s), u"spare connected spare"_qs);
        QVERIFY2(s.told(2s).endsWith(u"connected with zk-2"_qs), qPrintable(s.told(2s)));
        QCOMPARE(s.uses(4500ms), u"any any any"_qs);
        QCOMPARE(s.uses(6s), u"spare spare connected"_qs);
        QVERIFY2(s.told(6s).endsWith(u"connected with zk-3 since 5.0 s, before with zk-2"_qs), qPrintable(s.told(6s)));
        // The picture says so, too: a moment after the move in words, later by its lines alone.
        s.context.setPlayhead(5500ms);
        const QImage moved = s.panel.grab().toImage();
        s.context.setPlayhead(9s);
        QVERIFY(moved != s.panel.grab().toImage());
    }

    void aSessionThatComesBackToItsServerHasNotMoved() {
        Service s("zk-");
        s.ensemble();
        s.sessionAt(1s, s.servers[1]);
        s.add(4s, EventKind::SessionChanged, s.client, 0, std::int64_t(trace::SessionPhase::Suspended));
        s.sessionAt(5s, s.servers[1]);
        s.show();
        QVERIFY(s.told(6s).endsWith(u"connected with zk-2"_qs));
    }

    /// Members of etcd, and masters that Sentinels tell of, are asked; there is no session with one of them.
    void withoutASessionItIsTheServerThatWasAskedLast() {
        Service s("etcd-");
        s.ensemble();
        s.add(1s, EventKind::SessionChanged, s.client, 0, std::int64_t(trace::SessionPhase::Connected)); // its lease
        s.add(1s, EventKind::Request, s.client, s.servers[0]);
        s.add(2s, EventKind::Request, s.client, s.servers[0]);
        s.add(3s, EventKind::Request, s.client, s.servers[2]);
        s.show();
        QCOMPARE(s.uses(2500ms), u"connected spare spare"_qs);
        QCOMPARE(s.uses(3500ms), u"spare spare connected"_qs);
        s.add(12s, EventKind::ClientKilled, s.client);
        Q_EMIT s.session.advanced();
        QCOMPARE(s.uses(13s), u"any any any"_qs);
    }

    void aSentinelsFollowerIsConnectedWithTheMaster() {
        Service s("redis-");
        const EntityId sentinel = s.trace.intern(EntityKind::Node, "sentinel-1");
        s.add(0s, EventKind::NodeRole, sentinel, 0, 0, s.trace.text("sentinel"));
        s.role(0s, 0, "master");
        s.role(0s, 1, "replica", s.servers[0]);
        s.role(0s, 2, "replica", s.servers[0]);
        s.add(1s, EventKind::Request, s.client, s.servers[0]);
        s.add(2s, EventKind::Request, s.client, sentinel);
        s.add(3s, EventKind::NodeKilled, s.servers[0]);
        s.role(4s, 1, "master");
        s.role(4s, 2, "replica", s.servers[1]);
        s.add(5s, EventKind::Request, s.client, s.servers[1]);
        s.show();
        QCOMPARE(s.uses(2500ms), u"connected spare spare"_qs);
        QCOMPARE(s.uses(6s), u"spare connected spare"_qs);
    }

    /// Redlock asks all of them, and needs a majority.
    void independentServersAreAllAskedAtOnce() {
        Service s("redis-");
        for (std::size_t i = 0; i < s.servers.size(); ++i) {
            s.role(0s, i, "master");
            s.add(1s, EventKind::Request, s.client, s.servers[i]);
        }
        s.show();
        QCOMPARE(s.uses(2s), u"any any any"_qs);
        QVERIFY(!s.told(2s).contains(u"connected"_qs));
    }
};

QTEST_MAIN(ClusterSessionsTest)
#include "tst_cluster_sessions.moc"
