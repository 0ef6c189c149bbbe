// SPDX-License-Identifier: GPL-3.0-or-later
// A lesson for a screen reader: every part that can be used has a name and a role, in the window and before a class,
// and the timeline tells what is to be seen.
#include "lessons/choice_button.h"
#include "lessons/lesson_guide.h"
#include "lessons/lesson_panel.h"
#include "models/story.h"
#include "timeline/timeline_view.h"
#include "window/language.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window_scene.h"

#include <QAbstractButton>
#include <QAccessible>
#include <QDockWidget>
#include <QPushButton>
#include <QTabBar>

using namespace lockscope;
using views::LessonGuide;

namespace {

struct Scene : tests::WindowScene {
    LessonGuide& guide() const { return *window->lessons()->guide(); }
    views::LessonPanel& panel() const { return *window->lessons()->panel(); }
    void at(const char* lesson, int step) {
        window->lessons()->open(QLatin1String(lesson), step, LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(guide().arrived());
    }
};

/// Everything below an interface that is in sight, as a screen reader walks over it.
struct Walk {
    QStringList unnamed, roleless;
    int usable = 0;

    explicit Walk(QWidget* window) { look(QAccessible::queryAccessibleInterface(window), 0); }

private:
    static bool canBeUsed(const QAccessibleInterface& one) {
        const QAccessible::State state = one.state();
        const auto* const button = qobject_cast<QAbstractButton*>(one.object());
        return !state.disabled &&
               (state.focusable || (button && !button->testAttribute(Qt::WA_TransparentForMouseEvents)));
    }
    void look(QAccessibleInterface* one, int depth) {
        constexpr int kDeepest = 40;
        if (!one || !one->isValid() || one->state().invisible || depth > kDeepest) return;
        const auto* const widget = qobject_cast<QWidget*>(one->object());
        if (widget && !widget->isVisible()) return;
        const auto* const tabs = qobject_cast<const QTabBar*>(widget);
        const bool idle = tabs && tabs->count() == 0; // the main window keeps such ones, and nobody sees them
        if (canBeUsed(*one) && !idle) {
            ++usable;
            const QString where =
                QStringLiteral("%1 (%2) below %3")
                    .arg(widget ? QLatin1String(widget->metaObject()->className()) : QLatin1String("part"),
                         one->object() ? one->object()->objectName() : QString(),
                         one->parent() ? one->parent()->text(QAccessible::Name) : QString());
            if (one->text(QAccessible::Name).trimmed().isEmpty()) unnamed += where;
            if (one->role() == QAccessible::NoRole) roleless += where;
        }
        for (int i = 0; i < one->childCount(); ++i)
            look(one->child(i), depth + 1);
    }
};

} // namespace

class tst_accessible_lesson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup() { app::speak(QStringLiteral("en")); }

    void everyPartHasANameAndARole_data() {
        QTest::addColumn<int>("step");
        QTest::addColumn<bool>("class_");
        QTest::addColumn<QString>("language");
        // The pause: a bet is asked for at the third step, and the eighth is the task.
        for (const int step : {0, 2, 3, 7})
            for (const bool presents : {false, true})
                for (const char* language : {"en", "zh_CN"})
                    QTest::addRow("step %d%s, %s", step + 1, presents ? ", for a class" : "", language)
                        << step << presents << QString(QLatin1String(language));
    }
    void everyPartHasANameAndARole() {
        QFETCH(int, step);
        QFETCH(bool, class_);
        QFETCH(QString, language);
        app::speak(language);
        Scene s;
        s.at("the-pause", step);
        if (class_) s.window->presenter()->setOn(true);
        QTRY_COMPARE(s.window->presenter()->isOn(), class_);
        QTRY_VERIFY(Walk(s.window.get()).usable >= 12); // parts are shown at a later turn
        const Walk walk(s.window.get());
        QVERIFY2(walk.unnamed.isEmpty(), qPrintable(walk.unnamed.join(QStringLiteral("; "))));
        QVERIFY2(walk.roleless.isEmpty(), qPrintable(walk.roleless.join(QStringLiteral("; "))));
    }

    /// A choice and a bet are told, and not only painted.
    void aBetIsTold() {
        Scene s;
        s.at("the-pause", 2);
        const auto spoken = [&](int choice) { return QAccessible::queryAccessibleInterface(s.panel().choice(choice)); };
        QVERIFY(spoken(2)->text(QAccessible::Name).contains(s.guide().choices().at(1)));
        QCOMPARE(spoken(2)->role(), QAccessible::Button);
        const QString before = spoken(2)->text(QAccessible::Description);
        s.guide().choose(1);
        const QString chosen = spoken(2)->text(QAccessible::Description);
        QVERIFY(chosen != before);
        s.guide().countHand(1); // a hand of the class is no reason to keep quiet about the bet
        QVERIFY2(spoken(2)->text(QAccessible::Description).contains(chosen),
                 qPrintable(spoken(2)->text(QAccessible::Description)));
        s.guide().lock();
        QVERIFY(!spoken(2)->text(QAccessible::Description).contains(chosen));
        QVERIFY(spoken(2)->text(QAccessible::Description).contains(QStringLiteral("your bet")));
        QVERIFY(spoken(2)->text(QAccessible::Description).contains(QStringLiteral("1 hand")));
    }

    /// The timeline's text is that of the playhead, wherever it goes.
    void theStoryFollowsThePlayhead() {
        Scene s;
        s.open("gc-pause");
        s.window->player()->seek(20s);
        QTRY_COMPARE(s.context()->playhead(), Nanos(20s));
        const QAccessibleInterface* const timeline =
            QAccessible::queryAccessibleInterface(s.window->findChild<views::TimelineView*>());
        QVERIFY(timeline);
        QStringList told;
        for (const Nanos at : {Nanos(500ms), Nanos(5s), Nanos(10s), Nanos(15s)}) {
            s.window->player()->seek(at);
            QTRY_COMPARE(s.context()->playhead(), at);
            const QString story = timeline->text(QAccessible::Description);
            QVERIFY2(story.startsWith(views::storyAtPlayhead(*s.context())), qPrintable(story));
            QVERIFY(!told.contains(story));
            told += story;
        }
        QVERIFY2(told[1].contains(QStringLiteral("on the server it is held by A, lease")), qPrintable(told[1]));
        QVERIFY2(told[1].contains(QStringLiteral("wait")) && told[1].contains(QStringLiteral("A is paused")),
                 qPrintable(told[1]));
        QVERIFY2(told[2].contains(QStringLiteral("A still believes it holds the lock")), qPrintable(told[2]));
    }

    /// A panel behind another one's tab is not read out, and is again when its tab is in front.
    void panelsBehindTabsAreHidden() {
        Scene s;
        s.open("gc-pause");
        QDockWidget *const events = s.window->needWork()->events(), *const locks = s.window->needWork()->locks();
        const auto isTold = [](QDockWidget* dock) {
            QAccessibleInterface* const told = QAccessible::queryAccessibleInterface(dock);
            return !told->state().invisible && told->childCount() > 0;
        };
        for (QDockWidget* dock : {events, locks}) {
            dock->show();
            dock->raise();
        }
        QTRY_VERIFY(isTold(locks));
        QTRY_VERIFY(!isTold(events));
        events->raise();
        QTRY_VERIFY(isTold(events));
        QTRY_VERIFY(!isTold(locks));
    }
};

QTEST_MAIN(tst_accessible_lesson)
#include "tst_accessible_lesson.moc"
