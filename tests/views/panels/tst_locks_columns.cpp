// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "locks/locks_panel.h"
#include "theme/table_columns.h"

#include <QHeaderView>
#include <QLabel>
#include <QScrollBar>
#include <QTest>
#include <QTimer>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::views;
using views::testing::FakeSession;
using views::testing::PauseStory;

/// The columns of the table of locks: their widths, and which of them a narrow table has.
class LocksColumns : public QObject {
    Q_OBJECT

    struct Scene {
        FakeSession session;
        PauseStory story{session.writable()};
        ViewContext context;
        Scene() {
            trace::Trace& t = session.writable();
            const trace::EntityId stock = t.intern(trace::EntityKind::Lock, "stock:42", story.node);
            t.append(
                {Nanos(10s).count(), Nanos(40s).count(), story.aThread, stock, 1, trace::EventKind::RecordHeld, 0});
            context.setSession(&session);
            context.setPlayhead(6812ms);
        }
    };

private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void columnsShareTheRoomUntilOneIsDragged() {
        Scene scene;
        LocksPanel wide(&scene.context), narrow(&scene.context);
        const auto widthOf = [](const LocksPanel& panel, int column) {
            return panel.view()->header()->sectionSize(column);
        };
        wide.resize(2000, 240);
        narrow.resize(400, 240); // it scrolls: the widths are plain
        for (LocksPanel* panel : {&wide, &narrow}) {
            panel->show();
            QVERIFY(QTest::qWaitForWindowExposed(panel));
        }
        const int plain = widthOf(narrow, LocksModel::TtlColumn);
        QVERIFY(widthOf(wide, LocksModel::TtlColumn) > plain * 4 / 3);
        QVERIFY(wide.view()->header()->length() <= wide.view()->viewport()->width());
        // The kept widths do not depend on the room that happened to be there.
        QVERIFY(restoreColumns(*narrow.view(), columnsOf(*wide.view())));
        QCOMPARE(widthOf(narrow, LocksModel::TtlColumn), plain);
        QVERIFY(widthOf(wide, LocksModel::TtlColumn) > plain * 4 / 3);

        wide.view()->header()->resizeSection(LocksModel::TtlColumn, 301);
        wide.resize(1700, 240);
        QTRY_COMPARE(wide.view()->viewport()->width(), 1700 - 2 * wide.view()->frameWidth());
        QCOMPARE(widthOf(wide, LocksModel::TtlColumn), 301);
        QVERIFY(restoreColumns(*narrow.view(), columnsOf(*wide.view())));
        QCOMPARE(widthOf(narrow, LocksModel::TtlColumn), 301);
        narrow.resize(2100, 240);
        QCOMPARE(widthOf(narrow, LocksModel::TtlColumn), 301);
    }

    /// The lock that the panel beside shows moves among the others, by its alerts for example: the table moves with it.
    void theCurrentRowStaysInSightWhenRowsMove() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        for (int i = 0; i < 60; ++i)
            t.append({Nanos(3s).count(), Nanos(60s).count(), scene.story.aThread,
                      t.intern(trace::EntityKind::Lock, "zz" + QByteArray::number(100 + i), scene.story.node), 1,
                      trace::EventKind::RecordHeld, 0});
        Q_EMIT scene.session.advanced();
        LocksPanel panel(&scene.context);
        panel.resize(1160, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QTreeView* const view = panel.view();
        QTRY_VERIFY(view->model()->rowCount() > 60);
        view->sortByColumn(LocksModel::LockColumn, Qt::AscendingOrder);
        const QModelIndex last = view->model()->index(view->model()->rowCount() - 1, 0);
        const auto lock = last.data(LocksModel::EntityRole).toUInt();
        scene.context.setWorstLock(lock);
        const auto isInSight = [&] {
            const QRect row = view->visualRect(view->currentIndex());
            return row.top() >= 0 && row.bottom() < view->viewport()->height();
        };
        QTRY_VERIFY(view->currentIndex().data(LocksModel::EntityRole).toUInt() == lock && isInSight());
        QVERIFY(view->verticalScrollBar()->value() > 0);
        view->sortByColumn(LocksModel::LockColumn, Qt::DescendingOrder);
        QTRY_VERIFY(isInSight());
        QCOMPARE(view->verticalScrollBar()->value(), 0);
        // A person who has scrolled elsewhere is left there.
        view->verticalScrollBar()->setValue(view->verticalScrollBar()->maximum() / 2);
        QVERIFY(!isInSight());
        const int there = view->verticalScrollBar()->value();
        view->sortByColumn(LocksModel::LockColumn, Qt::AscendingOrder);
        bool turned = false; // what the sorting has put off for the event loop's next turn comes before this
        QTimer::singleShot(0, &panel, [&turned] { turned = true; });
        QTRY_VERIFY(turned);
        QCOMPARE(view->verticalScrollBar()->value(), there);
    }

