// SPDX-License-Identifier: Apache-2.0
#include "trace/decider.h"

#include "trace/state.h"
#include "trace/trace.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lockscope::trace {

namespace {
/// memcached forgets what was stored in the second of the deletion only when that is over.
constexpr Nanos kLatest = 1s;
} // namespace

namespace {

bool isNodeLoss(const Event& event) {
    return event.kind == EventKind::RecordFreed && (event.flags & kFreedByMask) == unsigned(FreedBy::NodeLoss);
}

/// The RecordDecider of the same lock at the same instant.
std::optional<Event> deciderToldWith(const Event& event, const Trace& trace) {
    for (std::size_t row = trace.upperBound(event.time()); row-- > 0 && trace.timeAt(row) == event.at;) {
        if (trace.kindAt(row) != EventKind::RecordDecider) continue;
        if (const Event e = trace.at(row); e.subject == event.subject) return e;
    }
    return std::nullopt;
}

} // namespace

EntityId newDeciderAt(const Event& freed, const Trace& trace) {
    if (!isNodeLoss(freed) && freed.kind != EventKind::RecordObserved) return kNoEntity;
    const auto told = deciderToldWith(freed, trace);
    return told ? told->actor : kNoEntity;
}

bool tooFewHaveIt(const Event& freed, const Trace& trace) {
    if (!isNodeLoss(freed) || deciderToldWith(freed, trace)) return false;
    for (EntityId id = 1; id < trace.entityCount(); ++id)
        if (trace.copyOf(id) == freed.subject) return true;
    return false;
}

namespace {
/// A copy that nobody has written yet is not known, and counts as alive.
std::int64_t serversOf(std::int64_t deciders, std::int64_t copies) {
    return std::max(copies, 2 * deciders - 2);
}
} // namespace

CannotDecide whoCannotDecide(const Deciding& deciding) {
    if (deciding.enginesChange) return CannotDecide::EnginesChange;
    if (deciding.deciders == 0) return CannotDecide::NoServer;
    if (deciding.deciders < 2) return deciding.deciderDead ? CannotDecide::DeciderDead : CannotDecide::None;
    std::int64_t dead = 0, away = 0, most = 0; // away: dead, or some client's
    std::map<EntityId, std::int64_t> named;    // clients, by the living servers that name them
    for (const Deciding::Copy& copy : deciding.copies) {
        dead += copy.dead;
        away += copy.dead || copy.owner != kNoEntity;
        if (!copy.dead && copy.owner != kNoEntity) most = std::max(most, ++named[copy.owner]);
    }
    const std::int64_t servers = serversOf(deciding.deciders, std::int64_t(deciding.copies.size()));
    if (servers - dead < deciding.deciders) return CannotDecide::NoMajority;
    const bool divided = named.size() > 1 && servers - away + most < deciding.deciders;
    return divided ? CannotDecide::Divided : CannotDecide::None;
}

CannotDecide whoCannotDecide(EntityId lock, const Trace& trace, const State& state, bool enginesChange) {
    const auto isDead = [&](EntityId server) {
        const auto node = state.nodes.find(server);
        return server != kNoEntity && node != state.nodes.end() && node->second.life == ClientState::Life::Dead;
    };
    Deciding deciding{.enginesChange = enginesChange};
    const auto record = state.records.find(lock);
    EntityId server = trace.entity(lock).parent;
    if (record != state.records.end()) {
        deciding.deciders = record->second.deciders;
        if (server == kNoEntity) server = record->second.decider;
    }
    deciding.deciderDead = isDead(server);
    if (deciding.deciders > 1)
        for (const auto& [copy, its] : state.records)
            if (trace.copyOf(copy) == lock) deciding.copies.push_back({its.owner, isDead(trace.entity(copy).parent)});
    return whoCannotDecide(deciding);
}

EntityId emptiedBy(const Event& freed, const Trace& trace) {
    if (!isNodeLoss(freed)) return kNoEntity;
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
