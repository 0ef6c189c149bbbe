// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "editor/editor_window.h"

namespace lockscope::views {

class FaultAxis;
class ListEditor;

/// Where scenarios are written: forms and text above, the faults on their axis of time below.
class ScenarioEditor : public EditorWindow {
    Q_OBJECT
public:
    explicit ScenarioEditor(QWidget* parent = nullptr);
    FaultAxis* axis() const { return m_axis; }

Q_SIGNALS:
    /// It is to run on the timeline of the main window.
    void runWanted(lockscope::scenario::Scenario scenario);

protected:
    void fillCopies() override;
    QString folder() const override;

private:
    void run();
    ListEditor* faultList() const;

    FaultAxis* m_axis;
    int m_faultSection = -1;
};

} // namespace lockscope::views
