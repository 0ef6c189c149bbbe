// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "inspect/alert_watch.h"

#include <QObject>
#include <QTimer>
#include <functional>

class QSystemTrayIcon;

namespace lockscope::app {

/// Tells of alerts on the desktop. Alerts that begin together are one message, which names the worst cause and some of
/// the others; notes are not told at all.
class AlertNotifier : public QObject {
    Q_OBJECT
public:
    using Show = std::function<void(const QString& title, const QString& text)>;
    /// `show`: empty = by an icon in the system's tray, where there is one.
    explicit AlertNotifier(Show show = {}, QObject* parent = nullptr);

    void tell(const inspect::Alert& alert);
    /// Nothing is shown of what was told so far and not shown yet.
    void forget();

Q_SIGNALS:
    /// The user clicked on a message.
    void activated();

private:
    void flush();
    void showInTray(const QString& title, const QString& text);
    Show m_show;
    QSystemTrayIcon* m_tray = nullptr; ///< made for the first message
    std::vector<inspect::Alert> m_waiting;
    QTimer m_soon;
};

} // namespace lockscope::app
