// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "session/alert_desk.h"
#include "session/connection_desk.h"
#include "window/alert_notifier.h"

#include <QPointer>

namespace lockscope::views {
class AlertsStrip;
}

namespace lockscope::app {

class MainWindow;

/// The alerts of a window's live session: the strip that shows them, the rules and mutes as they are kept for each
/// connection, and messages on the desktop while the window is not looked at.
class WindowAlerts : public QObject {
    Q_OBJECT
public:
    /// Puts the strip below the toolbar of the window, which it belongs to.
    explicit WindowAlerts(MainWindow* window);

    views::AlertsStrip* strip() const { return m_strip; }
    /// Asks which rules a connection has; nullptr: that of the lock at hand.
    void askForRules(session::AlertDesk* desk = nullptr);
    void toggle();

private:
    void attach();
    void attach(session::AlertDesk* desk);
    void keep(const session::AlertDesk& desk) const;
    /// The URL of a desk's connection, by which its rules and mutes are kept; never with a password.
    QString keyOf(const session::AlertDesk& desk) const;
    MainWindow* m_window;
    views::AlertsStrip* m_strip;
    AlertNotifier* m_notifier;
    std::vector<QPointer<session::AlertDesk>> m_desks;
    QPointer<session::ConnectionDesk> m_connections;
};

/// A mute as a line of the settings: the rule's name or "*", the lock in percent encoding or "*", and until when, in ms
/// since 1970; nullopt: it is no such line.
QString muteText(const inspect::AlertMute& mute);
std::optional<inspect::AlertMute> parseMute(const QString& text);

} // namespace lockscope::app
