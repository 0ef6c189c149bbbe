// SPDX-License-Identifier: GPL-3.0-or-later
// The window on a projector and on a small screen, and by the keyboard alone.
#include "cluster/cluster_panel.h"
#include "faults/break_button.h"
#include "lessons/lesson_guide.h"
#include "locks/locks_panel.h"
#include "locks/protocol_panel.h"
#include "models/story.h"
#include "theme/fonts.h"
#include "theme/format.h"
#include "theme/widgets.h"
#include "timeline/legend_bar.h"
#include "timeline/timeline_panel.h"
#include "timeline/timeline_view.h"
#include "transport/verdict_banner.h"
#include "welcome/shortcut_sheet.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window/session_recorder.h"
#include "window_scene.h"

#include <QAccessible>
#include <QAction>
#include <QDockWidget>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QScopeGuard>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>

using namespace lockscope;
using tests::WindowScene;

namespace {

views::TimelineView* timelineOf(const WindowScene& scene) {
    return scene.window->findChild<views::TimelineView*>();
}

/// Stands 800 ms into the first violation.
void toViolation(WindowScene& scene) {
    scene.window->player()->next(session::Milestone::Violation);
    QTRY_VERIFY_WITH_TIMEOUT(!scene.context()->verdict()->violations.empty(), 20'000);
    const Nanos at = scene.context()->verdict()->violations.front().from;
    QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() >= at, 20'000);
    scene.window->player()->seek(at + 800ms); // or the run's end
    QTRY_VERIFY(scene.context()->playhead() > at);
}

const views::TimelineLayout::Row* rowOf(const views::TimelineView& view, views::LaneKind kind) {
    const auto& rows = view.layoutOfLanes().rows();
    const auto found = std::ranges::find_if(rows, [&](const auto& row) { return row.lane->kind == kind; });
    return found == rows.end() ? nullptr : &*found;
}

} // namespace

class tst_window_fits : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { views::Theme::instance().setChoice(views::ThemeChoice::Light); }

