// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/window_alerts.h"

#include "alerts/alert_rules_dialog.h"
#include "alerts/alerts_strip.h"
#include "window/main_window.h"
#include "window/presenter.h"

#include <QBoxLayout>
#include <QDateTime>
#include <QUrl>

namespace lockscope::app {

QString muteText(const inspect::AlertMute& mute) {
    const QString rule = mute.rule ? QString::fromLatin1(inspect::formOf(*mute.rule).name) : QStringLiteral("*");
    const QString lock = mute.lock ? QString::fromLatin1(mute.lock->toPercentEncoding()) : QStringLiteral("*");
    return QStringList{rule, lock, QString::number(mute.untilWallMs)}.join(QLatin1Char(' '));
}

std::optional<inspect::AlertMute> parseMute(const QString& text) {
    const QStringList parts = text.split(QLatin1Char(' '));
    if (parts.size() != 3) return std::nullopt;
    inspect::AlertMute mute;
    if (parts[0] != QLatin1String("*")) {
        for (const inspect::AlertForm& form : inspect::alertForms())
            if (parts[0] == QLatin1String(form.name)) mute.rule = form.kind;
        if (!mute.rule) return std::nullopt;
    }
    if (parts[1] != QLatin1String("*")) mute.lock = QByteArray::fromPercentEncoding(parts[1].toLatin1());
    bool isNumber = false;
    mute.untilWallMs = parts[2].toLongLong(&isNumber);
    if (!isNumber || mute.untilWallMs < 0) return std::nullopt;
    return mute;
}

WindowAlerts::WindowAlerts(MainWindow* window)
    : QObject(window),
      m_window(window),
      m_strip(new views::AlertsStrip(window->context(), window->menuWidget())),
      m_notifier(new AlertNotifier({}, this)) {
    window->menuWidget()->layout()->addWidget(m_strip);
    connect(m_strip, &views::AlertsStrip::rulesRequested, this, &WindowAlerts::askForRules);
    connect(window->context(), &views::ViewContext::sessionChanged, this, &WindowAlerts::attach);
    connect(window->presenter(), &Presenter::changed, m_strip, [this](bool on) { m_strip->setWanted(!on); });
    connect(m_notifier, &AlertNotifier::activated, window, [window] {
        window->show();
        window->raise();
        window->activateWindow();
    });
    attach();
}

void WindowAlerts::attach() {
    session::AlertDesk* const desk = session::alertDeskOf(m_window->context()->session());
    if (desk == m_desk) return;
    if (m_desk) m_desk->disconnect(this);
    m_notifier->forget();
    m_desk = desk;
    if (!desk) return;
    const KeptAlerts kept = m_window->settings()->alerts(m_window->context()->session()->title());
    if (kept.rules) {
        std::vector<inspect::AlertRule> rules;
        for (const QString& text : *kept.rules)
            if (const auto rule = inspect::parseAlertRule(text)) // one of a later version says nothing here
                rules.push_back(*rule);
        desk->setRules(std::move(rules));
    }
    std::vector<inspect::AlertMute> mutes;
    const std::int64_t now = QDateTime::currentMSecsSinceEpoch();
    for (const QString& text : kept.mutes)
        if (const auto mute = parseMute(text); mute && (mute->untilWallMs == 0 || mute->untilWallMs > now))
            mutes.push_back(*mute);
    desk->setMutes(std::move(mutes));
    connect(desk, &session::AlertDesk::wishesChanged, this, &WindowAlerts::keep);
    connect(desk, &session::AlertDesk::raised, this, [this](const inspect::Alert& alert) {
        if (m_window->settings()->notifiesOfAlerts() && !m_window->isActiveWindow()) m_notifier->tell(alert);
    });
}

void WindowAlerts::keep() const {
    const session::Session* const session = m_window->context()->session();
    if (!m_desk || !session) return;
    KeptAlerts kept;
    kept.rules.emplace();
    for (const inspect::AlertRule& rule : m_desk->rules())
        kept.rules->append(rule.text);
    for (const inspect::AlertMute& mute : m_desk->mutes())
        kept.mutes.append(muteText(mute));
    m_window->settings()->setAlerts(session->title(), kept);
}

void WindowAlerts::askForRules() {
    if (!m_desk) return;
    auto* dialog = new views::AlertRulesDialog(m_window->context()->session()->title(), m_desk->rules(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, desk = m_desk] {
        if (desk && desk == m_desk) desk->setRules(dialog->rules());
    });
    dialog->open();
}

void WindowAlerts::toggle() {
    m_strip->setWanted(!m_strip->isWanted());
}

} // namespace lockscope::app
