// SPDX-License-Identifier: GPL-3.0-or-later
// "Your turn": what the window tells of the task, its help, and how one gets back from free play before a class.
#include "lesson/lesson_file.h"
#include "lessons/key_row.h"
#include "lessons/lesson_list.h"
#include "lessons/lesson_panel.h"
#include "lessons/task_box.h"
#include "locks/protocol_panel.h"
#include "timeline/timeline_view.h"
#include "transport/player.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window/work_area.h"
#include "window_scene.h"

#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>

using namespace lockscope;
using views::LessonGuide;
using Phase = LessonGuide::Phase;

namespace {

struct Scene : tests::WindowScene {
    app::LessonDesk* desk() const { return window->lessons(); }
    LessonGuide* guide() const { return desk()->guide(); }
    views::LessonPanel* panel() const { return desk()->panel(); }
    views::TaskBox* task() const { return panel()->task(); }
    void at(const char* lesson, int step) {
        desk()->open(QLatin1String(lesson), step, LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(guide()->arrived());
    }
    void toTask(const char* lesson) {
        desk()->open(QLatin1String(lesson), 100, LessonGuide::Arrival::AtOnce); // the last there is
        QCOMPARE(guide()->phase(), Phase::Turn);
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QWidget* const focus = QApplication::focusWidget() ? QApplication::focusWidget() : window.get();
        QTest::keyClick(focus, key, modifiers);
    }
    void playTo(Nanos t) {
        window->player()->seek(t);
        QTRY_VERIFY(context()->playhead() >= t);
    }
    bool hasLine(const QString& begin) const {
        return std::ranges::any_of(task()->lines(), [&](const QString& line) { return line.startsWith(begin); });
    }
};

} // namespace

class tst_lesson_task : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// "When somebody holds, right-click": until a fault is chosen from the menu, its moment would be over.
    void timeWaitsWhileTheMenuIsRead() {
        Scene s;
        s.toTask("three-truths");
        s.window->player()->play();
        QTRY_VERIFY(s.context()->playhead() > 500ms);
        auto* const view = s.window->findChild<views::TimelineView*>();
        const trace::EntityId first = view->layoutOfLanes().rows().front().lane->entity;
        Q_EMIT view->contextMenuRequested(first, view->mapToGlobal(QPoint(200, 100)));
        auto* const menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY(menu);
        QVERIFY(!s.window->player()->isPlaying());
        const Nanos then = s.context()->playhead();
        QTest::keyClick(menu, Qt::Key_Escape);
        QCOMPARE(s.context()->playhead(), then);
        QVERIFY(s.window->player()->isPlaying());
    }

    /// A learner who has broken a rule of the task would wait for ever: the panel says so, and a button begins again.
    void aBrokenRuleIsToldAndCanBeUndone() {
        Scene s;
        s.toTask("the-pause");
        QVERIFY(s.hasLine(QStringLiteral("○ ")));
        QVERIFY(!s.hasLine(QStringLiteral("✗ ")));
        QVERIFY(!s.task()->againButton()->isVisible()); // nothing was done yet
        s.playTo(3s);
        QTRY_VERIFY(s.action("break.kill-node")->isEnabled());
        s.action("break.kill-node")->trigger();
        QTRY_VERIFY(s.hasLine(QStringLiteral("✗ Things done to servers: none")));
        QVERIFY(s.guide()->isLost());
        QTRY_VERIFY(s.task()->againButton()->isVisible());
        QTest::mouseClick(s.task()->againButton(), Qt::LeftButton);
        QTRY_VERIFY(!s.guide()->isLost());
        QCOMPARE(s.guide()->phase(), Phase::Turn);
        QVERIFY(s.context()->session()->doneByHand().empty());
        QVERIFY(!s.hasLine(QStringLiteral("✗ ")));
        QVERIFY(!s.task()->againButton()->isVisible());
    }

