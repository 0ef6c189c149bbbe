// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"
#include "session/redacted_session.h"

class QAction;

namespace lockscope::app {

class ActionRegistry;
class MainWindow;

/// Hides the names of locks, clients and servers of running systems, for projectors and screenshots: views get a
/// session without names in place of the true one. The names of a simulation are its scenario's, and stay.
class NameHider : public QObject {
    Q_OBJECT
public:
    explicit NameHider(MainWindow* window);
    ~NameHider() override;

    QAction* makeAction(ActionRegistry* registry);
    /// Whether names are to be hidden where there are any to hide; kept in the settings.
    bool isOn() const { return m_on; }
    /// Gives the views this session, or the one without names that stands for it. nullptr: none is open.
    void show(session::Session* session);
    /// An alert of the true session as it may be shown.
    inspect::Alert shown(inspect::Alert alert) const;
    /// Whether the views see no names now; then says what to do about it.
    bool refuses() const;

Q_SIGNALS:
    void changed();

private:
    void setOn(bool on);
    MainWindow* m_window;
    bool m_on;
    std::unique_ptr<session::RedactedSession> m_standIn;
};

} // namespace lockscope::app
