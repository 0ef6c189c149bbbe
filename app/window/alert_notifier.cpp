// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/alert_notifier.h"

#include "inspect/text.h"
#include "models/alert_words.h"
#include "theme/icons.h"

#include <QSystemTrayIcon>
#include <algorithm>

namespace lockscope::app {

AlertNotifier::AlertNotifier(Show show, QObject* parent) : QObject(parent), m_show(std::move(show)) {
    if (!m_show) m_show = [this](const QString& title, const QString& text) { showInTray(title, text); };
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
    const auto worst = std::ranges::max_element(
        m_waiting, {}, [](const inspect::Alert& alert) { return inspect::severityOf(alert.rule.kind); });
    const QString word = views::alertWord(worst->rule.kind);
    const QString one = worst->lock.isEmpty() ? word
                                              //: %1 the short words for an alert such as "renewal late", %2 a lock.
                                              : tr("%1: %2").arg(word, inspect::readable(worst->lock));
    const int others = int(m_waiting.size()) - 1;
    m_show(others == 0 ? one : tr("%1, and %n more alert(s)", "", others).arg(one),
           worst->sentence + QLatin1Char(' ') + worst->advice);
    m_waiting.clear();
}

void AlertNotifier::showInTray(const QString& title, const QString& text) {
    if (!QSystemTrayIcon::isSystemTrayAvailable() || !QSystemTrayIcon::supportsMessages()) return;
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
