// SPDX-License-Identifier: Apache-2.0
#include "verdict/deadlock.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::Belief;
using trace::EntityId;

namespace {

bool contains(const std::vector<EntityId>& list, EntityId id) {
    return std::ranges::find(list, id) != list.end();
}

/// Puts an id into a list or takes it out; true when the list changed.
bool set(std::vector<EntityId>& list, EntityId id, bool in) {
    const auto at = std::ranges::find(list, id);
    if ((at != list.end()) == in) return false;
    if (in)
        list.push_back(id);
    else
        list.erase(at);
    return true;
}

} // namespace

bool DeadlockJudge::holds(EntityId lock, EntityId thread) const {
    const auto found = m_holders.find(lock);
    return found != m_holders.end() && contains(found->second, thread);
}

bool DeadlockJudge::waits(EntityId thread, EntityId lock) const {
    const auto found = m_waits.find(thread);
    return found != m_waits.end() && contains(found->second, lock);
}

void DeadlockJudge::changed(EntityId lock, EntityId thread, const Belief& belief, bool tries, Nanos at,
                            std::size_t row) {
    const bool holding = belief.phase == Belief::Phase::Holding && belief.mode == trace::HoldMode::Exclusive;
    const bool waiting = belief.phase == Belief::Phase::Waiting && !tries;
    const bool holdsAnew = set(m_holders[lock], thread, holding);
    const bool waitsAnew = set(m_waits[thread], lock, waiting);
    if (!holdsAnew && !waitsAnew) return;
    if (!m_open.empty()) closeBroken(at);
    // Only a new edge closes a cycle, and every new edge starts or ends at this thread, which then must be waiting.
    if ((holdsAnew && holding) || (waitsAnew && waiting)) look(thread, at, row);
}

bool DeadlockJudge::search(EntityId thread, EntityId target, std::vector<Edge>& path) const {
    const auto waits = m_waits.find(thread);
    if (waits == m_waits.end()) return false;
    for (const EntityId lock : waits->second) {
        const auto holders = m_holders.find(lock);
        if (holders == m_holders.end()) continue;
        for (const EntityId holder : holders->second) {
            if (holder == thread) continue;
            path.push_back({thread, lock, holder});
            if (holder == target) return true;
            if (!contains(m_visited, holder)) {
                m_visited.push_back(holder);
                if (search(holder, target, path)) return true;
            }
            path.pop_back();
        }
    }
    return false;
}

void DeadlockJudge::look(EntityId thread, Nanos at, std::size_t row) {
    m_visited.assign(1, thread);
    std::vector<Edge> path;
    if (!search(thread, thread, path)) return;
    open(std::move(path), at, row);
}

void DeadlockJudge::open(std::vector<Edge> edges, Nanos at, std::size_t row) {
    Cycle cycle;
    cycle.violation.invariant = Invariant::NoDeadlock;
    cycle.violation.lock = edges.front().lock;
    cycle.violation.from = at;
    cycle.violation.to = kNever;
    cycle.violation.row = row;
    for (const Edge& edge : edges) {
        cycle.violation.actors.push_back(edge.thread);
        cycle.violation.wanted.push_back(edge.lock);
    }
    cycle.edges = std::move(edges);
    m_open.push_back(std::move(cycle));
}

void DeadlockJudge::asksAgain(EntityId lock, EntityId thread, Nanos at, std::size_t row) {
    if (!holds(lock, thread) || !set(m_waits[thread], lock, true)) return;
    open({{thread, lock, thread}}, at, row);
}

void DeadlockJudge::answered(EntityId lock, EntityId thread, Nanos at) {
    if (set(m_waits[thread], lock, false) && !m_open.empty()) closeBroken(at);
}

void DeadlockJudge::closeBroken(Nanos at) {
    std::erase_if(m_open, [&](Cycle& cycle) {
        const bool lasts = std::ranges::all_of(cycle.edges, [&](const Edge& edge) {
            return waits(edge.thread, edge.lock) && holds(edge.lock, edge.holder);
        });
        if (lasts) return false;
        if (cycle.number == SIZE_MAX && at > cycle.violation.from) cycle.number = m_ledger.add(cycle.violation);
        if (cycle.number != SIZE_MAX) m_ledger.at(cycle.number).to = at;
        return true;
    });
}

void DeadlockJudge::timePassed(Nanos now) {
    for (Cycle& cycle : m_open)
        if (cycle.number == SIZE_MAX && cycle.violation.from < now) cycle.number = m_ledger.add(cycle.violation);
}

} // namespace lockscope::verdict
