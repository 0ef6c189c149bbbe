// SPDX-License-Identifier: GPL-3.0-or-later
#include "fake_session.h"
#include "theme/palette.h"
#include "timeline/timeline_ruler.h"
#include "timeline/timeline_view.h"
#include "trace/recording.h"
#include "transport/player.h"
#include "transport/transport_bar.h"
#include "transport/verdict_banner.h"
#include "welcome/shortcut_sheet.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/keyboard_courtesy.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/session_recorder.h"
#include "window/work_area.h"

#include <QDropEvent>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPushButton>
#include <QShortcut>
#include <QSignalSpy>
#include <QSlider>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeView>

using namespace lockscope;
using app::MainWindow;

namespace {

/// The window as a person finds it, with settings of its own.
class Scene {
public:
    QTemporaryDir folder;
    std::unique_ptr<app::Settings> settings;
    std::unique_ptr<MainWindow> window;

    Scene() { open(); }
    void open() {
        settings = std::make_unique<app::Settings>(folder.filePath(QStringLiteral("s.ini")));
        window = std::make_unique<MainWindow>(settings.get());
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get()));
        QTRY_VERIFY(window->findChild<QAction*>(QStringLiteral("file.open"))); // menus fill after the first picture
    }
    void reopen() {
        window->close();
        window.reset();
        settings.reset();
        open();
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(window.get(), key, modifiers); }
    /// As a keyboard does: to whatever has the focus.
    static void strike(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(QApplication::focusWidget(), key, modifiers);
    }
    views::ViewContext* context() const { return window->context(); }
    /// Plays the opening lesson by the one click that a new person makes.
    void clickLesson() { QTest::mouseClick(window->welcome()->lessonButton(), Qt::LeftButton); }
    /// Threads that hold at the playhead.
    QSet<trace::EntityId> holders() const {
        QSet<trace::EntityId> found;
        for (const auto& [key, belief] : context()->state().beliefs)
            if (belief.phase == trace::Belief::Phase::Holding) found << key.second;
        return found;
    }
};

} // namespace

class TestWindow : public QObject {
    Q_OBJECT
    app::KeyboardCourtesy m_courtesy;

private Q_SLOTS:
    void initTestCase() {
        views::Theme::instance().setChoice(views::ThemeChoice::Light);
        qApp->installEventFilter(&m_courtesy);
    }

    void fromProgramStartOneClickToALockChangingHands() {
        Scene scene;
        scene.clickLesson();
        QVERIFY(scene.context()->session());
        QVERIFY(scene.window->player()->isPlaying());
        scene.window->player()->setSpeed(20);
        QSet<trace::EntityId> seen;
        QTRY_VERIFY_WITH_TIMEOUT((seen += scene.holders(), seen.size() >= 2), 20'000);
        QVERIFY(scene.window->work()->controls()->isVisible());
        QVERIFY(scene.window->transport()->isVisible());
        QTRY_COMPARE(scene.window->transport()->banner()->outcome(), verdict::Outcome::Holds);
    }

    void aPausedHolderTurnsTheVerdictAndAClickGoesThere() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("gc-pause"));
        scene.window->player()->setSpeed(20);
        views::VerdictBanner* banner = scene.window->transport()->banner();
        QTRY_COMPARE_WITH_TIMEOUT(banner->outcome(), verdict::Outcome::Violated, 20'000);
        scene.press(Qt::Key_Space);
        QVERIFY(!scene.window->player()->isPlaying());
        const Nanos from = banner->shown()->from;
        QVERIFY(scene.context()->playhead() >= from);
        QTest::mouseClick(banner, Qt::LeftButton);
        QCOMPARE(scene.context()->playhead(), from);
        QVERIFY(scene.holders().size() >= 2);
    }

