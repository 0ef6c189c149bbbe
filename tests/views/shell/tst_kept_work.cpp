// SPDX-License-Identifier: GPL-3.0-or-later
// A person's work outlives a key struck by mistake and the program's sudden end.
#include "compare/compare_window.h"
#include "lessons/lesson_guide.h"
#include "own_data.h"
#include "scenario/user_files.h"
#include "timeline/timeline_view.h"
#include "window/compare_desk.h"
#include "window/editor_desk.h"
#include "window/lesson_desk.h"
#include "window_scene.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QProcess>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QToolButton>

using namespace lockscope;
using views::LessonGuide;

namespace {

struct Scene : tests::WindowScene {
    ~Scene() { desk()->leave(); } // nothing is asked any more
    app::EditorDesk* desk() const { return app::EditorDesk::of(window.get()); }
    LessonGuide& guide() const { return *window->lessons()->guide(); }
    void go(const char* lesson, int step) const {
        window->lessons()->open(QLatin1String(lesson), step - 1, LessonGuide::Arrival::AtOnce);
        QTRY_VERIFY_WITH_TIMEOUT(guide().arrived(), 20'000);
    }
};

QStringList unsavedFiles() {
    const QDir folder(QFileInfo(scenario::userFolder(scenario::Shelf::Scenarios)).path());
    return folder.entryList({QStringLiteral("unsaved-*.json")}, QDir::Files);
}

} // namespace

class tst_kept_work : public QObject {
    Q_OBJECT
    tests::OwnData m_data;

private Q_SLOTS:
    void init() { m_data.clear(); }

    void aClosedRunComesBackWithWhatWasDoneToIt() {
        Scene s;
        QVERIFY(!s.action("file.reopen")->isEnabled());
        s.open("contention");
        QTRY_VERIFY((s.window->player()->seek(3s), s.context()->playhead() == 3s));
        scenario::Fault pause;
        pause.target = QStringLiteral("A");
        s.context()->breakIt(pause);
        QTRY_COMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        const auto faults = s.context()->session()->scenario().faults;
        s.press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!s.context()->session());
        auto* const offer = s.window->messages()->offerButton();
        QVERIFY(offer->isVisibleTo(s.window->messages()));
        offer->click();
        QVERIFY(s.context()->session());
        QVERIFY(s.context()->session()->scenario().faults == faults);
        QCOMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        QTRY_COMPARE(s.context()->playhead(), Nanos(3s));
    }

    void aRunThatAnotherOneReplacesComesBack() {
        Scene s;
        s.open("contention");
        QTRY_VERIFY((s.window->player()->seek(3s), s.context()->playhead() == 3s));
        scenario::Fault pause;
        pause.target = QStringLiteral("A");
        s.context()->breakIt(pause);
        QTRY_COMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        s.window->resize(1280, 760);
        s.open("crash-holder");
        QCOMPARE(s.context()->session()->scenario().id, QStringLiteral("crash-holder"));
        auto* const offer = s.window->messages()->offerButton();
        QVERIFY(offer->isVisibleTo(s.window->messages()));
        QCOMPARE(offer->text(), QStringLiteral("Open the closed run again (Ctrl+Alt+O)"));
        // Beside it the message has room to be read.
        QTRY_VERIFY(s.window->messages()->findChild<QLabel*>()->width() > 120);
        offer->click();
        QCOMPARE(s.context()->session()->scenario().id, QStringLiteral("contention"));
        QCOMPARE(s.context()->session()->doneByHand().size(), std::size_t(1));
        QTRY_COMPARE(s.context()->playhead(), Nanos(3s));
    }

    void aRunThatNobodyTouchedIsClosedWithoutAWord() {
        Scene s;
        s.open("contention");
        s.press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(!s.context()->session());
        QVERIFY(!s.action("file.reopen")->isEnabled());
        QVERIFY(s.window->messages()->message().isEmpty());
    }

    void aLessonEndsWithItsRun() {
        Scene s;
        s.go("the-pause", 2);
        s.guide().leave();
        QVERIFY(s.guide().phase() == LessonGuide::Phase::Away);
        s.press(Qt::Key_W, Qt::ControlModifier);
        QVERIFY(s.guide().phase() == LessonGuide::Phase::Off);
    }

