// SPDX-License-Identifier: Apache-2.0
#include "trace/decider.h"

#include "trace/state.h"
#include "trace/trace.h"

#include <algorithm>
#include <map>

namespace lockscope::trace {

namespace {
/// memcached forgets what was stored in the second of the deletion only when that is over.
constexpr Nanos kLatest = 1s;
} // namespace

EntityId newDeciderAt(const Event& freed, const Trace& trace) {
    if (freed.kind != EventKind::RecordFreed || (freed.flags & kFreedByMask) != unsigned(FreedBy::NodeLoss))
        return kNoEntity;
    for (std::size_t row = trace.upperBound(freed.time()); row-- > 0 && trace.timeAt(row) == freed.at;) {
        if (trace.kindAt(row) != EventKind::RecordDecider) continue;
        if (const Event e = trace.at(row); e.subject == freed.subject) return e.actor;
    }
    return kNoEntity;
}

namespace {
/// A copy that nobody has written yet is not known, and counts as alive.
std::int64_t serversOf(std::int64_t deciders, std::int64_t copies) {
    return std::max(copies, 2 * deciders - 2);
}
} // namespace

bool tooFewDecide(std::int64_t deciders, std::int64_t copies, std::int64_t dead) {
    return deciders > 1 && serversOf(deciders, copies) - dead < deciders;
}

bool lacksMajority(EntityId lock, const Trace& trace, const State& state) {
    const auto logical = state.records.find(lock);
    if (logical == state.records.end() || logical->second.deciders < 2) return false;
    std::int64_t copies = 0, dead = 0;
    for (const auto& [copy, record] : state.records) {
        if (trace.copyOf(copy) != lock) continue;
        const auto node = state.nodes.find(trace.entity(copy).parent);
        ++copies;
        dead += node != state.nodes.end() && node->second.life == ClientState::Life::Dead;
    }
    return tooFewDecide(logical->second.deciders, copies, dead);
}

bool isDivided(EntityId lock, const Trace& trace, const State& state) {
    const auto logical = state.records.find(lock);
    if (logical == state.records.end() || logical->second.deciders < 2) return false;
    const std::int64_t deciders = logical->second.deciders;
    std::int64_t copies = 0, away = 0, most = 0; // away: dead, or some client's
    std::map<EntityId, std::int64_t> named;      // clients, by the servers that name them
    for (const auto& [copy, record] : state.records) {
        if (trace.copyOf(copy) != lock) continue;
        const auto node = state.nodes.find(trace.entity(copy).parent);
        const bool dead = node != state.nodes.end() && node->second.life == ClientState::Life::Dead;
        ++copies;
        away += dead || record.owner != kNoEntity;
        if (!dead && record.owner != kNoEntity) most = std::max(most, ++named[record.owner]);
    }
    return named.size() > 1 && serversOf(deciders, copies) - away + most < deciders;
}

bool deciderIsDead(EntityId lock, const Trace& trace, const State& state) {
    EntityId server = trace.entity(lock).parent;
    if (const auto record = state.records.find(lock); server == kNoEntity && record != state.records.end())
        server = record->second.decider;
    const auto node = state.nodes.find(server);
    return server != kNoEntity && node != state.nodes.end() && node->second.life == ClientState::Life::Dead;
}

EntityId emptiedBy(const Event& freed, const Trace& trace) {
    if (freed.kind != EventKind::RecordFreed || (freed.flags & kFreedByMask) != unsigned(FreedBy::NodeLoss))
        return kNoEntity;
    // The copies of replicas follow their master.
    const bool anyServer = trace.copyOf(freed.subject) != kNoEntity;
    const EntityId own = anyServer ? kNoEntity : trace.entity(freed.subject).parent;
    for (std::size_t row = trace.upperBound(freed.time());
         row-- > 0 && trace.timeAt(row) + kLatest.count() >= freed.at;) {
        const EventKind kind = trace.kindAt(row);
        if (kind == EventKind::NodeKilled) return kNoEntity;
        if (kind != EventKind::RecordDecider && kind != EventKind::SettingChanged) continue;
        const Event e = trace.at(row);
        if (kind == EventKind::RecordDecider && e.subject == freed.subject) return kNoEntity;
        if (kind != EventKind::SettingChanged || trace.entity(e.aux).name != kAllDeleted) continue;
        if (own == kNoEntity || own == e.actor) return e.actor;
    }
    return kNoEntity;
}

} // namespace lockscope::trace
