// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/alert_notifier.h"

#include "models/alert_causes.h"
#include "theme/icons.h"
#include "window/desktop_messages.h"

#include <QSystemTrayIcon>
#include <utility>

namespace lockscope::app {

AlertNotifier::AlertNotifier(Show show, QObject* parent) : QObject(parent), m_show(std::move(show)) {
    if (!m_show) m_show = [this](const QString& title, const QString& text) { showOnDesktop(title, text); };
    m_soon.setSingleShot(true);
    m_soon.setInterval(500); // alerts with one cause begin within one look or two
    connect(&m_soon, &QTimer::timeout, this, &AlertNotifier::flush);
}

void AlertNotifier::tell(const inspect::Alert& alert) {
    if (inspect::severityOf(alert.rule.kind) == inspect::AlertSeverity::Info) return;
    m_waiting.push_back(alert);
    if (!m_soon.isActive()) m_soon.start();
}

void AlertNotifier::forget() {
    m_soon.stop();
    m_waiting.clear();
}

void AlertNotifier::flush() {
    if (m_waiting.empty()) return;
    const std::vector<views::AlertCause> causes = views::alertCauses(m_waiting);
    const QString worst = views::causeName(causes.front());
    QString text = causes.front().first.sentence + QLatin1Char(' ') + causes.front().first.advice;
    const int others = int(causes.size()) - 1;
    constexpr std::size_t kNamed = 3; // a desktop shows a few lines
    QStringList also;
    for (std::size_t i = 1; i < causes.size() && i <= kNamed; ++i)
        also << views::causeName(causes[i]);
    if (std::size_t(others) > kNamed) also << QString(QChar(0x2026));
    //: In a message on the desktop, below the worst alert: %1 the other ones, such as "renewal late: orders".
    if (others > 0) text += QLatin1Char('\n') + tr("Also %1").arg(also.join(QStringLiteral("; ")));
    m_show(others == 0 ? worst : tr("%1, and %n more alert(s)", "", others).arg(worst), text);
    m_waiting.clear();
}

void AlertNotifier::showOnDesktop(const QString& title, const QString& text) {
    if (!m_messages) {
        m_messages = new DesktopMessages(this);
        connect(m_messages, &DesktopMessages::activated, this, &AlertNotifier::activated);
    }
    m_messages->show(title, text, [this, title, text] { showInTray(title, text); });
}

void AlertNotifier::showInTray(const QString& title, const QString& text) {
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) {
        if (!std::exchange(m_toldUnshown, true)) Q_EMIT unshown();
        return;
    }
    if (!m_tray) {
        m_tray = new QSystemTrayIcon(views::icon("lockscope"), this);
        m_tray->setToolTip(tr("Lockscope watches for alerts"));
        m_tray->show();
        connect(m_tray, &QSystemTrayIcon::messageClicked, this, &AlertNotifier::activated);
        connect(m_tray, &QSystemTrayIcon::activated, this, &AlertNotifier::activated);
    }
    m_tray->showMessage(title, text, QSystemTrayIcon::Warning);
}

} // namespace lockscope::app
