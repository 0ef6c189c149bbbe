// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "models/view_context.h"
#include "session/alert_desk.h"
#include "session/connection_desk.h"

namespace lockscope::views {

/// The alert desks of a context's session, followed while sessions and connections come and go.
///
/// Make it before its owner connects to ViewContext::sessionChanged(): Qt calls slots in the order in which they were
/// connected, so these are the new session's desks when the owner hears of that session.
class AlertDesks : public QObject {
    Q_OBJECT
public:
    explicit AlertDesks(ViewContext* context, QObject* parent = nullptr);

    /// One a connection; null where a desk is gone.
    const std::vector<QPointer<session::AlertDesk>>& all() const { return m_desks; }
    /// The connections that the desks belong to; nullptr: the session has no desk for them.
    session::ConnectionDesk* connections() const { return m_connections; }

Q_SIGNALS:
    /// Connections of the session came or went: all() may differ.
    void arranged();
    /// The alerts of a desk differ.
    void changed();

private:
    void follow();
    QPointer<ViewContext> m_context;
    std::vector<QPointer<session::AlertDesk>> m_desks;
    QPointer<session::ConnectionDesk> m_connections;
};

} // namespace lockscope::views
