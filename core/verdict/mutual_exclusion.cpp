// SPDX-License-Identifier: Apache-2.0
#include "verdict/mutual_exclusion.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::HoldMode;

bool MutualExclusionJudge::Lock::inConflict() const {
    if (believers.size() < 2 && capacity == 0) return false;
    std::int64_t permits = 0;
    bool exclusive = false;
    for (const auto& [thread, hold] : believers) {
        exclusive |= hold.mode == HoldMode::Exclusive;
        if (hold.mode == HoldMode::Permit) permits += hold.permits;
    }
    return (exclusive && believers.size() >= 2) || (capacity > 0 && permits > capacity);
}

void MutualExclusionJudge::changed(trace::EntityId lockId, trace::EntityId thread, const Hold& hold, Nanos at,
                                   std::size_t row) {
    Lock& lock = m_locks[lockId];
    const auto known = std::ranges::find(lock.believers, thread, &std::pair<trace::EntityId, Hold>::first);
    if (known != lock.believers.end() && hold.holding)
        known->second = hold;
    else if (known != lock.believers.end())
        lock.believers.erase(known);
    else if (hold.holding)
        lock.believers.emplace_back(thread, hold);
    else
        return;

    if (!lock.inConflict()) {
        if (lock.fresh && at > lock.fresh->from) file(lock);
        lock.fresh.reset();
        if (!lock.open) return;
        m_ledger.at(*lock.open).to = at;
        lock.open.reset();
        return;
    }
    if (!lock.open && !lock.fresh) {
        Violation v;
        v.invariant = Invariant::MutualExclusion;
        v.lock = lockId;
        v.from = at;
        v.to = kNever;
        for (const auto& believer : lock.believers)
            v.actors.push_back(believer.first);
        v.row = row;
        lock.fresh = v;
        m_fresh.push_back(lockId);
        return;
    }
    if (!hold.holding) return;
    auto& actors = lock.fresh ? lock.fresh->actors : m_ledger.at(*lock.open).actors;
    if (std::ranges::find(actors, thread) == actors.end()) actors.push_back(thread);
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

std::vector<Violation> MutualExclusionJudge::pending() const {
    std::vector<Violation> found;
    for (const trace::EntityId id : m_fresh)
        if (const auto lock = m_locks.find(id); lock->second.fresh) found.push_back(*lock->second.fresh);
    return found;
}

void MutualExclusionJudge::file(Lock& lock) {
    lock.open = m_ledger.add(*lock.fresh);
    lock.fresh.reset();
}

} // namespace lockscope::verdict
