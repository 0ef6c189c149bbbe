// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/editor_window.h"
#include "lesson/lesson_proof.h"

namespace lockscope::views {

class ListEditor;
class RunPreview;
class StepAxis;

/// Where lessons are written: forms and text, a look at a step as a class will see it, and a check of all claims.
class LessonEditor : public EditorWindow {
    Q_OBJECT
public:
    explicit LessonEditor(QWidget* parent = nullptr);
    /// The step that is being written, from 0.
    int step() const;
    StepAxis* axis() const { return m_axis; }
    RunPreview* run() const { return m_run; }

public Q_SLOTS:
    /// Plays every scene and compares; the findings come into the list of complaints.
    void check();

Q_SIGNALS:
    /// The step is to be shown in the main window as a class sees it.
    void previewWanted(lockscope::lesson::Lesson lesson, int step);
    void checked();

protected:
    void fillCopies() override;
    QString folder() const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void preview();
    void showRun();
    /// The steps' list in the form; nullptr while another section is in sight.
    ListEditor* steps() const;
    void tellFindings(const std::vector<lesson::Untruth>& wrong);
    /// The lesson as it stands; texts that are still empty are dots. nullopt: something else is wrong, and said.
    std::optional<lesson::Lesson> playable();

    StepAxis* m_axis;
    RunPreview* m_run;
    QAction* m_showRun = nullptr;
    bool m_checking = false;
};

} // namespace lockscope::views
