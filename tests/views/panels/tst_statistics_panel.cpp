// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of each lock, up to the playhead.
#include "statistics/histogram.h"
#include "statistics/statistics_panel.h"
#include "statistics/statistics_strip.h"
#include "written_world.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTableView>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;
using trace::EntityId;
using trace::EventKind;
using views::testing::WrittenWorld;

namespace {

struct Scene : WrittenWorld {
    EntityId orders = 0, stock = 0;

    /// A waits 2 s for orders and gets it at 3 s, then 4 s for stock and gives up at 8 s.
    Scene() {
        const EntityId a = thread("A");
        orders = lock("orders");
        stock = lock("stock, \"east\"");
        add(0s, EventKind::ClientStarted, trace().clientOf(a));
        asks(1s, a, orders);
        isGranted(3s, a, orders);
        asks(4s, a, stock);
        add(8s, EventKind::TimedOut, a, stock);
        trace().reach(10s);
        context.setSession(&session);
    }
};

QString cell(const StatisticsPanel& panel, int row, StatisticsModel::Column column) {
    return panel.view()->model()->index(row, column).data().toString();
}

} // namespace

class StatisticsPanels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void figuresAreThoseUpToThePlayhead() {
        Scene scene;
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(10s);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 2);
        QTRY_COMPARE(cell(panel, 0, StatisticsModel::LockColumn), u"orders"_qs); // that was waited for
        QCOMPARE(cell(panel, 0, StatisticsModel::LoadColumn), u"0.20"_qs);
        QCOMPARE(cell(panel, 0, StatisticsModel::GrantsColumn), u"1"_qs);
        QCOMPARE(cell(panel, 0, StatisticsModel::WaitColumn), u"2.0 s"_qs);
        QCOMPARE(cell(panel, 0, StatisticsModel::HoldColumn), u"—"_qs); // nobody looked at the record
        QCOMPARE(cell(panel, 1, StatisticsModel::WaitColumn), u"—"_qs);
        QCOMPARE(cell(panel, 1, StatisticsModel::LongestWaitColumn), u"4.0 s"_qs);
        QCOMPARE(cell(panel, 1, StatisticsModel::GaveUpColumn), u"1"_qs);
        scene.context.setPlayhead(5s); // back: the second wait has not ended yet, and is as long as it is
        QTRY_COMPARE(cell(panel, 1, StatisticsModel::LongestWaitColumn), u"1.0 s"_qs);
        QCOMPARE(cell(panel, 0, StatisticsModel::LoadColumn), u"0.40"_qs);
        QCOMPARE(cell(panel, 1, StatisticsModel::LoadColumn), u"0.20"_qs);
        QCOMPARE(cell(panel, 1, StatisticsModel::GaveUpColumn), u"0"_qs);
    }

    void aRowSelectsItsLockAndTheTableIsCopied() {
        Scene scene;
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        panel.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&panel));
        scene.context.setPlayhead(10s);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 2);
        QTest::mouseClick(panel.view()->viewport(), Qt::LeftButton, {},
                          panel.view()->visualRect(panel.view()->model()->index(1, 0)).center());
        QCOMPARE(scene.context.selection(), scene.stock);
        QTest::keyClick(panel.view(), Qt::Key_Up);
        QCOMPARE(scene.context.selection(), scene.orders);
        QTest::keyClick(panel.view(), Qt::Key_C, Qt::ControlModifier);
        const QString csv = QGuiApplication::clipboard()->text();
        QVERIFY2(csv.contains(u"\"stock, \"\"east\"\"\""_qs), qPrintable(csv));
        QVERIFY2(csv.contains(u"\"orders\",0.2,1,0.1,2000,2000,2000,"_qs), qPrintable(csv));
    }

    void sizesAreCountedOnALogarithmicScale() {
        const Histogram sizes = logarithmicHistogram({1ms, 1ms, 1ms, 20ms, 1s}, 3);
        QCOMPARE(sizes.counts, (std::vector<int>{3, 1, 1}));
        QCOMPARE(sizes.edges, (std::vector<Nanos>{1ms, 10ms, 100ms, 1s}));
        QCOMPARE(sizes.most(), 3);
        QCOMPARE(sizes.total(), 5);
        const Histogram one = logarithmicHistogram({Nanos(0)}, 4); // too short for a logarithm
        QCOMPARE(one.counts, (std::vector<int>{1, 0, 0, 0}));
        QCOMPARE(one.edges.front(), Nanos(1us));
        QVERIFY(logarithmicHistogram({}, 4).counts.empty());
        QCOMPARE(logarithmicHistogram({}, 4).most(), 0);
    }

    void theStripShowsWhatStandsOutWhereThereIsRoom() {
        Scene scene;
        const EntityId b = scene.thread("B");
        scene.add(11s, EventKind::RecordHeld, scene.thread("A"), scene.orders, Nanos(33s).count(), 1);
        scene.add(13s, EventKind::RecordHeld, b, scene.stock, Nanos(39s).count(), 1);
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(14s);
        QTRY_COMPARE(panel.model()->overview().held.size(), std::size_t(2));
        const StatisticsModel::Overview& seen = panel.model()->overview();
        QCOMPARE(seen.waited.size(), std::size_t(1)); // the wait that was given up brought nobody the lock
        QCOMPARE(seen.waited[0].lock, scene.orders);
        QCOMPARE(seen.waited[0].words, u"2.0 s"_qs);
        QCOMPARE(seen.held[0].lock, scene.orders);
        QCOMPARE(seen.held[0].length, Nanos(3s));
        QCOMPARE(seen.held[1].lock, scene.stock);
        QCOMPARE(seen.held[1].length, Nanos(1s));
        QVERIFY(seen.handOvers.counts.empty());
        QTRY_VERIFY(panel.strip()->isVisible());
        QVERIFY2(panel.strip()->accessibleName().contains(u"orders 2.0 s"_qs),
                 qPrintable(panel.strip()->accessibleName()));
        // The second bar of the second part is the lock that is held second longest.
        const int line = (panel.strip()->sizeHint().height() - 16) / (StatisticsModel::kLongest + 1);
        QTest::mouseClick(panel.strip(), Qt::LeftButton, {}, {panel.strip()->width() / 2, 4 + line * 5 / 2});
        QCOMPARE(scene.context.selection(), scene.stock);
        panel.resize(1100, 200);
        QTRY_VERIFY(!panel.strip()->isVisible());
        QVERIFY(panel.view()->isVisible());
    }

    void manyRowsAreCountedInSlices() {
        Scene scene;
        trace::Trace& t = scene.session.writable();
        for (std::int64_t i = 0; i < 600'000; ++i) {
            const std::int64_t at = Nanos(10s).count() + i * 1000;
            t.append({at, -1, scene.thread("A"), scene.orders, 0, EventKind::Requested});
            t.append({at + 500, 0, scene.thread("A"), scene.orders, 1, EventKind::Granted});
        }
        StatisticsPanel panel(&scene.context);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(11s);
        QVERIFY(!panel.model()->isComplete()); // no frame waits for all of it
        QTRY_VERIFY_WITH_TIMEOUT(panel.model()->isComplete(), 60'000);
        QTRY_COMPARE(
            panel.view()->model()->index(0, StatisticsModel::GrantsColumn).data(StatisticsModel::SortRole).toInt(),
            600'001);
    }
};

QTEST_MAIN(StatisticsPanels)
#include "tst_statistics_panel.moc"