    void aHintIsToldWhenItIsAskedFor() {
        Scene s;
        s.toTask("compare-delete");
        QVERIFY(s.task()->hintButton()->isVisible());
        const QString hint = s.guide()->lesson()->turn->hint.in(QStringLiteral("en"));
        const auto told = [&] {
            return std::ranges::any_of(s.task()->findChildren<QLabel*>(), [&](const QLabel* label) {
                return label->isVisible() && label->text() == hint;
            });
        };
        QVERIFY(!told());
        QTest::mouseClick(s.task()->hintButton(), Qt::LeftButton);
        QTRY_VERIFY(told());
        QVERIFY(!s.task()->hintButton()->isVisible());
    }

    /// To watch a solution is no solution of one's own.
    void oneWayIsShownAndDoesNotCount() {
        Scene s;
        s.toTask("the-pause");
        s.task()->wayButton()->click();
        QVERIFY(s.guide()->showsSolution());
        QCOMPARE(s.guide()->phase(), Phase::Turn);
        s.window->player()->setSpeed(50);
        QTRY_VERIFY_WITH_TIMEOUT(s.guide()->goalReached(), 20'000);
        QVERIFY(!s.guide()->solved());
        QVERIFY(!s.window->settings()->lesson(QStringLiteral("the-pause")).solved);
        QVERIFY(s.task()->againButton()->isVisible());
        s.task()->againButton()->click();
        QVERIFY(!s.guide()->showsSolution() && !s.guide()->goalReached());
        QVERIFY(!s.window->player()->isPlaying());
    }

    /// A tick is of the run that earned it: the next attempt begins without.
    void aNewAttemptBeginsWithoutTicks() {
        Scene s;
        s.toTask("the-pause");
        s.task()->wayButton()->click();
        s.window->player()->setSpeed(50);
        QTRY_VERIFY_WITH_TIMEOUT(s.guide()->goalReached(), 20'000);
        s.window->player()->pause();
        s.action("transport.restart")->trigger();
        QTRY_VERIFY(!s.guide()->goalReached());
        QVERIFY(s.hasLine(QStringLiteral("○ ")));
    }

    void aSkippedTaskStaysOpen() {
        Scene s;
        s.toTask("the-pause");
        s.key(Qt::Key_PageDown);
        QCOMPARE(s.guide()->phase(), Phase::End);
        const auto says = [&](const QString& words) {
            return std::ranges::any_of(s.panel()->findChildren<QLabel*>(), [&](const QLabel* label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        QTRY_VERIFY(says(QStringLiteral("task is still open")));
        app::KeptLesson kept = s.window->settings()->lesson(QStringLiteral("the-pause"));
        QVERIFY(kept.done && !kept.solved);
        const auto inList = [&] {
            s.desk()->showList();
            const auto found = s.desk()->list()->list()->findItems(s.guide()->title(), Qt::MatchContains);
            const QString words = found.value(0) ? found[0]->data(Qt::AccessibleDescriptionRole).toString() : QString();
            s.desk()->list()->close();
            return words;
        };
        QVERIFY2(inList().contains(QStringLiteral("done, task open")), qPrintable(inList()));
        kept.solved = true;
        s.window->settings()->setLesson(QStringLiteral("the-pause"), kept);
        QVERIFY2(inList().contains(QStringLiteral("done ✓")), qPrintable(inList()));
    }

    void theEndLeadsToScenarios() {
        Scene s;
        s.toTask("the-pause");
        QVERIFY(!s.panel()->asides().front()->isVisible());
        s.key(Qt::Key_PageDown);
        const QString id = s.guide()->lesson()->aside.value(0);
        QTRY_VERIFY(s.panel()->asides().front()->isVisible());
        QTest::mouseClick(s.panel()->asides().front(), Qt::LeftButton);
        QTRY_COMPARE(s.context()->scenario().id, id);
    }

    /// The panel that the words speak of comes, and goes again with its step.
    void aPanelIsShownWhileItIsSpokenOf() {
        Scene s;
        s.window->resize(1600, 1000);
        s.at("deadlock", 3);
        QDockWidget* const waits = s.window->work()->waits();
        QVERIFY(!waits->isVisible());
        s.at("deadlock", 4);
        QCOMPARE(s.guide()->panel(), lesson::Look::Panel::Waits);
        QTRY_VERIFY(waits->isVisible() && !app::WorkArea::isBehind(waits));
        s.at("deadlock", 5);
        QTRY_VERIFY(!waits->isVisible());
        s.window->resize(1280, 720); // no room beside the picture
        s.at("deadlock", 4);
        QVERIFY(!waits->isVisible());
    }

    void theProtocolMarksTheStepsThatAreSpokenOf() {
        Scene s;
        s.window->resize(1600, 1000);
        s.at("compare-delete", 1);
        const auto* const protocol = s.window->findChild<views::ProtocolPanel*>();
        QVERIFY(protocol);
        QTRY_COMPARE(protocol->lookedAt(), (std::vector<int>{4, 5}));
        s.at("compare-delete", 2);
        QTRY_VERIFY(protocol->lookedAt().empty());
    }

    /// P and H are for breaking things before a class; the key that went on leads back to the lesson then.
    void aClassComesBackFromFreePlay() {
        Scene s;
        s.at("the-pause", 1);
        s.key(Qt::Key_F5, Qt::ShiftModifier); // as remotes send it
        QVERIFY(s.window->presenter()->isOn());
        const auto* const row = s.window->findChild<views::KeyRow*>();
        QVERIFY(row);
        const auto next = [&] { return row->button(views::KeyRow::Key::Next)->text(); };
        QCOMPARE(next(), QStringLiteral("next step"));
        QTRY_VERIFY(s.action("break.pause-client")->isEnabled());
        s.key(Qt::Key_P);
        QTRY_COMPARE(s.guide()->phase(), Phase::Away);
        QCOMPARE(next(), QStringLiteral("back to the lesson"));
        s.key(Qt::Key_PageDown);
        QCOMPARE(s.guide()->phase(), Phase::Step);
        QCOMPARE(s.guide()->step(), 1);
        QTRY_COMPARE(next(), QStringLiteral("next step")); // until the run is there again, the key jumps to its stop
        QVERIFY(s.window->presenter()->isOn());
    }

    void theMenusKeysThatAClassNeedsWork() {
        Scene s;
        s.at("the-pause", 1);
        s.window->presenter()->setOn(true);
        QTRY_VERIFY(s.action("break.pause-client")->isEnabled());
        s.key(Qt::Key_P);
        QTRY_COMPARE(s.guide()->phase(), Phase::Away);
        QTRY_COMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        s.key(Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY(s.context()->session()->doneByHand().empty());
        QCOMPARE(s.guide()->phase(), Phase::Away);
        s.key(Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(s.guide()->phase(), Phase::Step);
        s.key(Qt::Key_Period);
        QVERIFY(s.window->presenter()->isBlank());
        s.key(Qt::Key_Space);
        QVERIFY(!s.window->presenter()->isBlank());
    }

    /// → goes through the run as it does without the presenter's view: it must not skip the task.
    void anArrowDoesNotSkipATask() {
        Scene s;
        s.toTask("compare-delete");
        s.window->presenter()->setOn(true);
        s.playTo(2s);
        const Nanos before = s.context()->playhead();
        s.key(Qt::Key_Right);
        QTRY_VERIFY(s.context()->playhead() > before);
        QCOMPARE(s.guide()->phase(), Phase::Turn);
        s.key(Qt::Key_PageDown);
        QCOMPARE(s.guide()->phase(), Phase::End);
    }

    void eachSourceOnTheWebIsALink() {
        Scene s;
        s.window->resize(1280, 1000);
        s.at("redlock-critics", 0);
        const auto* const source = s.panel()->findChild<QLabel*>(QStringLiteral("lesson.source"));
        QVERIFY(source && source->openExternalLinks());
        int links = 0;
        for (const lesson::Source& one : s.guide()->lesson()->sources) {
            if (one.url.isEmpty()) continue;
            ++links;
            QVERIFY2(source->text().contains(QStringLiteral("href=\"%1\"").arg(one.url)), qPrintable(source->text()));
        }
        QCOMPARE(links, 2);
        QCOMPARE(source->focusPolicy(), Qt::TabFocus);
        s.at("zk-queue", 0);
        QCOMPARE(source->text().count(QStringLiteral("href=")), 1);
    }
};

QTEST_MAIN(tst_lesson_task)
#include "tst_lesson_task.moc"
