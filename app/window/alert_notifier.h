// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"

#include <QObject>
#include <QTimer>
#include <functional>

class QSystemTrayIcon;

namespace lockscope::app {

class DesktopMessages;

/// Tells of alerts on the desktop. Alerts that begin together are one message, which names the worst cause and some of
/// the others; notes are not told at all.
class AlertNotifier : public QObject {
    Q_OBJECT
public:
    using Show = std::function<void(const QString& title, const QString& text)>;
    /// `show`: empty = by the desktop's service for messages, else by an icon in its tray.
    explicit AlertNotifier(Show show = {}, QObject* parent = nullptr);

    void tell(const inspect::Alert& alert);
    /// Nothing is shown of what was told so far and not shown yet.
    void forget();

Q_SIGNALS:
    /// The user clicked on a message.
    void activated();
    /// The desktop has neither a service for messages nor a tray: nothing is shown there. Told once.
    void unshown();

private:
    void flush();
    void showOnDesktop(const QString& title, const QString& text);
    void showInTray(const QString& title, const QString& text);
    Show m_show;
    DesktopMessages* m_messages = nullptr; ///< made for the first message
    QSystemTrayIcon* m_tray = nullptr;     ///< … that the service did not take
    bool m_toldUnshown = false;
    std::vector<inspect::Alert> m_waiting;
    QTimer m_soon;
};

} // namespace lockscope::app
