// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QTimer>

namespace lockscope::app {

class BackgroundKeeper;
class MainWindow;

/// Says in the bar at the top how much of what is watched is on disk: time and size, beside the bound that keeps it
/// small. A click saves it.
class RecordingGauge : public QObject {
    Q_OBJECT
public:
    RecordingGauge(MainWindow* window, BackgroundKeeper* keeper);

private:
    void refresh();

    MainWindow* m_window;
    BackgroundKeeper* m_keeper;
    QTimer m_pace; ///< runs while a session is open that is watched
};

} // namespace lockscope::app
