// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/connection_desk.h"
#include "session/redacted_alerts.h"
#include "session/redacted_session.h"

namespace lockscope::session {

/// A session that watches servers, without names: with desks that show its alerts and connections, and pass on what a
/// person wants of them.
class RedactedLiveSession final : public RedactedSession, public AlertSource, public ConnectionSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
    Q_INTERFACES(lockscope::session::ConnectionSource)
public:
    /// Precondition: connectionDeskOf(&of). `of` outlives it.
    explicit RedactedLiveSession(Session& of);
    ~RedactedLiveSession() override;

    QString title() const override;
    Health health() const override { return healthOf(m_connections.all()); }
    std::vector<AlertDesk*> alertDesks() override;
    ConnectionDesk* connectionDesk() override { return &m_connections; }

private:
    void copied() override;
    ConnectionFacts redacted(ConnectionFacts facts) const;
    ConnectionDesk& m_true;
    ConnectionDesk m_connections;
    RedactedAlerts m_alerts;
};

} // namespace lockscope::session
