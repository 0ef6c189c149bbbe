// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of one lock on several servers, as rows below it in the table of locks.
#include "locks/locks_panel.h"
#include "models/lock_filter.h"
#include "models/locks_model.h"
#include "written_world.h"

#include <QAbstractItemModelTester>
#include <QTest>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;
using views::testing::WrittenWorld;

namespace {

/// Two servers of one group; the first one is dead by 3 s, the second one decides then and has B's hold.
struct Scene : WrittenWorld {
    EntityId one, two, orders, first, second, b;

    Scene() {
        trace::Trace& t = trace();
        one = t.intern(EntityKind::Node, "redis-1");
        two = t.intern(EntityKind::Node, "redis-2");
        orders = lock("orders");
        first = t.intern(EntityKind::Lock, "orders", one, orders);
        b = thread("B");
        add(0s, EventKind::NodeStarted, one);
        add(0s, EventKind::NodeStarted, two);
        add(0s, EventKind::NodeRole, one, 0, 0, t.text("master"));
        add(0s, EventKind::NodeRole, two, one, 0, t.text("replica"));
        add(0s, EventKind::RecordDecider, one, orders, 1);
        add(3s, EventKind::NodeKilled, one);
        add(3s, EventKind::RecordDecider, two, orders, 1);
        context.setSession(&session);
    }
    /// The second copy turns up with B's hold.
    void grow() {
        second = trace().intern(EntityKind::Lock, "orders", two, orders);
        add(4s, EventKind::RecordHeld, b, second, Nanos(9s).count(), 1);
        add(4s, EventKind::RecordHeld, b, orders, Nanos(9s).count(), 1);
        session.writable().reach(5s);
        Q_EMIT session.advanced();
        context.setPlayhead(5s);
    }
};

} // namespace

class LockCopiesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theyAreRowsBelowTheirLock_data() {
        QTest::addColumn<bool>("grouped");
        QTest::newRow("flat") << false;
        QTest::newRow("by server") << true;
    }
    void theyAreRowsBelowTheirLock() {
        QFETCH(bool, grouped);
        Scene scene;
        LocksModel model(&scene.context);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setGrouping(grouped ? LocksModel::Grouping::Server : LocksModel::Grouping::None);
        QCOMPARE(model.lockCount(), 1);
        QVERIFY(model.isTree());
        QCOMPARE(model.rowCount(model.indexOf(scene.orders)), 1);
        scene.grow();
        QTRY_COMPARE(model.rowCount(model.indexOf(scene.orders)), 2);
        QCOMPARE(model.lockCount(), 1); // copies are no locks
        const QModelIndex lock = model.indexOf(scene.orders), dead = model.indexOf(scene.first),
                          decides = model.indexOf(scene.second);
        QVERIFY(LocksModel::isCopy(dead) && LocksModel::isCopy(decides) && !LocksModel::isCopy(lock));
        QCOMPARE(dead.parent(), lock);
        const auto cell = [](const QModelIndex& row, int column) {
            return row.siblingAtColumn(column).data().toString();
        };
        QCOMPARE(cell(dead, LocksModel::LockColumn), u"redis-1"_qs);
        QTRY_COMPARE(cell(dead, LocksModel::StateColumn), u"dead"_qs);
        QTRY_COMPARE(cell(decides, LocksModel::StateColumn), u"decides"_qs);
        QVERIFY(cell(decides, LocksModel::HolderColumn).startsWith(u"B"_qs));
        QVERIFY(!cell(decides, LocksModel::TtlColumn).isEmpty());
        scene.context.setPlayhead(1s);
        QTRY_COMPARE(cell(dead, LocksModel::StateColumn), u"decides"_qs);
        QCOMPARE(cell(decides, LocksModel::StateColumn), u"a copy"_qs);
    }

    void aFilterShowsThemWithTheirLockOnly() {
        Scene scene;
        scene.grow();
        LocksModel model(&scene.context);
        LocksProxy proxy(&model);
        proxy.setFilter(*LockFilter::parse(u"state:held"_qs));
        QCOMPARE(proxy.rowCount(), 1);
        QCOMPARE(proxy.rowCount(proxy.index(0, 0)), 2); // the dead one as well: it belongs to the lock
        proxy.setFilter(*LockFilter::parse(u"state:free"_qs));
        QCOMPARE(proxy.rowCount(), 0);
    }

    void aClickOnOneSelectsIt() {
        Scene scene;
        scene.grow();
        LocksPanel panel(&scene.context);
        panel.resize(1200, 300);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        auto* view = panel.findChild<QTreeView*>();
        QVERIFY(view->rootIsDecorated());
        const QModelIndex lock = view->model()->index(0, 0);
        QVERIFY(!view->isExpanded(lock)); // folded until a person opens it
        view->expand(lock);
        const QModelIndex copy = view->model()->index(1, 0, lock);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(copy).center());
        QCOMPARE(scene.context.selection(), scene.second);
        QCOMPARE(scene.context.focusedLock(), scene.orders);
        QCOMPARE(view->currentIndex(), copy);
    }
};

QTEST_MAIN(LockCopiesTest)
#include "tst_lock_copies.moc"
