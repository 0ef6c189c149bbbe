// SPDX-License-Identifier: GPL-3.0-or-later
// Every panel, dialogue and editor by the keyboard alone: Tab reaches each control, the focus is seen in both themes,
// and a screen reader has a name for it.
#include "alerts/alert_rules_dialog.h"
#include "connections/client_rules_dialog.h"
#include "focus_walk.h"
#include "glossary/glossary_dialog.h"
#include "lessons/lesson_list.h"
#include "locks/force_release_dialog.h"
#include "own_data.h"
#include "scenario/user_files.h"
#include "theme/screen_room.h"
#include "welcome/connect_dialog.h"
#include "window/compare_desk.h"
#include "window/editor_desk.h"
#include "window/help_desk.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QDialog>
#include <QDockWidget>

using namespace lockscope;
using tests::FocusWalk;
using views::ThemeChoice;

namespace {

void eachTheme() {
    QTest::addColumn<ThemeChoice>("theme");
    QTest::newRow("light") << ThemeChoice::Light;
    QTest::newRow("dark") << ThemeChoice::Dark;
}

/// Walks over what has just been opened.
void walk(QWidget* window, int least) {
    QVERIFY(window);
    if (!window->isVisible()) window->show();
    QVERIFY(QTest::qWaitForWindowActive(window));
    const FocusWalk walk(window);
    QVERIFY2(walk.isFine(), walk.told());
    QVERIFY2(walk.reached.size() >= least, walk.told());
    if (!qobject_cast<QDialog*>(window)) return;
    // Its buttons are on the screen, however low that is.
    const QSize room = views::roomFor(window, window->size()), needed = window->minimumSizeHint();
    QVERIFY2(window->height() <= room.height(), QByteArray::number(window->height()).constData());
    QVERIFY2(needed.height() <= views::kSmallestWindow.height(), QByteArray::number(needed.height()).constData());
}

} // namespace

class tst_keyboard_everywhere : public QObject {
    Q_OBJECT
    app::KeyboardCourtesy m_courtesy;
    tests::OwnData m_data;

private Q_SLOTS:
    void initTestCase() { qApp->installEventFilter(&m_courtesy); }
    void cleanup() { views::Theme::instance().setChoice(ThemeChoice::Light); }

    void everyPanelOfTheWindow_data() { eachTheme(); }
    void everyPanelOfTheWindow() {
        QFETCH(ThemeChoice, theme);
        views::Theme::instance().setChoice(theme);
        tests::WindowScene scene;
        scene.open("failover-async");
        scene.window->player()->seek(6s);
        QTRY_COMPARE(scene.context()->playhead(), Nanos(6s));
        app::WorkArea* const work = scene.window->work();
        for (QDockWidget* dock : {work->controls(), work->locks(), work->events(), work->cluster(), work->waits(),
                                  work->statistics(), work->inspector()}) {
            dock->show();
            dock->raise();
            QTRY_VERIFY2(!app::WorkArea::isBehind(dock), qPrintable(dock->objectName()));
            walk(scene.window.get(), 8);
            if (QTest::currentTestFailed()) {
                qWarning("with %s in front", qPrintable(dock->objectName()));
                return;
            }
        }
    }

    void theLesson_data() { eachTheme(); }
    void theLesson() {
        QFETCH(ThemeChoice, theme);
        views::Theme::instance().setChoice(theme);
        tests::WindowScene scene;
        scene.window->resize(1280, 720);   // not everything has room at once
        for (const int step : {0, 4, 6}) { // words only, a bet, your turn
            scene.window->lessons()->open(QStringLiteral("three-truths"), step, views::LessonGuide::Arrival::AtOnce);
            QTRY_VERIFY(step == 6 || scene.window->lessons()->guide()->arrived());
            for (const bool presenting : {false, true}) {
                scene.window->presenter()->setOn(presenting);
                const FocusWalk walk(scene.window.get());
                // The large keys say which key does the same; steps that nobody has taken are an empty list.
                QStringList mouseOnly = walk.mouseOnly;
                mouseOnly.removeIf([](const QString& one) {
                    return one.contains(u"KeyButton"_qs) || one.contains(u"Steps of the recipe"_qs);
                });
                QVERIFY2(walk.unseen.isEmpty() && walk.unnamed.isEmpty() && walk.outOfSight.isEmpty() &&
                             mouseOnly.isEmpty(),
                         walk.told());
                QVERIFY2(walk.reached.size() >= 5, walk.told());
            }
            scene.window->presenter()->setOn(false);
        }
    }

    void everyDialogue_data() { eachTheme(); }
    void everyDialogue() {
        QFETCH(ThemeChoice, theme);
        views::Theme::instance().setChoice(theme);
        views::ConnectDialog connecting([](const QString&) { return QString(); },
                                        {QStringLiteral("redis://127.0.0.1:6379")});
        walk(&connecting, 4);
        connecting.hide();
        views::AlertRulesDialog alerts(QStringLiteral("shop"), {});
        walk(&alerts, 4);
        alerts.hide();
        views::ClientRulesDialog clients({});
        walk(&clients, 2);
        clients.hide();
        views::ForceReleaseDialog release(QStringLiteral("orders"), QStringLiteral("A"), trace::Certainty::Certain);
        release.setCommands({QStringLiteral("DEL orders")});
        walk(&release, 2);
        release.hide();
        views::GlossaryDialog glossary(QStringLiteral("en"));
        glossary.showTerm(QStringLiteral("lease"));
        walk(&glossary, 3);
        glossary.hide();
        views::LessonList lessons(QStringLiteral("en"));
        lessons.showCourse({}, {});
        walk(&lessons, 2);
    }

    void theEditors_data() { eachTheme(); }
    void theEditors() {
        QFETCH(ThemeChoice, theme);
        views::Theme::instance().setChoice(theme);
        tests::WindowScene scene;
        scene.open("gc-pause");
        app::EditorDesk* const desk = app::EditorDesk::of(scene.window.get());
        desk->editScenario();
        walk(desk->scenarioEditor(), 6);
        if (QTest::currentTestFailed()) return;
        scene.window->lessons()->open(QStringLiteral("the-pause"), 2, views::LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(scene.window->lessons()->guide()->arrived());
        desk->editLesson();
        walk(desk->lessonEditor(), 10);
        desk->leave();
    }

    void twoRunsSideBySide_data() { eachTheme(); }
    void twoRunsSideBySide() {
        QFETCH(ThemeChoice, theme);
        views::Theme::instance().setChoice(theme);
        tests::WindowScene scene;
        scene.open("gc-pause");
        scene.press(Qt::Key_B, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(QApplication::activeWindow() && QApplication::activeWindow() != scene.window.get());
        QApplication::activeWindow()->resize(1400, 900); // a test's screen is small
        walk(QApplication::activeWindow(), 3);
    }
};

QTEST_MAIN(tst_keyboard_everywhere)
#include "tst_keyboard_everywhere.moc"
