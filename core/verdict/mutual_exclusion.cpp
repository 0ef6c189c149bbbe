// SPDX-License-Identifier: Apache-2.0
#include "verdict/mutual_exclusion.h"

#include <algorithm>

namespace lockscope::verdict {

void MutualExclusionJudge::began(trace::EntityId lockId, trace::EntityId thread, Nanos at, std::size_t row) {
    Lock& lock = m_locks[lockId];
    lock.believers.push_back(thread);
    if (lock.believers.size() < 2) return;
    if (!lock.open && !lock.fresh) {
        Violation v;
        v.invariant = Invariant::MutualExclusion;
        v.lock = lockId;
        v.from = at;
        v.to = kNever;
        v.actors = lock.believers;
        v.row = row;
        lock.fresh = v;
        m_fresh.push_back(lockId);
        return;
    }
    auto& actors = lock.fresh ? lock.fresh->actors : m_ledger.at(*lock.open).actors;
    if (std::ranges::find(actors, thread) == actors.end()) actors.push_back(thread);
}

void MutualExclusionJudge::ended(trace::EntityId lockId, trace::EntityId thread, Nanos at) {
    Lock& lock = m_locks[lockId];
    std::erase(lock.believers, thread);
    if (lock.believers.size() >= 2) return;
    if (lock.fresh && at > lock.fresh->from) file(lock);
    lock.fresh.reset();
    if (!lock.open) return;
    m_ledger.at(*lock.open).to = at;
    lock.open.reset();
}

void MutualExclusionJudge::timePassed(Nanos now) {
    if (m_fresh.empty()) return;
    std::erase_if(m_fresh, [&](trace::EntityId id) {
        Lock& lock = m_locks[id];
        if (lock.fresh && lock.fresh->from >= now) return false;
        if (lock.fresh) file(lock);
        return true;
    });
}

void MutualExclusionJudge::file(Lock& lock) {
    lock.open = m_ledger.add(*lock.fresh);
    lock.fresh.reset();
}

} // namespace lockscope::verdict
