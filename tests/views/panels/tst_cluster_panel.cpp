// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/cluster_paint.h"
#include "cluster/cluster_panel.h"
#include "fake_session.h"
#include "faults/fault_menu.h"
#include "theme/palette.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QMenu>
#include <QTest>
#include <map>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;

class ClusterPanelTest : public QObject {
    Q_OBJECT

    struct Scene {
        FakeSession session;
        PauseStory story{session.writable()};
        ViewContext context;
        ClusterPanel panel{&context};
        Scene() {
            context.setSession(&session);
            context.setPlayhead(6812ms);
            panel.resize(800, 320);
            panel.show();
        }
        QPoint centre(trace::EntityId entity) const { return panel.picture().find(entity)->box.center().toPoint(); }
    };

    /// A master that dies at 3 s, its replica that takes over at 5 s, and a Sentinel.
    struct Failover {
        FakeSession session;
        trace::EntityId one, two, sentinel, between;
        ViewContext context;
        ClusterPanel panel{&context};
        Failover() {
            using K = trace::EventKind;
            trace::Trace& t = session.writable();
            one = t.intern(trace::EntityKind::Node, "redis-1");
            two = t.intern(trace::EntityKind::Node, "redis-2");
            sentinel = t.intern(trace::EntityKind::Node, "sentinel-1");
            between = t.intern(trace::EntityKind::Link, "", one, two);
            t.intern(trace::EntityKind::Client, "A");
            const auto at = [&t](Nanos when, K kind, trace::EntityId actor, trace::EntityId subject = 0,
                                 std::int64_t value = 0, std::uint32_t aux = 0, std::uint8_t flags = 0) {
                t.append({when.count(), value, actor, subject, aux, kind, flags});
            };
            const auto master = t.text("master"), replica = t.text("replica");
            for (const auto node : {one, two, sentinel})
                at(0s, K::NodeStarted, node);
            at(0s, K::NodeRole, sentinel, 0, 0, t.text("sentinel"));
            at(0s, K::NodeRole, one, 0, 0, master, trace::kCopiesNobody);
            at(0s, K::NodeRole, two, one, 0, replica);
            at(1s, K::ReplicationLag, two, one, Nanos(120ms).count());
            at(3s, K::NodeKilled, one, 0, 0, 0, trace::kFault);
            at(4s, K::NodeDoubted, sentinel, one, std::int64_t(trace::Doubt::Alone));
            at(4100ms, K::NodeDoubted, sentinel, one, std::int64_t(trace::Doubt::Agreed), 2);
            at(4100ms, K::VoteCast, sentinel, sentinel, 1);
            at(4200ms, K::FailoverStep, sentinel, two, std::int64_t(trace::FailoverPhase::Chosen));
            at(5s, K::NodeRole, two, 0, 0, master, trace::kCopiesNobody);
            at(6s, K::LinkCut, one, between, 0, 0, trace::kFault);
            t.reach(10s);
            context.setSession(&session);
            context.setPlayhead(2s);
            panel.resize(900, 340);
            panel.show();
        }
        QString menuOf(trace::EntityId node, const QString& begin) {
            QMenu menu;
            fillFaultMenu(menu, context, node);
            for (const QAction* entry : menu.actions())
                if (entry->text().startsWith(begin))
                    return entry->isEnabled() ? u"on: "_qs + entry->text().section(u'\t', 0, 0)
                                              : u"off: "_qs + entry->text() + u", "_qs + entry->toolTip();
            return {};
        }
    };

private Q_SLOTS:
    void theObserverOfWatchedServersIsNoClientOfThem() {
        Scene s;
        trace::Trace& t = s.session.writable();
        const trace::EntityId observer = t.intern(trace::EntityKind::Client, "lockscope");
        const trace::EntityId late = t.intern(trace::EntityKind::Client, "late");
        t.intern(trace::EntityKind::Thread, "1", late);
        Q_EMIT s.session.advanced();
        QTRY_VERIFY(s.panel.picture().find(late));
        QVERIFY(!s.panel.picture().find(observer));
    }

    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void messagesAreUnderWayBetweenSendingAndArrival() {
        trace::Trace trace;
        const auto node = trace.intern(trace::EntityKind::Node, "n");
        const auto client = trace.intern(trace::EntityKind::Client, "A");
        trace.append({Nanos(1s).count(), Nanos(100ms).count(), client, node, 0, trace::EventKind::Request, 0});
        trace.append({Nanos(2s).count(), -1, node, client, 0, trace::EventKind::Reply, 0});
        trace.append({Nanos(3s).count(), Nanos(100us).count(), node, client, 0, trace::EventKind::Push, 0});
        auto flights = flightsAt(trace, 1025ms, 1ms).shown;
        QCOMPARE(flights.size(), std::size_t(1));
        QVERIFY(flights[0].toNode);
        QCOMPARE(flights[0].progress, 0.25);
        QVERIFY(flightsAt(trace, 1101ms, 1ms).shown.empty());
        flights = flightsAt(trace, 2050ms, 100ms).shown;
        QCOMPARE(flights.size(), std::size_t(1));
        QVERIFY(flights[0].lost);
        QCOMPARE(flights[0].progress, 0.25);            // half the way is all it goes
        flights = flightsAt(trace, 3010ms, 40ms).shown; // shown slower than it was
        QCOMPARE(flights.size(), std::size_t(1));
        QCOMPARE(flights[0].progress, 0.25);
    }

