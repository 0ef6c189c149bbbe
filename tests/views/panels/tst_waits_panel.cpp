// SPDX-License-Identifier: GPL-3.0-or-later
// The wait-for graph, drawn and in words.
#include "models/waits_in_sight.h"
#include "trace/connection.h"
#include "trace/deadline.h"
#include "trace/wait_for.h"
#include "waits/lock_waits.h"
#include "waits/wait_picture.h"
#include "waits/wait_words.h"
#include "waits/waits_panel.h"
#include "written_world.h"

#include <QLabel>
#include <QMenu>
#include <QTest>
#include <algorithm>
#include <set>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EventKind;
using views::testing::WrittenWorld;

namespace {

struct Scene : WrittenWorld {
    /// A waits for stock from 2 s, B for orders from 3 s: a circle; C for orders from 4 s.
    Scene() {
        for (const auto& [client, name] : {std::pair("A", "orders"), {"B", "stock"}}) {
            asks(1s, thread(client), lock(name));
            isGranted(1s, thread(client), lock(name));
        }
        asks(2s, thread("A"), lock("stock"));
        asks(3s, thread("B"), lock("orders"));
        asks(4s, thread("C"), lock("orders"));
        context.setSession(&session);
    }
    const WaitLayout::Item* item(const WaitLayout& picture, EntityId entity) const {
        const auto found = std::ranges::find(picture.items, entity, &WaitLayout::Item::entity);
        return found == picture.items.end() ? nullptr : &*found;
    }
};

} // namespace

