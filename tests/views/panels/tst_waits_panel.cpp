// SPDX-License-Identifier: GPL-3.0-or-later
// The wait-for graph, drawn and in words.
#include "waits/wait_words.h"
#include "waits/waits_panel.h"
#include "written_world.h"

#include <QTest>

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
