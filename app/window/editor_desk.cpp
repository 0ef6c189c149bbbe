// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/editor_desk.h"

#include "editor/hands_lesson.h"
#include "lesson/lesson_file.h"
#include "lessons/lesson_guide.h"
#include "scenario/scenario_file.h"
#include "scenario/user_files.h"
#include "session/simulated_session.h"
#include "theme/widgets.h"
#include "transport/player.h"
#include "welcome/welcome_page.h"
#include "window/action_registry.h"
#include "window/lesson_desk.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/presenter.h"
#include "window/session_opener.h"

#include <QFile>
#include <QInputDialog>
#include <QStatusBar>

namespace lockscope::app {

EditorDesk::EditorDesk(MainWindow* window)
    : QObject(window), m_window(window), m_hands(new views::HandsRecorder(window->context(), window->player(), this)) {
    connect(m_hands, &views::HandsRecorder::changed, this, &EditorDesk::refreshHands);
    connect(m_hands, &views::HandsRecorder::lost, this, &EditorDesk::handsLost);
    constexpr int kLookMs = 200, kKeepMs = 1000;
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, &EditorDesk::refreshHands);
    m_pace.setInterval(kKeepMs);
    m_pace.setSingleShot(true);
    connect(&m_pace, &QTimer::timeout, this, &EditorDesk::keepUnsaved);
}

// The editors are nobody's children, as their keys are their own and not commands of the main window.
EditorDesk::~EditorDesk() {
    if (m_making) m_making->stop.request_stop(); // its thread is waited for
    delete m_scenario;
    delete m_lesson;
    m_unsavedScenario.forget(); // whoever closed it was asked
    m_unsavedLesson.forget();
}

void EditorDesk::keepSoon() {
    if (!m_pace.isActive()) m_pace.start();
}

void EditorDesk::keepUnsaved() {
    const auto again = [this] { keepSoon(); };
    m_unsavedScenario.keep(m_scenario, again);
    m_unsavedLesson.keep(m_lesson, again);
}

void EditorDesk::watch(views::EditorWindow* editor) {
    const QTextDocument* const text = editor->document()->text();
    connect(text, &QTextDocument::contentsChanged, this, &EditorDesk::keepSoon);
    connect(text, &QTextDocument::modificationChanged, this, &EditorDesk::keepSoon);
    connect(editor, &QObject::destroyed, this, &EditorDesk::keepSoon); // nothing is left to keep
}

void EditorDesk::offerLeft() {
    QAction* const editor = m_unsavedScenario.isLeft() ? m_editScenario
                            : m_unsavedLesson.isLeft() ? m_editLesson
                                                       : nullptr;
    if (!editor || !m_window->messages()->message().isEmpty()) return; // it is there at the next start
    m_window->messages()->offer(tr("Lockscope ended before what you wrote was saved. It is kept in the editor."),
                                editor);
}

EditorDesk* EditorDesk::of(const MainWindow* window) {
    return window->findChild<EditorDesk*>(QString(), Qt::FindDirectChildrenOnly);
}