    void sideBySideDoesNotAnswerABet() {
        Scene s;
        for (int step = 1; step <= s.guide().steps() || step == 1; ++step) {
            s.go("the-pause", step);
            if (s.context()->heldBack().verdictFrom) break;
        }
        QVERIFY(s.context()->heldBack().verdictFrom);
        QVERIFY(!s.window->comparison()->open());
        QVERIFY(s.window->messages()->message().contains(QStringLiteral("Bet first")));
    }

    void keysAreTheWindowsAfterAChoiceByMouse() {
        app::KeyboardCourtesy courtesy;
        qApp->installEventFilter(&courtesy);
        const QSignalSpy chosen(&courtesy, &app::KeyboardCourtesy::chosenByMouse);
        QWidget window;
        QComboBox box(&window);
        box.addItems({QStringLiteral("one"), QStringLiteral("two")});
        window.resize(300, 200);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        box.setFocus();
        QTest::keyClick(&box, Qt::Key_Down); // by keys: they stay there
        QCOMPARE(box.currentIndex(), 1);
        box.showPopup();
        QTRY_VERIFY(box.view()->isVisible());
        const QPoint first = box.view()->visualRect(box.model()->index(0, 0)).center();
        QTest::mouseMove(box.view()->viewport(), first);
        QTest::mouseClick(box.view()->viewport(), Qt::LeftButton, {}, first);
        QTRY_COMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].value<QWidget*>(), &box);
        qApp->removeEventFilter(&courtesy);
    }

    void whatIsUnsavedIsOnDiskUntilItIsSaved() {
        Scene s;
        s.desk()->editScenario();
        s.desk()->scenarioEditor()->document()->set(QStringLiteral("/until"), QStringLiteral("21s"));
        QTRY_COMPARE(unsavedFiles().size(), 1);
        QVERIFY(s.desk()->scenarioEditor()->saveTo(s.folder.filePath(QStringLiteral("x.json"))));
        QTRY_COMPARE(unsavedFiles().size(), 0);
    }

    void whatAnEndedProgramLeftIsOffered() {
        // A program of this name: another one that has its number does not count.
        const QTemporaryDir programs;
        const QString like = programs.filePath(QFileInfo(QCoreApplication::applicationFilePath()).fileName());
        QVERIFY(QFile::copy(QStandardPaths::findExecutable(QStringLiteral("sleep")), like));
        QProcess other;
        other.start(like, {QStringLiteral("600")});
        QVERIFY(other.waitForStarted());
        const qint64 number = other.processId();
        const QString folder = QFileInfo(scenario::userFolder(scenario::Shelf::Scenarios)).path();
        QVERIFY(QDir().mkpath(folder));
        QFile left(folder + QStringLiteral("/unsaved-scenario-%1.json").arg(number));
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.write(QJsonDocument(QJsonObject{{QStringLiteral("path"), QString()},
                                             {QStringLiteral("on_disk"), QString()},
                                             {QStringLiteral("text"), QStringLiteral("{\"id\": \"mine\"}")}})
                       .toJson());
        left.close();
        {
            Scene s; // the other one still runs: it is not ours
            QVERIFY(s.window->messages()->message().isEmpty());
        }
        other.kill();
        QVERIFY(other.waitForFinished());
        Scene s;
        QTRY_VERIFY(s.window->messages()->offerButton()->isVisibleTo(s.window->messages()));
        s.window->messages()->offerButton()->click();
        QVERIFY(s.desk()->scenarioEditor());
        QCOMPARE(s.desk()->scenarioEditor()->document()->at(QStringLiteral("/id")).toString(), QStringLiteral("mine"));
        QVERIFY(s.desk()->scenarioEditor()->isWindowModified());
        QVERIFY(!QFile::exists(left.fileName()));
        QCOMPARE(unsavedFiles().size(), 1); // this program's
    }
};

QTEST_MAIN(tst_kept_work)
#include "tst_kept_work.moc"
