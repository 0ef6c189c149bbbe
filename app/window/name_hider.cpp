// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/name_hider.h"

#include "session/connection_desk.h"
#include "transport/player.h"
#include "window/action_registry.h"
#include "window/main_window.h"
#include "window/message_bar.h"

#include <utility>

namespace lockscope::app {

namespace {
const QString kSwitch = QStringLiteral("names.hidden"); ///< in the settings, beside other switches

/// Whether its names are of somebody's running system, now or when it was recorded.
bool hasNamesToHide(const session::Session& session) {
    return session.abilities().live || !session.abilities().restart;
}
} // namespace

NameHider::NameHider(MainWindow* window)
    : QObject(window), m_window(window), m_on(window->settings()->table(kSwitch) == "on") {
}

NameHider::~NameHider() = default;

QAction* NameHider::makeAction(ActionRegistry* registry) {
    QAction* const action =
        registry->add("view.hide-names", tr("View"), tr("Hide &names"), {Qt::CTRL | Qt::ALT | Qt::Key_H}, {});
    action->setCheckable(true);
    action->setChecked(m_on);
    action->setToolTip(tr("For projectors and screenshots: locks, clients and servers of running systems and of "
                          "recordings are called lock-1, client-1, server-1"));
    connect(action, &QAction::toggled, this, &NameHider::setOn);
    return action;
}

void NameHider::show(session::Session* session) {
    // The one before is in use until the views have the next.
    const std::unique_ptr<session::RedactedSession> before = std::move(m_standIn);
    if (session && m_on && hasNamesToHide(*session)) m_standIn = session::withoutNames(*session);
    session::Session* const shown = m_standIn ? m_standIn.get() : session;
    if (m_standIn) {
        connect(m_standIn.get(), &session::Session::complained, m_window, &MainWindow::complain);
        connect(m_standIn.get(), &session::Session::healthChanged, m_window, &MainWindow::tellHealth);
    }
    m_window->context()->setSession(shown);
}

void NameHider::setOn(bool on) {
    if (on == m_on) return;
    m_on = on;
    m_window->settings()->setTable(kSwitch, on ? "on" : "off");
    views::ViewContext* const context = m_window->context();
    session::Session* const session = m_window->session();
    if (session && hasNamesToHide(*session)) {
        const Nanos at = context->playhead();
        const trace::EntityId selected = context->selection();
        const bool playing = m_window->player()->isPlaying();
        m_window->messages()->dismiss(); // it may have said a name
        show(session);
        context->setPlayhead(at);
        context->select(selected);
        if (playing) m_window->player()->play();
    }
    Q_EMIT changed();
}

inspect::Alert NameHider::shown(inspect::Alert alert) const {
    if (m_standIn) m_standIn->retell(alert);
    return alert;
}

bool NameHider::refuses() const {
    if (!m_standIn) return false;
    m_window->messages()->say(tr("Names are hidden, and this would show some. Show them first: View, Hide names."));
    return true;
}

} // namespace lockscope::app
