// SPDX-License-Identifier: GPL-3.0-or-later
#include "connections/connections_panel.h"
#include "locks/locks_panel.h"
#include "own_redis.h"
#include "theme/widgets.h"
#include "timeline/timeline_view.h"
#include "transport/transport_bar.h"
#include "welcome/connect_dialog.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/work_area.h"

#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QRegularExpression>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>

using namespace lockscope;
using namespace lockscope::test;

namespace {

/// The window with settings of its own.
struct Opened {
    QTemporaryDir folder;
    app::Settings settings{folder.filePath(QStringLiteral("s.ini"))};
    app::MainWindow window{&settings};
    Opened() {
        window.resize(1600, 1000);
        window.show();
    }
    session::Session* session() const { return window.context()->session(); }
    /// Every word that can be read in the table's place.
    QString words() const {
        QStringList all;
        for (const QLabel* label : window.findChild<views::LocksPanel*>()->findChildren<QLabel*>())
            if (label->isVisible()) all << label->text();
        return all.join(u' ');
    }
};

} // namespace

class TestLiveWindow : public QObject {
    Q_OBJECT

    OwnRedis m_redis;

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_redis.startAnew()); }
    void cleanup() { m_redis.end(); }

    void anEmptyServerIsSaidToBeEmpty() {
        Opened it;
        it.window.openUrl(m_redis->url(), false);
        QCOMPARE(it.window.work()->layout(), app::Layout::Monitor);
        QVERIFY(!it.window.work()->controls()->isVisible()); // nothing in it could be used
        QCOMPARE(it.settings.layout(), app::Layout::Teach);  // which is still the one that was chosen
        QTRY_VERIFY2_WITH_TIMEOUT(it.words().contains(QLatin1String("No lock on this server")), qPrintable(it.words()),
                                  10'000);
        QVERIFY2(!it.window.windowTitle().contains(QLatin1String("CHANGES")), qPrintable(it.window.windowTitle()));
    }

    void theBarSaysWhatIsFollowedAndKept() {
        Opened it;
        it.window.openUrl(m_redis->url(), false);
        views::TransportBar* const bar = it.window.transport();
        QAction* const play = bar->command("transport.play");
        QToolButton* button = nullptr;
        for (auto* const each : bar->findChildren<QToolButton*>())
            if (each->defaultAction() == play) button = each;
        QVERIFY(button && button->isVisible());
        QCOMPARE(button->text(), QStringLiteral("Live"));
        QTRY_VERIFY(button->isChecked());
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(!it.window.player()->isPlaying() && !button->isChecked());
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(it.window.player()->isPlaying() && button->isChecked());
        QTRY_VERIFY_WITH_TIMEOUT(bar->recordingGauge()->isVisible(), 10'000);
        static const QRegularExpression kKept(QStringLiteral("^Recording · \\d+ s · 0\\.\\d MB of 200 MB$"));
        QTRY_VERIFY2_WITH_TIMEOUT(bar->recordingGauge()->text().contains(kKept) &&
                                      !bar->recordingGauge()->text().contains(QLatin1String(" 0 s")),
                                  qPrintable(bar->recordingGauge()->text()), 10'000);
        // Below the alerts comes the table, and below that the time axis.
        const auto top = [&it](const QWidget* part) { return part->mapTo(&it.window, QPoint()).y(); };
        QVERIFY(top(it.window.findChild<views::LocksPanel*>()) < top(it.window.findChild<views::TimelineView*>()));
    }

    /// Closer than the servers' answers come, too.
    void nowIsInSightAsLongAsItIsFollowed() {
        Opened it;
        it.window.openUrl(m_redis->url(), false);
        views::TimelineView* const view = it.window.findChild<views::TimelineView*>();
        views::ViewContext* const context = it.window.context();
        QTRY_VERIFY_WITH_TIMEOUT(context->playhead() > 2s, 20'000);
        views::TimelineView::Sight sight = view->sight();
        sight.fitted = false;
        sight.from = Nanos(500ms).count();
        sight.to = Nanos(1500ms).count();
        view->setSight(sight);
        int seen = 0, missed = 0;
        connect(context, &views::ViewContext::playheadChanged, view, [&](Nanos now) {
            const views::TimelineView::Sight shown = view->sight();
            ++(shown.from < now.count() && now.count() < shown.to ? seen : missed);
        });
        QTRY_VERIFY_WITH_TIMEOUT(seen + missed >= 60, 30'000);
        QCOMPARE(missed, 0);
        QVERIFY(view->sight().to - view->sight().from < Nanos(2s).count()); // and as closely as one wished
    }

    void severalServersStandSideBySide() {
        const QByteArray owner = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57";
        OwnRedis other;
        VERIFY_EMPTY(other.startAnew());
        for (OwnRedis* const redis : {&m_redis, &other}) {
            redis->ask({"HSET", "orders", owner, "1"});
            redis->ask({"PEXPIRE", "orders", "600000"});
        }
        Opened it;
        it.window.openConnections({{QStringLiteral("shop"), m_redis->url(), false}});
        QVERIFY(it.window.work()->connections()->isVisible());
        // A person knows the server by the name, not by its address.
        QTRY_COMPARE_WITH_TIMEOUT(it.session()->health().level, session::Health::Level::Good, 10'000);
        QVERIFY2(it.session()->health().text.startsWith(u"shop · "), qPrintable(it.session()->health().text));
        const auto* const panel = it.window.findChild<views::ConnectionsPanel*>();
        QCOMPARE(panel->model()->rowCount(), 1);
        // The second one is asked for, beside the first.
        QTest::mouseClick(panel->addButton(), Qt::LeftButton);
        auto* const dialog = it.window.findChild<views::ConnectDialog*>();
        QVERIFY(dialog);
        dialog->setConnection({QStringLiteral("jobs"), other->url(), true});
        dialog->accept();
        QTRY_COMPARE_WITH_TIMEOUT(panel->model()->rowCount(), 2, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(panel->summary(), QStringLiteral("2 lock(s) now"), 20'000);
        QCOMPARE(it.settings.savedConnections().front().name, QStringLiteral("jobs"));
        const auto* const table = it.window.findChild<views::LocksPanel*>()->view()->model();
        QTRY_COMPARE_WITH_TIMEOUT(table->rowCount(), 2, 20'000);
        const auto cell = [&](int row, int column) { return table->index(row, column).data().toString(); };
        QCOMPARE(cell(0, views::LocksModel::LockColumn), QStringLiteral("orders"));
        QCOMPARE(cell(1, views::LocksModel::LockColumn), QStringLiteral("orders"));
        QCOMPARE(cell(0, views::LocksModel::ServerColumn), QStringLiteral("shop"));
        QCOMPARE(cell(1, views::LocksModel::ServerColumn), QStringLiteral("jobs"));
        // Changes are allowed on one of them, and the window says so.
        QVERIFY2(it.window.windowTitle().startsWith(QLatin1String("CHANGES ALLOWED")),
                 qPrintable(it.window.windowTitle()));
        panel->view()->setCurrentIndex(panel->model()->index(1));
        panel->view()->setFocus();
        QTest::keyClick(panel->view(), Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(!it.window.windowTitle().startsWith(QLatin1String("CHANGES ALLOWED")), 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(cell(1, views::LocksModel::StateColumn), QStringLiteral("not observed"), 10'000);
        QCOMPARE(cell(0, views::LocksModel::StateColumn), QStringLiteral("held"));
    }

    void serversThatKeepLocksTogetherAreThree() {
        OwnRedis second, third;
        VERIFY_EMPTY(second.startAnew());
        VERIFY_EMPTY(third.startAnew());
        for (OwnRedis* const redis : {&m_redis, &second, &third})
            redis->ask({"SET", "lock:orders", "3b241101-e2bb-4255-8caf-4136c566a962", "PX", "600000"});
        Opened it;
        const QString url = QStringLiteral("redlock://127.0.0.1:%1,127.0.0.1:%2,127.0.0.1:%3")
                                .arg(m_redis->port())
                                .arg(second->port())
                                .arg(third->port());
        it.window.openConnections({{QStringLiteral("shop"), url, false}});
        const auto* const table = it.window.findChild<views::LocksPanel*>()->view()->model();
        QTRY_COMPARE_WITH_TIMEOUT(table->rowCount(), 1, 20'000);
        const auto state = [&] { return table->index(0, views::LocksModel::StateColumn).data().toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(state(), QStringLiteral("held"), 20'000); // once two servers have answered
        QLabel* line = nullptr;
        for (QLabel* const label : it.window.statusBar()->findChildren<QLabel*>())
            if (label->accessibleName() == QStringLiteral("Servers: ") + label->text()) line = label;
        QVERIFY(line);
        // The group that has the lock is no fourth one.
        QTRY_VERIFY2_WITH_TIMEOUT(line->text().contains(QLatin1String("3 server")), qPrintable(line->text()), 10'000);
        third.end();
        QTRY_VERIFY2_WITH_TIMEOUT(it.session()->health().text.contains(QLatin1String("2 of 3 servers answer")),
                                  qPrintable(it.session()->health().text), 20'000);
        QCOMPARE(state(), QStringLiteral("held"));
    }

    void allowedChangesCannotBeOverlooked() {
        Opened it;
        it.window.openUrl(m_redis->url(), true);
        QVERIFY2(it.window.windowTitle().startsWith(QLatin1String("CHANGES ALLOWED")),
                 qPrintable(it.window.windowTitle()));
    }

    void aServerThatWasNeverReachedIsNotLost() {
        const QString url = m_redis->url();
        m_redis.end();
        Opened it;
        it.window.openUrl(url, false);
        QTRY_VERIFY_WITH_TIMEOUT(it.session()->health().level == session::Health::Level::Bad, 10'000);
        const session::Health health = it.session()->health();
        QVERIFY2(health.brief.endsWith(QLatin1String("not reached")), qPrintable(health.brief));
        QVERIFY2(!health.text.contains(QLatin1String("lost")), qPrintable(health.text));
        QTRY_COMPARE(it.window.messages()->message(), health.text); // whole, where it can be read
        QTRY_VERIFY(it.words().contains(QLatin1String("cannot be seen")));
    }

    void theQueueIsDrawnAgainAfterAServerThatStoodStill() {
        const QByteArray owner = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57";
        m_redis.ask({"HSET", "orders", owner, "1"});
        m_redis.ask({"PEXPIRE", "orders", "600000"});
        for (const char* waiter :
             {"5b8ad3c1-8a7e-4b1d-b5a5-27f0f7f4a611:3", "5b8ad3c1-8a7e-4b1d-b5a5-27f0f7f4a611:4"}) {
            m_redis.ask({"RPUSH", "redisson_lock_queue:{orders}", waiter});
            m_redis.ask({"ZADD", "redisson_lock_timeout:{orders}", "99999999999999", waiter});
        }
        Opened it;
        it.window.openUrl(m_redis->url(), false);
        const auto* view = it.window.findChild<views::TimelineView*>();
        const auto queue = [view]() -> const views::SpanTrack* {
            for (const views::TimelineLayout::Row& row : view->layoutOfLanes().rows())
                if (row.lane->kind == views::LaneKind::Record && !row.lane->queue.empty()) return &row.lane->queue;
            return nullptr;
        };
        QTRY_VERIFY_WITH_TIMEOUT(queue() && queue()->hasOpen() && queue()->back().label == 2, 20'000);
        const std::size_t before = queue()->size();
        m_redis->pause();
        QTRY_VERIFY_WITH_TIMEOUT(!queue()->hasOpen(), 30'000); // nobody sees it: nothing is drawn
        m_redis->resume();
        QTRY_VERIFY_WITH_TIMEOUT(queue()->hasOpen(), 30'000);
        QCOMPARE(queue()->size(), before + 1);
        QCOMPARE(unsigned(queue()->back().label), 2u);
        QVERIFY((*queue())[before].from > (*queue())[before - 1].to);
    }

    void namesOfOthersAreShownAsTheyAre() {
        m_redis.ask(
            {"SET", QByteArray("h:<b>bold</b>\nlock\u202e"), "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c", "PX", "60000"});
        m_redis.ask({"HSET", "orders\\x1b", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "2"});
        m_redis.ask({"PEXPIRE", "orders\\x1b", "60000"});
        Opened it;
        it.window.openUrl(m_redis->url(), false);
        const auto* model = it.window.findChild<views::LocksPanel*>()->findChild<QTreeView*>()->model();
        const auto names = [&] {
            QStringList all;
            for (int row = 0; row < model->rowCount(); ++row)
                all << model->index(row, 0).data().toString();
            all.sort();
            return all;
        };
        QTRY_VERIFY2_WITH_TIMEOUT(names().contains(QStringLiteral("orders\\\\x1b")), qPrintable(names().join(u' ')),
                                  10'000);
        for (const QString& name : names())
            QVERIFY(!name.contains(u'\n') && !name.contains(QChar(0x202e)));
    }
};

QTEST_MAIN(TestLiveWindow)
#include "tst_live_window.moc"
