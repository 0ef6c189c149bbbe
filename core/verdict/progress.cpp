// SPDX-License-Identifier: Apache-2.0
#include "verdict/progress.h"

#include <algorithm>

namespace lockscope::verdict {

using trace::Belief;
using trace::ClientState;
using trace::EntityId;
using trace::EventKind;
using trace::State;
using trace::Trace;
using Life = ClientState::Life;

namespace {

/// It renews its lease, and does nothing with the lock.
bool hangs(const State& state, EntityId client) {
    const auto found = state.clients.find(client);
    return found != state.clients.end() && found->second.workHung;
}

Life lifeOf(const State& state, EntityId client) {
    const auto found = state.clients.find(client);
    return found == state.clients.end() ? Life::Unknown : found->second.life;
}

bool isDown(const State& state, EntityId node) {
    const auto found = state.nodes.find(node);
    return found != state.nodes.end() && (found->second.life == Life::Dead || found->second.life == Life::Paused);
}

const trace::Record* recordOf(const State& state, EntityId lock) {
    const auto found = state.records.find(lock);
    return found == state.records.end() ? nullptr : &found->second;
}

/// The beliefs of one lock.
auto beliefsOf(const State& state, EntityId lock) {
    return std::ranges::subrange(state.beliefs.lower_bound({lock, 0}), state.beliefs.lower_bound({lock + 1, 0}));
}

} // namespace

void ProgressJudge::look(const Row& row, const State& state) {
    const trace::Event& e = row.event;
    switch (e.kind) {
    case EventKind::GrantedAs:
        m_locks[e.subject].shared = true;
        break;
    case EventKind::RecordHeld:
    case EventKind::RecordRenewed:
    case EventKind::RecordFreed:
        m_locks[e.subject].recorded = true;
        [[fallthrough]];
    case EventKind::RecordUnobserved:
    case EventKind::RecordObserved:
    case EventKind::RecordDecider:
    case EventKind::Granted:
    case EventKind::Reentered:
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
    case EventKind::Lost:
    case EventKind::Released:
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
    case EventKind::ReleaseSent:
        updateWithOthers(e.subject, e.time(), row.trace, state);
        break;
    case EventKind::Requested:
        asked(e.subject, e.actor);
        updateWithOthers(e.subject, e.time(), row.trace, state);
        break;
    case EventKind::LinkCut:
    case EventKind::LinkMended: {
        const trace::Entity& link = row.trace.entity(e.subject);
        if (e.kind == EventKind::LinkCut)
            m_cut.insert({link.parent, link.other});
        else
            m_cut.erase({link.parent, link.other});
        updateAll(e.time(), row.trace, state);
        break;
    }
    case EventKind::LinkDelayed:
        m_slow.delayed(e, row.trace);
        updateAll(e.time(), row.trace, state);
        break;
    case EventKind::Healed:
        m_cut.clear();
        m_slow.healed();
        [[fallthrough]];
    case EventKind::NodeStarted:
    case EventKind::NodePaused:
    case EventKind::NodeResumed:
    case EventKind::NodeKilled:
        for (auto& [id, lock] : m_locks)
            lock.keepers.clear();
        [[fallthrough]];
    case EventKind::ClientStarted:
    case EventKind::ClientPaused:
    case EventKind::ClientResumed:
    case EventKind::ClientKilled:
    case EventKind::WorkHung:
        updateAll(e.time(), row.trace, state);
        break;
    default:
        break;
    }
}

void ProgressJudge::deadlinePassed(EntityId lock, Nanos at, const Trace& trace, const State& state) {
    updateWithOthers(lock, at, trace, state);
}

void ProgressJudge::asked(EntityId id, EntityId thread) {
    std::set<EntityId>& all = m_asked[thread];
    if (!all.insert(id).second || all.size() < 2) return;
    for (const EntityId one : all)
        for (const EntityId other : all)
            if (one != other) m_beside[one].insert(other);
}

void ProgressJudge::updateWithOthers(EntityId id, Nanos at, const Trace& trace, const State& state) {
    update(id, at, trace, state);
    const auto beside = m_beside.find(id);
    if (beside == m_beside.end()) return;
    for (const EntityId other : beside->second)
        update(other, at, trace, state);
}

void ProgressJudge::timePassed(Nanos now, std::size_t row, const Trace& trace, const State& state) {
    while (!m_alarms.empty() && m_alarms.begin()->first < now) {
        const auto [from, id] = *m_alarms.begin();
        m_alarms.erase(m_alarms.begin());
        Lock& lock = m_locks[id];
        if (lock.standing == Standing::Unseen) {
            m_undecidedSince = std::min(m_undecidedSince, from);
            continue;
        }
        Violation v;
        v.invariant = Invariant::Progress;
        v.lock = id;
        v.from = from;
        v.to = kNever;
        v.row = row;
        std::vector<std::pair<std::int64_t, EntityId>> waiters;
        for (const auto& [key, belief] : beliefsOf(state, id))
            if (waitsAlive(key.second, belief, id, lock, trace, state)) waiters.emplace_back(belief.since, key.second);
        std::ranges::sort(waiters);
        for (const auto& [since, thread] : waiters)
            v.actors.push_back(thread);
        lock.number = m_ledger.add(std::move(v));
    }
}

void ProgressJudge::update(EntityId id, Nanos at, const Trace& trace, const State& state) {
    Lock& lock = m_locks[id];
    const Standing standing = standingOf(id, lock, trace, state);
    if (standing == lock.standing) return;
    if (lock.standing != Standing::Fine && m_bound != kNever) m_alarms.erase({laterBy(lock.since, m_bound), id});
    if (lock.number != SIZE_MAX) m_ledger.at(lock.number).to = at;
    lock.number = SIZE_MAX;
    lock.standing = standing;
    lock.since = at;
    if (standing != Standing::Fine && m_bound != kNever) m_alarms.insert({laterBy(at, m_bound), id});
}

void ProgressJudge::setBounds(const Bounds& bounds) {
    m_slow.setTooLong(bounds.slowLink); // counts from the next change on
    const Nanos bound = bounds.progress;
    if (bound == m_bound) return;
    m_bound = bound;
    m_alarms.clear();
    for (const auto& [id, lock] : m_locks)
        if (lock.standing != Standing::Fine && lock.number == SIZE_MAX && bound != kNever)
            m_alarms.insert({laterBy(lock.since, bound), id});
}

void ProgressJudge::updateAll(Nanos at, const Trace& trace, const State& state) {
    for (const auto& [id, lock] : m_locks)
        update(id, at, trace, state);
}

ProgressJudge::Standing ProgressJudge::standingOf(EntityId id, Lock& lock, const Trace& trace,
                                                  const State& state) const {
    if (!couldBeGranted(id, lock, trace, state)) return Standing::Fine;
    const auto record = state.records.find(id);
    const bool unseen = record != state.records.end() && !record->second.observed;
    return unseen ? Standing::Unseen : Standing::Stuck;
}

bool ProgressJudge::couldBeGranted(EntityId id, Lock& lock, const Trace& trace, const State& state) const {
    if (heldByTheLiving(id, lock, trace, state) || nodesAreDown(id, lock, trace, state)) return false;
    const auto couldTake = [&](EntityId thread, const Belief& belief) {
        return waitsAlive(thread, belief, id, lock, trace, state) && !waitsForMore(thread, id, trace, state);
    };
    const auto known = state.beliefs.find({id, lock.witness});
    if (known != state.beliefs.end() && couldTake(lock.witness, known->second)) return true;
    for (const auto& [key, belief] : beliefsOf(state, id)) {
        if (!couldTake(key.second, belief)) continue;
        lock.witness = key.second;
        return true;
    }
    return false;
}

const std::vector<EntityId>& ProgressJudge::keepersOf(EntityId id, Lock& lock, const Trace& trace) {
    const EntityId known = lock.keepers.empty() ? EntityId(trace.entityCount()) : 1;
    for (EntityId copy = 1; copy < known; ++copy)
        if (trace.copyOf(copy) == id) lock.keepers.push_back(trace.entity(copy).parent);
    return lock.keepers;
}

std::size_t ProgressJudge::neededOf(const Lock& lock, const trace::Record* record) {
    if (record && record->deciders >= 2) return std::size_t(record->deciders);
    // An ensemble agrees by itself, and does not tell how many that takes: it is more than half of them.
    return lock.keepers.empty() ? 0 : lock.keepers.size() / 2 + 1;
}

bool ProgressJudge::nodesAreDown(EntityId id, Lock& lock, const Trace& trace, const State& state) const {
    const auto up = [&state](EntityId node) { return !isDown(state, node); };
    const trace::Record* const record = recordOf(state, id);
    const EntityId parent = trace.entity(id).parent;
    if (parent != trace::kNoEntity) return isDown(state, parent);
    if (!record) return false;
    if (record->deciders == 0) return true;
    if (record->decider != trace::kNoEntity) return isDown(state, record->decider);
    const std::vector<EntityId>& keepers = keepersOf(id, lock, trace);
    return std::size_t(std::ranges::count_if(keepers, up)) < neededOf(lock, record);
}

bool ProgressJudge::linked(EntityId one, EntityId other) const {
    const auto way = [this](EntityId from, EntityId to) {
        return !m_cut.contains({from, to}) && !m_slow.isTooSlow(from, to);
    };
    return way(one, other) && way(other, one);
}

bool ProgressJudge::isConnected(EntityId client, EntityId id, Lock& lock, const Trace& trace,
                                const State& state) const {
    if (m_cut.empty() && m_slow.none()) return true;
    if (const EntityId parent = trace.entity(id).parent; parent != trace::kNoEntity) return linked(client, parent);
    const trace::Record* const record = recordOf(state, id);
    if (record && record->decider != trace::kNoEntity) return linked(client, record->decider);
    const std::vector<EntityId>& keepers = keepersOf(id, lock, trace);
    const std::size_t needed = neededOf(lock, record);
    const auto reaches = [&](EntityId node) { return !isDown(state, node) && linked(client, node); };
    if (record && record->deciders >= 2) return std::size_t(std::ranges::count_if(keepers, reaches)) >= needed;
    // One member of an ensemble is enough, if it has a majority with itself.
    return keepers.empty() || std::ranges::any_of(keepers, [&](EntityId member) {
               const auto agrees = [&](EntityId peer) {
                   return peer == member || (!isDown(state, peer) && linked(member, peer));
               };
               return reaches(member) && std::size_t(std::ranges::count_if(keepers, agrees)) >= needed;
           });
}

bool ProgressJudge::heldByTheLiving(EntityId id, const Lock& lock, const Trace& trace, const State& state) const {
    const auto works = [&](const auto& entry) {
        return entry.second.phase == Belief::Phase::Holding && !hangs(state, trace.clientOf(entry.first.second));
    };
    const auto record = state.records.find(id);
    if (lock.recorded && record != state.records.end() && record->second.observed) {
        const EntityId owner = record->second.owner;
        if (owner == trace::kNoEntity) return false;
        // A record names one owner; of those who hold together, any other may be alive.
        const auto shares = [&](const auto& entry) {
            return works(entry) && entry.second.mode != trace::HoldMode::Exclusive;
        };
        if (lock.shared && std::ranges::any_of(beliefsOf(state, id), shares)) return true;
        const Life life = lifeOf(state, trace.clientOf(owner));
        if (life == Life::Dead || hangs(state, trace.clientOf(owner))) return false;
        const auto belief = state.beliefs.find({id, owner});
        if (belief == state.beliefs.end()) return life == Life::Unknown;
        return belief->second.phase == Belief::Phase::Holding;
    }
    return std::ranges::any_of(beliefsOf(state, id), works);
}

bool ProgressJudge::waitsForMore(EntityId thread, EntityId id, const Trace& trace, const State& state) const {
    const auto asked = m_asked.find(thread);
    if (asked == m_asked.end() || asked->second.size() < 2) return false;
    return std::ranges::any_of(asked->second, [&](EntityId other) {
        const auto belief = state.beliefs.find({other, thread});
        const auto lock = m_locks.find(other);
        const bool waits = other != id && belief != state.beliefs.end() && lock != m_locks.end() &&
                           belief->second.phase == Belief::Phase::Waiting;
        return waits && heldByTheLiving(other, lock->second, trace, state);
    });
}

bool ProgressJudge::waitsAlive(EntityId thread, const Belief& belief, EntityId id, Lock& lock, const Trace& trace,
                               const State& state) const {
    if (belief.phase != Belief::Phase::Waiting) return false;
    const EntityId client = trace.clientOf(thread);
    const Life life = lifeOf(state, client);
    return life != Life::Paused && life != Life::Dead && isConnected(client, id, lock, trace, state);
}

} // namespace lockscope::verdict
