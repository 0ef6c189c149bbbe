// SPDX-License-Identifier: Apache-2.0
#include "verdict/failover_story.h"

#include "trace/death.h"
#include "trace/look_back.h"
#include "verdict/engine_change.h"
#include "verdict/verdict.h"

#include <algorithm>
#include <map>
#include <set>

namespace lockscope::verdict {

using trace::EntityId;
using trace::Event;
using trace::EventKind;

namespace {

/// Whether the row changes the link of two servers, or all links.
bool concernsLink(EntityId a, EntityId b, std::size_t row, const trace::Trace& trace) {
    const EventKind kind = trace.kindAt(row);
    if (kind == EventKind::Healed) return true;
    if (kind != EventKind::LinkCut && kind != EventKind::LinkMended) return false;
    const trace::Entity& link = trace.entity(trace.at(row).subject);
    return std::minmax(link.parent, link.other) == std::minmax(a, b);
}

/// How long the link of two servers was cut around row `row`; nullopt: it was not.
std::optional<Chronicle::Span> cutAround(EntityId a, EntityId b, std::size_t row, const trace::Trace& trace) {
    const std::size_t first = trace::firstRowBefore(row);
    std::optional<Chronicle::Span> cut;
    for (std::size_t i = row; i-- > first;) {
        if (!concernsLink(a, b, i, trace)) continue;
        if (trace.kindAt(i) != EventKind::LinkCut) break;
        cut = Chronicle::Span{trace.at(i).time(), kNever}; // of several rows that cut ways of it, the first one
    }
    if (!cut) return {};
    const std::size_t end = std::min(trace.size(), row + trace::kFarthest);
    for (std::size_t i = row; i < end && cut->to == kNever; ++i)
        if (concernsLink(a, b, i, trace) && trace.kindAt(i) != EventKind::LinkCut) cut->to = trace.at(i).time();
    return cut;
}

/// How far a replica was behind before row `end`, as it was measured last; 0: never, or in bytes.
Nanos lagOf(EntityId server, std::size_t end, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(end);
    for (std::size_t i = end; i-- > last;) {
        if (trace.kindAt(i) != EventKind::ReplicationLag) continue;
        const Event e = trace.at(i);
        if (e.actor != server || e.value < 0) continue;
        return trace::LagUnit(e.flags & trace::kLagUnitMask) == trace::LagUnit::Time ? Nanos(e.value) : Nanos(0);
    }
    return Nanos(0);
}

} // namespace

EntityId ownerOfCopy(EntityId server, EntityId lock, std::size_t end, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(end);
    for (std::size_t i = end; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordFreed) continue;
        const Event e = trace.at(i);
        if (trace.copyOf(e.subject) != lock || trace.entity(e.subject).parent != server) continue;
        return kind == EventKind::RecordHeld ? e.actor : trace::kNoEntity;
    }
    return trace::kNoEntity;
}

EntityId deciderBefore(std::size_t begin, EntityId lock, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(begin);
    for (std::size_t i = begin; i-- > last;) {
        if (trace.kindAt(i) != EventKind::RecordDecider) continue;
        const Event e = trace.at(i);
        if (e.subject == lock) return e.actor;
    }
    return trace::kNoEntity;
}

std::vector<EntityId> decidingServers(EntityId lock, std::size_t begin, const trace::Trace& trace) {
    if (const EntityId own = trace.entity(lock).parent; own != trace::kNoEntity) return {own};
    if (const EntityId one = deciderBefore(begin, lock, trace); one != trace::kNoEntity) return {one};
    std::vector<EntityId> all;
    for (EntityId id = 1; id < trace.entityCount(); ++id)
        if (trace.copyOf(id) == lock) all.push_back(trace.entity(id).parent);
    return all;
}

bool severalDecideBefore(std::size_t begin, EntityId lock, const trace::Trace& trace) {
    const std::size_t last = trace::firstRowBefore(begin);
    for (std::size_t i = begin; i-- > last;) {
        if (trace.kindAt(i) != EventKind::RecordDecider) continue;
        const Event e = trace.at(i);
        if (e.subject == lock && e.value != 0) return e.value != 1; // 0: nobody decides for a while
    }
    // An ensemble that agrees by itself tells nothing of that until it cannot.
    int copies = 0;
    for (EntityId id = 1; id < trace.entityCount() && trace.entity(lock).parent == trace::kNoEntity; ++id)
        copies += trace.copyOf(id) == lock;
    return copies > 1;
}