    void fastMessagesAreThinnedOutSteadily() {
        trace::Trace trace;
        const auto node = trace.intern(trace::EntityKind::Node, "n");
        const auto client = trace.intern(trace::EntityKind::Client, "A");
        const auto other = trace.intern(trace::EntityKind::Client, "B");
        const std::int64_t quick = Nanos(1ms).count();
        for (std::int64_t at = 10; at < 5000; at += 10) // 100 questions a second
            trace.append({Nanos(std::chrono::milliseconds(at)).count(), at == 3000 ? -1 : quick, client, node, 0,
                          trace::EventKind::Request, 0});
        trace.append({Nanos(5s).count(), quick, other, node, 0, trace::EventKind::Request, 0});
        QVERIFY(!flightsAt(trace, 2s, 1ms).thinned); // slow enough to see each of them
        std::map<Nanos, int> pictures;
        for (Nanos t = 2s; t < 3s; t += 100ms) {
            const Flights flights = flightsAt(trace, t, 1s);
            QVERIFY(flights.thinned && flights.slowed);
            QVERIFY2(flights.shown.size() >= 1 && flights.shown.size() <= 3,
                     qPrintable(QString::number(flights.shown.size())));
            QVERIFY(std::ranges::is_sorted(flights.shown, {}, &Flight::sent));
            for (const Flight& flight : flights.shown)
                ++pictures[flight.sent];
        }
        // Each is to be seen from its beginning to its end: the same few of 200 in all ten pictures.
        QVERIFY2(pictures.size() <= 5, qPrintable(QString::number(pictures.size())));
        QVERIFY(std::ranges::any_of(pictures, [](const auto& one) { return one.second >= 8; }));
        const auto lost = flightsAt(trace, 3050ms, 1s).shown;
        QVERIFY(std::ranges::any_of(lost, [](const Flight& flight) { return flight.lost; }));
        // Another link has a choice of its own.
        const auto both = flightsAt(trace, 5s, 1s).shown;
        QVERIFY(std::ranges::any_of(both, [&](const Flight& flight) { return flight.client == other; }));
        QVERIFY(std::ranges::any_of(both, [&](const Flight& flight) { return flight.client == client; }));
    }

    void aClickSelectsAndTheKeyboardWalks() {
        Scene scene;
        QVERIFY(QTest::qWaitForWindowExposed(&scene.panel));
        QTest::mouseClick(&scene.panel, Qt::LeftButton, {}, scene.centre(scene.story.b));
        QCOMPARE(scene.context.selection(), scene.story.b);
        QTest::keyClick(&scene.panel, Qt::Key_Right);
        QCOMPARE(scene.context.selection(), scene.story.c);
        QTest::keyClick(&scene.panel, Qt::Key_Home);
        QCOMPARE(scene.context.selection(), scene.story.node);
        QTest::keyClick(&scene.panel, Qt::Key_End);
        QCOMPARE(scene.context.selection(), scene.story.cLink);
        QTest::keyClick(&scene.panel, Qt::Key_Escape);
        QCOMPARE(scene.context.selection(), trace::kNoEntity);
        const auto& link = *scene.panel.picture().find(scene.story.aLink);
        QTest::mouseClick(&scene.panel, Qt::LeftButton, {}, ((link.from + link.to) / 2).toPoint());
        QCOMPARE(scene.context.selection(), scene.story.aLink);
    }

    void aSelectedThreadMarksItsClientAndStaysSelected() {
        Scene scene;
        scene.context.select(scene.story.bThread);
        const auto& items = scene.panel.picture().items;
        QCOMPARE(items[std::size_t(scene.panel.current())].entity, scene.story.b);
        QCOMPARE(scene.context.selection(), scene.story.bThread);
    }

