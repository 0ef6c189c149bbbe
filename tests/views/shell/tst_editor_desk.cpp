// SPDX-License-Identifier: GPL-3.0-or-later
// The editors beside the main window: what is in sight can be edited, what is edited runs, hands become a lesson.
#include "editor/fault_axis.h"
#include "editor/hands_recorder.h"
#include "editor/list_editor.h"
#include "editor/object_form.h"
#include "editor/text_pane.h"
#include "lesson/lesson_file.h"
#include "lessons/lesson_list.h"
#include "lessons/lesson_panel.h"
#include "own_data.h"
#include "scenario/scenario_file.h"
#include "scenario/user_files.h"
#include "theme/widgets.h"
#include "window/editor_desk.h"
#include "window/exporter.h"
#include "window/lesson_desk.h"
#include "window/presenter.h"
#include "window/sharer.h"
#include "window/window_keeper.h"
#include "window_scene.h"

#include <QDir>
#include <QInputDialog>
#include <QJsonArray>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QStatusBar>

using namespace lockscope;
using scenario::Shelf;

namespace {

struct Scene : tests::WindowScene {
    app::EditorDesk* desk() const { return app::EditorDesk::of(window.get()); }
    ~Scene() { desk()->leave(); } // nothing is asked any more
    /// Shows an instant. A wish to go somewhere ends when the run is replaced, some frames after something was done in
    /// its past; then it is wished again.
    void reach(Nanos at) { QTRY_VERIFY((window->player()->seek(at), context()->playhead() == at)); }
    views::EditedDocument* scenarioText() const { return desk()->scenarioEditor()->document(); }
};

void shoot(QWidget* window, const char* name) {
    if (const QString folder = qEnvironmentVariable("LOCKSCOPE_SHOTS"); !folder.isEmpty())
        window->grab().save(folder + u'/' + QLatin1String(name));
}

} // namespace

class tst_editor_desk : public QObject {
    Q_OBJECT
    tests::OwnData m_data;

private Q_SLOTS:
    void init() { m_data.clear(); }

    void whatIsInSightIsEditedAndRunsWithItsSeed() {
        Scene s;
        s.open("gc-pause");
        s.window->player()->restart(7, session::ByHand::Keep);
        s.window->player()->pause();
        s.press(Qt::Key_E, Qt::ControlModifier | Qt::ShiftModifier);
        views::ScenarioEditor* const editor = s.desk()->scenarioEditor();
        QVERIFY(editor);
        QVERIFY(QTest::qWaitForWindowActive(editor));
        QCOMPARE(s.scenarioText()->at(QStringLiteral("/id")).toString(), QStringLiteral("my-gc-pause"));
        s.scenarioText()->set(QStringLiteral("/workload/count"), 5);
        QTest::keyClick(editor, Qt::Key_R, Qt::ControlModifier);
        const session::Session* const session = s.context()->session();
        QCOMPARE(session->seed(), 7U);
        QCOMPARE(session->scenario().id, QStringLiteral("my-gc-pause"));
        QCOMPARE(session->scenario().workload.clients, 5);
        QVERIFY(session->doneByHand().empty());
        shoot(editor, "scenario-editor.png");
    }

    void whatWasDoneByHandComesAlong() {
        Scene s;
        s.open("contention");
        s.reach(3s);
        scenario::Fault pause;
        pause.target = QStringLiteral("A");
        s.context()->breakIt(pause);
        QTRY_COMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        s.desk()->editScenario();
        QCOMPARE(s.scenarioText()->at(QStringLiteral("/faults")).toArray().size(), 1);
        QVERIFY(s.scenarioText()->scenario());
    }

    void onesOwnScenariosAreListed() {
        Scene s;
        s.desk()->editScenario();
        const QString folder = scenario::userFolder(Shelf::Scenarios);
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(s.desk()->scenarioEditor()->saveTo(folder + QStringLiteral("/my-scenario.json")));
        const auto& offers = s.window->welcome()->offers();
        QCOMPARE(offers.last().id, QStringLiteral("my-scenario"));
        QVERIFY(offers.last().own);
        QAction* const play = s.action("scenario.my-scenario");
        QVERIFY(play);
        play->trigger();
        s.window->player()->pause();
        QCOMPARE(s.context()->session()->scenario().id, QStringLiteral("my-scenario"));
        // One of one's own is edited itself, and not a copy.
        delete s.desk()->scenarioEditor();
        s.desk()->editScenario();
        QCOMPARE(s.desk()->scenarioEditor()->path(), folder + QStringLiteral("/my-scenario.json"));
        QVERIFY(!s.desk()->scenarioEditor()->isWindowModified());
    }

