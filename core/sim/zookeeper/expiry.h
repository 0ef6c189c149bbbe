// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/zookeeper/message.h"

#include <map>
#include <set>

namespace lockscope::sim {

/// The leader's clock of sessions. A session ends at the first tick that is later than its time-out after it was
/// heard of: all sessions of one tick end together.
class ZkExpiry {
public:
    explicit ZkExpiry(Nanos tick) : m_tick(tick) {}

    /// Forgets all; `sessions` begin anew with their whole time-out (ms).
    void begin(const std::map<ZkSessionId, std::int64_t>& sessions, Nanos now);
    void add(ZkSessionId session, std::int64_t timeoutMs, Nanos now);
    /// It was heard of; its time-out is this one from now on. False: it is not known, or over.
    bool touch(ZkSessionId session, std::int64_t timeoutMs, Nanos now);
    void remove(ZkSessionId session);
    bool knows(ZkSessionId session) const { return m_sessions.contains(session); }
    /// The sessions whose time is over; they are not known any more.
    std::vector<ZkSessionId> takeOver(Nanos now);
    /// The next instant at which a tick begins.
    Nanos nextTick(Nanos now) const { return (now / m_tick + 1) * m_tick; }

private:
    Nanos m_tick;
    std::map<ZkSessionId, Nanos> m_sessions; ///< their ends
    std::map<Nanos, std::set<ZkSessionId>> m_buckets;
};

} // namespace lockscope::sim
