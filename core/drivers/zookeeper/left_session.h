// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/zookeeper/handle.h"

namespace lockscope::zookeeper {

/// Ends a session on the server that its client has given up by its own clock. The server may count it from a later
/// sign of life, such as a greeting that lay in its socket while it stood still. Without this, the nodes of holds that
/// were lost would keep everybody out until the server's time-out, although the client is connected again.
///
/// Takes the session up on a connection of its own, and ends it there; tries for one time-out of the session, since
/// then it has ended by itself. Driven like its Handle: call look() when the time that it returned has passed, or when
/// `lookSoon` was called.
class LeftSession {
public:
    /// `servers`: as for a Handle; `timeout`: of the session that was left.
    LeftSession(Runtime& runtime, const QByteArray& servers, const Handle::Key& key, Nanos timeout,
                std::function<void()> lookSoon);
    LeftSession(const LeftSession&) = delete;
    LeftSession& operator=(const LeftSession&) = delete;

    /// Does what is due; returns how long until the next call.
    Nanos look();
    /// Whether it is done: the session has ended, or it is too late for it.
    bool over() const { return m_over; }

private:
    Runtime& m_runtime;
    Nanos m_end;
    bool m_over = false;
    Handle m_handle; ///< last: its callbacks use the others
};

} // namespace lockscope::zookeeper