class WaitsPanels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void thePictureIsThatOfThePlayhead() {
        Scene scene;
        WaitsPanel panel(&scene.context);
        panel.resize(700, 260);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTRY_VERIFY(panel.graph().edges.empty()); // at 0
        scene.context.setPlayhead(2500ms);
        QTRY_COMPARE(panel.graph().edges.size(), std::size_t(1));
        QCOMPARE(panel.sentence(), u"No deadlock: 1 wait(s) for 1 lock(s)."_qs);
        const WaitLayout& picture = panel.picture();
        const auto* waiter = scene.item(picture, scene.thread("A"));
        const auto* lock = scene.item(picture, scene.lock("stock"));
        const auto* holder = scene.item(picture, scene.thread("B"));
        QVERIFY(waiter && lock && holder);
        QVERIFY(holder->box.right() < lock->box.left() && lock->box.right() < waiter->box.left());
        QVERIFY(!scene.item(picture, scene.lock("orders"))); // nobody waits for it
    }

    void whoWaitsForALockThatNobodyHoldsWaitsAllTheSame() {
        WrittenWorld world;
        world.asks(2s, world.thread("A"), world.lock("orders"));
        world.context.setSession(&world.session);
        world.context.setPlayhead(1s);
        const auto says = [](const WaitsPanel& panel, const QString& title) {
            return std::ranges::count(panel.findChildren<QLabel*>(), title, &QLabel::text) == 1;
        };
        WaitsPanel before(&world.context);
        QVERIFY(says(before, u"Nobody waits"_qs));
        world.context.setPlayhead(3s);
        WaitsPanel after(&world.context);
        QVERIFY(after.graph().edges.empty());
        QVERIFY(says(after, u"Clients wait, but no holder is known"_qs));
        QVERIFY(!says(after, u"Nobody waits"_qs));
    }

    /// A watched server may be out of sight, or not tell who waits: nothing is claimed of its locks.
    void noDeadlockIsClaimedOfWhatIsNotSeen() {
        WrittenWorld world;
        trace::Trace& trace = world.trace();
        const EntityId shop = trace::internConnection(trace, "shop", "redis://shop");
        const EntityId node = trace.intern(trace::EntityKind::Node, "shop", shop);
        const EntityId told = trace.intern(trace::EntityKind::Lock, "told", node);
        const EntityId silent = trace.intern(trace::EntityKind::Lock, "silent", node);
        const EntityId a = world.thread("A"), b = world.thread("B");
        world.add(1s, EventKind::RecordHeld, a, told, trace::kEndNotKnown, 1);
        world.add(1s, EventKind::RecordWaiters, 0, told, 0);
        trace.reach(9s);
        world.context.setSession(&world.session);
        world.context.setPlayhead(1500ms);
        QVERIFY(waitsInSight(world.context).complete());
        world.add(9s, EventKind::RecordHeld, b, silent, trace::kEndNotKnown, 1);
        world.context.setPlayhead(9s);
        QCOMPARE(waitsInSight(world.context).untold, 1);
        world.add(10s, EventKind::RecordQueued, b, told);
        world.context.setPlayhead(10s);
        WaitsPanel panel(&world.context);
        QVERIFY2(panel.sentence().startsWith(u"No deadlock in sight: "_qs), qPrintable(panel.sentence()));
        QVERIFY2(panel.sentence().contains(u"does not tell who waits"_qs), qPrintable(panel.sentence()));
        world.add(11s, EventKind::RecordUnobserved, 0, silent);
        world.context.setPlayhead(11s);
        QCOMPARE(waitsInSight(world.context).unseen, 1);
        WaitsPanel later(&world.context);
        QVERIFY2(later.sentence().contains(u"out of sight"_qs), qPrintable(later.sentence()));
    }

    void aCircleIsNamedWithTheWayOut() {
        Scene scene;
        scene.context.setPlayhead(5s);
        WaitsPanel panel(&scene.context);
        QCOMPARE(panel.graph().cycles.size(), std::size_t(1));
        const QString sentence = panel.sentence();
        QVERIFY2(sentence.contains(u"A waits for stock, which B holds; B waits for orders, which A holds."_qs),
                 qPrintable(sentence));
        // B and C wait for orders, and only A for stock.
        QVERIFY2(sentence.contains(u"end A's hold of orders: 2 client(s)"_qs), qPrintable(sentence));
        QCOMPARE(std::ranges::count(panel.picture().items, true, &WaitLayout::Item::inCycle), 4);
        QCOMPARE(std::ranges::count(panel.picture().edges, true, &WaitLayout::Edge::inCycle), 4);
        QCOMPARE(std::ranges::count(panel.picture().edges, true, &WaitLayout::Edge::back), 1);
    }

    void theEdgeToBreakIsMarkedAndEdgesSayHowLong() {
        Scene scene;
        scene.context.setPlayhead(5s);
        WaitsPanel panel(&scene.context);
        auto* picture = panel.findChild<WaitPicture*>();
        const WaitLayout& layout = picture->layout();
        QStringList texts;
        for (int i = 0; i < int(layout.edges.size()); ++i)
            texts << picture->edgeText(i);
        texts.sort();
        QCOMPARE(texts, QStringList({u"holds 4.0 s"_qs, u"holds 4.0 s"_qs, u"waits 1.0 s"_qs, u"waits 2.0 s"_qs,
                                     u"waits 3.0 s"_qs}));
        // B and C wait for orders: one edge is marked, A's hold of it.
        const auto marked = std::ranges::find_if(layout.edges, [](const auto& edge) { return edge.freed > 0; });
        QVERIFY(marked != layout.edges.end() && marked->holds);
        QCOMPARE(std::ranges::count_if(layout.edges, [](const auto& edge) { return edge.freed > 0; }), 1);
        QCOMPARE(marked->freed, 2);
        QCOMPARE(layout.items[marked->from].entity, scene.lock("orders"));
        QCOMPARE(layout.items[marked->to].entity, scene.thread("A"));
        const QString tip = picture->tipAt(marked->at(0.5));
        QVERIFY2(tip.startsWith(u"A holds orders since 1.000 s."_qs) && tip.contains(u"2 client"_qs), qPrintable(tip));
        // The scissors lead to the lock.
        QTest::mouseClick(picture, Qt::LeftButton, {}, marked->at(0.5).toPoint());
        QCOMPARE(scene.context.selection(), scene.lock("orders"));
        scene.context.setPlayhead(2500ms);
        panel.show();
        QTRY_COMPARE(layout.edges.size(), std::size_t(2));
        QVERIFY(std::ranges::all_of(layout.edges, [](const auto& edge) { return edge.freed == 0; }));
    }

    void theBeginThatNobodySawIsNoFact() {
        WrittenWorld world;
        const EntityId lock = world.lock("jobs");
        world.add(1s, EventKind::RecordHeld, world.thread("X"), lock, Nanos(60s).count(), 1);
        world.add(2s, EventKind::RecordQueued, world.thread("Y"), lock, 0);
        world.context.setSession(&world.session);
        world.context.setPlayhead(5s);
        WaitsPanel panel(&world.context);
        const auto* picture = panel.findChild<WaitPicture*>();
        QStringList texts, tips;
        for (int i = 0; i < int(picture->layout().edges.size()); ++i) {
            texts << picture->edgeText(i);
            tips << picture->tipAt(picture->layout().edges[std::size_t(i)].at(0.5));
        }
        texts.sort();
        QCOMPARE(texts, QStringList({u"holds ≥ 4.0 s"_qs, u"waits ≥ 3.0 s"_qs}));
        for (const QString& tip : tips)
            QVERIFY2(tip.contains(u"at the latest"), qPrintable(tip));
    }

    /// A row's lock goes with its transaction, and an advisory one with its session: nobody works on without it.
    void theWayOutSaysWhatElseEnds_data() {
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QString>("words");
        QTest::newRow("row") << QByteArray("pg-row") << QStringLiteral("end the transaction of");
        QTest::newRow("advisory") << QByteArray("pg-advisory") << QStringLiteral("end the session of");
        QTest::newRow("Redisson") << QByteArray("redisson") << QStringLiteral("works on without the lock");
    }
    void theWayOutSaysWhatElseEnds() {
        QFETCH(QByteArray, format);
        QFETCH(QString, words);
        WrittenWorld world;
        trace::Trace& trace = world.trace();
        const EntityId node = trace.intern(trace::EntityKind::Node, "db");
        const EntityId a = world.thread("A"), b = world.thread("B");
        const EntityId one = trace.intern(trace::EntityKind::Lock, "one", node, trace.text(format));
        const EntityId two = trace.intern(trace::EntityKind::Lock, "two", node, trace.text(format));
        world.add(1s, EventKind::RecordHeld, a, one, trace::kEndNotKnown, 1);
        world.add(1s, EventKind::RecordHeld, b, two, trace::kEndNotKnown, 1);
        world.add(2s, EventKind::RecordQueued, a, two, 0);
        world.add(2s, EventKind::RecordQueued, b, one, 0);
        world.context.setSession(&world.session);
        world.context.setPlayhead(3s);
        const trace::WaitGraph graph = trace::waitGraph(world.context.state(), trace);
        QCOMPARE(graph.cycles.size(), 1u);
        const QString way = wayOut(graph, trace);
        QVERIFY2(way.contains(words), qPrintable(way));
        QCOMPARE(way.contains(QStringLiteral("works on")), format == "redisson");
    }

    /// Two believe that they have what one waits for.
    void aWaitForSeveralHoldersIsOne() {
        WrittenWorld world;
        for (const char* client : {"A", "C"}) {
            world.asks(1s, world.thread(client), world.lock("orders"));
            world.isGranted(1s, world.thread(client), world.lock("orders"));
        }
        world.asks(2s, world.thread("B"), world.lock("orders"));
        world.context.setSession(&world.session);
        world.context.setPlayhead(4s);
        WaitsPanel panel(&world.context);
        QVERIFY2(panel.sentence().contains(u"1 wait"), qPrintable(panel.sentence()));
        QCOMPARE(panel.findChild<WaitPicture*>()->layout().edges.size(), std::size_t(3));
    }

    /// The record has given it the lock, and one whose lease has ended still believes in it.
    void aClientWhoseGrantIsUnderWayStandsWithTheHolders() {
        WrittenWorld world;
        const EntityId lock = world.lock("orders");
        world.asks(1s, world.thread("A"), lock);
        world.isGranted(1s, world.thread("A"), lock);
        world.asks(2s, world.thread("B"), lock);
        world.asks(2s, world.thread("C"), lock);
        world.add(3s, EventKind::RecordHeld, world.thread("C"), lock, Nanos(60s).count(), 1);
        world.context.setSession(&world.session);
        world.context.setPlayhead(4s);
        WaitsPanel panel(&world.context);
        const WaitLayout& layout = panel.findChild<WaitPicture*>()->layout();
        const auto left = [&](EntityId entity) {
            return std::ranges::find(layout.items, entity, &WaitLayout::Item::entity)->box.left();
        };
        QCOMPARE(left(world.thread("C")), left(world.thread("A")));
        QVERIFY(left(lock) > left(world.thread("A")) && left(world.thread("B")) > left(lock));
        QVERIFY2(panel.sentence().contains(u"2 wait"), qPrintable(panel.sentence()));
    }

    void aClientThatARuleJoinedNamesTheRule() {
        Scene scene;
        trace::Trace& trace = scene.trace();
        const EntityId joined = trace.intern(trace::EntityKind::Client, "batch", 0, trace.text("app=([a-z]+)"));
        scene.asks(4s, trace.intern(trace::EntityKind::Thread, "app=batch 17", joined), scene.lock("stock"));
        scene.context.setPlayhead(5s);
        WaitsPanel panel(&scene.context);
        auto* picture = panel.findChild<WaitPicture*>();
        const auto* item = scene.item(panel.picture(), joined);
        QVERIFY(item);
        const int number = int(item - panel.picture().items.data());
        QCOMPARE(picture->note(number), u"by app=([a-z]+)"_qs);
        QVERIFY(picture->tipAt(item->box.center()).contains(u"by app=([a-z]+)"_qs));
        // Nothing watches servers here, so the rule cannot be rejected; clients without one have no menu.
        const std::unique_ptr<QMenu> menu(picture->makeMenu(number));
        QCOMPARE(menu->actions().size(), 1);
        QVERIFY(!menu->actions().front()->isEnabled());
        const auto* other = scene.item(panel.picture(), scene.thread("A"));
        const std::unique_ptr<QMenu> none(picture->makeMenu(int(other - panel.picture().items.data())));
        QVERIFY(none->isEmpty());
    }

    void aLocksDetailHasItsCircleOrItsChain() {
        Scene scene;
        LockWaits waits(&scene.context);
        scene.context.setPlayhead(2500ms);
        waits.setLock(scene.lock("stock")); // A waits for it, B has it and waits for nothing
        QVERIFY(waits.isHidden());
        scene.context.setPlayhead(5s);
        waits.setLock(scene.lock("stock"));
        QVERIFY(!waits.isHidden());
        QCOMPARE(waits.hint(), u"circle of 2 client(s)"_qs);
        const WaitLayout& layout = waits.picture()->layout();
        QCOMPARE(layout.items.size(), std::size_t(4)); // without C, which only waits
        for (std::size_t i = 1; i < layout.items.size(); ++i)
            QVERIFY(layout.items[i].box.top() > layout.items[i - 1].box.bottom());
        QCOMPARE(layout.items[0].box.left(), layout.items[3].box.left());
        // A dock is narrower than many clients side by side: the picture scrolls, and the facts above it stay whole.
        QVERIFY(waits.minimumSizeHint().width() < int(layout.size.width()));

        WrittenWorld chain;
        chain.isGranted(1s, chain.thread("A"), chain.lock("one"));
        chain.isGranted(1s, chain.thread("B"), chain.lock("two"));
        chain.asks(2s, chain.thread("B"), chain.lock("one"));
        chain.asks(2s, chain.thread("C"), chain.lock("two"));
        chain.context.setSession(&chain.session);
        chain.context.setPlayhead(3s);
        LockWaits its(&chain.context);
        for (const char* lock : {"one", "two"}) {
            its.setLock(chain.lock(lock));
            QCOMPARE(its.hint(), u"chain of 2 wait(s)"_qs);
            QCOMPARE(its.picture()->layout().items.size(), std::size_t(5));
        }
        its.setLock(chain.lock("three"));
        QVERIFY(its.isHidden());
    }

    void everythingIsReachedByKeyboardAndSaidInWords() {
        Scene scene;
        scene.context.setPlayhead(2500ms);
        WaitsPanel panel(&scene.context);
        panel.resize(700, 260);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* picture = panel.findChild<WaitPicture*>();
        QVERIFY(picture);
        QCOMPARE(picture->accessibleDescription(), u"stock is held by B; waiting: A."_qs);
        picture->setFocus(Qt::TabFocusReason);
        QCOMPARE(picture->current(), 0);
        QTest::keyClick(picture, Qt::Key_Right);
        QCOMPARE(scene.context.selection(), scene.lock("stock"));
        QTest::keyClick(picture, Qt::Key_Right);
        QCOMPARE(scene.context.selection(), scene.thread("A"));
        QTest::keyClick(picture, Qt::Key_Left);
        QCOMPARE(scene.context.selection(), scene.lock("stock"));
        const QRectF box = scene.item(panel.picture(), scene.thread("B"))->box;
        QTest::mouseClick(picture, Qt::LeftButton, {}, box.center().toPoint());
        QCOMPARE(scene.context.selection(), scene.thread("B"));
    }

    /// Runs of a program are processes of their own: only their names tie them to a circle, which is said and drawn so.
    void aPossibleDeadlockIsShownAsPossible() {
        WrittenWorld world;
        const auto process = [&](const char* client, const char* number) {
            trace::Trace& trace = world.trace();
            return trace.intern(trace::EntityKind::Thread, number, trace.intern(trace::EntityKind::Client, client));
        };
        const EntityId a1 = process("a", "672001234"), a2 = process("a", "469001234");
        const EntityId b1 = process("b", "570001234"), b2 = process("b", "123001234");
        for (const auto& [holder, name] : {std::pair(a1, "orders"), {b1, "stock"}}) {
            world.asks(1s, holder, world.lock(name));
            world.isGranted(1s, holder, world.lock(name));
        }
        world.asks(2s, a2, world.lock("stock"));
        world.asks(3s, b2, world.lock("orders"));
        world.context.setSession(&world.session);
        world.context.setPlayhead(2500ms);
        WaitsPanel panel(&world.context);
        const auto* const picture = panel.findChild<WaitPicture*>();
        QVERIFY(picture && picture->joins().empty());
        QVERIFY2(panel.sentence().startsWith(u"No deadlock"), qPrintable(panel.sentence()));
        world.context.setPlayhead(3500ms);
        panel.show();
        QTRY_VERIFY2(panel.sentence().startsWith(u"Possible deadlock, if clients of one name are one client: "),
                     qPrintable(panel.sentence()));
        QVERIFY(panel.sentence().contains(u"waits for stock"_qs) && panel.sentence().contains(u"waits for orders"_qs));
        QVERIFY(panel.graph().cycles.empty()); // it is no certain one
        const WaitLayout& layout = panel.picture();
        QCOMPARE(layout.edges.size(), std::size_t(4));
        for (int edge = 0; edge < 4; ++edge)
            QVERIFY(picture->isPossible(edge) && !layout.edges[std::size_t(edge)].inCycle);
        std::set<std::pair<EntityId, EntityId>> joined;
        for (const WaitPicture::Join& join : picture->joins())
            joined.emplace(layout.items[join.holder].entity, layout.items[join.waiter].entity);
        QCOMPARE(joined, (std::set<std::pair<EntityId, EntityId>>{{a1, a2}, {b1, b2}}));
    }

    void aCrowdIsDrawnInPartAndTheRestIsCounted() {
        Scene scene;
        for (int i = 0; i < 500; ++i)
            scene.asks(5s + Nanos(i), scene.thread("w" + QByteArray::number(i)), scene.lock("orders"));
        scene.context.setPlayhead(6s);
        WaitsPanel panel(&scene.context);
        QCOMPARE(panel.picture().left, 503 - kMostWaitsDrawn);
        QCOMPARE(std::ranges::count(panel.picture().edges, true, &WaitLayout::Edge::inCycle), 4); // that is drawn whole
        QVERIFY2(panel.sentence().contains(u"303 more wait(s)"_qs), qPrintable(panel.sentence()));
        for (std::size_t i = 0; i < panel.picture().items.size(); ++i)
            for (std::size_t j = i + 1; j < panel.picture().items.size(); ++j)
                QVERIFY(!panel.picture().items[i].box.intersects(panel.picture().items[j].box));
    }
};

QTEST_MAIN(WaitsPanels)
#include "tst_waits_panel.moc"