    void theMenuOfAClientPausesIt() {
        Scene scene;
        QVERIFY(QTest::qWaitForWindowExposed(&scene.panel));
        const QPoint at = scene.centre(scene.story.b);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, scene.panel.mapToGlobal(at));
        QCoreApplication::sendEvent(&scene.panel, &event);
        auto* menu = scene.panel.findChild<QMenu*>();
        QVERIFY(menu);
        QTRY_VERIFY(menu->isVisible());
        QAction* pause = menu->actions().front();
        QCOMPARE(pause->text(), u"Pause B\tP"_qs);
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(pause).center());
        QCOMPARE(scene.session.applied.size(), std::size_t(1));
        QCOMPARE(scene.session.applied[0].action, scenario::Action::PauseClient);
        QCOMPARE(scene.session.applied[0].target, u"B"_qs);
        QCOMPARE(scene.context.selection(), scene.story.b);
    }

    void beliefsAreInTheirColours() {
        Scene scene;
        QVERIFY(QTest::qWaitForWindowExposed(&scene.panel));
        const QImage image = scene.panel.grab().toImage();
        const auto near = [&](trace::EntityId client, Role role) {
            const QRect box = scene.panel.picture().find(client)->box.toAlignedRect().adjusted(-2, -2, 2, 2);
            for (int y = box.top(); y <= box.bottom(); ++y)
                for (int x = box.left(); x <= box.right(); ++x)
                    if (image.pixel(x, y) == color(role).rgb()) return true;
            return false;
        };
        QVERIFY(near(scene.story.b, Role::Holding));
        QVERIFY(!near(scene.story.a, Role::Holding)); // believes, without the record
        QVERIFY(near(scene.story.a, Role::StaleBelief) || near(scene.story.a, Role::Violation));
        QVERIFY(near(scene.story.c, Role::Waiting));
    }

    void aCutLinkLooksCut() {
        Scene scene;
        QVERIFY(QTest::qWaitForWindowExposed(&scene.panel));
        const auto purple = [&] {
            const QImage image = scene.panel.grab().toImage();
            int pixels = 0;
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    pixels += image.pixel(x, y) == color(Role::Fault).rgb();
            return pixels;
        };
        scene.context.setPlayhead(12s);
        const int before = purple();
        scene.session.writable().append(
            {Nanos(11s).count(), 0, scene.story.b, scene.story.bLink, 0, trace::EventKind::LinkCut, trace::kFault});
        Q_EMIT scene.session.advanced();
        QVERIFY(purple() > before + 10);
        QVERIFY(scene.panel.describe(*scene.panel.picture().find(scene.story.bLink)).contains(u"cut"_qs));
    }

    void strangersAreNotCalledIdle() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto stranger = t.intern(trace::EntityKind::Client, "8743c9c0");
        const auto thread = t.intern(trace::EntityKind::Thread, "57", stranger);
        const auto words = [&] { return clientWords(Looks(scene.context).of(stranger), scene.context.playhead()); };
        QCOMPARE(words(), u"not observed"_qs);
        const auto lock = t.intern(trace::EntityKind::Lock, "stock", scene.story.node);
        t.append({Nanos(11s).count(), Nanos(40s).count(), thread, lock, 1, trace::EventKind::RecordHeld});
        scene.context.setPlayhead(12s);
        QCOMPARE(words(), u"holds, by the record"_qs);
        scene.context.setPlayhead(100ms);
        QCOMPARE(clientWords(Looks(scene.context).of(scene.story.a), 100ms), u"idle"_qs); // ours, seen to start
        const ClientLook waits{.belief = ClientLook::Belief::Waiting, .clock = {}, .since = 1150ms};
        QCOMPARE(clientWords(waits, 9923ms), u"waits 8.8 s"_qs); // as the queue beside it: from 1.1 s to 9.9 s
    }

    void aReaderBesideTheOneOnRecordIsNotStale() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "catalogue", scene.story.node);
        t.append({Nanos(11s).count(), -1, scene.story.bThread, lock, 1, trace::EventKind::RecordHeld});
        t.append({Nanos(11s).count(), 1, scene.story.aThread, lock, 1, trace::EventKind::GrantedAs});
        t.append({Nanos(11s).count(), 0, scene.story.aThread, lock, 1, trace::EventKind::Granted});
        scene.context.setPlayhead(12s);
        QCOMPARE(Looks(scene.context).of(scene.story.a).belief, ClientLook::Belief::Holding);
    }

    void whatIsOutOfSightIsNotCounted() {
        Scene scene;
        QVERIFY(nodeWords(scene.context, scene.story.node, Looks(scene.context)).startsWith(u"1 lock"_qs));
        scene.context.setPlayhead(12s);
        scene.session.writable().append(
            {Nanos(11s).count(), 0, 0, scene.story.lock, 0, trace::EventKind::RecordUnobserved});
        Q_EMIT scene.session.advanced();
        QCOMPARE(nodeWords(scene.context, scene.story.node, Looks(scene.context)), u"out of sight"_qs);
        const auto& node = *scene.panel.picture().find(scene.story.node);
        QVERIFY(!scene.panel.describe(node).contains(u"running"_qs));
    }

    void aScreenReaderWalksThePicture() {
        Scene scene;
        QAccessibleInterface* const panel = QAccessible::queryAccessibleInterface(&scene.panel);
        QVERIFY(panel);
        QCOMPARE(panel->childCount(), 7);
        QAccessibleInterface* const a = panel->child(1);
        QVERIFY(a);
        QCOMPARE(a->text(QAccessible::Name), u"client A: paused, believes it holds"_qs);
        QCOMPARE(panel->indexOfChild(a), 1);
        QCOMPARE(a->parent(), panel);
        QVERIFY(a->rect().isValid());
        QCOMPARE(panel->childAt(a->rect().center().x(), a->rect().center().y()), a);
        a->actionInterface()->doAction(QAccessibleActionInterface::setFocusAction());
        QCOMPARE(scene.context.selection(), scene.story.a);
        QVERIFY(a->state().selected);
        QCOMPARE(panel->child(99), nullptr);
    }

    /// Words of messages cover neither each other nor other messages.
    void wordsOfMessagesKeepApart() {
        const QPointF at(300, 100), below(300, 112), close(310, 108);
        std::vector<QRectF> taken;
        for (const QPointF& sign : {at, below, close})
            taken.emplace_back(sign.x() - kFlightSize / 2, sign.y() - kFlightSize / 2, kFlightSize, kFlightSize);
        const auto first = roomForWords(at, 150, taken);
        QVERIFY(first && first->right() < at.x()); // another sign stands on its right
        taken.push_back(*first);
        QVERIFY(!roomForWords(below, 150, taken)); // words on its left, a sign on its right
        const auto third = roomForWords(close, 150, taken);
        QVERIFY(third && third->left() > close.x());
        for (const QRectF& other : taken)
            QVERIFY(!other.intersects(*third));
    }

    void rolesChangeAndNodesKeepTheirPlaces() {
        Failover f;
        QCOMPARE(nodeRoleWords(f.context, f.one), u"master"_qs);
        QCOMPARE(nodeRoleWords(f.context, f.two), u"replica of redis-1"_qs);
        QCOMPARE(nodeRoleWords(f.context, f.sentinel), u"sees nothing wrong"_qs);
        const QRectF one = f.panel.picture().find(f.one)->box, two = f.panel.picture().find(f.two)->box;
        QVERIFY(f.panel.picture().find(f.sentinel)->watcher);
        QVERIFY(!f.panel.picture().find(f.one)->watcher);
        QVERIFY(!f.panel.picture().find(f.between)); // a link between servers that nobody has disturbed
        f.panel.setAllLinks(true);                   // so that a fault can be done to it
        QVERIFY(f.panel.picture().find(f.between));
        f.panel.setAllLinks(false);
        QVERIFY(!f.panel.picture().find(f.between));
        f.context.setPlayhead(3500ms);
        QCOMPARE(nodeRoleWords(f.context, f.two), u"replica of nobody"_qs);
        f.context.setPlayhead(4150ms);
        QCOMPARE(nodeRoleWords(f.context, f.sentinel), u"agreed: redis-1 is down, voted for sentinel-1"_qs);
        f.context.setPlayhead(4500ms);
        QCOMPARE(nodeRoleWords(f.context, f.two), u"candidate"_qs);
        f.context.setPlayhead(5500ms);
        QCOMPARE(nodeRoleWords(f.context, f.two), u"master"_qs);
        QCOMPARE(f.panel.picture().find(f.one)->box, one);
        QCOMPARE(f.panel.picture().find(f.two)->box, two);
        QVERIFY(f.panel.describe(*f.panel.picture().find(f.two)).contains(u"master"_qs));
        f.context.setPlayhead(6500ms);
        QVERIFY(f.panel.picture().find(f.between));
        QVERIFY(!f.panel.grab().isNull());
    }

    void aVoteOfAnElectionThatIsOverIsNotTold() {
        Failover f;
        trace::Trace& t = f.session.writable();
        const auto step = [&](Nanos at, trace::FailoverPhase phase) {
            t.append({at.count(), std::int64_t(phase), f.sentinel, f.two, 0, trace::EventKind::FailoverStep, 0});
        };
        const auto doubt = [&](Nanos at, trace::Doubt value) {
            t.append({at.count(), std::int64_t(value), f.sentinel, f.one, 0, trace::EventKind::NodeDoubted, 0});
        };
        doubt(10s, trace::Doubt::None);
        step(11s, trace::FailoverPhase::Ended);
        doubt(12s, trace::Doubt::Alone); // the dead master again, as a replica
        t.append({Nanos(13s).count(), 2, f.sentinel, f.sentinel, 0, trace::EventKind::VoteCast, 0});
        step(14s, trace::FailoverPhase::Abandoned);
        t.reach(15s);
        const auto wordsAt = [&](Nanos at) {
            f.context.setPlayhead(at);
            return nodeRoleWords(f.context, f.sentinel);
        };
        QCOMPARE(wordsAt(10500ms), u"sees nothing wrong, voted for sentinel-1"_qs);
        QCOMPARE(wordsAt(11500ms), u"sees nothing wrong"_qs);
        QCOMPARE(wordsAt(12500ms), u"redis-1 is down?"_qs);
        QCOMPARE(wordsAt(13500ms), u"redis-1 is down?, voted for sentinel-1"_qs);
        QCOMPARE(wordsAt(14500ms), u"redis-1 is down?"_qs);
    }

    void whatServersTellEachOtherFliesAboveThem() {
        Failover f;
        trace::Trace& t = f.session.writable();
        t.append({Nanos(10s).count(), 100'000, f.one, f.two, t.text("replicate"), trace::EventKind::PeerMessage, 0});
        t.append({Nanos(10s).count(), 0, f.one, 0, t.text("looking"), trace::EventKind::NodeRole, 0});
        t.append({Nanos(10s).count(), 1, f.one, f.two, 0, trace::EventKind::VoteCast, 0});
        t.reach(12s);
        const Flights flights = flightsAt(t, 10s + 50us, 100us);
        QCOMPARE(flights.shown.size(), std::size_t(1));
        const auto at = placeBetweenServers(flights.shown.front(), f.panel.picture());
        const QRectF one = f.panel.picture().find(f.one)->box, two = f.panel.picture().find(f.two)->box;
        QVERIFY(at && at->y() < one.top() && at->x() > one.center().x() && at->x() < two.center().x());
        f.context.setPlayhead(10s);
        QCOMPARE(nodeRoleWords(f.context, f.one), u"votes for redis-2"_qs);
        QVERIFY(!f.panel.grab().isNull());
    }

    void aServersMenuAsksWhatItCan() {
        Failover f;
        QCOMPARE(f.menuOf(f.one, u"Kill"_qs), u"on: Kill redis-1"_qs);
        QVERIFY(f.menuOf(f.one, u"Demote"_qs).startsWith(u"on: "_qs));
        QVERIFY(f.menuOf(f.two, u"Demote"_qs).startsWith(u"off: "_qs));
        QVERIFY(f.menuOf(f.two, u"Demote"_qs).contains(u"redis-2 is not the master."_qs));
        QVERIFY(f.menuOf(f.one, u"Isolate"_qs).startsWith(u"on: "_qs));
        QVERIFY(f.menuOf(f.one, u"Restart"_qs).startsWith(u"on: "_qs));
        f.context.setPlayhead(6500ms);
        QVERIFY(f.menuOf(f.one, u"Reconnect"_qs).startsWith(u"on: "_qs));
        QVERIFY(f.menuOf(f.one, u"Demote"_qs).contains(u"redis-1 is dead."_qs));
        QMenu menu;
        fillFaultMenu(menu, f.context, f.one);
        QCOMPARE(
            std::ranges::count_if(menu.actions(), [](const QAction* a) { return a->text().startsWith(u"Restart"_qs); }),
            1);
        QVERIFY(f.menuOf(f.two, u"Demote"_qs).startsWith(u"on: "_qs));
        f.session.writable().append(
            {Nanos(11s).count(), 0, f.sentinel, 0, 0, trace::EventKind::NodeKilled, trace::kFault});
        f.context.setPlayhead(12s);
        QVERIFY(f.menuOf(f.two, u"Demote"_qs).contains(u"No Sentinel runs."_qs));
    }
};

QTEST_MAIN(ClusterPanelTest)
#include "tst_cluster_panel.moc"