    void columnsMakeRoomForTheLastOne() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1160, 240); // what a window of 1400 leaves to it
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const QHeaderView* header = panel.view()->header();
        QVERIFY(header->length() <= panel.view()->viewport()->width());
        QVERIFY(header->sectionSize(LocksModel::StateColumn) >= 100);
        panel.setMinimumSize(1, 1); // else the field above would keep it wide enough
        panel.resize(280, 240);     // it scrolls: nothing is gained by narrow ones
        QTRY_VERIFY(header->length() > panel.view()->viewport()->width() + 100);
    }

    void columnsLeaveBeforeTheirWordsAreCut() {
        Scene scene;
        LocksPanel panel(&scene.context);
        panel.resize(1160, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        QHeaderView* header = panel.view()->header();
        const QAbstractItemModel* model = panel.view()->model();
        const auto titlesAreWhole = [&] {
            for (int column = 0; column < LocksModel::ColumnCount; ++column) {
                const QString title = model->headerData(column, Qt::Horizontal).toString();
                if (!header->isSectionHidden(column) &&
                    header->sectionSize(column) < header->fontMetrics().horizontalAdvance(title) + 16)
                    return false;
            }
            return true;
        };
        const auto says = [&](const QString& words) {
            for (const QLabel* label : panel.findChildren<QLabel*>())
                if (label->text().contains(words)) return true;
            return false;
        };
        QCOMPARE(header->hiddenSectionCount(), 0);
        QVERIFY(!says(u"hidden"_qs));
        panel.resize(768, 240); // of a window of 1280
        QTRY_VERIFY(header->isSectionHidden(LocksModel::HoldsColumn));
        QVERIFY(titlesAreWhole());
        QVERIFY(header->length() <= panel.view()->viewport()->width());
        for (const int column : {LocksModel::LockColumn, LocksModel::StateColumn, LocksModel::HolderColumn,
                                 LocksModel::TtlColumn, LocksModel::RenewalColumn, LocksModel::WaitersColumn})
            QVERIFY2(!header->isSectionHidden(column), QByteArray::number(column));
        QTRY_VERIFY(says(u"column(s) hidden"_qs));
        // Nor are they missing in the window of the next day.
        LocksPanel next(&scene.context);
        next.resize(1160, 240);
        next.show();
        QVERIFY(QTest::qWaitForWindowExposed(&next));
        QVERIFY(restoreColumns(*next.view(), columnsOf(*panel.view())));
        QCOMPARE(next.view()->header()->hiddenSectionCount(), 0);
        panel.resize(1160, 240);
        QTRY_COMPARE(header->hiddenSectionCount(), 0);
        QTRY_VERIFY(!says(u"column(s) hidden"_qs));
        // A person who sets a width has the whole table, and scrolls.
        panel.resize(768, 240);
        QTRY_VERIFY(header->hiddenSectionCount() > 0);
        header->resizeSection(LocksModel::LockColumn, 200);
        QTRY_COMPARE(header->hiddenSectionCount(), 0);
        QCOMPARE(header->sectionSize(LocksModel::LockColumn), 200);
    }

    void columnsLeaveBeforeANameIsCut() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "nightly-import", scene.story.node);
        t.append({Nanos(10s).count(), -1, scene.story.aThread, lock, 1, trace::EventKind::RecordHeld});
        scene.context.setPlayhead(11s);
        LocksPanel panel(&scene.context);
        panel.resize(1010, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const QHeaderView* const header = panel.view()->header();
        const auto isWhole = [&](int column) {
            const QAbstractItemView* const view = panel.view();
            return header->sectionSize(column) >= view->sizeHintForColumn(column);
        };
        for (const int width : {1010, 960, 900, 840}) {
            panel.resize(width, 240);
            QTRY_VERIFY2(isWhole(LocksModel::LockColumn), QByteArray::number(width));
            QVERIFY(header->length() <= panel.view()->viewport()->width());
        }
        // In a corner of the window no column is left that could make room.
        panel.resize(420, 240);
        QTRY_VERIFY(header->length() <= panel.view()->viewport()->width());
    }

    void columnsThatMatterKeepTheirWords() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        const auto lock = t.intern(trace::EntityKind::Lock, "a:lock:with:a:long:name:of:many:parts", scene.story.node);
        t.append({Nanos(10s).count(), -1, scene.story.aThread, lock, 1, trace::EventKind::RecordHeld}); // never expires
        scene.context.setPlayhead(11s);
        LocksPanel panel(&scene.context);
        panel.resize(1060, 240); // what a window of 1600 leaves to it
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const QHeaderView* header = panel.view()->header();
        const QAbstractItemView* view = panel.view();
        const auto fits = [&](int column) {
            const int bar = column == LocksModel::TtlColumn ? 60 : 0; // it gives way to the words beside it
            return header->sectionSize(column) >= view->sizeHintForColumn(column) - bar;
        };
        for (const int column : {LocksModel::StateColumn, LocksModel::ModeColumn, LocksModel::TtlColumn})
            QTRY_VERIFY2(fits(column), QByteArray::number(column));
        QVERIFY(header->length() <= panel.view()->viewport()->width());
        panel.resize(790, 240); // of a window of 1280
        QTRY_VERIFY(header->isSectionHidden(LocksModel::FormatColumn));
        QVERIFY(header->length() <= panel.view()->viewport()->width());
        QVERIFY(fits(LocksModel::StateColumn));
    }
};

QTEST_MAIN(LocksColumns)
#include "tst_locks_columns.moc"