    void theProgramAsksBeforeItEnds() {
        Scene s;
        s.desk()->editScenario();
        s.scenarioText()->set(QStringLiteral("/until"), QStringLiteral("20s"));
        s.window->close();
        QVERIFY(s.window->isVisible());
        auto* const box = qobject_cast<QMessageBox*>(s.desk()->scenarioEditor()->question());
        QVERIFY(box);
        box->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!s.desk()->scenarioEditor());
        s.window->close();
        QVERIFY(!s.window->isVisible());
    }

    void anotherLanguageKeepsWhatIsWritten() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        app::WindowKeeper keeper(&settings);
        keeper.window()->show();
        QTRY_VERIFY(keeper.window()->findChild<QAction*>(QStringLiteral("file.open")));
        app::EditorDesk::of(keeper.window())->editScenario();
        app::EditorDesk::of(keeper.window())
            ->scenarioEditor()
            ->document()
            ->set(QStringLiteral("/until"), QStringLiteral("21s"));
        const app::MainWindow* const before = keeper.window();
        settings.setLanguage(QStringLiteral("zh_CN"));
        QTRY_VERIFY(keeper.window() != before && app::EditorDesk::of(keeper.window())->scenarioEditor());
        views::ScenarioEditor* const editor = app::EditorDesk::of(keeper.window())->scenarioEditor();
        QCOMPARE(editor->document()->at(QStringLiteral("/until")).toString(), QStringLiteral("21s"));
        QVERIFY(editor->isWindowModified());
        const app::MainWindow* const chinese = keeper.window();
        settings.setLanguage(QStringLiteral("en")); // as the other tests read it
        QTRY_VERIFY(keeper.window() != chinese);
        app::EditorDesk::of(keeper.window())->leave();
    }

    /// From the first key to the lesson in the presenter's view, as a teacher does it.
    void handsBecomeALesson() {
        Scene s;
        s.open("contention");
        s.press(Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(s.desk()->hands()->isOn());
        const auto* const pill = s.window->statusBar()->findChild<views::Pill*>();
        QVERIFY(pill && pill->isVisible());
        s.reach(4s);
        // The panel looks at its targets some frames after the playhead has moved.
        const auto* const pause = s.window->findChild<QAction*>(QStringLiteral("break.pause-client"));
        QTRY_VERIFY(pause && pause->isEnabled());
        s.press(Qt::Key_P); // pauses the client that is the target
        QTRY_COMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        s.press(Qt::Key_J, Qt::ControlModifier | Qt::ShiftModifier);
        auto* const dialog = s.window->findChild<QInputDialog*>();
        QVERIFY(dialog);
        dialog->setTextValue(QStringLiteral("It stands still now."));
        dialog->accept();
        s.window->activateWindow(); // as a window manager does when a dialogue goes
        QVERIFY(QTest::qWaitForWindowActive(s.window.get()));
        QCOMPARE(s.desk()->hands()->steps(), 1); // both at one instant
        s.reach(8s);
        s.window->player()->play();
        s.window->player()->pause();
        s.press(Qt::Key_H, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(!s.desk()->hands()->isOn());
        QTRY_VERIFY(!pill->isVisible());
        views::LessonEditor* const editor = s.desk()->lessonEditor();
        QVERIFY(editor);
        QCOMPARE(editor->document()->at(QStringLiteral("/steps")).toArray().size(), 2);
        QVERIFY(editor->isWindowModified());
        shoot(editor, "lesson-editor.png");

        QVERIFY(QTest::qWaitForWindowActive(editor));
        QTest::keyClick(editor, Qt::Key_F5); // words that are missing are dots
        views::LessonGuide* const guide = s.window->lessons()->guide();
        QCOMPARE(guide->phase(), views::LessonGuide::Phase::Step);
        QCOMPARE(guide->step(), 0);
        QCOMPARE(guide->narration(), QStringLiteral("It stands still now."));
        QVERIFY(s.window->presenter()->isOn());
        QTRY_VERIFY(guide->arrived());
        QCOMPARE(guide->number(), QStringLiteral("A lesson of your own"));
        shoot(s.window.get(), "lesson-preview.png");
    }

    /// A recording can be saved at once, and be played to its end, though not all of its texts are written.
    void whatWasRecordedPlaysToItsEnd() {
        Scene s;
        s.open("contention");
        s.desk()->toggleHands();
        s.reach(4s);
        scenario::Fault pause;
        pause.target = QStringLiteral("A");
        s.context()->breakIt(pause);
        QTRY_COMPARE(s.desk()->hands()->steps(), 1);
        s.reach(9s);
        s.desk()->hands()->note(QStringLiteral("Late."));
        s.desk()->toggleHands();
        QTRY_VERIFY(s.desk()->lessonEditor() && !s.desk()->hasRecorded());
        const QString folder = scenario::userFolder(Shelf::Lessons);
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(s.desk()->lessonEditor()->saveTo(folder + QStringLiteral("/live.json")));
        QVERIFY(s.desk()->lessonEditor()->close());

        s.window->lessons()->showList();
        QListWidget* const list = s.window->lessons()->list()->list();
        list->setCurrentRow(list->count() - 1);
        QTest::keyClick(list, Qt::Key_Return);
        views::LessonGuide* const guide = s.window->lessons()->guide();
        QCOMPARE(guide->phase(), views::LessonGuide::Phase::Step);
        QCOMPARE(guide->lesson()->steps.size(), std::size_t(2));
        QCOMPARE(guide->narration(), QStringLiteral("…"));
        for (int step = 0; step < 2; ++step) {
            QCOMPARE(guide->step(), step);
            if (!guide->arrived()) guide->skip();
            QTRY_VERIFY(guide->arrived());
            guide->skip();
        }
        QCOMPARE(guide->phase(), views::LessonGuide::Phase::End);
        for (const QLabel* label : s.window->lessons()->panel()->findChildren<QLabel*>())
            QVERIFY(!label->isVisible() || !label->text().contains(QStringLiteral("bet"))); // nothing was asked
        guide->back();
        guide->setLanguage(QStringLiteral("zh_CN")); // an unwritten text is as in the other language
        QCOMPARE(guide->narration(), QStringLiteral("Late."));
    }

    void aFileIsWrittenBeforeTheLanguageChanges() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        settings.setLanguage(QStringLiteral("en"));
        app::WindowKeeper keeper(&settings);
        keeper.window()->show();
        QTRY_VERIFY(keeper.window()->findChild<QAction*>(QStringLiteral("file.open")));
        keeper.window()->openScenario(QStringLiteral("contention"));
        keeper.window()->player()->pause();
        QTRY_VERIFY((keeper.window()->player()->seek(3s), keeper.window()->context()->playhead() == Nanos(3s)));
        const QString path = folder.filePath(QStringLiteral("run.webp"));
        app::Exporter* const exporter = keeper.window()->sharer()->exporter();
        exporter->writeMovie(path);
        QVERIFY(exporter->isBusy());
        const app::MainWindow* const before = keeper.window();
        settings.setLanguage(QStringLiteral("zh_CN"));
        QCoreApplication::sendPostedEvents(&keeper, QEvent::MetaCall); // nothing else: frames are painted meanwhile
        QCOMPARE(keeper.window(), before);
        QVERIFY(before->messages()->message().contains(QStringLiteral("language")));
        QVERIFY(!QFile::exists(path));
        QTRY_VERIFY_WITH_TIMEOUT(keeper.window() != before, 60'000);
        QVERIFY(QFile::exists(path));
        const app::MainWindow* const chinese = keeper.window();
        settings.setLanguage(QStringLiteral("en")); // as the other tests read it
        QTRY_VERIFY(keeper.window() != chinese);
    }

    void anotherLanguageGoesOnRecording() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        settings.setLanguage(QStringLiteral("en"));
        app::WindowKeeper keeper(&settings);
        keeper.window()->show();
        QTRY_VERIFY(keeper.window()->findChild<QAction*>(QStringLiteral("file.open")));
        keeper.window()->openScenario(QStringLiteral("contention"));
        app::EditorDesk::of(keeper.window())->toggleHands();
        keeper.window()->player()->pause();
        QTRY_VERIFY((keeper.window()->player()->seek(3s), keeper.window()->context()->playhead() == Nanos(3s)));
        app::EditorDesk::of(keeper.window())->hands()->note(QStringLiteral("Here."));
        const int steps = app::EditorDesk::of(keeper.window())->hands()->steps();
        QVERIFY(steps >= 1);
        const app::MainWindow* const before = keeper.window();
        settings.setLanguage(QStringLiteral("zh_CN"));
        QTRY_VERIFY(keeper.window() != before);
        const views::HandsRecorder* const hands = app::EditorDesk::of(keeper.window())->hands();
        QTRY_VERIFY(hands->isOn());
        QCOMPARE(hands->steps(), steps);
        const app::MainWindow* const chinese = keeper.window();
        settings.setLanguage(QStringLiteral("en")); // as the other tests read it
        QTRY_VERIFY(keeper.window() != chinese);
        app::EditorDesk::of(keeper.window())->leave();
    }

    /// Neither the window's end nor another session takes a recording away.
    void aRecordingIsNotLost() {
        Scene s;
        s.open("contention");
        s.desk()->toggleHands();
        s.reach(4s);
        s.desk()->hands()->note(QStringLiteral("One."));
        s.window->close();
        QVERIFY(s.window->isVisible()); // the lesson is made, and asked about
        QTRY_VERIFY(s.desk()->lessonEditor() && s.desk()->lessonEditor()->question());
        QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/steps/0/say/en")).toString(),
                 QStringLiteral("One."));
        auto* box = qobject_cast<QMessageBox*>(s.desk()->lessonEditor()->question());
        QVERIFY(box);
        box->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!s.desk()->lessonEditor()->question());

        // A lesson that is not saved is asked about before another one takes its place; meanwhile the recording goes
        // on.
        s.desk()->toggleHands();
        s.reach(6s);
        s.desk()->hands()->note(QStringLiteral("Two."));
        s.desk()->toggleHands();
        QVERIFY(s.desk()->hands()->isOn());
        box = qobject_cast<QMessageBox*>(s.desk()->lessonEditor()->question());
        QVERIFY(box);
        box->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!s.desk()->lessonEditor()->question());
        QVERIFY(s.desk()->hands()->isOn());
        s.desk()->toggleHands();
        box = qobject_cast<QMessageBox*>(s.desk()->lessonEditor()->question());
        QVERIFY(box);
        box->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!s.desk()->hands()->isOn() && !s.desk()->hasRecorded());
        QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/steps/0/say/en")).toString(),
                 QStringLiteral("Two."));

        s.desk()->lessonEditor()->document()->text()->setModified(false);
        s.desk()->toggleHands();
        s.reach(7s);
        s.desk()->hands()->note(QStringLiteral("Three."));
        s.open("gc-pause");
        QVERIFY(!s.desk()->hands()->isOn());
        QTRY_VERIFY(!s.desk()->hasRecorded());
        QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/steps/0/say/en")).toString(),
                 QStringLiteral("Three."));
        QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/scenes/0/scenario")).toString(),
                 QStringLiteral("contention"));
        QTRY_VERIFY(s.window->messages()->message().contains(QStringLiteral("Its lesson is in the editor")));
    }

    /// Where the editor's unsaved lesson is to stay, a recording that another session has ended waits.
    void aRecordingWaitsForTheEditor() {
        Scene s;
        s.desk()->editLesson();
        s.desk()->lessonEditor()->document()->set(QStringLiteral("/minutes"), 7);
        s.open("contention");
        s.desk()->toggleHands();
        s.reach(4s);
        s.desk()->hands()->note(QStringLiteral("Kept."));
        s.desk()->toggleHands(); // the editor asks; meanwhile another session is opened
        s.open("gc-pause");
        QVERIFY(!s.desk()->hands()->isOn());
        for (int time = 0; time < 2; ++time) {
            QVERIFY(s.desk()->hasRecorded());
            QTRY_COMPARE(s.desk()->lessonEditor()->findChildren<QMessageBox*>().size(), 1); // of two, the later
            auto* const box = qobject_cast<QMessageBox*>(s.desk()->lessonEditor()->question());
            QVERIFY(box);
            box->button(QMessageBox::Cancel)->click();
            QTRY_VERIFY(!s.desk()->lessonEditor()->question());
            QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/minutes")).toInt(), 7);
            QVERIFY(s.desk()->hasRecorded());
            if (time == 0) s.window->close(); // asks again
            QVERIFY(s.window->isVisible());
        }
        const auto* const pill = s.window->statusBar()->findChild<views::Pill*>();
        QVERIFY(pill && pill->isVisible() && pill->text().contains(QStringLiteral("waits")));
        s.action("lesson.record-hands")->trigger();
        auto* const box = qobject_cast<QMessageBox*>(s.desk()->lessonEditor()->question());
        QVERIFY(box);
        box->button(QMessageBox::Discard)->click();
        QTRY_VERIFY(!s.desk()->hasRecorded());
        QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/steps/0/say/en")).toString(),
                 QStringLiteral("Kept."));
        QVERIFY(s.desk()->lessonEditor()->isWindowModified());
        QVERIFY(!pill->isVisible());
    }

    /// The run is played beside the window. The key that ends a recording stops that, too, and nothing is lost.
    void theMakingOfALessonCanBeStopped() {
        Scene s;
        s.open("contention");
        s.desk()->toggleHands();
        s.reach(4s);
        s.desk()->hands()->note(QStringLiteral("Four."));
        s.desk()->toggleHands();
        const auto* const pill = s.window->statusBar()->findChild<views::Pill*>();
        QVERIFY(s.desk()->isMaking()); // the window has not waited for it
        QVERIFY(pill->isVisible() && pill->text().contains(u'%'));
        QVERIFY(!s.desk()->lessonEditor());
        s.desk()->toggleHands();
        QVERIFY(!s.desk()->isMaking() && s.desk()->hasRecorded());
        QVERIFY(pill->isVisible() && pill->text().contains(QStringLiteral("waits")));
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("kept")));
        s.action("lesson.record-hands")->trigger(); // made after all; the one that was stopped does not come
        QVERIFY(s.desk()->isMaking());
        QTRY_VERIFY(!s.desk()->hasRecorded());
        QCOMPARE(s.desk()->lessonEditor()->document()->at(QStringLiteral("/steps/0/say/en")).toString(),
                 QStringLiteral("Four."));
        QVERIFY(!pill->isVisible());
    }

    /// Another language makes another window: the lesson is made there.
    void anotherLanguageGoesOnMakingALesson() {
        QTemporaryDir folder;
        app::Settings settings(folder.filePath(QStringLiteral("s.ini")));
        settings.setLanguage(QStringLiteral("en"));
        app::WindowKeeper keeper(&settings);
        keeper.window()->show();
        QTRY_VERIFY(keeper.window()->findChild<QAction*>(QStringLiteral("file.open")));
        keeper.window()->openScenario(QStringLiteral("contention"));
        const app::EditorDesk* const before = app::EditorDesk::of(keeper.window());
        app::EditorDesk::of(keeper.window())->toggleHands();
        keeper.window()->player()->pause();
        QTRY_VERIFY((keeper.window()->player()->seek(3s), keeper.window()->context()->playhead() == Nanos(3s)));
        app::EditorDesk::of(keeper.window())->hands()->note(QStringLiteral("Here."));
        app::EditorDesk::Place place = app::EditorDesk::of(keeper.window())->leave();
        QVERIFY(place.hands && !place.taken);
        app::EditorDesk::of(keeper.window())->restore(place);
        app::EditorDesk::of(keeper.window())->toggleHands();
        QVERIFY(before->isMaking());
        place = app::EditorDesk::of(keeper.window())->leave();
        QVERIFY(place.making && place.taken && !before->hasRecorded());
        app::EditorDesk::of(keeper.window())->restore(place);
        QTRY_VERIFY(before->lessonEditor() && !before->hasRecorded());
        QCOMPARE(before->lessonEditor()->document()->at(QStringLiteral("/steps/0/say/en")).toString(),
                 QStringLiteral("Here."));
        app::EditorDesk::of(keeper.window())->leave();
    }

    void onesOwnLessonsAreListed() {
        Scene s;
        s.desk()->editLesson();
        const QString folder = scenario::userFolder(Shelf::Lessons);
        QVERIFY(QDir().mkpath(folder));
        QVERIFY(s.desk()->lessonEditor()->saveTo(folder + QStringLiteral("/mine.json")));
        QFile broken(folder + QStringLiteral("/broken.json"));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("{") == 1);
        broken.close();
        s.window->lessons()->showList();
        QListWidget* const list = s.window->lessons()->list()->list();
        const int course = int(lesson::builtinLessons().size());
        QCOMPARE(list->count(), course + 2);
        QVERIFY(list->item(course)->toolTip().contains(QStringLiteral("JSON"))); // it says what is wrong
        list->setCurrentRow(course);
        QTest::keyClick(list, Qt::Key_Return);
        QVERIFY(s.window->lessons()->list()->isVisible()); // and cannot be begun
        list->setCurrentRow(course + 1);
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(s.window->lessons()->guide()->lesson()->id, QStringLiteral("mine")); // as its file is called
        // How far one has come is kept of these, too.
        views::LessonGuide* const guide = s.window->lessons()->guide();
        if (!guide->arrived()) guide->skip();
        QTRY_VERIFY(guide->arrived());
        guide->skip();
        const app::KeptLesson kept = s.window->settings()->lesson(QStringLiteral("mine"));
        QVERIFY(kept.done || kept.step > 0);
        s.window->lessons()->showList();
        QCOMPARE(list->currentRow(), kept.done ? 0 : course + 1); // at what is next
        const QString told = list->item(course + 1)->data(Qt::AccessibleDescriptionRole).toString();
        QVERIFY2(told.endsWith(kept.done ? QStringLiteral("done ✓") : QStringLiteral("step %1").arg(kept.step + 1)),
                 qPrintable(told));
    }
};

QTEST_MAIN(tst_editor_desk)
#include "tst_editor_desk.moc"