QAction* EditorDesk::makeScenarioAction() {
    QAction* const action = m_window->registry()->add(
        "editor.scenario", tr("Session"), tr("Scenario &editor…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_E},
        [this] { editScenario(); }, "scenario");
    action->setToolTip(tr("Servers, locks, clients, programs and faults of a scenario of your own"));
    m_editScenario = action;
    return action;
}

QList<QAction*> EditorDesk::makeLessonActions() {
    ActionRegistry* const r = m_window->registry();
    const QString group = tr("Lessons");
    QAction* const edit = r->add(
        "editor.lesson", group, tr("Lesson &editor…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_N}, [this] { editLesson(); },
        "lesson");
    m_editLesson = edit;
    m_record = r->add(
        "lesson.record-hands", group, tr("Record my &hands"), {Qt::CTRL | Qt::SHIFT | Qt::Key_H},
        [this] { toggleHands(); }, "record");
    m_note = r->add("lesson.note", group, tr("Add a &note to the recording…"), {Qt::CTRL | Qt::SHIFT | Qt::Key_J},
                    [this] { askForNote(); });
    connect(m_window->context(), &views::ViewContext::sessionChanged, this, &EditorDesk::refreshHands);
    refreshHands();
    QMetaObject::invokeMethod(this, &EditorDesk::offerLeft, Qt::QueuedConnection); // once all commands are made
    return {edit, m_record, m_note};
}

void EditorDesk::bringUp(QWidget* window) {
    window->show();
    window->raise();
    window->activateWindow();
}

views::ScenarioEditor* EditorDesk::needScenarioEditor() {
    if (m_scenario) return m_scenario;
    m_scenario = new views::ScenarioEditor;
    m_scenario->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_scenario, &views::ScenarioEditor::runWanted, this, &EditorDesk::run);
    connect(m_scenario, &views::EditorWindow::saved, this, [this](const QString& path) {
        m_window->settings()->addRecentFile(path);
        m_window->welcome()->refreshOffers();
        Q_EMIT scenariosChanged();
    });
    watch(m_scenario);
    return m_scenario;
}

views::LessonEditor* EditorDesk::needLessonEditor() {
    if (m_lesson) return m_lesson;
    m_lesson = new views::LessonEditor;
    m_lesson->setAttribute(Qt::WA_DeleteOnClose);
    connect(m_lesson, &views::LessonEditor::previewWanted, this, &EditorDesk::preview);
    watch(m_lesson);
    return m_lesson;
}

void EditorDesk::editScenario() {
    const bool fresh = !m_scenario;
    views::ScenarioEditor* const editor = needScenarioEditor();
    const session::Session* const session = m_window->context()->session();
    const auto left = fresh ? m_unsavedScenario.takeLeft() : std::nullopt;
    if (left) editor->restore(*left);
    // A document that is being written is not replaced by the one in sight.
    if (fresh && !left && session && session->abilities().restart) {
        const scenario::Scenario now = session->scenario();
        const QString own = scenario::userFile(scenario::Shelf::Scenarios, now.id);
        const bool byHand = std::ranges::any_of(now.faults, &scenario::Fault::byHand);
        QFile builtin(QStringLiteral(":/scenarios/%1.json").arg(now.id));
        if (!own.isEmpty() && !byHand)
            editor->openFile(own);
        else if (!byHand && builtin.open(QIODevice::ReadOnly))
            editor->openCopy(builtin.readAll());
        else
            editor->openCopy(scenario::toJson(now));
    }
    bringUp(editor);
}

void EditorDesk::editLesson() {
    const bool fresh = !m_lesson;
    views::LessonEditor* const editor = needLessonEditor();
    const auto left = fresh ? m_unsavedLesson.takeLeft() : std::nullopt;
    if (left) editor->restore(*left);
    if (const lesson::Lesson* const open = m_window->lessons()->guide()->lesson(); fresh && !left && open) {
        const QString own = scenario::userFile(scenario::Shelf::Lessons, open->id);
        QFile builtin(lesson::lessonPath(open->id));
        if (!own.isEmpty())
            editor->openFile(own);
        else if (builtin.open(QIODevice::ReadOnly))
            editor->openCopy(builtin.readAll());
    }
    bringUp(editor);
}

void EditorDesk::run(const scenario::Scenario& scenario) {
    const session::Session* const session = m_window->context()->session();
    const bool simulated = session && session->abilities().restart;
    const std::uint64_t seed = scenario.seed.value_or(simulated ? session->seed() : scenario::kUsualSeed);
    m_window->setSession(std::make_unique<session::SimulatedSession>(scenario, seed));
    m_window->activateWindow();
}

void EditorDesk::preview(const lesson::Lesson& lesson, int step) {
    if (const auto shown = m_window->lessons()->preview(lesson, step); !shown) return m_lesson->tell(shown.error());
    m_window->presenter()->setOn(true);
    m_window->activateWindow();
}

void EditorDesk::toggleHands() {
    if (isMaking()) return stopMaking();
    if (hasRecorded()) return openRecorded();
    if (!m_hands->isOn()) {
        if (const auto begun = m_hands->start(); !begun) return m_window->complain(begun.error());
        return m_window->messages()->say(
            //: %1 keys.
            tr("Recording your hands: faults, settings, stops, speeds and notes become steps. %1 ends it.")
                .arg(m_record->shortcut().toString(QKeySequence::NativeText)));
    }
    m_window->player()->pause();
    if (!m_lesson || !m_lesson->isWindowModified()) return openHands();
    // A lesson that is not saved yet is asked about first. Until then, and if that is cancelled, the recording goes on.
    bringUp(m_lesson);
    m_lesson->afterSaving([this] { openHands(); });
}

void EditorDesk::openHands(std::function<void()> then) {
    auto taken = m_hands->take();
    if (!taken) return;
    m_taken = std::move(taken);
    m_then = std::move(then);
    make();
}

void EditorDesk::make() {
    Q_ASSERT(m_taken && !m_making);
    m_making = std::make_shared<Making>();
    m_look.start();
    refreshHands();
    m_thread.run(
        [taken = *m_taken, language = views::WelcomePage::scenarioLanguage(), making = m_making] {
            return views::lessonText(taken, language,
                                     {making->stop.get_token(), [making](int percent) { making->percent = percent; }});
        },
        [this, making = m_making](const std::optional<QByteArray>& lesson) {
            if (lesson && m_making == making) made(*lesson); // else it was stopped
        });
}

void EditorDesk::made(QByteArray lesson) {
    m_look.stop();
    m_making.reset();
    m_taken.reset();
    m_recorded = std::move(lesson);
    openRecorded();
    if (const auto then = std::exchange(m_then, {})) then();
    if (std::exchange(m_closeWhenMade, false) && !hasRecorded()) m_window->close(); // else the editor asks
}

void EditorDesk::stopMaking() {
    m_making->stop.request_stop();
    m_making.reset();
    m_look.stop();
    m_then = {};
    m_closeWhenMade = false;
    refreshHands();
    m_window->messages()->say(tr("Stopped. Your recording is kept: %1 makes its lesson.")
                                  .arg(m_record->shortcut().toString(QKeySequence::NativeText)));
}

/// An editor with unsaved changes asks about them first; if that is cancelled, the lesson goes on waiting.
void EditorDesk::openRecorded() {
    refreshHands();
    if (isMaking() || !hasRecorded()) return;
    if (m_taken) return make();
    views::LessonEditor* const editor = needLessonEditor();
    bringUp(editor);
    editor->afterSaving([this, editor] {
        editor->openText(std::exchange(m_recorded, {}));
        refreshHands();
    });
}

void EditorDesk::handsLost() {
    if (m_hands->steps() == 0)
        return m_window->complain(
            tr("The recording of your hands ended without a lesson: another session was opened."));
    openHands([this] {
        if (hasRecorded())
            return m_window->messages()->offer(tr("Another session was opened, so the recording of your hands has "
                                                  "ended. Its lesson waits for the editor."),
                                               m_record);
        m_window->messages()->say(
            tr("Another session was opened, so the recording of your hands has ended. Its lesson is in the editor."));
    });
}

void EditorDesk::askForNote() {
    if (!m_hands->isOn()) return;
    m_window->player()->pause();
    auto* const dialog = new QInputDialog(m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Note"));
    dialog->setLabelText(tr("To be said at this instant:"));
    connect(dialog, &QInputDialog::textValueSelected, m_hands, &views::HandsRecorder::note);
    dialog->open();
}

void EditorDesk::refreshHands() {
    if (!m_record) return;
    const session::Session* const session = m_window->context()->session();
    const bool on = m_hands->isOn(), makes = isMaking(), waits = hasRecorded();
    m_record->setEnabled(on || waits || (session && session->abilities().rewind));
    m_record->setText(makes   ? tr("Stop making the &lesson")
                      : waits ? tr("Open the recorded &lesson")
                      : on    ? tr("End the recording of my &hands")
                              : tr("Record my &hands"));
    m_record->setToolTip(
        makes   ? tr("The recording is kept, and its lesson can be made later")
        : waits ? tr("Open the recorded lesson (%1)").arg(m_record->shortcut().toString(QKeySequence::NativeText))
                : tr("What you do with the run becomes the steps of a lesson"));
    m_note->setEnabled(on);
    if ((on || waits) && !m_pill) {
        m_pill = new views::Pill({}, views::Pill::Tone::Fault);
        m_pill->setDot(true);
        m_pill->setClickable(true);
        connect(m_pill, &QAbstractButton::clicked, this, &EditorDesk::toggleHands);
        m_window->statusBar()->addPermanentWidget(m_pill);
    }
    if (!m_pill) return;
    const QString words = makes   ? tr("your lesson is being made: %1 %").arg(m_making->percent.load())
                          : waits ? tr("a recorded lesson waits")
                                  : tr("recording your hands: %n step(s)", "", m_hands->steps());
    m_pill->setText(words);
    m_pill->setAccessibleName(words);
    m_pill->setToolTip(makes   ? tr("Stops it; the recording is kept")
                       : waits ? tr("Opens the lesson in the editor")
                               : tr("Ends the recording and opens the lesson"));
    m_pill->setVisible(on || waits);
}

bool EditorDesk::mayClose() {
    if (!hasRecorded() && m_hands->isOn() && m_hands->steps() > 0) {
        toggleHands();
        if (m_hands->isOn()) return false; // an editor asks first
    }
    if (hasRecorded()) {
        openRecorded();
        m_closeWhenMade = isMaking();
        if (m_closeWhenMade)
            m_window->messages()->sayUntilNext(
                tr("The lesson of your recording is being made; then you are asked about it."));
        if (hasRecorded()) return false; // an editor asks first
    }
    // Both are asked one after the other: the second time the first has answered.
    for (views::EditorWindow* const editor :
         {static_cast<views::EditorWindow*>(m_scenario.data()), static_cast<views::EditorWindow*>(m_lesson.data())}) {
        if (!editor || editor->close()) continue;
        bringUp(editor);
        return false;
    }
    return true;
}

EditorDesk::Place EditorDesk::leave() {
    Place place;
    if (m_scenario) place.scenario = m_scenario->kept();
    if (m_lesson) place.lesson = m_lesson->kept();
    place.hands = m_hands->kept();
    place.recorded = std::exchange(m_recorded, {});
    place.making = isMaking();
    if (m_making) m_making->stop.request_stop();
    m_making.reset();
    m_look.stop();
    m_then = {};
    place.taken = std::exchange(m_taken, std::nullopt);
    if (m_hands->isOn()) m_hands->abandon();
    delete m_scenario;
    delete m_lesson;
    return place;
}

void EditorDesk::restore(const Place& place) {
    if (place.scenario) {
        needScenarioEditor()->restore(*place.scenario);
        m_scenario->show();
    }
    if (place.lesson) {
        needLessonEditor()->restore(*place.lesson);
        m_lesson->show();
    }
    m_recorded = place.recorded;
    m_taken = place.taken;
    if (place.making) make();
    refreshHands();
    if (place.hands && m_window->context()->session()) m_hands->resume(*place.hands);
}

} // namespace lockscope::app