    void theVerdictIsWholeInAnyWindow_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("scenario");
        for (const QSize size : {QSize(1024, 768), QSize(1280, 720), QSize(1280, 800), QSize(1600, 1000)})
            for (const char* scenario : {"gc-pause", "failover-async", "delete-others-lock"})
                QTest::addRow("%dx%d %s", size.width(), size.height(), scenario)
                    << size << QString(QLatin1String(scenario));
    }
    void theVerdictIsWholeInAnyWindow() {
        QFETCH(QSize, size);
        QFETCH(QString, scenario);
        WindowScene scene;
        scene.window->resize(size);
        scene.open(qPrintable(scenario));
        toViolation(scene);
        QTRY_COMPARE(scene.window->size(), size);
        const views::VerdictBanner* const banner = scene.window->transport()->banner();
        QTRY_VERIFY(banner->isEnabled());
        QTRY_VERIFY2(banner->width() >= banner->sizeHint().width(), qPrintable(QStringLiteral("%1 < %2: %3")
                                                                                   .arg(banner->width())
                                                                                   .arg(banner->sizeHint().width())
                                                                                   .arg(banner->text())));
        const views::TransportBar* const bar = scene.window->transport();
        for (const QWidget* part : bar->findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
            if (part->isHidden()) continue;
            QVERIFY2(bar->rect().contains(part->geometry()), part->metaObject()->className());
            constexpr int kLeastTitle = 180; // a longer one may miss its end
            if (const auto* pill = qobject_cast<const views::Pill*>(part))
                QVERIFY2(pill->width() >= std::min(pill->sizeHint().width(), kLeastTitle), qPrintable(pill->text()));
        }
    }

    void theStoryIsInSightOnAProjector_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<QString>("layout");
        QTest::addColumn<QString>("scenario");
        for (const QSize size :
             {QSize(784, 456), QSize(1024, 768), QSize(1280, 720), QSize(1280, 800), QSize(1600, 1000)})
            for (const char* layout : {"teach", "break", "monitor"}) {
                if (size.height() < 600 && QLatin1String(layout) == QLatin1String("monitor"))
                    continue; // it is for the tables
                for (const char* scenario : {"gc-pause", "failover-async"})
                    QTest::addRow("%dx%d %s %s", size.width(), size.height(), layout, scenario)
                        << size << QString(QLatin1String(layout)) << QString(QLatin1String(scenario));
            }
    }
    void theStoryIsInSightOnAProjector() {
        QFETCH(QSize, size);
        QFETCH(QString, layout);
        QFETCH(QString, scenario);
        WindowScene scene;
        scene.window->resize(size);
        scene.open(qPrintable(scenario));
        scene.action(qPrintable(u"layout."_qs + layout))->trigger();
        toViolation(scene);
        const views::TimelineView* const view = timelineOf(scene);
        QTRY_VERIFY(rowOf(*view, views::LaneKind::Effect));
        const auto* const effect = rowOf(*view, views::LaneKind::Effect);
        QTRY_VERIFY2(effect->y + effect->height <= view->viewport()->height() + 2,
                     qPrintable(QString::number(view->viewport()->height())));
        QCOMPARE(view->verticalScrollBar()->value(), 0); // the beliefs are in sight, too
        QVERIFY2(view->width() >= 400, qPrintable(QString::number(view->width())));
        // Nothing at the left is cut: it does not scroll sideways.
        const auto* const controls = scene.window->findChild<QDockWidget*>(QStringLiteral("dock.controls"));
        const auto* const area = controls->widget()->findChild<QScrollArea*>();
        QVERIFY(area &&
                (controls->isHidden() || area->viewport()->width() >= area->widget()->minimumSizeHint().width()));
        // Nor does a server that is selected to be broken push them out.
        const auto nodes = scene.context()->state().nodes;
        QVERIFY(!nodes.empty());
        scene.context()->select(nodes.begin()->first);
        QCOMPARE(view->verticalScrollBar()->value(), 0);
    }

    /// A lock's ring is whole, buttons have their words, and each table is a tab or stands beside the cluster.
    void whereThingsAreBrokenNothingIsCut_data() {
        QTest::addColumn<QSize>("size");
        QTest::addColumn<bool>("pair");
        for (const QSize size : {QSize(1280, 720), QSize(1280, 800), QSize(1600, 1000)})
            QTest::addRow("%dx%d", size.width(), size.height()) << size << (size.width() >= 1600);
    }
    void whereThingsAreBrokenNothingIsCut() {
        QFETCH(QSize, size);
        QFETCH(bool, pair);
        WindowScene scene;
        scene.window->resize(size);
        scene.open("failover-async");
        scene.action("layout.break")->trigger();
        toViolation(scene);
        const auto isWhole = [](const QWidget* widget) {
            return widget && widget->visibleRegion().boundingRect() == widget->rect();
        };
        QTRY_VERIFY(isWhole(scene.window->findChild<views::TtlRing*>()));
        const auto* const cluster = scene.window->findChild<views::ClusterPanel*>();
        QTRY_VERIFY(isWhole(cluster));
        for (const auto* button : scene.window->findChildren<views::BreakButton*>())
            if (button->isVisible())
                QVERIFY2(button->width() + 28 >= button->sizeHint().width(), // 28: its key, which not all have
                         qPrintable(button->accessibleName()));
        const auto tabInSight = [&](const QString& title) {
            for (const auto* bar : scene.window->findChildren<QTabBar*>())
                for (int i = 0; i < bar->count(); ++i)
                    if (bar->isVisible() && bar->tabText(i).startsWith(title) &&
                        bar->rect().contains(bar->tabRect(i)) && isWhole(bar))
                        return true;
            return false;
        };
        for (const char* title : {"Cluster", "Wait-for", "Events", "Statistics"})
            QTRY_VERIFY2(tabInSight(QLatin1String(title)), title);
        QTRY_COMPARE(tabInSight(QStringLiteral("Locks")), !pair);
        if (!pair) return;
        const auto* const locks = scene.window->findChild<views::LocksPanel*>();
        const auto* const title = locks->findChild<QLabel*>(QStringLiteral("locks.title"));
        QTRY_COMPARE(title->text(), QStringLiteral("Locks 1"));
        QVERIFY(isWhole(title));
        // Side by side, the cluster with more room.
        QVERIFY(cluster->width() > locks->width());
        const auto placeOf = [&scene](const QWidget* part) {
            return QRect(part->mapTo(scene.window.get(), QPoint()), part->size());
        };
        QVERIFY(placeOf(locks).left() > placeOf(cluster).right());
        QVERIFY(placeOf(locks).right() < placeOf(scene.window->work()->inspector()).left());
    }

    /// A failover is told by clients, record, copies, effects, servers, Sentinels and a slow line: all of them at once.
    void aFailoverIsInSightAsAWhole() {
        WindowScene scene;
        scene.open("failover-async");
        scene.action("layout.break")->trigger();
        toViolation(scene);
        const views::TimelineView* const view = timelineOf(scene);
        for (const views::LaneKind kind :
             {views::LaneKind::Belief, views::LaneKind::Record, views::LaneKind::Copy, views::LaneKind::Effect,
              views::LaneKind::Node, views::LaneKind::Watchers, views::LaneKind::Link})
            QTRY_VERIFY2(rowOf(*view, kind), qPrintable(QString::number(int(kind))));
        QTRY_COMPARE(view->verticalScrollBar()->maximum(), 0);
        const auto& rows = view->layoutOfLanes().rows();
        QVERIFY(rows.back().y + rows.back().height <= view->viewport()->height());
        QVERIFY(rowOf(*view, views::LaneKind::Belief)->height >= 28); // with its words
    }

    /// Lanes of sessions give way where there is little room: that they do must not bring them back.
    void theLanesComeToRestWhereSessionsGiveWay() {
        WindowScene scene;
        scene.open("zk-leader-loss");
        scene.action("layout.break")->trigger();
        scene.window->player()->seek(30s);
        QTRY_COMPARE_WITH_TIMEOUT(scene.context()->playhead(), Nanos(30s), 20'000);
        const views::TimelineView* const view = timelineOf(scene);
        QTRY_VERIFY(rowOf(*view, views::LaneKind::Record));
        for (int height = 1000; height >= 560; height -= 20) {
            scene.window->resize(1600, height);
            QTRY_COMPARE(scene.window->height(), height);
            QVERIFY(rowOf(*view, views::LaneKind::Record));
        }
    }

    void whatIsFoldedIsAKeyAway() {
        WindowScene scene;
        scene.window->resize(960, 700);
        scene.open("gc-pause");
        QLineEdit* const seed = scene.window->transport()->seedField();
        QTRY_VERIFY(!seed->isVisible());
        scene.action("transport.seed")->trigger();
        QVERIFY(seed->isVisible());
        QTRY_VERIFY(seed->hasFocus());
        QVERIFY(!scene.window->transport()->commandField()->isVisible());
        scene.press(Qt::Key_K, Qt::ControlModifier);
        const auto* const finder = scene.window->findChild<views::CommandField*>(QStringLiteral("window.finder"));
        QVERIFY(finder && finder->isVisible());
    }

    /// A menu at the end of the row has the parts that the row has no room for: for people with a mouse who know no
    /// key.
    void whatIsFoldedIsInAMenu_data() {
        QTest::addColumn<QString>("language");
        QTest::addColumn<double>("text");
        for (const QString& language : app::languages())
            for (const double text : {1.0, 1.4641}) // four steps larger
                QTest::addRow("%s %g", qPrintable(language), text) << language << text;
    }
    void whatIsFoldedIsInAMenu() {
        QFETCH(QString, language);
        QFETCH(double, text);
        app::speak(language);
        WindowScene scene;
        views::setTextScale(text);
        const auto asBefore = qScopeGuard([] {
            views::setTextScale(1);
            app::speak(QStringLiteral("en"));
        });
        scene.window->resize(1024, 768);
        scene.open("gc-pause");
        views::TransportBar* const bar = scene.window->transport();
        QToolButton* const more = bar->overflow();
        const QList<QWidget*> folding{bar->seedField(), bar->speedSlider(), bar->commandField()};
        QTRY_VERIFY(std::ranges::any_of(folding, &QWidget::isHidden));
        QTRY_VERIFY(more->isVisible() && bar->rect().contains(more->geometry()));
        QVERIFY(more->width() >= more->sizeHint().width());
        QStringList words;
        QMenu* speeds = nullptr;
        QTimer::singleShot(0, more, [&] { // the menu has its own event loop
            for (QAction* const action : more->menu()->actions()) {
                words += action->text();
                if (action->menu()) speeds = action->menu();
            }
            if (speeds)
                for (QAction* const one : speeds->actions())
                    if (one->text() == views::speedText(10)) one->trigger();
            more->menu()->close();
        });
        QTest::mouseClick(more, Qt::LeftButton);
        QCOMPARE(speeds != nullptr, bar->speedSlider()->isHidden());
        if (speeds) QCOMPARE(scene.window->player()->speed(), 10);
        const auto told = [&](const char* id) { return words.contains(bar->command(id)->text()); };
        QCOMPARE(told("transport.find"), bar->commandField()->isHidden());
        QCOMPARE(told("transport.seed"), bar->seedField()->isHidden());
        QCOMPARE(told("transport.restart-new-seed"), bar->seedField()->isHidden());
        if (bar->seedField()->isHidden()) {
            scene.window->activateWindow(); // a menu was in front of it
            QVERIFY(QTest::qWaitForWindowActive(scene.window.get()));
            bar->command("transport.seed")->trigger();
            QTRY_VERIFY(bar->seedField()->isVisible() && bar->seedField()->hasFocus());
        }
        views::setTextScale(1);
        scene.window->resize(1900, 1000);
        QTRY_VERIFY(std::ranges::none_of(folding, &QWidget::isHidden));
        QTRY_VERIFY(!more->isVisible());
    }

    /// While a recording is made, and after a class, as before.
    void theSpeedStaysInSightWhereThereIsRoom_data() {
        QTest::addColumn<QString>("language");
        for (const QString& language : app::languages())
            QTest::addRow("%s", qPrintable(language)) << language;
    }
    void theSpeedStaysInSightWhereThereIsRoom() {
        QFETCH(QString, language);
        app::speak(language);
        const auto asBefore = qScopeGuard([] { app::speak(QStringLiteral("en")); });
        WindowScene scene;
        scene.window->resize(1600, 1000);
        scene.open("gc-pause");
        views::TransportBar* const bar = scene.window->transport();
        QTRY_VERIFY(bar->speedSlider()->isVisible() && bar->seedField()->isVisible());
        scene.window->presenter()->setOn(true);
        QTRY_VERIFY(!bar->isVisible());
        scene.window->player()->seek(2s);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(2s));
        scene.window->presenter()->setOn(false);
        QTRY_VERIFY(bar->speedSlider()->isVisible() && bar->seedField()->isVisible());
        const QTemporaryDir folder;
        QVERIFY(scene.window->recorder()->start(folder.filePath(QStringLiteral("r.lockscope"))));
        QTRY_VERIFY(bar->overflow()->isHidden());
        QVERIFY(bar->speedSlider()->isVisible() && bar->seedField()->isVisible());
        scene.window->recorder()->stop();
    }

    /// With text four steps larger both columns grow, so that their words stay whole.
    void largerTextHasWiderColumns_data() {
        QTest::addColumn<QString>("language");
        for (const QString& language : app::languages())
            QTest::newRow(qPrintable(language)) << language;
    }
    void largerTextHasWiderColumns() {
        QFETCH(QString, language);
        app::speak(language);
        WindowScene scene;
        const auto asBefore = qScopeGuard([] {
            views::setTextScale(1);
            app::speak(QStringLiteral("en"));
        });
        scene.open("gc-pause");
        toViolation(scene);
        const int usual = scene.window->work()->controls()->width();
        for (int i = 0; i < 4; ++i)
            scene.action("view.larger")->trigger();
        QTRY_VERIFY(scene.window->work()->controls()->width() > usual);
        const auto cut = [&] {
            QStringList all;
            for (const QDockWidget* dock : {scene.window->work()->controls(), scene.window->work()->inspector()})
                for (const QScrollArea* area : dock->findChildren<QScrollArea*>())
                    if (area->isVisible() && area->viewport()->width() < area->widget()->minimumSizeHint().width())
                        all += QStringLiteral("%1: %2 < %3")
                                   .arg(dock->objectName())
                                   .arg(area->viewport()->width())
                                   .arg(area->widget()->minimumSizeHint().width());
            return all.join(u'\n');
        };
        QTRY_VERIFY2(cut().isEmpty(), qPrintable(cut()));
        for (const auto* button : scene.window->findChildren<views::BreakButton*>())
            if (button->isVisible())
                QVERIFY2(button->width() + 28 >= button->sizeHint().width(), // 28: its key, which not all have
                         qPrintable(button->accessibleName()));
        scene.action("view.usual-text")->trigger();
        QTRY_VERIFY(scene.window->work()->controls()->widget()->minimumWidth() == 0);
    }

    void aReaderHearsHowItStands() {
        WindowScene scene;
        scene.open("gc-pause");
        toViolation(scene);
        const QString story = views::storyAtPlayhead(*scene.context());
        QVERIFY2(story.contains(QStringLiteral("still believes it holds the lock")), qPrintable(story));
        QVERIFY2(story.contains(QStringLiteral("lease 4.1")), qPrintable(story));
        QVERIFY2(story.contains(QStringLiteral("waits")) && story.contains(QStringLiteral("is paused")),
                 qPrintable(story));
        QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(timelineOf(scene));
        QVERIFY(interface);
        QVERIFY(interface->text(QAccessible::Description).startsWith(story));
        scene.window->player()->seek(Nanos(0));
        QTRY_COMPARE(scene.context()->playhead(), Nanos(0));
        QVERIFY(interface->text(QAccessible::Description) != story);
        QVERIFY(!interface->text(QAccessible::Description).contains(QStringLiteral("believes it holds")));
    }

    /// A panel that is empty, or shown for the first time, takes no room from the lanes.
    void theLanesStandStillWhateverThePanelsShow() {
        WindowScene scene;
        scene.open("gc-pause");
        scene.window->player()->seek(12s);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(12s));
        QCoreApplication::processEvents(); // what the playhead has changed is laid out
        const auto* const view = timelineOf(scene);
        const int before = view->height();
        scene.window->player()->toStart();
        for (QDockWidget* const dock : scene.window->work()->docks()) {
            if (scene.window->dockWidgetArea(dock) != Qt::BottomDockWidgetArea) continue;
            dock->raise();
            // The main window moves those behind out of itself.
            QTRY_VERIFY2(dock->isVisible() && dock->geometry().bottom() > 0, qPrintable(dock->objectName()));
            QCoreApplication::processEvents(); // docks are laid out anew at the next turn
            QVERIFY2(view->height() == before, qPrintable(dock->objectName()));
        }
    }

    void theSheetHasTheKeysOfTheParts() {
        WindowScene scene;
        scene.open("gc-pause");
        scene.press(Qt::Key_Question);
        const views::ShortcutSheet* const sheet = scene.window->shortcutSheet();
        QVERIFY(sheet->isVisible());
        for (const char* words : {"Zoom in: +", "Zoom out: -", "Choose a lane: ↑ ↓", "Zoom at the mouse"})
            QVERIFY2(sheet->accessibleDescription().contains(QString::fromUtf8(words)),
                     qPrintable(sheet->accessibleDescription()));
    }

    /// Each control that Tab comes to looks another way while it has the focus.
    void theFocusIsSeenWhereverItGoes_data() {
        QTest::addColumn<QString>("where");
        for (const char* where : {"welcome", "simulation", "lesson"})
            QTest::newRow(where) << QString(QLatin1String(where));
    }
    void theFocusIsSeenWhereverItGoes() {
        QFETCH(QString, where);
        WindowScene scene;
        if (where == QLatin1String("simulation")) {
            scene.open("contention");
            scene.window->player()->seek(5s);
            QTRY_COMPARE(scene.context()->playhead(), Nanos(5s));
        } else if (where == QLatin1String("lesson")) {
            scene.window->lessons()->open(QStringLiteral("the-pause"), 1, views::LessonGuide::Arrival::AtOnce);
            QTRY_COMPARE_WITH_TIMEOUT(scene.context()->playhead(), *scene.window->player()->limit(), 20'000);
        }
        QSet<QWidget*> seen;
        QStringList unseen, unnamed;
        for (int i = 0; i < 120; ++i) {
            WindowScene::strike(Qt::Key_Tab);
            QWidget* const now = QApplication::focusWidget();
            QVERIFY(now);
            if (seen.contains(now)) continue;
            seen << now;
            const QString name =
                QStringLiteral("%1 %2 in %3, %4x%5")
                    .arg(QLatin1String(now->metaObject()->className()), now->accessibleName(),
                         QLatin1String(now->parentWidget() ? now->parentWidget()->metaObject()->className() : ""))
                    .arg(now->width())
                    .arg(now->height());
            QAccessibleInterface* const interface = QAccessible::queryAccessibleInterface(now);
            if (!interface || interface->text(QAccessible::Name).isEmpty()) unnamed << name;
            QCoreApplication::processEvents(); // a change of focus is told to the style by events that are posted
            const QImage with = now->grab().toImage();
            const QPointer<QWidget> kept = now;
            now->clearFocus();
            QCoreApplication::processEvents(); // as above
            const QImage without = now->grab().toImage();
            if (with == without) unseen << name;
            QVERIFY(kept);
            kept->setFocus(Qt::TabFocusReason);
        }
        QVERIFY2(seen.size() >= 5, qPrintable(QString::number(seen.size())));
        QVERIFY2(unseen.isEmpty(), qPrintable(unseen.join(QStringLiteral("; "))));
        QVERIFY2(unnamed.isEmpty(), qPrintable(unnamed.join(QStringLiteral("; "))));
    }
};

QTEST_MAIN(tst_window_fits)
#include "tst_window_fits.moc"
