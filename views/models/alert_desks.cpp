// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/alert_desks.h"

namespace lockscope::views {

AlertDesks::AlertDesks(ViewContext* context, QObject* parent) : QObject(parent), m_context(context) {
    connect(context, &ViewContext::sessionChanged, this, &AlertDesks::follow);
    follow();
}

void AlertDesks::follow() {
    if (!m_context) return;
    session::ConnectionDesk* const connections = session::connectionDeskOf(m_context->session());
    if (connections != m_connections) {
        if (m_connections) m_connections->disconnect(this);
        m_connections = connections;
        if (connections)
            connect(connections, &session::ConnectionDesk::arranged, this, [this] {
                follow();
                Q_EMIT arranged();
            });
    }
    std::vector<QPointer<session::AlertDesk>> desks;
    for (session::AlertDesk* const desk : session::alertDesksOf(m_context->session()))
        desks.emplace_back(desk);
    if (desks == m_desks) return;
    for (const auto& old : m_desks)
        if (old) old->disconnect(this);
    m_desks = std::move(desks);
    for (const auto& desk : m_desks)
        connect(desk, &session::AlertDesk::changed, this, &AlertDesks::changed);
}

} // namespace lockscope::views
