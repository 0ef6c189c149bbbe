// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/editor_window.h"

namespace lockscope::views {

class FaultAxis;
class ListEditor;
class RunPreview;

/// Where scenarios are written: forms and text above; below, on one axis of time, the faults and what the clients and
/// servers then do.
class ScenarioEditor : public EditorWindow {
    Q_OBJECT
public:
    explicit ScenarioEditor(QWidget* parent = nullptr);
    FaultAxis* axis() const { return m_axis; }
    RunPreview* preview() const { return m_preview; }

Q_SIGNALS:
    /// It is to run on the timeline of the main window.
    void runWanted(lockscope::scenario::Scenario scenario);

protected:
    void fillCopies() override;
    QString folder() const override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void run();
    void showPreview();
    ListEditor* faultList() const;

    FaultAxis* m_axis;
    RunPreview* m_preview;
    QAction* m_showPreview = nullptr;
    int m_faultSection = -1;
};

} // namespace lockscope::views
