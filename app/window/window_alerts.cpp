// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/window_alerts.h"

#include "alerts/alert_rules_dialog.h"
#include "alerts/alerts_strip.h"
#include "trace/connection.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/name_hider.h"
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
    connect(window->context(), &views::ViewContext::sessionChanged, this, qOverload<>(&WindowAlerts::attach));
    connect(window->presenter(), &Presenter::changed, m_strip, [this](bool on) { m_strip->setWanted(!on); });
    connect(m_notifier, &AlertNotifier::activated, window, [window] {
        window->show();
        window->raise();
        window->activateWindow();
    });
    connect(m_notifier, &AlertNotifier::unshown, window, [window] {
        window->messages()->say(tr("This desktop shows no notifications, so alerts show in this window only."));
    });
    attach();
}

void WindowAlerts::attach() {
    session::Session* const session = m_window->session();
    session::ConnectionDesk* const connections = session::connectionDeskOf(session);
    if (connections != m_connections) {
        if (m_connections) m_connections->disconnect(this);
        m_connections = connections;
        if (connections)
            connect(connections, &session::ConnectionDesk::arranged, this, qOverload<>(&WindowAlerts::attach));
        for (const auto& old : m_desks)
            if (old) old->disconnect(this);
        m_desks.clear();
        m_notifier->forget();
    }
    std::erase_if(m_desks, [](const QPointer<session::AlertDesk>& desk) { return desk.isNull(); });
    for (session::AlertDesk* const desk : session::alertDesksOf(session))
        if (std::ranges::find(m_desks, desk, &QPointer<session::AlertDesk>::data) == m_desks.end()) attach(desk);
}

void WindowAlerts::attach(session::AlertDesk* desk) {
    m_desks.emplace_back(desk);
    const KeptAlerts kept = m_window->settings()->alerts(keyOf(*desk));
    if (kept.rules) {
        std::vector<inspect::AlertRule> rules;
        for (const QString& text : *kept.rules)
            if (const auto rule = inspect::parseAlertRule(text)) // one of a later version says nothing here
                rules.push_back(*rule);
        desk->setRules(std::move(rules));
    }
    // A recording is judged by the rules of the servers that it was made of; what its reader tries is not theirs.
    if (!m_window->session()->abilities().live) return;
    std::vector<inspect::AlertMute> mutes;
    const std::int64_t now = QDateTime::currentMSecsSinceEpoch();
    for (const QString& text : kept.mutes)
        if (const auto mute = parseMute(text); mute && (mute->untilWallMs == 0 || mute->untilWallMs > now))
            mutes.push_back(*mute);
    desk->setMutes(std::move(mutes));
    connect(desk, &session::AlertDesk::wishesChanged, this, [this, desk] { keep(*desk); });
    connect(desk, &session::AlertDesk::raised, this, [this](const inspect::Alert& alert) {
        if (m_window->settings()->notifiesOfAlerts() && !m_window->isActiveWindow())
            m_notifier->tell(m_window->names()->shown(alert));
    });
}

QString WindowAlerts::keyOf(const session::AlertDesk& desk) const {
    if (const session::ConnectionFacts* const facts = m_connections ? m_connections->find(desk.connection()) : nullptr)
        return facts->url;
    const auto trace = m_window->session()->trace();
    const QString url = QString::fromUtf8(trace::urlOfConnection(*trace, desk.connection())); // of a recording
    return url.isEmpty() ? m_window->session()->title() : url;
}

void WindowAlerts::keep(const session::AlertDesk& desk) const {
    if (!m_window->context()->session()) return;
    KeptAlerts kept;
    kept.rules.emplace();
    for (const inspect::AlertRule& rule : desk.rules())
        kept.rules->append(rule.text);
    for (const inspect::AlertMute& mute : desk.mutes())
        kept.mutes.append(muteText(mute));
    m_window->settings()->setAlerts(keyOf(desk), kept);
}

void WindowAlerts::askForRules(session::AlertDesk* wanted) {
    const views::ViewContext* const context = m_window->context();
    QPointer<session::AlertDesk> desk = wanted;
    if (!desk) {
        const auto itsOwn = std::ranges::find_if(m_desks, [&](const QPointer<session::AlertDesk>& one) {
            return one && one->covers(*context->trace(), context->focusedLock());
        });
        desk = itsOwn != m_desks.end() ? *itsOwn : m_desks.empty() ? nullptr : m_desks.front();
    }
    if (!desk) return;
    const session::ConnectionDesk* const shown = session::connectionDeskOf(context->session());
    const session::ConnectionFacts* const facts = shown ? shown->find(desk->connection()) : nullptr;
    const QString name = context->trace()->displayName(desk->connection());
    const QString connection = facts ? facts->name : name.isEmpty() ? context->session()->title() : name;
    auto* dialog = new views::AlertRulesDialog(connection, desk->rules(), m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [dialog, desk] {
        if (desk) desk->setRules(dialog->rules());
    });
    dialog->open();
}

void WindowAlerts::toggle() {
    m_strip->setWanted(!m_strip->isWanted());
}

} // namespace lockscope::app
