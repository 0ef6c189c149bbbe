// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "verdict/verdict.h"

#include <map>

namespace lockscope::verdict {

/// How much longer than usual messages take on the links of a trace, and where that is too long to get on.
class SlowLinks {
public:
    SlowLinks(Nanos roundTrip, Nanos tooLong) : m_roundTrip(roundTrip), m_tooLong(tooLong) {}

    /// A LinkDelayed.
    void delayed(const trace::Event& event, const trace::Trace& trace) {
        const trace::Entity& link = trace.entity(event.subject);
        m_extra[{link.parent, link.other}] = std::max(Nanos(event.value), Nanos(0));
    }
    void healed() { m_extra.clear(); }
    void setTooLong(Nanos tooLong) { m_tooLong = tooLong; }

    /// Nothing was ever delayed, since the last healing.
    bool none() const { return m_extra.empty(); }
    /// One way, besides the usual. Without a node: on the slowest link of that client.
    Nanos extra(trace::EntityId client, trace::EntityId node) const {
        if (node == trace::kNoEntity) {
            Nanos most{};
            for (auto at = m_extra.lower_bound({client, 0}); at != m_extra.end() && at->first.first == client; ++at)
                most = std::max(most, at->second);
            return most;
        }
        const auto known = m_extra.find({client, node});
        return known == m_extra.end() ? Nanos(0) : known->second;
    }
    bool isTooSlow(trace::EntityId client, trace::EntityId node) const {
        const Nanos more = extra(client, node);
        return laterBy(laterBy(m_roundTrip, more), more) > m_tooLong;
    }

private:
    Nanos m_roundTrip, m_tooLong;
    std::map<std::pair<trace::EntityId, trace::EntityId>, Nanos> m_extra; ///< by client and node
};

} // namespace lockscope::verdict