std::optional<FailoverStory> failoverStoryOf(const Chronicle& c, EntityId lock, std::size_t row,
                                             const trace::Trace& trace) {
    if (!c.granted || !c.recordEnded) return {};
    const Nanos from = std::min(*c.granted, c.leaseFrom.value_or(*c.granted));
    const std::size_t begin = trace.upperBound(from - Nanos(1)), end = std::min(row + 1, trace.size());
    FailoverStory story;
    story.former = deciderBefore(begin, lock, trace);
    std::map<EntityId, Event> deaths;
    std::set<EntityId> copies; // servers whose copy names the holder
    for (std::size_t i = begin; i < end; ++i) {
        const Event e = trace.at(i);
        switch (e.kind) {
        case EventKind::NodeKilled:
            deaths[e.actor] = e;
            break;
        case EventKind::RecordHeld:
        case EventKind::RecordRenewed:
            if (trace.copyOf(e.subject) == lock && e.actor == c.thread) copies.insert(trace.entity(e.subject).parent);
            break;
        case EventKind::RecordFreed:
            if (trace.copyOf(e.subject) == lock && e.aux == c.thread) copies.erase(trace.entity(e.subject).parent);
            break;
        case EventKind::RecordDecider: {
            if (e.subject != lock || e.actor == trace::kNoEntity) break;
            if (story.former == trace::kNoEntity || e.actor == story.former) {
                story.former = e.actor;
                break;
            }
            if (copies.contains(e.actor)) return {}; // it had the hold: that is not why it was lost
            if (isEngineChange(e, trace)) return {};
            story.next = e.actor;
            story.took = e.time();
            story.behind = lagOf(e.actor, i, trace);
            story.outdated = ownerOfCopy(e.actor, lock, i, trace);
            copies.erase(story.former);
            story.copied = !copies.empty();
            if (const auto death = deaths.find(story.former); death != deaths.end()) {
                story.killed = death->second.time();
                story.crashed = trace::isCrash(death->second);
            }
            return story;
        }
        default:
            break;
        }
    }
    return {};
}

std::optional<FormerMasterStory> formerMasterStoryOf(EntityId thread, EntityId lock, std::size_t row,
                                                     const trace::Trace& trace) {
    FormerMasterStory story;
    std::size_t i = std::min(row + 1, trace.size());
    const std::size_t last = trace::firstRowBefore(i);
    bool named = false; // by the record itself
    // Back to the request: the copy that was written for it tells which server gave the lock.
    while (i-- > last) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::RecordHeld && kind != EventKind::Requested) continue;
        const Event e = trace.at(i);
        if (e.actor != thread) continue;
        if (e.subject == lock) {
            named = kind == EventKind::RecordHeld;
            break;
        }
        if (trace.copyOf(e.subject) != lock) continue;
        story.former = trace.entity(e.subject).parent;
        story.gave = e.time();
    }
    if (named || story.former == trace::kNoEntity) return {};
    // Further back to the change that took the decision away from that server.
    for (std::size_t at = trace.upperBound(story.gave); at-- > last;) {
        if (trace.kindAt(at) != EventKind::RecordDecider) continue;
        const Event e = trace.at(at);
        if (e.subject != lock || e.actor == trace::kNoEntity) continue;
        if (e.actor == story.former) break;
        if (isEngineChange(e, trace)) return {};
        story.next = e.actor;
        story.took = e.time();
    }
    if (story.next == trace::kNoEntity) return {};
    story.cut = cutAround(story.former, story.next, trace.upperBound(story.gave), trace);
    return story;
}

bool heirless(const FailoverStory& story, const Chronicle& c) {
    return !c.successorAt || (c.successor == story.outdated && *c.successorAt == story.took);
}

std::optional<std::pair<trace::EntityId, FormerMasterStory>> newerTokensMasterOf(const Violation& violation,
                                                                                 const trace::Trace& trace) {
    for (std::size_t row = std::min(violation.row, trace.size()); violation.newerToken && row-- > 0;) {
        if (trace.kindAt(row) != trace::EventKind::WriteAccepted) continue;
        const trace::Event e = trace.at(row);
        if (e.subject != violation.resource || e.value != violation.newerToken) continue;
        const auto story = formerMasterStoryOf(e.actor, violation.lock, row, trace);
        return story ? std::optional(std::pair(e.actor, *story)) : std::nullopt;
    }
    return std::nullopt;
}

} // namespace lockscope::verdict
