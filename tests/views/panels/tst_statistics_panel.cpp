// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of each lock, up to the playhead.
#include "statistics/histogram.h"
#include "statistics/statistics_panel.h"
#include "statistics/statistics_strip.h"
#include "theme/format.h"
#include "theme/widgets.h"
#include "trace/connection.h"
#include "trace/server_told.h"
#include "trace/time_text.h"
#include "written_world.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QTableView>
#include <QTest>
#include <numeric>

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

/// A cell of that lock's row; "no row": it has none.
QString figure(const StatisticsPanel& panel, EntityId lock, StatisticsModel::Column column) {
    const QAbstractItemModel& rows = *panel.view()->model();
    for (int row = 0; row < rows.rowCount(); ++row)
        if (rows.index(row, 0).data(StatisticsModel::EntityRole).toUInt() == lock)
            return rows.index(row, column).data().toString();
    return QStringLiteral("no row");
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
        const auto orders = [&](StatisticsModel::Column column) { return figure(panel, scene.orders, column); };
        const auto stock = [&](StatisticsModel::Column column) { return figure(panel, scene.stock, column); };
        QTRY_COMPARE(orders(StatisticsModel::LoadColumn), u"0.20"_qs);
        QCOMPARE(orders(StatisticsModel::GrantsColumn), u"1"_qs);
        QCOMPARE(orders(StatisticsModel::WaitColumn), u"2.0 s"_qs);
        QCOMPARE(orders(StatisticsModel::HoldColumn), u"—"_qs);   // nobody looked at the record
        QCOMPARE(stock(StatisticsModel::LoadColumn), u"0.40"_qs); // in vain, and waited for all the same
        QCOMPARE(stock(StatisticsModel::WaitColumn), u"—"_qs);
        QCOMPARE(stock(StatisticsModel::LongestWaitColumn), u"4.0 s"_qs);
        QCOMPARE(stock(StatisticsModel::GaveUpColumn), u"1"_qs);
        scene.context.setPlayhead(5s); // back: the second wait has not ended yet, and is as long as it is
        QTRY_COMPARE(stock(StatisticsModel::LongestWaitColumn), u"1.0 s"_qs);
        QCOMPARE(orders(StatisticsModel::LoadColumn), u"0.40"_qs);
        QCOMPARE(stock(StatisticsModel::LoadColumn), u"0.20"_qs);
        QCOMPARE(stock(StatisticsModel::GaveUpColumn), u"0"_qs);
    }

    void theLongestWaitReadsAsInTheQueue() {
        Scene scene;
        const EntityId b = scene.thread("B");
        scene.asks(10450ms, b, scene.orders);
        scene.add(16110ms, EventKind::TimedOut, b, scene.orders);
        scene.trace().reach(20s);
        StatisticsPanel panel(&scene.context);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        const auto longest = [&] { return figure(panel, scene.orders, StatisticsModel::LongestWaitColumn); };
        scene.context.setPlayhead(16109ms); // shown as 16.1 s, and the request as 10.4 s
        QTRY_COMPARE(longest(), lengthText(10450ms, 16109ms));
        QCOMPARE(longest(), u"5.7 s"_qs);
        scene.context.setPlayhead(17s); // and once it is over
        QTRY_COMPARE(figure(panel, scene.orders, StatisticsModel::GaveUpColumn), u"1"_qs);
        QCOMPARE(longest(), u"5.7 s"_qs);
    }

    void requestsForEachGrantStandInTheLocksRow() {
        Scene scene;
        const EntityId a = scene.thread("A"), client = scene.trace().clientOf(a);
        const EntityId node = scene.trace().intern(trace::EntityKind::Node, "redis");
        scene.asks(11s, a, scene.orders);
        for (int i = 0; i < 5; ++i)
            scene.add(11s, EventKind::Request, client, node);
        scene.isGranted(12s, a, scene.orders); // the second time
        scene.trace().reach(20s);
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(20s);
        QTRY_COMPARE(figure(panel, scene.orders, StatisticsModel::RequestsColumn), u"2.5"_qs);
        QCOMPARE(figure(panel, scene.stock, StatisticsModel::RequestsColumn), u"—"_qs); // never granted
        panel.span()->setCurrentIndex(panel.span()->findData(qlonglong(Nanos(10s).count())));
        QTRY_COMPARE(figure(panel, scene.orders, StatisticsModel::RequestsColumn), u"5.0"_qs); // the first one is over
    }

    /// Fewer words instead of half a sentence: the time that is counted is whole in any width.
    void theSummaryIsNotCut() {
        Scene scene;
        const EntityId a = scene.thread("A"), client = scene.trace().clientOf(a);
        for (int i = 0; i < 5; ++i)
            scene.add(11s, EventKind::Request, client, scene.trace().intern(trace::EntityKind::Node, "redis"));
        scene.trace().reach(20s);
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(20s);
        const auto* const summary = panel.findChild<ElidedLabel*>();
        QVERIFY(summary);
        QTRY_COMPARE(summary->text(), u"from the beginning to 20.0 s · 5.0 messages to servers for each grant"_qs);
        QStringList seen;
        for (int width = 1100; width > 420; width -= 20) {
            panel.resize(width, 240);
            QCOMPARE(panel.width(), width);
            QVERIFY2(summary->fontMetrics().horizontalAdvance(summary->text()) <= summary->width(),
                     qPrintable(summary->text()));
            if (!seen.contains(summary->text())) seen << summary->text();
        }
        QCOMPARE(seen.size(), 3);
        QCOMPARE(seen.last(), u"from the beginning to 20.0 s"_qs);
    }

    void theLastWhileIsCountedAlone() {
        Scene scene;
        scene.trace().reach(70s);
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(12s);
        QTRY_COMPARE(panel.view()->model()->rowCount(), 2);
        const auto orders = [&](StatisticsModel::Column column) { return figure(panel, scene.orders, column); };
        const auto stock = [&](StatisticsModel::Column column) { return figure(panel, scene.stock, column); };
        panel.span()->setCurrentIndex(panel.span()->findData(qlonglong(Nanos(10s).count())));
        QTRY_COMPARE(orders(StatisticsModel::LoadColumn), u"0.10"_qs); // of its two seconds one lies before
        QCOMPARE(orders(StatisticsModel::LongestWaitColumn), u"2.0 s"_qs);
        QCOMPARE(stock(StatisticsModel::LoadColumn), u"0.40"_qs);
        QCOMPARE(stock(StatisticsModel::GaveUpColumn), u"1"_qs);
        scene.context.setPlayhead(17s);
        QTRY_COMPARE(orders(StatisticsModel::GrantsColumn), u"0"_qs);
        QCOMPARE(stock(StatisticsModel::LoadColumn), u"0.10"_qs); // from 7 s to 8 s
        scene.context.setPlayhead(12s);                           // and back
        QTRY_COMPARE(orders(StatisticsModel::GrantsColumn), u"1"_qs);
        panel.span()->setCurrentIndex(0);
        scene.context.setPlayhead(10s);
        QTRY_COMPARE(stock(StatisticsModel::LoadColumn), u"0.40"_qs);
    }

    void theLastWhileHasItsOwnWaitsAndGaps() {
        Scene scene;
        const EntityId b = scene.thread("B"), c = scene.thread("C");
        scene.asks(11s, c, scene.stock);
        scene.add(11s, EventKind::RecordUnobserved, 0, scene.orders);
        scene.add(12s, EventKind::RecordObserved, 0, scene.orders);
        scene.add(13s, EventKind::ClientKilled, scene.trace().clientOf(c)); // waited for one second of the last ten
        scene.asks(14s, b, scene.stock);
        scene.add(16s, EventKind::TimedOut, b, scene.stock);
        scene.trace().reach(30s);
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(22s);
        QTRY_COMPARE(panel.model()->overview().unobserved, Nanos(1s));
        panel.span()->setCurrentIndex(panel.span()->findData(qlonglong(Nanos(10s).count())));
        QTRY_COMPARE(figure(panel, scene.stock, StatisticsModel::LoadColumn), u"0.30"_qs);
        QCOMPARE(panel.model()->overview().unobserved, Nanos(0));
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
        QCOMPARE(scene.context.selection(), scene.orders);
        QTest::keyClick(panel.view(), Qt::Key_Up);
        QCOMPARE(scene.context.selection(), scene.stock);
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

    void theLongestHoldIsTheOldestByItsServersWord() {
        Scene scene;
        const EntityId b = scene.thread("B");
        scene.add(11s, EventKind::RecordHeld, scene.thread("A"), scene.orders, Nanos(33s).count(), 1);
        scene.add(13s, EventKind::RecordHeld, b, scene.stock, Nanos(39s).count(), 1);
        scene.add(13s, EventKind::RecordSince, b, scene.stock, Nanos(5s).count());
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(14s);
        QTRY_COMPARE(panel.model()->overview().held.size(), std::size_t(2));
        QCOMPARE(panel.model()->overview().held[0].lock, scene.stock); // which the bars are measured by
        QCOMPARE(panel.model()->overview().held[0].length, Nanos(9s));
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
        QCOMPARE(seen.waited.size(), std::size_t(2));
        QCOMPARE(seen.waited[0].lock, scene.stock); // in vain
        QCOMPARE(seen.waited[1].lock, scene.orders);
        QCOMPARE(seen.waited[1].words, u"2.0 s"_qs);
        QCOMPARE(seen.held[0].lock, scene.orders);
        QCOMPARE(seen.held[0].length, Nanos(3s));
        QCOMPARE(seen.held[1].lock, scene.stock);
        QCOMPARE(seen.held[1].length, Nanos(1s));
        QVERIFY(seen.handOvers.counts.empty());
        QTRY_VERIFY(panel.strip()->isVisible());
        QVERIFY2(panel.strip()->accessibleName().contains(u"4.0 s; held longest now orders 3.0 s"_qs),
                 qPrintable(panel.strip()->accessibleName()));
        // The second bar of the second part is the lock that is held second longest.
        const int line = (panel.strip()->sizeHint().height() - 16) / (StatisticsModel::kLongest + 1);
        QTest::mouseClick(panel.strip(), Qt::LeftButton, {}, {panel.strip()->width() / 2, 4 + line * 5 / 2});
        QCOMPARE(scene.context.selection(), scene.stock);
        panel.resize(1100, 200);
        QTRY_VERIFY(!panel.strip()->isVisible());
        QVERIFY(panel.view()->isVisible());
    }

    /// A server that is looked at every two seconds does not say that a lock was free for half of one.
    void aTimeBetweenTwoLooksIsNoFinerThanThese() {
        WrittenWorld world;
        trace::Trace& t = world.trace();
        const EntityId shop = trace::internConnection(t, "shop", "mysql://shop:3306");
        const EntityId node = t.intern(trace::EntityKind::Node, "shop", shop);
        const EntityId orders = t.intern(trace::EntityKind::Lock, "orders", node);
        const EntityId a = world.thread("A"), b = world.thread("B");
        world.add(1s, EventKind::ServerTold, node, 0, 0, t.text(trace::serverTold(trace::kLooksApart, "2s")));
        world.add(1s, EventKind::RecordWaiters, 0, orders, 1);
        for (int i = 0; i < 4; ++i) {
            world.add(10s + i * 10s, EventKind::RecordHeld, i % 2 ? a : b, orders, trace::kEndNotKnown, 1);
            world.add(19500ms + i * 10s, EventKind::RecordFreed, 0, orders, 0, i % 2 ? a : b);
        }
        t.reach(120s);
        world.context.setSession(&world.session);
        StatisticsPanel panel(&world.context);
        panel.resize(1100, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        world.context.setPlayhead(120s);
        // Half a second from release to grant, each of them seen up to two seconds late.
        QTRY_COMPARE(figure(panel, orders, StatisticsModel::HandOverColumn), u"≤ 2.5 s"_qs);
        QCOMPARE(figure(panel, orders, StatisticsModel::HoldColumn), u"9.5 s"_qs);
        QCOMPARE(panel.model()->overview().looksApart, Nanos(2s));
        QVERIFY2(panel.strip()->accessibleName().contains(u"p50 ≤ 2.5 s"), qPrintable(panel.strip()->accessibleName()));
        const QModelIndex cell = panel.model()->index(0, StatisticsModel::HoldColumn);
        QVERIFY2(cell.data(Qt::ToolTipRole).toString().contains(u"2 s"),
                 qPrintable(cell.data(Qt::ToolTipRole).toString()));
        QVERIFY(panel.model()->toCsv().split('\n').at(1).endsWith(",2000"));
        QCOMPARE(StatisticsModel::betweenLooks(500ms, Nanos(0)), u"500 ms"_qs);
    }

    void whereServersAreWatchedTheStripTellsTheirChurn() {
        WrittenWorld world;
        trace::Trace& t = world.trace();
        const auto lockOver = [&t](const QByteArray& connection, const QByteArray& name) {
            const EntityId id = trace::internConnection(t, connection, "redis://" + connection + ":6379");
            return t.intern(trace::EntityKind::Lock, name, t.intern(trace::EntityKind::Node, connection, id));
        };
        const EntityId orders = lockOver("shop", "orders"), jobs = lockOver("bank", "jobs");
        lockOver("idle", "never taken");
        const EntityId a = world.thread("A"), b = world.thread("B");
        for (int i = 0; i < 7; ++i) // the first of these may be older than the watch
            world.add(10s + i * 4s, EventKind::RecordHeld, i % 2 ? a : b, orders, Nanos(60s).count(), 1);
        world.add(20s, EventKind::RecordHeld, a, jobs, Nanos(60s).count(), 1);
        world.add(25s, EventKind::RecordHeld, b, jobs, Nanos(60s).count(), 1);
        t.reach(120s);
        world.context.setSession(&world.session);
        StatisticsPanel panel(&world.context);
        panel.resize(1100, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        world.context.setPlayhead(120s);
        QTRY_COMPARE(panel.model()->overview().churn.size(), std::size_t(2));
        const auto& churn = panel.model()->overview().churn;
        QCOMPARE(t.entity(churn[0].connection).name, QByteArray("shop"));
        QCOMPARE(churn[0].grants, std::uint64_t(6));
        QCOMPARE(churn[0].perMinute, 3.0);
        QCOMPARE(t.entity(churn[1].connection).name, QByteArray("bank"));
        QCOMPARE(churn[1].perMinute, 0.5);
        // Grants lie at 14, 18, … 34 s: none in the last minute, and three a minute on average.
        QCOMPARE(churn[0].now, 0.0);
        QCOMPARE(churn[0].curve.size(), std::size_t(StatisticsModel::kCurve));
        QCOMPARE(churn[0].curve.back(), 0.0);
        QCOMPARE(std::accumulate(churn[0].curve.begin(), churn[0].curve.end(), 0.0) / StatisticsModel::kCurve, 3.0);
        QCOMPARE(*std::ranges::max_element(churn[0].curve), 20.0); // one in three seconds
        QVERIFY2(panel.strip()->accessibleName().endsWith(
                     u"most grants a minute shop 3.0; of all 0.0 a minute, usual 3.5"_qs),
                 qPrintable(panel.strip()->accessibleName()));
        world.context.setPlayhead(40s);
        QTRY_COMPARE(panel.model()->overview().churn[0].now, 9.0); // six in forty seconds
        world.context.setPlayhead(120s);
        panel.span()->setCurrentIndex(panel.span()->findData(qlonglong(Nanos(1min).count())));
        QTRY_COMPARE(panel.model()->overview().churn[0].grants, std::uint64_t(0)); // all of it was before
    }

    /// A watch that lost sight of its server for a while, and whose beginning is not kept: the usual pace is that of
    /// the time that was watched, and the curve has no line where nobody looked.
    void timeThatNobodyWatchedIsNoTimeWithoutGrants() {
        WrittenWorld world;
        trace::Trace& t = world.trace();
        t.setOriginWallMs(1'700'000'000'000);
        const EntityId shop = trace::internConnection(t, "shop", "redis://shop:6379");
        const EntityId node = t.intern(trace::EntityKind::Node, "shop", shop);
        const EntityId orders = t.intern(trace::EntityKind::Lock, "orders", node);
        const EntityId observer = t.intern(trace::EntityKind::Client, "lockscope");
        const EntityId a = world.thread("A"), b = world.thread("B");
        world.add(0s, EventKind::ConnectionLost, observer, node, 0, t.text(trace::kLeftOut.toByteArray()));
        world.add(600s, EventKind::ConnectionRestored, observer, node);
        for (int i = 0; i < 7; ++i) // the first of these may be older than the watch
            world.add(600s + i * 10s, EventKind::RecordHeld, i % 2 ? a : b, orders, Nanos(3600s).count(), 1);
        world.add(720s, EventKind::ConnectionLost, observer, node, 0, t.text("unreachable"));
        world.add(1140s, EventKind::ConnectionRestored, observer, node);
        t.reach(1200s);
        world.context.setSession(&world.session);
        StatisticsPanel panel(&world.context);
        panel.resize(1100, 420);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        world.context.setPlayhead(1200s);
        QTRY_COMPARE(panel.model()->overview().churn.size(), std::size_t(1));
        const auto& churn = panel.model()->overview().churn[0];
        QCOMPARE(churn.grants, std::uint64_t(6));
        QCOMPARE(churn.perMinute, 2.0); // six in three minutes that were watched, of twenty
        QCOMPARE(churn.now, 0.0);
        QCOMPARE(churn.curve.size(), std::size_t(StatisticsModel::kCurve)); // half a minute each
        QCOMPARE(std::ranges::count(churn.curve, trace::GrantPace::kNotWatched), 20 + 14);
        QCOMPARE(panel.model()->index(0, StatisticsModel::RateColumn).data(StatisticsModel::SortRole).toDouble(),
                 6.0 / 180);
        world.context.setPlayhead(1000s); // in the middle of the gap
        QTRY_COMPARE(panel.model()->overview().churn[0].perMinute, 3.0);
    }

    void whatIsToldIsWholeThoughRowsKeepComing() {
        Scene scene;
        StatisticsPanel panel(&scene.context);
        panel.resize(1100, 240);
        panel.show();
        QVERIFY(QTest::qWaitForWindowExposed(&panel));
        scene.context.setPlayhead(10s);
        QTRY_VERIFY(panel.model()->isComplete());
        int whole = 0;
        connect(panel.model(), &StatisticsModel::counted, &panel, [&] { whole += panel.model()->isComplete(); });
        // More rows in each pass of the event loop, as on servers that are watched.
        QTimer rows;
        Nanos at = 10s;
        connect(&rows, &QTimer::timeout, &panel, [&] {
            at += 1ms;
            scene.asks(at, scene.thread("A"), scene.orders);
            scene.trace().reach(at);
            scene.context.setPlayhead(at);
        });
        rows.start(0);
        // On a busy machine a slice may end before it has all: the next figures are whole.
        QTRY_VERIFY(whole >= 8);
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
        // The figures are told a while after they are there: in a twentieth of the time that telling them takes.
        QTRY_COMPARE_WITH_TIMEOUT(figure(panel, scene.orders, StatisticsModel::GrantsColumn), count(600'001), 60'000);
    }
};

QTEST_MAIN(StatisticsPanels)
#include "tst_statistics_panel.moc"
