// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/hands_recorder.h"
#include "editor/lesson_editor.h"
#include "editor/scenario_editor.h"
#include "runtime/background.h"
#include "window/unsaved_text.h"

#include <QPointer>
#include <QTimer>
#include <atomic>
#include <functional>
#include <stop_token>

class QAction;

namespace lockscope::views {
class Pill;
}

namespace lockscope::app {

class MainWindow;

/// Where scenarios and lessons are written, beside the main window: the two editors, what they run and show in it, and
/// the recording of what a teacher does in it.
class EditorDesk : public QObject {
    Q_OBJECT
public:
    explicit EditorDesk(MainWindow* window);
    ~EditorDesk() override;
    /// That of a window; each has one.
    static EditorDesk* of(const MainWindow* window);

    QAction* makeScenarioAction();
    QList<QAction*> makeLessonActions();

    /// Null before it was opened.
    views::ScenarioEditor* scenarioEditor() const { return m_scenario; }
    views::LessonEditor* lessonEditor() const { return m_lesson; }
    views::HandsRecorder* hands() const { return m_hands; }
    /// A recording has ended, and its lesson is being made, or waits: to be made, or for the editor's unsaved one to
    /// go.
    bool hasRecorded() const { return m_taken || !m_recorded.isEmpty(); }
    /// The lesson of a recording is being made, beside the window.
    bool isMaking() const { return m_making != nullptr; }

    /// Whether the program may end; an editor with unsaved changes asks about them otherwise. A recording ends, and
    /// what came of it is such a change.
    bool mayClose();
    /// The open documents and the recording, for a window that takes this one's place, with the same session. The
    /// editors are closed without a question.
    struct Place {
        std::optional<views::EditorWindow::Kept> scenario, lesson;
        std::optional<views::HandsRecorder::Kept> hands;
        std::optional<views::HandsRecorder::Taken> taken; ///< a recording that is over and no lesson yet
        bool making = false;                              ///< the lesson was being made of it
        QByteArray recorded;                              ///< a lesson that waits for the editor
    };
    Place leave();
    void restore(const Place& place);

public Q_SLOTS:
    /// Opens the editor with the scenario in sight, or with a new one.
    void editScenario();
    /// Opens the editor with the lesson in sight, or with a new one.
    void editLesson();
    /// Begins to write down what is done by hand, or ends it and opens what came of it, or opens a recorded lesson that
    /// waits. While the lesson is being made: stops that, and the recording waits.
    void toggleHands();
    void askForNote();

Q_SIGNALS:
    /// The person's own scenarios are others now.
    void scenariosChanged();

private:
    views::ScenarioEditor* needScenarioEditor();
    views::LessonEditor* needLessonEditor();
    void run(const scenario::Scenario& scenario);
    void preview(const lesson::Lesson& lesson, int step);
    /// The making of a lesson: its thread writes how far it has come.
    struct Making {
        std::stop_source stop;
        std::atomic<int> percent = 0;
    };
    /// `then`: once the lesson is in the editor, or waits for it.
    void openHands(std::function<void()> then = {});
    void openRecorded();
    /// Makes the lesson of m_taken, which plays its whole run.
    void make();
    void made(QByteArray lesson);
    void stopMaking();
    void handsLost();
    void refreshHands();
    static void bringUp(QWidget* window);
    /// Keeps what is unsaved in an editor, a moment after each change.
    void watch(views::EditorWindow* editor);
    void keepSoon();
    void keepUnsaved();
    /// Says that the program ended before what was written was saved, and offers the editor that has it.
    void offerLeft();

    MainWindow* m_window;
    views::HandsRecorder* m_hands;
    std::optional<views::HandsRecorder::Taken> m_taken; ///< a recording that is over and no lesson yet
    std::shared_ptr<Making> m_making;
    std::function<void()> m_then; ///< once its lesson is there
    bool m_closeWhenMade = false; ///< somebody wanted to close the window meanwhile
    QTimer m_look;                ///< at how far the making has come
    QByteArray m_recorded;        ///< made of a recording that is over, and not in the editor yet
    QPointer<views::ScenarioEditor> m_scenario;
    QPointer<views::LessonEditor> m_lesson;
    UnsavedText m_unsavedScenario{QStringLiteral("scenario")}, m_unsavedLesson{QStringLiteral("lesson")};
    QTimer m_pace; ///< from a change on until it is kept
    QAction *m_editScenario = nullptr, *m_editLesson = nullptr;
    views::Pill* m_pill = nullptr; ///< in the status bar while it records
    QAction* m_record = nullptr;
    QAction* m_note = nullptr;
    Background m_thread{"hands"};
};

} // namespace lockscope::app
