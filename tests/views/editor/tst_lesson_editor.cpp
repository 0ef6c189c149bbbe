// SPDX-License-Identifier: GPL-3.0-or-later
#include "editor/blank_values.h"
#include "editor/hands_lesson.h"
#include "editor/lesson_editor.h"
#include "editor/list_editor.h"
#include "editor/object_form.h"
#include "editor/step_axis.h"
#include "editor/text_pane.h"
#include "lesson/lesson_file.h"
#include "lesson/scene_run.h"
#include "scenario/scenario_file.h"
#include "session/simulated_session.h"
#include "theme/palette.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

struct Scene {
    LessonEditor window;
    Scene() {
        window.resize(1440, 920);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }
    ~Scene() { window.document()->text()->setModified(false); }
    EditedDocument* document() { return window.document(); }
    ListEditor* steps() { return qobject_cast<ListEditor*>(window.form()->field(QStringLiteral("steps"))); }
    void open(const QString& builtin) {
        QFile file(lesson::lessonPath(builtin));
        QVERIFY(file.open(QIODevice::ReadOnly));
        window.openCopy(file.readAll());
    }
    QString found() { return window.text()->complaints()->item(0)->text(); }
    void check() {
        QSignalSpy done(&window, &LessonEditor::checked);
        QTest::keyClick(&window, Qt::Key_R, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, 60'000);
    }
};

/// Shows an instant. A wish to go somewhere ends when the run is replaced, some frames after something was done in its
/// past; then it is wished again.
void reach(Player& player, const ViewContext& context, Nanos at) {
    QTRY_VERIFY((player.seek(at), context.playhead() == at));
}

/// Ends the recording.
QByteArray lessonOf(HandsRecorder& hands) {
    return lessonText(*hands.take(), QStringLiteral("en")).value();
}

} // namespace

