// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/redacted_alerts.h"
#include "session/redacted_session.h"

namespace lockscope::session {

/// A recording of servers that were watched, without names: it has the alerts of its locks.
class RedactedRecording final : public RedactedSession, public AlertSource {
    Q_OBJECT
    Q_INTERFACES(lockscope::session::AlertSource)
public:
    /// Precondition: `of` has alerts. It outlives this.
    explicit RedactedRecording(Session& of) : RedactedSession(of), m_alerts(*this, of) {}
    std::vector<AlertDesk*> alertDesks() override { return m_alerts.desks(); }

private:
    /// Views look for desks when a session's trace is new; the connections' names come with the first rows.
    void copied() override {
        const std::size_t desks = m_alerts.desks().size();
        if (std::exchange(m_known, desks) != desks) Q_EMIT traceReplaced();
    }
    RedactedAlerts m_alerts;
    std::size_t m_known = 0;
};

} // namespace lockscope::session