    void theHolderPausedByItsContextMenuTurnsTheVerdict() {
        Scene scene;
        scene.window->resize(1600, 1000);
        scene.clickLesson();
        QTRY_COMPARE(scene.window->transport()->banner()->outcome(), verdict::Outcome::Holds); // judged, not presumed
        scene.window->player()->setSpeed(10);
        QTRY_VERIFY_WITH_TIMEOUT(scene.holders().size() == 1 && scene.context()->playhead() > Nanos(3s), 20'000);
        scene.press(Qt::Key_Space);
        QTRY_COMPARE(scene.holders().size(), 1);
        const trace::EntityId holder = *scene.holders().begin();

        // A right click on the holder's lane, as the platform delivers it: to the window.
        auto* timeline = scene.window->findChild<views::TimelineView*>();
        QVERIFY(timeline);
        QTRY_VERIFY(timeline->layoutOfLanes().rowOf(holder) >= 0);
        const QRect row = timeline->rowRect(timeline->layoutOfLanes().rowOf(holder));
        const QPoint lane = timeline->viewport()->mapTo(scene.window.get(), row.center());
        QTest::mouseClick(scene.window->windowHandle(), Qt::RightButton, {}, lane);
        QTRY_VERIFY(QApplication::activePopupWidget());
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QAction* pause = nullptr;
        for (QAction* action : menu->actions()) {
            if (action->text().contains(QLatin1String("Pause"))) pause = action;
        }
        QVERIFY(pause && pause->isEnabled());
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(pause).center());

        const auto paused = [&] {
            const auto& clients = scene.context()->state().clients;
            const auto client = clients.find(scene.context()->trace()->clientOf(holder));
            return client != clients.end() && client->second.life == trace::ClientState::Life::Paused;
        };
        QTRY_VERIFY_WITH_TIMEOUT(paused(), 10'000);
        scene.press(Qt::Key_Space);
        views::VerdictBanner* banner = scene.window->transport()->banner();
        QTRY_COMPARE_WITH_TIMEOUT(banner->outcome(), verdict::Outcome::Violated, 20'000);
        scene.press(Qt::Key_Space);
        const Nanos from = banner->shown()->from;
        QTest::mouseClick(banner, Qt::LeftButton);
        QCOMPARE(scene.context()->playhead(), from);
        QVERIFY(scene.holders().size() >= 2);
        // A fault by hand is in the scenario, and runs again.
        QCOMPARE(scene.context()->session()->scenario().faults.size(), std::size_t(1));
    }

    void keysReachThePlayerThoughTheTimelineHasTheFocus() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("gc-pause"));
        scene.window->player()->pause();
        auto* timeline = scene.window->findChild<views::TimelineView*>();
        QCOMPARE(QApplication::focusWidget(), timeline);
        const auto trace = scene.context()->trace();
        const bool following = timeline->zoom()->isFollowing();
        scene.strike(Qt::Key_F);
        const auto faultStrikesHere = [&] {
            const Nanos t = scene.context()->playhead();
            for (std::size_t row = trace->lowerBound(t); row < trace->upperBound(t); ++row)
                if (session::isMilestone(session::Milestone::Fault, trace->at(row))) return true;
            return false;
        };
        QTRY_VERIFY_WITH_TIMEOUT(faultStrikesHere(), 10'000);
        QCOMPARE(timeline->zoom()->isFollowing(), following);

        // Past what has been computed there is more to come, however often one asks for it.
        for (int i = 0; i < 3; ++i) {
            scene.strike(Qt::Key_End);
            const Nanos end = scene.context()->playhead();
            QCOMPARE(end, trace->reached());
            scene.strike(Qt::Key_Right);
            QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() > end, 10'000);
        }
        const Nanos there = scene.context()->playhead();
        scene.strike(Qt::Key_Left);
        QVERIFY(scene.context()->playhead() < there);

        scene.window->player()->play();
        scene.strike(Qt::Key_Right);
        QVERIFY(!scene.window->player()->isPlaying());
        scene.strike(Qt::Key_Home);
        QCOMPARE(scene.context()->playhead(), Nanos(0));

        QVERIFY(scene.window->registry()->find(QStringLiteral("timeline.follow")));
        scene.strike(Qt::Key_T);
        QCOMPARE(timeline->zoom()->isFollowing(), !following);
    }

    void homeStopsFollowingALiveSession() {
        Scene scene;
        auto session = std::make_unique<FakeSession>();
        FakeSession* raw = session.get();
        raw->can = {};
        raw->can.live = true;
        raw->plan = Nanos(0);
        scene.window->setSession(std::move(session), false);
        raw->live(5s);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(5s));
        scene.strike(Qt::Key_Home);
        QVERIFY(!scene.window->player()->isPlaying());
        QCOMPARE(scene.context()->playhead(), Nanos(0));
    }

