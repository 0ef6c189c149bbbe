// SPDX-License-Identifier: GPL-3.0-or-later
// How much slower links are stands beside them, on nothing else; where a client's are all alike, once for all.
#include "cluster/cluster_paint.h"
#include "cluster/cluster_panel.h"
#include "fake_session.h"

#include <QTest>
#include <map>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// Clients with links to each of some servers, in a panel of some size.
struct Links {
    testing::FakeSession session;
    trace::Trace& trace = session.writable();
    std::vector<EntityId> servers, clients;
    std::map<std::pair<EntityId, EntityId>, EntityId> links;
    ViewContext context;
    ClusterPanel panel{&context};

    Links(int serverCount, int clientCount) {
        for (int i = 0; i < serverCount; ++i) {
            servers.push_back(trace.intern(EntityKind::Node, "redis-" + QByteArray::number(i + 1)));
            add(0s, EventKind::NodeStarted, servers.back());
        }
        for (int i = 0; i < clientCount; ++i) {
            clients.push_back(trace.intern(EntityKind::Client, QByteArray(1, char('A' + i))));
            add(0s, EventKind::ClientStarted, clients.back());
            for (const EntityId server : servers)
                links[{clients.back(), server}] = trace.intern(EntityKind::Link, "", clients.back(), server);
        }
    }
    void add(Nanos at, EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0) {
        trace.append({at.count(), value, actor, subject, 0, kind, trace::kFault});
    }
    void slow(EntityId client, EntityId server, Nanos by) {
        add(1s, EventKind::LinkDelayed, client, links.at({client, server}), by.count());
    }
    std::vector<DelayTag> tags(QSize size) {
        trace.reach(20s);
        context.setSession(&session);
        panel.resize(size);
        panel.show();
        context.setPlayhead(2s);
        const ClusterLayout& layout = panel.picture();
        std::vector<const ClusterLayout::Item*> drawn;
        for (const ClusterLayout::Item& item : layout.items)
            if (item.kind == EntityKind::Link) drawn.push_back(&item);
        return delayTags(context, drawn, layout);
    }
};

} // namespace

class TestClusterDelays : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void alikeOnesOfAClientAreToldOnce() {
        Links w(6, 3);
        for (const EntityId server : w.servers)
            w.slow(w.clients[1], server, 1500ms);
        const auto tags = w.tags({670, 230});
        QCOMPARE(tags.size(), std::size_t(1));
        QCOMPARE(tags.front().text, QStringLiteral("+1.5 s on 6 links"));
        const QRectF client = w.panel.picture().find(w.clients[1])->box;
        QVERIFY(!tags.front().box.intersects(client));
        QVERIFY(std::abs(tags.front().box.center().x() - client.center().x()) < 1);
    }

    void noneStandsOnAnotherOne_data() {
        QTest::addColumn<QSize>("size");
        QTest::newRow("wide") << QSize(900, 400);
        QTest::newRow("low") << QSize(670, 230);
        QTest::newRow("tiny") << QSize(300, 160);
    }
    /// Different delays are told link by link, as far as there is room.
    void noneStandsOnAnotherOne() {
        QFETCH(QSize, size);
        Links w(5, 3);
        int by = 0;
        for (const EntityId client : w.clients)
            for (const EntityId server : w.servers)
                w.slow(client, server, 1500ms + ++by * 100ms);
        const auto tags = w.tags(size);
        QVERIFY(!tags.empty() && tags.size() <= 15);
        for (std::size_t i = 0; i < tags.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!tags[i].box.intersects(tags[j].box));
            for (const ClusterLayout::Item& item : w.panel.picture().items)
                QVERIFY(item.kind == EntityKind::Link || !item.box.intersects(tags[i].box));
        }
    }

    /// Links of servers run on arcs above them: one of the outer two ends in the middle of one of the inner two.
    void theArcsOfServersKeepApart() {
        Links w(4, 1);
        for (const auto& [one, other] : {std::pair{0, 3}, {1, 2}}) {
            const EntityId first = w.servers[std::size_t(one)], second = w.servers[std::size_t(other)];
            w.links[{first, second}] = w.trace.intern(EntityKind::Link, "", first, second);
            w.slow(first, second, 1s);
        }
        const auto tags = w.tags({900, 400});
        QCOMPARE(tags.size(), std::size_t(2));
        QVERIFY(!tags[0].box.intersects(tags[1].box));
    }

    void aFewKeepTheirOwn() {
        Links w(3, 2);
        w.slow(w.clients[0], w.servers[0], 1s);
        w.slow(w.clients[0], w.servers[1], 1s);
        const auto tags = w.tags({900, 400});
        QCOMPARE(tags.size(), std::size_t(2));
        QCOMPARE(tags.front().text, QStringLiteral("+1.0 s"));
    }
};

QTEST_MAIN(TestClusterDelays)
#include "tst_cluster_delays.moc"
