// SPDX-License-Identifier: Apache-2.0
#include "verdict/fifo.h"

namespace lockscope::verdict {

using trace::Belief;

void FifoJudge::changed(const Row& row, const Belief& belief) {
    const Key key(row.event.subject, row.event.actor);
    const auto mine = m_waiters.find(key);
    if (belief.phase == Belief::Phase::Waiting) {
        // Asking again without an end of the wait before: a wait that nobody saw end.
        m_waiters[key] = {row.event.time(), row.event.time(), {}};
        return;
    }
    if (mine == m_waiters.end()) return;
    Waiter waiter = std::move(mine->second);
    m_waiters.erase(mine);
    if (belief.phase != Belief::Phase::Holding || belief.mode == trace::HoldMode::Shared) return;
    for (Violation& v : waiter.overtaken) {
        v.to = row.event.time();
        m_ledger.add(std::move(v));
    }
    constexpr std::size_t most = 16; // one would do; a lock without any order would fill the memory
    for (auto at = m_waiters.lower_bound({key.first, 0}); at != m_waiters.end() && at->first.first == key.first; ++at) {
        Waiter& other = at->second;
        if (laterBy(other.since, slackOf(at->first, row.trace)) >= waiter.asked || other.overtaken.size() >= most)
            continue;
        other.overtaken.push_back(row.violation(Invariant::Fifo, key.first, {key.second, at->first.second}));
    }
}

Nanos FifoJudge::slackOf(const Key& waiter, const trace::Trace& trace) const {
    const trace::EntityId client = trace.clientOf(waiter.second), node = trace.entity(waiter.first).parent;
    if (m_slow.isTooSlow(client, node)) return kNever;
    constexpr int kWays = 8; // a withdrawal, a subscription, a look and its message, each there and back
    Nanos slack = m_slack;
    for (int i = 0; i < kWays; ++i)
        slack = laterBy(slack, m_slow.extra(client, node));
    return slack;
}

void FifoJudge::gone(trace::EntityId client, const trace::Trace& trace) {
    std::erase_if(m_waiters, [&](const auto& entry) { return trace.clientOf(entry.first.second) == client; });
}

void FifoJudge::away(trace::EntityId client, const Row& row) {
    for (auto& [key, waiter] : m_waiters)
        if (row.trace.clientOf(key.second) == client) lostPlace(waiter, row.event.time());
}

void FifoJudge::nodeAway(trace::EntityId node, const Row& row) {
    for (auto& [key, waiter] : m_waiters) {
        const trace::EntityId keeper = row.trace.entity(key.first).parent;
        if (keeper == node || keeper == trace::kNoEntity) lostPlace(waiter, row.event.time());
    }
}

void FifoJudge::allAway(const Row& row) {
    if (row.event.kind == trace::EventKind::Healed) m_slow.healed();
    for (auto& [key, waiter] : m_waiters)
        lostPlace(waiter, row.event.time());
}

} // namespace lockscope::verdict