    /// A connection that may end somebody's hold is not only looked at.
    void theFootSaysWhetherAnythingCanBeChanged() {
        Scene scene;
        for (const bool mayRelease : {false, true}) {
            auto session = std::make_unique<FakeSession>();
            session->can = {};
            session->can.live = true;
            session->can.forceRelease = mayRelease;
            scene.window->setSession(std::move(session), false);
            const auto labels = scene.window->statusBar()->findChildren<QLabel*>();
            const auto servers = std::ranges::find_if(labels, [](const QLabel* label) {
                return label->accessibleName() == QStringLiteral("Servers: ") + label->text();
            });
            QVERIFY(servers != labels.end());
            QTRY_VERIFY2((*servers)->text().endsWith(mayRelease ? u"changes allowed" : u"read-only"),
                         qPrintable((*servers)->text()));
        }
    }

    /// A server that is dead is still one of them.
    void theFootSaysWhichServerIsDead() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("failover-async"));
        scene.window->player()->pause();
        const auto labels = scene.window->statusBar()->findChildren<QLabel*>();
        const auto servers = std::ranges::find_if(
            labels, [](const QLabel* label) { return label->accessibleName().startsWith(QStringLiteral("Servers")); });
        QVERIFY(servers != labels.end());
        const auto ends = [&](const QString& words) { return (*servers)->text().endsWith(words); };
        QTRY_VERIFY2(ends(QStringLiteral(" 6 server(s) · 3 client(s)")) ||
                         ends(QStringLiteral(" 6 servers · 3 clients")),
                     qPrintable((*servers)->text()));
        scene.window->player()->seek(9s);
        QTRY_VERIFY2_WITH_TIMEOUT((*servers)->text().contains(QStringLiteral(", redis-1 dead · ")),
                                  qPrintable((*servers)->text()), 20'000);
        QVERIFY2((*servers)->text().contains(QStringLiteral(" 6 server")), qPrintable((*servers)->text()));
    }

    void aClickOnTheRulerSendsTheWorldThere() {
        Scene scene;
        scene.window->openScenario(QStringLiteral("gc-pause"));
        scene.window->player()->pause();
        auto* timeline = scene.window->findChild<views::TimelineView*>();
        QTRY_VERIFY(timeline->zoom()->end() >= Nanos(30s).count());
        timeline->zoom()->fit();
        auto* ruler = timeline->findChild<views::TimelineRuler*>();
        const views::TimelineScene picture = timeline->scene();
        const double x =
            picture.metrics.labelWidth() + picture.coordinates(timeline->viewport()->width()).x(Nanos(25s).count());
        const auto trace = scene.context()->trace();
        QTest::mouseClick(ruler, Qt::LeftButton, {}, {int(x), 10});
        QVERIFY(scene.context()->playhead() <= trace->reached());
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() >= Nanos(24s), 20'000);
        QVERIFY(scene.context()->playhead() <= trace->reached());
    }

    void noTwoShortcutsCollide() {
        Scene scene;
        scene.clickLesson();
        for (QDockWidget* dock : scene.window->work()->docks()) {
            dock->show();
            dock->raise();
            QTRY_VERIFY(dock->isVisible());
        }
        const auto clashes = scene.window->registry()->clashes();
        for (const auto& clash : clashes)
            qWarning() << clash.keys << clash.first << clash.second;
        QVERIFY(clashes.isEmpty());
        QVERIFY(scene.window->registry()->all().size() >= 45);
        // Nothing in the window has a window-wide shortcut that the registry does not know.
        const QList<QAction*> known = scene.window->registry()->all();
        for (QAction* action : scene.window->findChildren<QAction*>()) {
            const bool own = action->shortcutContext() == Qt::WidgetShortcut ||
                             action->shortcutContext() == Qt::WidgetWithChildrenShortcut;
            if (own || action->shortcut().isEmpty()) continue;
            QVERIFY2(known.contains(action), qPrintable(action->text() + action->shortcut().toString()));
        }
    }

    void everyCommandIsInThePalette() {
        Scene scene;
        scene.window->resize(1600, 1000); // a narrow one has the field only while it is asked for
        scene.clickLesson();
        scene.press(Qt::Key_K, Qt::ControlModifier);
        views::CommandField* field = scene.window->transport()->commandField();
        QVERIFY(field->list());
        QTest::keyClicks(field, QStringLiteral("layout mon"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(scene.window->work()->layout(), app::Layout::Monitor);
    }

    void typingDoesNotTriggerShortcuts() {
        Scene scene;
        scene.window->resize(1600, 1000);
        scene.clickLesson();
        scene.window->player()->pause();
        scene.press(Qt::Key_K, Qt::ControlModifier);
        views::CommandField* field = scene.window->transport()->commandField();
        QTest::keyClicks(field, QStringLiteral("a r p "));
        QCOMPARE(field->text(), QStringLiteral("a r p "));
        QVERIFY(!scene.window->player()->isPlaying());
    }

    void spacePressesTheButtonThatWasTabbedTo() {
        Scene scene;
        QPushButton* lesson = scene.window->welcome()->lessonButton();
        lesson->setFocus(Qt::TabFocusReason);
        QTest::keyClick(lesson, Qt::Key_Space);
        QTRY_VERIFY(scene.context()->session());
    }

    void layoutsRememberTheirArrangement() {
        Scene scene;
        scene.clickLesson();
        QVERIFY(scene.window->work()->controls()->isVisible());
        scene.press(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(scene.window->work()->layout(), app::Layout::Monitor);
        QVERIFY(!scene.window->work()->controls()->isVisible());
        scene.press(Qt::Key_F2);
        QVERIFY(scene.window->work()->controls()->isVisible());
        scene.press(Qt::Key_1, Qt::ControlModifier);
        scene.press(Qt::Key_2, Qt::ControlModifier);
        QVERIFY(scene.window->work()->controls()->isVisible());
        scene.press(Qt::Key_0, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!scene.window->work()->controls()->isVisible());
    }

    void whatWasArrangedIsThereAfterARestart() {
        Scene scene;
        scene.clickLesson();
        scene.press(Qt::Key_2, Qt::ControlModifier);
        scene.press(Qt::Key_F2);
        scene.window->player()->setSpeed(5);
        scene.window->resize(784, 700); // fits the screen that tests have
        const auto locks = [&scene] { return scene.window->work()->locks()->findChild<QTreeView*>(); };
        const auto grouped = [&scene] {
            return scene.window->work()->locks()->findChild<QToolButton*>(u"kept.locks.grouped"_qs);
        };
        locks()->header()->resizeSection(0, 222);
        const int moved = locks()->header()->logicalIndex(3);
        locks()->header()->moveSection(3, 1);
        locks()->sortByColumn(2, Qt::DescendingOrder);
        grouped()->click();
        scene.reopen();
        QCOMPARE(scene.window->size(), QSize(784, 700));
        scene.clickLesson();
        QCOMPARE(scene.window->player()->speed(), views::Player::kNormal); // a lesson never starts at a left-over speed
        QCOMPARE(scene.window->work()->layout(), app::Layout::Monitor);
        QVERIFY(scene.window->work()->controls()->isVisible());
        QCOMPARE(locks()->header()->sectionSize(0), 222);
        QCOMPARE(locks()->header()->logicalIndex(1), moved);
        QCOMPARE(locks()->header()->sortIndicatorSection(), 2);
        QCOMPARE(locks()->header()->sortIndicatorOrder(), Qt::DescendingOrder);
        QVERIFY(grouped()->isChecked());
    }

    void eachSessionBeginsAtTheNormalSpeed() {
        Scene scene;
        scene.clickLesson();
        scene.window->player()->setSpeed(1000);
        scene.press(Qt::Key_W, Qt::ControlModifier);
        scene.clickLesson();
        QCOMPARE(scene.window->player()->speed(), views::Player::kNormal);
        QCOMPARE(scene.window->transport()->speedSlider()->value(), 0);
    }

    void closingTheSessionComesBackToTheWelcomePage() {
        Scene scene;
        scene.window->resize(1600, 1000); // in a low one the picture comes first, and the tables by their keys
        scene.clickLesson();
        scene.press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!scene.context()->session());
        QVERIFY(scene.window->welcome()->isVisible());
        QVERIFY(!scene.window->work()->locks()->isVisible());
        scene.clickLesson();
        QVERIFY(scene.window->work()->locks()->isVisible());
    }

    void aBadScenarioFileIsExplainedWithoutABox() {
        Scene scene;
        const QString path = scene.folder.filePath(QStringLiteral("bad.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\n  \"lockscope\": 1,\n  \"id\": 5\n}\n");
        file.close();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(scene.window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(scene.window.get(), &drop);
        QVERIFY(!scene.context()->session());
        QVERIFY(scene.window->messages()->isVisible());
        QCOMPARE(scene.window->messages()->kind(), app::MessageBar::Kind::Problem);
        QVERIFY2(scene.window->messages()->message().contains(QLatin1String("bad.json:")),
                 qPrintable(scene.window->messages()->message()));
        QVERIFY(!QApplication::activeModalWidget());
    }

    void aDroppedPictureIsNotOurs() {
        Scene scene;
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(QStringLiteral("/tmp/cat.png"))});
        QDragEnterEvent enter(QPoint(400, 400), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(scene.window.get(), &enter);
        QVERIFY(!enter.isAccepted());
    }

    void aSessionIsRecordedAndOpensAgain() {
        Scene scene;
        scene.clickLesson();
        scene.window->player()->setSpeed(100);
        const QString path = scene.folder.filePath(QStringLiteral("a.lockscope"));
        QSignalSpy finished(scene.window->recorder(), &app::SessionRecorder::finished);
        QVERIFY(scene.window->recorder()->start(path));
        QTRY_VERIFY_WITH_TIMEOUT(scene.context()->playhead() > 10s, 20'000);
        scene.press(Qt::Key_Space); // what was asked of the world before is still being done
        scene.press(Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(finished.count(), 1);
        QVERIFY(scene.settings->recentFiles().contains(path));
        const auto loaded = trace::loadRecording(path);
        QVERIFY(loaded && !loaded->damage && loaded->meta.finished);
        const std::size_t rows = loaded->trace->size(), names = loaded->trace->entityCount();
        QVERIFY(rows > 0 && rows <= scene.context()->trace()->size());
        QCOMPARE(loaded->meta.digest, scene.context()->trace()->digest(rows, names));
        scene.window->openFile(path);
        QTRY_COMPARE_WITH_TIMEOUT(scene.context()->trace()->digest(), loaded->meta.digest, 10'000);
        const QString renamed = path + QStringLiteral(".backup"); // a recording is known by its content
        QVERIFY(QFile::copy(path, renamed));
        scene.press(Qt::Key_W, Qt::ControlModifier);
        scene.window->openFile(renamed);
        QTRY_VERIFY(scene.context()->trace());
        QTRY_COMPARE_WITH_TIMEOUT(scene.context()->trace()->digest(), loaded->meta.digest, 10'000);
    }

    void theShortcutSheetListsThem() {
        Scene scene;
        scene.press(Qt::Key_Question);
        QVERIFY(scene.window->shortcutSheet()->shown() >= 25);
        QTest::keyClick(scene.window->shortcutSheet(), Qt::Key_Escape);
        QCOMPARE(scene.window->shortcutSheet()->shown(), 0);
    }

    void theThemeCanBeSwitchedFromTheMenu() {
        Scene scene;
        scene.press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(views::Theme::instance().isDark());
        QCOMPARE(scene.settings->theme(), views::ThemeChoice::Dark);
        scene.press(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!views::Theme::instance().isDark());
    }

    void aComplaintOfTheSessionIsShown() {
        Scene scene;
        auto session = std::make_unique<FakeSession>();
        FakeSession* raw = session.get();
        scene.window->setSession(std::move(session), false);
        Q_EMIT raw->complained(QStringLiteral("redis-1 is dead: start it first."));
        QCOMPARE(scene.window->messages()->message(), QStringLiteral("redis-1 is dead: start it first."));
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