class tst_lesson_editor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { Theme::instance().setChoice(ThemeChoice::Light); }

    void aNewOneIsTrue() {
        Scene s;
        QVERIFY(s.document()->lesson());
        s.check();
        QVERIFY(s.found().startsWith(QStringLiteral("Checked")));
    }

    void aFalseClaimIsNamedWithItsStep() {
        Scene s;
        s.open(QStringLiteral("three-truths"));
        QVERIFY(s.document()->lesson());
        s.document()->set(QStringLiteral("/steps/1/claims/0/is"), QStringLiteral("nobody"));
        s.check();
        QVERIFY2(s.found().startsWith(QStringLiteral("step 2: a claim is false: owner is")), qPrintable(s.found()));
        // Activated, it leads to its step.
        QListWidget* const list = s.window.text()->complaints();
        list->setFocus();
        list->setCurrentRow(0);
        QTest::keyClick(list, Qt::Key_Return);
        QCOMPARE(s.window.text()->edit()->textCursor().blockNumber() + 1,
                 s.document()->lineOf(QStringLiteral("/steps/1")));
    }

    void everyBuiltInOneCanBeCopied() {
        Scene s;
        for (const QString& id : lesson::builtinLessons()) {
            s.document()->text()->setModified(false);
            s.open(id);
            for (int section = 0; section < s.window.sections()->count(); ++section)
                s.window.showSection(section);
            QVERIFY2(s.document()->lesson(), qPrintable(id));
            lesson::Lesson copy = *s.document()->lesson();
            QCOMPARE(copy.id, QStringLiteral("my-") + id);
            copy.id = id;
            QVERIFY(copy == *lesson::loadLesson(id));
        }
    }

    void escapeClosesAndLosesNothing() {
        Scene s;
        s.document()->set(QStringLiteral("/minutes"), 7);
        QTest::keyClick(&s.window, Qt::Key_Escape);
        QVERIFY(s.window.isVisible() && s.window.question());
        QTest::keyClick(s.window.question(), Qt::Key_Escape);
        QTRY_VERIFY(!s.window.question() && s.window.isVisible());
        s.document()->text()->setModified(false);
        s.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&s.window));
        QTest::keyClick(&s.window, Qt::Key_Escape);
        QVERIFY(!s.window.isVisible());
    }

    void narrationIsTypedInBothLanguages() {
        Scene s;
        auto* const say = qobject_cast<LanguagesField*>(s.steps()->form()->field(QStringLiteral("say")));
        QVERIFY(say);
        QPlainTextEdit* const english = say->edit(QStringLiteral("en"));
        english->setFocus();
        english->selectAll();
        QTest::keyClicks(english, QStringLiteral("{H} waits"));
        QTest::keyClick(english, Qt::Key_Tab); // and on to the Chinese text
        QVERIFY(say->edit(QStringLiteral("zh_CN"))->hasFocus());
        QCOMPARE(s.document()->at(QStringLiteral("/steps/0/say/en")).toString(), QStringLiteral("{H} waits"));
        QVERIFY(s.document()->problems()[0].message.contains(QStringLiteral("“H”"))); // no client of that name
    }

    void stepsAreMoved() {
        Scene s;
        s.open(QStringLiteral("three-truths"));
        s.steps()->list()->setFocus();
        s.steps()->setCurrent(2);
        const QJsonValue third = s.document()->at(QStringLiteral("/steps/2"));
        QTest::keyClick(s.steps()->list(), Qt::Key_Up, Qt::AltModifier);
        QCOMPARE(s.document()->at(QStringLiteral("/steps/1")), third);
        QCOMPARE(s.window.step(), 1);
        QSignalSpy wanted(&s.window, &LessonEditor::previewWanted);
        QTest::keyClick(&s.window, Qt::Key_F5);
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted[0][1].toInt(), 1);
    }

    void aQuestionIsAdded() {
        Scene s;
        auto* const ask = qobject_cast<OptionalForm*>(s.steps()->form()->field(QStringLiteral("ask")));
        QVERIFY(ask);
        QTest::keyClick(ask->button(), Qt::Key_Space);
        QCOMPARE(s.document()->at(QStringLiteral("/steps/0/ask/choices")).toArray().size(), 2);
        QVERIFY(s.document()->lesson()); // its texts are missing, and each is told of, but nothing is wrong
        QVERIFY(s.document()->problems().empty());
        QCOMPARE(s.document()->unwritten().size(), std::size_t(6));
        QVERIFY(s.document()->unwritten()[0].message.contains(QStringLiteral("empty")));
        QCOMPARE(s.window.text()->complaints()->count(), 6);
        QVERIFY2(s.found().contains(QStringLiteral("still to be written")), qPrintable(s.found()));
        s.check(); // but it can be played
        QVERIFY2(s.found().contains(QStringLiteral("its answer is told in the next step")), qPrintable(s.found()));
        s.document()->append(QStringLiteral("/steps"), blankElement(*s.document(), QStringLiteral("/steps")));
        QCOMPARE(s.document()->at(QStringLiteral("/steps/1/until")).toString(), QStringLiteral("4s"));
        s.check();
        // Texts that are still to be written stay in sight.
        QVERIFY2(s.found().startsWith(QStringLiteral("Checked")) && s.found().endsWith(QStringLiteral("written: 8")),
                 qPrintable(s.found()));
        QCOMPARE(s.window.text()->complaints()->count(), 9);
    }

    /// A step without a length is shown to nobody.
    void aStepThatEndsWhereItBeginsIsFound() {
        Scene s;
        s.document()->append(QStringLiteral("/steps"), s.document()->at(QStringLiteral("/steps/0")));
        s.check();
        QVERIFY2(s.found().startsWith(QStringLiteral("step 2: it ends where the step before it ends")),
                 qPrintable(s.found()));
    }

    /// The steps of the lesson before are not those of a file with a mistake.
    void aFileWithAMistakeHasNoSteps() {
        Scene s;
        StepAxis* const axis = s.window.axis();
        QTRY_VERIFY_WITH_TIMEOUT(axis->isUpToDate() && axis->barOf(0).isValid(), 60'000);
        s.window.openText("{}");
        QVERIFY(!axis->barOf(0).isValid());
        QVERIFY2(axis->notice().contains(QStringLiteral("as soon as the lesson has no mistake")),
                 qPrintable(axis->notice()));
    }

    /// A scene whose moment does not happen has no steps on the axis, and the axis says so.
    void theAxisSaysWhyASceneIsNotShown() {
        Scene s;
        s.open(QStringLiteral("the-pause"));
        StepAxis* const axis = s.window.axis();
        QTRY_VERIFY_WITH_TIMEOUT(axis->isUpToDate() && axis->barOf(0).isValid(), 60'000);
        QVERIFY(axis->notice().isEmpty());
        s.document()->set(QStringLiteral("/scenes/0/moments/0/nth"), 999);
        QVERIFY(s.document()->lesson());
        QTRY_VERIFY_WITH_TIMEOUT(axis->isUpToDate(), 60'000);
        QVERIFY2(axis->notice().contains(QStringLiteral("does not happen")), qPrintable(axis->notice()));
        QCOMPARE(axis->accessibleDescription(), axis->notice());
    }

    /// The end of a step is dragged on the axis of time, and stays as far from its moment as it is dropped.
    void aStepsEndIsDraggedOnTheAxis() {
        Scene s;
        s.open(QStringLiteral("the-pause"));
        StepAxis* const axis = s.window.axis();
        QTRY_VERIFY_WITH_TIMEOUT(axis->isUpToDate() && axis->barOf(0).isValid(), 60'000);
        // As the run has it.
        const lesson::Lesson before = *s.document()->lesson();
        const auto run = lesson::playScene(*before.scene(before.steps[1].scene));
        QVERIFY(run.has_value());
        const Nanos until = run->facts->time(before.steps[1].until, Nanos(0));
        QCOMPARE(axis->barOf(1).right() + 1, axis->xOf(until));
        QCOMPARE(before.steps[1].until.moment, QStringLiteral("next"));
        const int row = axis->barOf(1).center().y();
        QTest::mousePress(axis, Qt::LeftButton, {}, {axis->xOf(until), row});
        QCOMPARE(axis->current(), 1);
        QCOMPARE(s.steps()->current(), 1);
        QTest::mouseMove(axis, {axis->xOf(until + 700ms), row});
        QTest::mouseRelease(axis, Qt::LeftButton, {}, {axis->xOf(until + 700ms), row});
        QVERIFY(s.document()->lesson());
        const lesson::Instant dragged = s.document()->lesson()->steps[1].until;
        QCOMPARE(dragged.moment, QStringLiteral("next"));
        const Nanos by = dragged.offset - before.steps[1].until.offset;
        QVERIFY2(by > 500ms && by < 900ms, qPrintable(QString::number(by / 1ms)));
        // And by keys, once the run is known again.
        QTRY_VERIFY_WITH_TIMEOUT(axis->isUpToDate(), 60'000);
        axis->setFocus();
        QTest::keyClick(axis, Qt::Key_Left);
        QCOMPARE(s.document()->lesson()->steps[1].until.offset, dragged.offset - 100ms);
        QTest::keyClick(axis, Qt::Key_Down);
        QCOMPARE(s.steps()->current(), 2);
        QVERIFY(axis->accessibleDescription().contains(QStringLiteral("Step 3 of 7")));
        // In a list that is chosen from, too.
        s.steps()->setCurrent(0);
        QCOMPARE(axis->current(), 0);
    }

    /// Faults that the lesson plans stand on its axis: they are dragged to round instants, and removed.
    void aFaultIsDraggedOnTheAxis() {
        Scene s;
        const QString list = QStringLiteral("/scenes/0/change/faults"); // of the lesson that an editor begins with
        const auto fault = [](const char* at) {
            return QJsonObject{{QStringLiteral("at"), QLatin1String(at)},
                               {QStringLiteral("do"), QStringLiteral("pause-client")},
                               {QStringLiteral("target"), QStringLiteral("A")},
                               {QStringLiteral("for"), QStringLiteral("1s")}};
        };
        s.document()->set(list, QJsonArray{fault("0.517s"), fault("0.9s")});
        QVERIFY(s.document()->lesson());
        StepAxis* const axis = s.window.axis();
        QTRY_VERIFY_WITH_TIMEOUT(axis->isUpToDate() && axis->faultCount() == 2, 60'000);
        const auto at = [&](int i) { return s.document()->at(list + QStringLiteral("/%1/at").arg(i)).toString(); };
        // A press alone changes nothing.
        const QPoint grip = axis->faultMark(0).center();
        QTest::mousePress(axis, Qt::LeftButton, {}, grip);
        QTest::mouseRelease(axis, Qt::LeftButton, {}, grip);
        QCOMPARE(at(0), QStringLiteral("0.517s"));
        const int by = axis->xOf(700ms) - axis->xOf(517ms);
        QTest::mousePress(axis, Qt::LeftButton, {}, grip);
        QTest::mouseMove(axis, grip + QPoint(by, 0));
        QTest::mouseRelease(axis, Qt::LeftButton, {}, grip + QPoint(by, 0));
        QCOMPARE(at(0), QStringLiteral("700ms"));
        // By keys, too: it goes past the other one, and stays the chosen one.
        axis->setFocus();
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(axis, Qt::Key_Right);
        QCOMPARE(at(0), QStringLiteral("1s"));
        QCOMPARE(at(1), QStringLiteral("0.9s")); // as it was written
        QTest::keyClick(axis, Qt::Key_Delete);
        QCOMPARE(s.document()->at(list).toArray().size(), 1);
        QCOMPARE(at(0), QStringLiteral("0.9s"));
        s.document()->undo();
        QCOMPARE(s.document()->at(list).toArray().size(), 2);
    }

    /// The hands of a teacher become a lesson that runs as it ran.
    void handsBecomeSteps() {
        ViewContext context;
        Player player(&context);
        HandsRecorder hands(&context, &player);
        QVERIFY(!hands.start()); // nothing is open
        session::SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 7);
        context.setSession(&session);
        QVERIFY(hands.start());
        reach(player, context, 4s);
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("A");
        context.breakIt(pause);
        QTRY_COMPARE(session.doneByHand().size(), std::size_t(1));
        scenario::Fault lease;
        lease.action = scenario::Action::Set;
        lease.setting = QStringLiteral("lease");
        lease.text = QStringLiteral("20s");
        reach(player, context, 6s);
        context.breakIt(lease);
        QTRY_COMPARE(session.doneByHand().size(), std::size_t(2));
        hands.note(QStringLiteral("Now the lease is longer."));
        reach(player, context, 9s);
        player.setSpeed(0.5);
        reach(player, context, 11s);
        player.play();
        player.pause();
        const Nanos stop = context.playhead();
        QCOMPARE(hands.steps(), 4);
        session.advanceTo(30s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(30s));
        const QByteArray text = lessonOf(hands);
        QVERIFY(!hands.isOn());

        Scene s;
        s.window.openText(text);
        QCOMPARE(s.steps()->count(), 4);
        QCOMPARE(s.document()->at(QStringLiteral("/steps/0/until")).toString(), QStringLiteral("4s"));
        QCOMPARE(s.document()->at(QStringLiteral("/steps/1/say/en")).toString(),
                 QStringLiteral("Now the lease is longer."));
        QCOMPARE(s.document()->at(QStringLiteral("/steps/2/until")).toString(), QStringLiteral("9s"));
        const auto last = parseDuration(s.document()->at(QStringLiteral("/steps/3/until")).toString());
        QVERIFY(last && *last >= stop && *last <= stop + 10ms); // rounder, and nothing happens in between
        QCOMPARE(session.trace()->upperBound(*last), session.trace()->upperBound(stop));
        QCOMPARE(s.document()->at(QStringLiteral("/steps/3/speed")).toDouble(), 0.5);
        // The only thing that is missing is words: the axis shows the steps all the same.
        QVERIFY(s.document()->problems().empty() && s.document()->lesson());
        QTRY_VERIFY_WITH_TIMEOUT(s.window.axis()->barOf(0).isValid(), 60'000);
        for (const scenario::Problem& problem : s.document()->unwritten())
            QVERIFY2(problem.path.endsWith(QStringLiteral("/en")) || problem.path.endsWith(QStringLiteral("/zh_CN")),
                     qPrintable(problem.toString()));
        s.check();
        QVERIFY2(s.found().startsWith(QStringLiteral("Checked")), qPrintable(s.found()));
        // It is the run that the teacher saw, event for event.
        s.document()->change([](QByteArray json) { return json.replace("\": \"\"", "\": \"x\""); });
        QVERIFY(s.document()->lesson());
        const auto run = lesson::playScene(s.document()->lesson()->scenes[0]);
        QVERIFY(run);
        QCOMPARE(run->scenario.faults.size(), std::size_t(2));
        const trace::Trace &seen = *session.trace(), &played = run->facts->trace();
        QVERIFY(seen.size() > 100);
        for (std::size_t row = 0; row < std::min(seen.size(), played.size()); ++row)
            QVERIFY(seen.timeAt(row) == played.timeAt(row) && seen.kindAt(row) == played.kindAt(row));
        context.setSession(nullptr);
    }

    /// A fault that waits for a condition is a step where it strikes; one that never strikes is none.
    void aConditionIsAStepWhereItStrikes_data() {
        QTest::addColumn<int>("grant");
        QTest::newRow("it strikes") << 2;
        QTest::newRow("it never strikes") << 1000;
    }
    void aConditionIsAStepWhereItStrikes() {
        QFETCH(int, grant);
        ViewContext context;
        Player player(&context);
        HandsRecorder hands(&context, &player);
        session::SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 7);
        context.setSession(&session);
        QVERIFY(hands.start());
        reach(player, context, 500ms);
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("holder");
        pause.at = 500ms;
        pause.when.emplace().nth = grant;
        session.plan(pause);
        QCOMPARE(session.doneByHand().size(), std::size_t(1));
        reach(player, context, 20s);
        std::optional<Nanos> struck;
        const trace::Trace& seen = *session.trace();
        for (std::size_t row = 0; row < seen.size() && !struck; ++row)
            if (seen.kindAt(row) == trace::EventKind::ClientPaused) struck = seen.at(row).time();
        QCOMPARE(struck.has_value(), grant == 2);
        QCOMPARE(hands.steps(), struck ? 1 : 0);
        Scene s;
        s.window.openText(lessonOf(hands));
        const auto until = parseDuration(s.document()->at(QStringLiteral("/steps/0/until")).toString());
        const Nanos at = struck.value_or(20s); // a lesson has one step at least: all that was seen
        QVERIFY(until && *until >= at && *until <= at + 10ms);
        s.check();
        QVERIFY2(s.found().startsWith(QStringLiteral("Checked")), qPrintable(s.found()));
        context.setSession(nullptr);
    }

    /// Each of several conditions is a step where its own fault strikes.
    void severalConditionsAreSeveralSteps() {
        ViewContext context;
        Player player(&context);
        HandsRecorder hands(&context, &player);
        session::SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 7);
        context.setSession(&session);
        QVERIFY(hands.start());
        reach(player, context, 500ms);
        const auto plan = [&](scenario::Action action, const char* target, int grant) {
            scenario::Fault fault;
            fault.action = action;
            fault.target = QLatin1String(target);
            fault.at = 500ms;
            fault.when.emplace().nth = grant;
            if (action == scenario::Action::PauseClient) fault.duration = 300ms;
            session.plan(fault);
        };
        plan(scenario::Action::PauseClient, "holder", 4);
        plan(scenario::Action::CutLink, "A-redis-1", 3);
        plan(scenario::Action::PauseClient, "holder", 2);
        QCOMPARE(session.doneByHand().size(), std::size_t(3));
        reach(player, context, 25s);
        std::vector<Nanos> struck;
        const trace::Trace& seen = *session.trace();
        for (std::size_t row = 0; row < seen.size(); ++row) {
            const trace::EventKind kind = seen.kindAt(row);
            if (kind == trace::EventKind::ClientPaused || kind == trace::EventKind::LinkCut)
                struck.push_back(seen.at(row).time());
        }
        QCOMPARE(struck.size(), std::size_t(3));
        QCOMPARE(hands.steps(), 3);
        Scene s;
        s.window.openText(lessonOf(hands));
        for (std::size_t i = 0; i < struck.size(); ++i) {
            const auto until = parseDuration(s.document()->at(QStringLiteral("/steps/%1/until").arg(i)).toString());
            QVERIFY(until && *until >= struck[i] && *until <= struck[i] + 10ms);
        }
        context.setSession(nullptr);
    }

    /// Stops in a run with another seed are no steps of this one, and are there again with it.
    void anotherSeedIsAnotherRun() {
        ViewContext context;
        Player player(&context);
        HandsRecorder hands(&context, &player);
        session::SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 7);
        context.setSession(&session);
        QVERIFY(hands.start());
        reach(player, context, 4s);
        hands.note(QStringLiteral("Seed seven."));
        QCOMPARE(hands.steps(), 1);
        session.restart(8, session::ByHand::Keep);
        QTRY_COMPARE(hands.steps(), 0);
        reach(player, context, 5s);
        hands.note(QStringLiteral("Seed eight."));
        QCOMPARE(hands.steps(), 1);
        session.undo();
        QTRY_COMPARE(session.seed(), std::uint64_t(7));
        QCOMPARE(hands.steps(), 1);
        Scene s;
        s.window.openText(lessonOf(hands));
        QCOMPARE(s.steps()->count(), 1);
        QCOMPARE(s.document()->at(QStringLiteral("/steps/0/say/en")).toString(), QStringLiteral("Seed seven."));
        QCOMPARE(s.document()->at(QStringLiteral("/scenes/0/seed")).toInt(), 7);
        context.setSession(nullptr);
    }

    void takenBackThingsAreNoSteps() {
        ViewContext context;
        Player player(&context);
        HandsRecorder hands(&context, &player);
        session::SimulatedSession session(*scenario::loadScenario(QStringLiteral("contention")), 7);
        context.setSession(&session);
        QVERIFY(hands.start());
        reach(player, context, 4s);
        scenario::Fault pause;
        pause.action = scenario::Action::PauseClient;
        pause.target = QStringLiteral("A");
        context.breakIt(pause);
        QTRY_COMPARE(hands.steps(), 1);
        session.undo();
        QTRY_COMPARE(hands.steps(), 0);
        QSignalSpy lost(&hands, &HandsRecorder::lost);
        context.setSession(nullptr);
        QCOMPARE(lost.count(), 1);
        QVERIFY(!hands.isOn());
        QVERIFY(!hands.take());
    }

    /// Another thread plays the run. It tells how far it is, and can be stopped anywhere: then there is no lesson.
    void theMakingTellsHowFarItIsAndCanBeStopped() {
        const auto scenario = *scenario::loadScenario(QStringLiteral("contention"));
        const HandsRecorder::Taken taken{scenario, 7, {{5s, 1, {QStringLiteral("Five.")}, {7, scenario.recipe}}}};
        std::vector<int> told;
        const auto whole = lessonText(taken, QStringLiteral("en"), {{}, [&](int percent) { told.push_back(percent); }});
        QVERIFY(whole && whole->contains("Five."));
        QVERIFY(told.size() > 10 && told.back() == 100);
        QVERIFY(std::ranges::is_sorted(told));
        for (const int last : {0, 40, 90}) {
            std::stop_source stop;
            told.clear();
            QVERIFY(!lessonText(taken, QStringLiteral("en"), {stop.get_token(), [&](int percent) {
                                                                  told.push_back(percent);
                                                                  if (percent >= last) stop.request_stop();
                                                              }}));
            QVERIFY2(told.back() == last, qPrintable(QString::number(told.back()))); // and went no further
        }
    }
};

QTEST_MAIN(tst_lesson_editor)
#include "tst_lesson_editor.moc"
