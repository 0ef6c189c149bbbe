// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "experiment/contrast.h"
#include "session/shared_run.h"

#include <QObject>
#include <QPointer>

class QAction;

namespace lockscope::views {
class CompareWindow;
}

namespace lockscope::app {

class MainWindow;

/// The window that shows the present run beside one that differs in one setting.
class CompareDesk : public QObject {
    Q_OBJECT
public:
    explicit CompareDesk(MainWindow* window);
    ~CompareDesk() override;

    /// The command of the Session menu.
    QAction* makeAction();
    /// Opens it, or complains that the session is no simulation. `contrast`: none: in a lesson its pair of runs, else
    /// the first that makes sense.
    views::CompareWindow* open(std::optional<experiment::Contrast> contrast = {});

private:
    void refresh();
    views::CompareWindow* show(const session::SharedRun& run, std::optional<experiment::Contrast> contrast);
    MainWindow* m_window;
    QPointer<views::CompareWindow> m_compare;
    QAction* m_action = nullptr;
};

} // namespace lockscope::app
