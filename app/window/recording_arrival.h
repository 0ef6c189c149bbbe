// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/recording_session.h"

#include <QObject>
#include <QPointer>

namespace lockscope::app {

class MainWindow;

/// Opens a recording of watched servers at its last instant, as the live window stood: at its first one nothing has
/// been seen yet. The window says so and offers the way to the start. A recording of a simulation is a story, and
/// begins at its beginning.
class RecordingArrival : public QObject {
    Q_OBJECT
public:
    explicit RecordingArrival(MainWindow* window);
    static RecordingArrival* of(const MainWindow* window);
    /// Goes to the end as soon as all of it is read, unless the person has gone somewhere before. nullptr: none is
    /// open any more. Call it before the views show the session.
    void follow(const session::RecordingSession* recording);

private:
    bool isOfServers() const;
    void readingBegins();
    void arrive();

    MainWindow* m_window;
    QMetaObject::Connection m_untilMoved;                  ///< while the window says that the end is shown
    QPointer<const session::RecordingSession> m_recording; ///< that has not been shown at its end yet
};

} // namespace lockscope::app
