// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/hands_recorder.h"
#include "editor/lesson_editor.h"
#include "editor/scenario_editor.h"

#include <QPointer>

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
    /// A recording has ended, and its lesson waits until the editor's unsaved one may go.
    bool hasRecorded() const { return !m_recorded.isEmpty(); }

    /// Whether the program may end; an editor with unsaved changes asks about them otherwise. A recording ends, and
    /// what came of it is such a change.
    bool mayClose();
    /// The open documents and the recording, for a window that takes this one's place, with the same session. The
    /// editors are closed without a question.
    struct Place {
        std::optional<views::EditorWindow::Kept> scenario, lesson;
        std::optional<views::HandsRecorder::Kept> hands;
        QByteArray recorded; ///< a lesson that waits for the editor
    };
    Place leave();
    void restore(const Place& place);

public Q_SLOTS:
    /// Opens the editor with the scenario in sight, or with a new one.
    void editScenario();
    /// Opens the editor with the lesson in sight, or with a new one.
    void editLesson();
    /// Begins to write down what is done by hand, or ends it and opens what came of it, or opens a recorded lesson that
    /// waits.
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
    void openHands();
    void openRecorded();
    void handsLost();
    void refreshHands();
    static void bringUp(QWidget* window);

    MainWindow* m_window;
    views::HandsRecorder* m_hands;
    QByteArray m_recorded; ///< made of a recording that is over, and not in the editor yet
    QPointer<views::ScenarioEditor> m_scenario;
    QPointer<views::LessonEditor> m_lesson;
    views::Pill* m_pill = nullptr; ///< in the status bar while it records
    QAction* m_record = nullptr;
    QAction* m_note = nullptr;
};

} // namespace lockscope::app
