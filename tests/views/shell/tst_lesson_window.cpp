// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons in the window, by the keys and clicks that a person uses.
#include "lesson/lesson_file.h"
#include "lessons/choice_button.h"
#include "lessons/lesson_list.h"
#include "lessons/lesson_panel.h"
#include "lessons/presenter_bar.h"
#include "theme/fonts.h"
#include "timeline/timeline_view.h"
#include "transport/player.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window/stage.h"
#include "window/window_keeper.h"
#include "window/work_area.h"
#include "window_scene.h"

#include <QFontInfo>
#include <QLabel>
#include <QListWidget>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

using namespace lockscope;
using views::LessonGuide;

namespace {

struct Scene : tests::WindowScene {
    app::LessonDesk* desk() const { return window->lessons(); }
    LessonGuide* guide() const { return desk()->guide(); }
    /// At a step, from 0, played to its stop.
    void at(const char* lesson, int step) {
        desk()->open(QLatin1String(lesson), step, LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(guide()->arrived());
    }
    void key(Qt::Key key) {
        QWidget* const focus = QApplication::focusWidget() ? QApplication::focusWidget() : window.get();
        QTest::keyClick(focus, key);
    }
    /// On to where the step stops, by its key.
    void toStop() {
        if (!guide()->arrived()) key(Qt::Key_Right);
        QTRY_VERIFY(guide()->arrived());
    }
};

} // namespace

class tst_lesson_window : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void fromTheWelcomePageToTheFirstStep() {
        Scene s;
        auto* const lessons = s.window->findChild<QPushButton*>(QStringLiteral("welcome.lessons"));
        QVERIFY(lessons);
        QTest::mouseClick(lessons, Qt::LeftButton);
        QVERIFY(s.desk()->list());
        QTRY_VERIFY(s.desk()->list()->isVisible());
        QListWidget* const list = s.desk()->list()->list();
        QCOMPARE(list->count(), int(lesson::builtinLessons().size()));
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Step);
        QCOMPARE(s.guide()->step(), 0);
        QCOMPARE(s.guide()->lesson()->id, lesson::builtinLessons().first());
        QVERIFY(s.desk()->panel()->isVisible());
        QVERIFY(!s.guide()->narration().isEmpty());
        QVERIFY(s.window->player()->isPlaying());
    }

    void aLessonIsPlayedByKeysAlone() {
        Scene s;
        s.at("the-pause", 0);
        QCOMPARE(s.guide()->step(), 0);
        s.key(Qt::Key_Space);
        QCOMPARE(s.guide()->step(), 1);
        s.toStop();
        s.key(Qt::Key_Right);
        QCOMPARE(s.guide()->step(), 2);
        s.toStop();
        QVERIFY(!s.guide()->question().isEmpty());
        QVERIFY(s.desk()->panel()->choice(2)->isVisible());
        s.key(Qt::Key_Space); // no bet yet: it stays
        QCOMPARE(s.guide()->step(), 2);
        s.key(Qt::Key_1);
        QCOMPARE(s.guide()->chosen(), std::optional(0));
        s.key(Qt::Key_2);
        QCOMPARE(s.guide()->chosen(), std::optional(1));
        s.key(Qt::Key_Return);
        QVERIFY(s.guide()->locked());
        s.key(Qt::Key_1); // too late
        QCOMPARE(s.guide()->chosen(), std::optional(1));
        QVERIFY(!s.guide()->result());
        s.key(Qt::Key_Space);
        QCOMPARE(s.guide()->step(), 3);
        QVERIFY(!s.guide()->result()); // not before the answer has played
        s.toStop();
        QVERIFY(s.guide()->result() && s.guide()->result()->right);
        for (int step = 4; step < s.guide()->steps(); ++step) {
            s.key(Qt::Key_PageDown);
            QCOMPARE(s.guide()->step(), step);
            if (s.guide()->phase() == LessonGuide::Phase::Step) s.toStop();
        }
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Turn);
        QVERIFY(s.window->work()->controls()->isVisible());
        s.key(Qt::Key_PageDown);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::End);
        QCOMPARE(s.guide()->score(), (std::pair{1, 1}));
        if (const QString folder = qEnvironmentVariable("LOCKSCOPE_SHOTS"); !folder.isEmpty())
            s.window->grab().save(folder + QStringLiteral("/lesson-end.png"));
        QVERIFY(s.window->settings()->lesson(QStringLiteral("the-pause")).done);
        s.key(Qt::Key_Return);
        QCOMPARE(s.guide()->step(), 0);
        QVERIFY(s.guide()->lesson()->id != QStringLiteral("the-pause"));
    }

    void nothingBeyondTheStopIsThere() {
        Scene s;
        s.at("the-pause", 3);
        const Nanos far = *s.window->player()->limit();
        QVERIFY(s.context()->trace()->reached() <= far);
        s.key(Qt::Key_Left);
        QCOMPARE(s.guide()->step(), 2);
        QTRY_VERIFY(s.guide()->arrived());
        QVERIFY(*s.window->player()->limit() < far);
        QVERIFY(s.context()->trace()->reached() <= *s.window->player()->limit());
        QVERIFY(s.context()->spotlight().has_value());
        QVERIFY(!s.context()->spotlight()->lanes.empty());
        s.window->player()->seek(far + 5s);
        QVERIFY(s.context()->playhead() <= *s.window->player()->limit());
    }

    /// In a low window the question, its answers and what to do are in sight at once: the source gives way.
    void aQuestionIsWholeInALowWindow() {
        Scene s;
        s.window->resize(1280, 1000);
        s.at("three-truths", 4);
        const auto source = [&] {
            const auto labels = s.desk()->panel()->findChildren<QLabel*>();
            const auto found = std::ranges::find_if(
                labels, [](const QLabel* label) { return label->text().startsWith(QStringLiteral("Source: ")); });
            return found == labels.end() ? nullptr : *found;
        };
        QVERIFY(source());
        const auto* const words = s.desk()->panel()->findChild<const QScrollArea*>();
        QTRY_VERIFY(source()->isVisible());
        // Where the window is just too low for both, the question is whole without the source.
        int height = 1000;
        for (; height > 600 && source()->isVisible(); height -= 10) {
            QTRY_COMPARE(words->verticalScrollBar()->maximum(), 0);
            s.window->resize(1280, height);
            QCoreApplication::processEvents(); // docks and the words in them are laid out at the next turn
        }
        QVERIFY(!source()->isVisible());
        QTRY_COMPARE(words->verticalScrollBar()->maximum(), 0);
    }

    /// On a small projector a class sees the question with all of its answers.
    void aLongQuestionIsWholeBeforeAClass() {
        Scene s;
        s.window->resize(1280, 720);
        s.at("zk-queue", 5);
        s.window->presenter()->setOn(true);
        for (int number = 1; number <= 3; ++number) {
            const views::ChoiceButton* const choice = s.desk()->panel()->choice(number);
            QTRY_COMPARE(choice->visibleRegion().boundingRect(), choice->rect());
        }
        s.key(Qt::Key_Return); // without a bet: what to do is brought into sight
        const auto labels = s.desk()->panel()->findChildren<QLabel*>();
        const auto hint = std::ranges::find_if(
            labels, [](const QLabel* label) { return label->text().startsWith(QStringLiteral("Bet first")); });
        QVERIFY(hint != labels.end());
        QTRY_COMPARE((*hint)->visibleRegion().boundingRect(), (*hint)->rect());
        s.window->resize(1280, 1000); // and what gave it their room comes back
        QTRY_VERIFY(s.desk()->panel()->leaveButton()->isVisible());
    }

    /// Parts do not come and go at one size.
    void fittingAgainChangesNothing() {
        Scene s;
        s.at("the-pause", 2);
        const auto shown = [&] {
            return std::pair(s.desk()->panel()->findChild<QLabel*>(QStringLiteral("lesson.source"))->isVisible(),
                             s.desk()->panel()->leaveButton()->isVisible());
        };
        for (int height = 620; height <= 860; height += 8) {
            s.window->resize(1280, height);
            for (int turn = 0; turn < 3; ++turn)
                QCoreApplication::processEvents(); // docks and the words in them are laid out at the next turns
            const auto before = shown();
            for (int again = 0; again < 2; ++again) {
                Q_EMIT s.guide()->changed();
                QCOMPARE(shown(), before);
            }
        }
    }

    /// Else the next key would be that of a table beside the lesson.
    void theKeyboardStaysWhenItsButtonGoesAway() {
        Scene s;
        s.window->resize(1280, 720);
        s.at("the-pause", 1);
        auto* const source = s.desk()->panel()->findChild<QLabel*>(QStringLiteral("lesson.source"));
        QTRY_VERIFY(source->isVisible());
        source->setFocus();
        s.key(Qt::Key_PageDown);
        s.toStop();
        for (int height = 700; source->isVisible() && height > 560; height -= 20) {
            s.window->resize(1280, height);
            QCoreApplication::processEvents(); // the panel is laid out at the next turn
        }
        QTRY_VERIFY(!source->isVisible()); // the bet takes its room
        QVERIFY(s.desk()->panel()->isAncestorOf(QApplication::focusWidget()));
        s.key(Qt::Key_2);
        QCOMPARE(s.guide()->chosen(), std::optional(1));
    }

    /// The button that one presses again and again does not move when a question takes other parts' room.
    void theWayOnStaysWhereItIs() {
        Scene s;
        s.window->resize(1280, 720);
        s.at("three-truths", 0);
        const auto place = [&] { return s.desk()->panel()->nextButton()->mapTo(s.window.get(), QPoint()).y(); };
        const int before = place();
        for (int step = 1; step < 6; ++step) {
            s.at("three-truths", step);
            QTRY_COMPARE(place(), before);
        }
    }

    /// Where the keys go can be seen before the first of them is pressed.
    void theKeyboardBeginsInSight() {
        Scene s;
        s.desk()->open(QStringLiteral("the-pause"));
        s.window->player()->pause();
        QTRY_COMPARE(QApplication::focusWidget(), static_cast<QWidget*>(s.desk()->panel()->nextButton()));
        QVERIFY(s.window->testAttribute(Qt::WA_KeyboardFocusChange)); // the style draws its frame
        s.key(Qt::Key_Space);
        QVERIFY(s.window->player()->isPlaying()); // as anywhere in a lesson: Space skips nothing
        s.at("the-pause", s.guide()->steps() - 1);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Turn);
        const auto* const lanes = s.window->findChild<views::TimelineView*>();
        QTRY_VERIFY(lanes->hasFocus()); // Space must not skip the task
        QTRY_VERIFY(lanes->focusRow() >= 0);
    }

    void allLitLanesAreInSightBeforeAClass_data() {
        QTest::addColumn<int>("step");
        for (const int step : {1, 2, 3, 4, 5})
            QTest::addRow("step %d", step + 1) << step;
    }
    void allLitLanesAreInSightBeforeAClass() {
        QFETCH(int, step);
        Scene s;
        s.window->resize(1280, 720);
        s.at("redlock", step);
        s.window->presenter()->setOn(true);
        const auto* const view = s.window->findChild<views::TimelineView*>();
        const auto hidden = [&] {
            QStringList names;
            const auto& spotlight = s.context()->spotlight();
            const auto& rows = view->layoutOfLanes().rows();
            for (std::size_t row = 0; spotlight && row < rows.size(); ++row) {
                if (std::ranges::find(spotlight->lanes, rows[row].lane->entity) == spotlight->lanes.end()) continue;
                const QRect place = view->rowRect(int(row));
                if (place.top() < 0 || place.bottom() > view->viewport()->height())
                    names += s.context()->trace()->displayName(rows[row].lane->entity);
            }
            return names;
        };
        QTRY_VERIFY2(hidden().isEmpty(), qPrintable(hidden().join(u' ')));
    }

    void theHandsOfAClassAreCounted() {
        Scene s;
        s.at("the-pause", 2);
        const auto hand = [&](Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key, Qt::ShiftModifier); };
        QVERIFY(s.guide()->hands().empty());
        for (const Qt::Key key : {Qt::Key_2, Qt::Key_At, Qt::Key_Exclam, Qt::Key_2})
            hand(key);
        QCOMPARE(s.guide()->hands(), (std::vector<int>{1, 3, 0}));
        QVERIFY(!s.guide()->chosen()); // counting is no bet
        s.key(Qt::Key_Backspace);
        QCOMPARE(s.guide()->hands(), (std::vector<int>{1, 2, 0}));
        s.key(Qt::Key_3);
        s.key(Qt::Key_Return);
        hand(Qt::Key_NumberSign); // also after the bet
        QCOMPARE(s.guide()->hands(), (std::vector<int>{1, 2, 1}));
        s.key(Qt::Key_PageDown);
        QVERIFY(s.guide()->hands().empty());
        s.key(Qt::Key_Left);
        QTRY_VERIFY(s.guide()->arrived());
        QCOMPARE(s.guide()->hands(), (std::vector<int>{1, 2, 1})); // the step before has kept its own
    }

    void theBetStandsUntilItIsAnswered() {
        Scene s;
        s.at("the-pause", 2);
        QVERIFY(s.guide()->bet().words.isEmpty());
        s.key(Qt::Key_1);
        QVERIFY(s.guide()->bet().words.contains(s.guide()->choices().first()));
        s.key(Qt::Key_Return);
        s.key(Qt::Key_Space);
        QVERIFY(!s.guide()->bet().words.isEmpty());
        QVERIFY(!s.guide()->bet().right);
        s.toStop();
        QCOMPARE(s.guide()->bet().right, std::optional(false));
        s.key(Qt::Key_Right);
        QVERIFY(s.guide()->bet().words.isEmpty());
    }

    void breakingSomethingLeavesTheLessonAndItCanBeTakenUpAgain() {
        Scene s;
        s.at("the-pause", 1);
        const Nanos stop = *s.window->player()->limit();
        QTRY_VERIFY(s.action("break.pause-client")->isEnabled());
        s.action("break.pause-client")->trigger();
        QTRY_COMPARE(s.guide()->phase(), LessonGuide::Phase::Away);
        QVERIFY(!s.window->player()->limit());
        QVERIFY(!s.context()->spotlight());
        QVERIFY(s.window->work()->controls()->isVisible());
        QVERIFY(s.action("lesson.return")->isEnabled());
        s.press(Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Step);
        QCOMPARE(s.guide()->step(), 1);
        QTRY_COMPARE(s.context()->playhead(), stop);
        QVERIFY(s.context()->session()->doneByHand().empty());
    }

    void anotherScenarioLetsTheLessonWait() {
        Scene s;
        s.at("the-pause", 1);
        s.open("contention");
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Away);
        QVERIFY(!s.window->player()->limit());
        s.guide()->close();
        QVERIFY(!s.desk()->panel()->isVisible());
    }

    void aTaskMayStartAgainButNotInAnotherWorld() {
        Scene s;
        s.desk()->open(QStringLiteral("the-pause"), 7);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Turn);
        s.window->player()->restart(7, session::ByHand::Keep);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Turn);
        s.open("gc-pause");
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Away);
    }

    void aTaskNamesOnlyControlsThatAreThere() {
        Scene s;
        s.desk()->open(QStringLiteral("the-pause"), 7);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Turn);
        const auto says = [&](QLatin1String words) {
            return std::ranges::any_of(s.desk()->panel()->findChildren<QLabel*>(), [words](const QLabel* label) {
                return label->isVisible() && label->text().contains(words);
            });
        };
        QTRY_VERIFY(says(QLatin1String("controls at the left")));
        s.window->presenter()->setOn(true); // has a row of keys instead
        QVERIFY(!says(QLatin1String("controls at the left")));
        QVERIFY(says(QLatin1String("keys below")));
        s.window->presenter()->setOn(false);
        QVERIFY(says(QLatin1String("controls at the left")));
    }

    void theJudgeSeesTheTaskDone() {
        Scene s;
        s.desk()->open(QStringLiteral("the-pause"), 7);
        QCOMPARE(s.guide()->phase(), LessonGuide::Phase::Turn);
        QVERIFY(!s.window->player()->isPlaying()); // the task is read first
        s.window->player()->setSpeed(50);
        s.window->player()->play();
        QTRY_VERIFY(s.context()->trace()->reached() > Nanos(3s));
        s.window->player()->pause();
        const Nanos stop = s.context()->playhead();
        s.window->player()->next(session::Milestone::Acquisition); // between two holds there is no holder to pause
        QTRY_VERIFY(s.context()->playhead() > stop);
        QTRY_VERIFY(s.action("break.pause-client")->isEnabled());
        QVERIFY(!s.guide()->goalReached());
        s.action("break.pause-client")->trigger();
        s.window->player()->play();
        QTRY_VERIFY_WITH_TIMEOUT(s.guide()->goalReached(), 20'000);
        QVERIFY(s.desk()->panel()->nextButton()->text() == s.desk()->panel()->tr("Finish"));
    }

    void theListSaysHowFarOneHasCome() {
        Scene s;
        s.at("the-pause", 2);
        s.press(Qt::Key_L, Qt::ControlModifier);
        QTRY_VERIFY(s.desk()->list() && s.desk()->list()->isVisible());
        const QListWidgetItem* const item = s.desk()->list()->list()->currentItem();
        QVERIFY(item && item->text().contains(s.guide()->title()));
        if (const QString folder = qEnvironmentVariable("LOCKSCOPE_SHOTS"); !folder.isEmpty())
            s.desk()->list()->grab().save(folder + QStringLiteral("/lesson-list.png"));
        QTest::keyClick(s.desk()->list()->list(), Qt::Key_Return);
        QCOMPARE(s.guide()->step(), 2);
    }

    /// Return begins what is next: the lesson that is open, or after its end the first one that is not done.
    void theListStandsAtWhatIsNext() {
        Scene s;
        const QStringList course = lesson::builtinLessons();
        const auto standsAt = [&] {
            s.action("lesson.list")->trigger();
            const bool shown = QTest::qWaitFor([&] { return s.desk()->list() && s.desk()->list()->isVisible(); });
            const int row = shown ? s.desk()->list()->list()->currentRow() : -1;
            s.desk()->list()->close();
            return row;
        };
        QCOMPARE(standsAt(), 0);
        s.at(qPrintable(course[1]), 0);
        QCOMPARE(standsAt(), 1);
        for (const int done : {1, 2}) {
            app::KeptLesson kept = s.settings->lesson(course[done]);
            kept.done = true;
            s.settings->setLesson(course[done], kept);
        }
        QCOMPARE(standsAt(), 3);
        for (const QString& id : course) {
            app::KeptLesson kept;
            kept.done = true;
            s.settings->setLesson(id, kept);
        }
        QCOMPARE(standsAt(), 1); // all are done: the one that is open
    }

    void theLanguageChangesInPlace() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        settings.setLanguage(QStringLiteral("en"));
        app::WindowKeeper keeper(&settings);
        keeper.window()->show();
        keeper.window()->lessons()->open(QStringLiteral("the-pause"), 2, LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY(keeper.window()->lessons()->guide()->arrived());
        keeper.window()->lessons()->guide()->choose(1);
        const QString english = keeper.window()->lessons()->guide()->narration();
        const Nanos at = keeper.window()->context()->playhead();
        settings.setLanguage(QStringLiteral("zh_CN"));
        QTRY_VERIFY(keeper.window()->lessons()->guide()->isOn() &&
                    keeper.window()->lessons()->guide()->narration() != english);
        const LessonGuide& guide = *keeper.window()->lessons()->guide();
        QCOMPARE(guide.step(), 2);
        QCOMPARE(guide.chosen(), std::optional(1));
        QCOMPARE(guide.title(), QStringLiteral("没人察觉的停顿"));
        QCOMPARE(keeper.window()->context()->playhead(), at);
        QVERIFY(keeper.window()->lessons()->panel()->isVisible());
        settings.setLanguage(QStringLiteral("en"));
        QTRY_COMPARE(keeper.window()->lessons()->guide()->narration(), english);
    }

    void thePresentersViewHasOnlyTheLesson() {
        Scene s;
        s.at("the-pause", 2);
        const double usual = views::textScale();
        s.press(Qt::Key_F5);
        QVERIFY(s.window->presenter()->isOn());
        QVERIFY(!s.window->findChild<QMenuBar*>()->isVisible());
        for (const QDockWidget* dock : s.window->work()->docks())
            QVERIFY2(!dock->isVisible(), qPrintable(dock->objectName()));
        QVERIFY(s.desk()->panel()->isVisible() && s.window->work()->timeline()->isVisible());
        // Its head writes the lease as the lanes and the form do.
        const auto* const head = s.window->findChild<const views::PresenterBar*>();
        QVERIFY(head && std::ranges::any_of(head->findChildren<QLabel*>(), [](const QLabel* label) {
                    return label->text().endsWith(QStringLiteral("lease 5 s"));
                }));
        // The smallest text is 17 px in a window of 1600, and grows with it.
        QCOMPARE(std::lround(QFontMetricsF(views::uiFont(-2)).fontDpi() * views::uiFont(-2).pointSizeF() / 72), 17L);
        for (const QWidget* widget : s.window->findChildren<QWidget*>())
            if (widget->isVisible() &&
                (qobject_cast<const QLabel*>(widget) || qobject_cast<const QAbstractButton*>(widget)))
                QVERIFY2(QFontInfo(widget->font()).pixelSize() >= 17, widget->metaObject()->className());
        s.window->resize(1400, 900);
        QTRY_COMPARE(std::lround(QFontMetricsF(views::uiFont(-2)).fontDpi() * views::uiFont(-2).pointSizeF() / 72),
                     15L);
        s.key(Qt::Key_PageUp);
        QCOMPARE(s.guide()->step(), 1);
        s.key(Qt::Key_B);
        QVERIFY(s.window->presenter()->isBlank());
        s.key(Qt::Key_PageDown); // only brings the picture back
        QVERIFY(!s.window->presenter()->isBlank());
        QCOMPARE(s.guide()->step(), 1);
        s.key(Qt::Key_Escape);
        QVERIFY(!s.window->presenter()->isOn());
        QCOMPARE(views::textScale(), usual);
        QVERIFY(s.window->findChild<QMenuBar*>()->isVisible());
        QVERIFY(s.window->work()->inspector()->isVisible());
    }
};

QTEST_MAIN(tst_lesson_window)
#include "tst_lesson_window.moc"
