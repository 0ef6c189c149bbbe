// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lessons/lesson_guide.h"

class QDockWidget;

namespace lockscope::views {
class LessonList;
class LessonPanel;
class NumberStrip;
} // namespace lockscope::views

namespace lockscope::app {

class LessonKeys;
class MainWindow;
class Stage;

/// Lessons in the window: the guide, its panel beside the timeline, the list, and the progress that is kept.
class LessonDesk : public QObject {
    Q_OBJECT
public:
    LessonDesk(MainWindow* window, Stage* stage);

    views::LessonGuide* guide() const { return m_guide; }
    /// Null before the first lesson.
    views::LessonPanel* panel() const { return m_panel; }
    /// Null before it was shown.
    views::LessonList* list() const { return m_list; }
    /// Whether the window shows what a lesson wants, and not what its user has chosen.
    bool isGuiding() const;
    /// Shows a step, from 0, of a lesson that is being written. The error is a sentence.
    std::expected<void, QString> preview(const lesson::Lesson& lesson, int step);
    /// The keyboard begins where the lesson goes on, and its place can be seen; without a lesson it stays where it is.
    void takeKeyboard();
    /// The narration's width in pixels; 0: the usual one, which follows the text's size.
    void setPanelWidth(int width);

public Q_SLOTS:
    /// Begins a lesson at a step, from 0; complains in the window when it cannot.
    void open(const QString& id, int step = 0,
              lockscope::views::LessonGuide::Arrival arrival = lockscope::views::LessonGuide::Arrival::Play);
    /// As a person begins a lesson: one that begins at its first step is preceded by the bet of an earlier one, if any
    /// was made, in another run. Coming back to a bet is what makes it stay in mind.
    void begin(const QString& id, int step = 0);
    void showList();
    void openNext();
    /// Takes up a lesson that another window showed, around the session that this one shows now.
    void restore(const lockscope::views::LessonGuide::Place& place);

private:
    void needPanel();
    views::LessonProgress progressOf(const QString& id) const;
    /// False: there is none to ask.
    bool askOldBet(const QString& next);
    /// Plays a run beside the lesson, which waits for its reader meanwhile.
    void openRun(const scenario::Scenario& scenario, quint64 seed);
    void showWorld(const scenario::Scenario& scenario, quint64 seed);
    void refresh();
    /// Brings the panel into sight that the step's words speak of, where the window has room for it beside the picture.
    void showPanel();
    void lightProtocol();

    MainWindow* m_window;
    Stage* m_stage;
    views::LessonGuide* m_guide;
    LessonKeys* m_keys;
    views::LessonPanel* m_panel = nullptr;
    views::NumberStrip* m_numbers = nullptr;
    views::LessonList* m_list = nullptr;
    QPointer<QDockWidget> m_lent; ///< the panel that a step brought into sight
    int m_panelWidth = 0;         ///< 0 = the usual one
    views::LessonGuide::Phase m_phase = views::LessonGuide::Phase::Off;
    bool m_plain = false; ///< of the lesson whose layout is lent
};

} // namespace lockscope::app
