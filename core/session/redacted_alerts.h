// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "session/alert_desk.h"

namespace lockscope::session {

class RedactedSession;

/// The alert desks of a session without names: they show what the true ones show, retold. Wishes of a person go on to
/// the true ones.
class RedactedAlerts {
public:
    /// Both outlive it.
    RedactedAlerts(RedactedSession& session, Session& of);
    ~RedactedAlerts();
    /// The desks of the connections that are in the redacted trace already.
    std::vector<AlertDesk*> desks();

private:
    class Desk;
    RedactedSession& m_session;
    Session& m_of;
    std::vector<std::unique_ptr<Desk>> m_desks;
};

} // namespace lockscope::session
