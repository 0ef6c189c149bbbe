// SPDX-License-Identifier: Apache-2.0
#include "trace/leftover.h"

#include "trace/look_back.h"
#include "trace/state.h"
#include "trace/trace.h"

#include <algorithm>
#include <utility>

namespace lockscope::trace {

namespace {
/// So long a release may be on its way, or a watcher may not have looked again.
constexpr std::int64_t kOnItsWay = Nanos(1s).count();
} // namespace

bool decidesNow(const Event& held, std::size_t row, const Trace& trace) {
    for (std::size_t i = std::min(row, trace.size()); i-- > 0 && trace.timeAt(i) == held.at;)
        if (trace.kindAt(i) == EventKind::RecordDecider && trace.at(i).subject == held.subject) return true;
    return false;
}

std::optional<TakenOver> takenOver(const Event& held, const Record& copy, const Belief* believer, const Trace& trace) {
    if (copy.owner != held.actor || copy.since >= held.at) return std::nullopt;
    TakenOver over{copy.since, copy.leaseFrom, false};
    if (!believer) return over;
    if (believer->holding()) {
        // The copy came later than the grant; an older one is of another hold.
        over.since = std::min(copy.since, believer->since);
        over.leaseFrom = std::min(copy.leaseFrom, std::max(believer->since, believer->lastRenewal));
        return over;
    }
    over.outdated = !believer->waiting() || copy.since < believer->since;
    if (!over.outdated) return over;
    // Its first server had it before the copy.
    const TakenOver first = loaded(held, trace.upperBound(Nanos(copy.since)), believer, trace);
    return first.since < copy.since ? first : over;
}

TakenOver loaded(const Event& held, std::size_t row, const Belief* believer, const Trace& trace) {
    TakenOver over{held.at, held.at, !believer || !believer->holding()};
    const std::size_t end = std::min(row, trace.size()), last = firstRowBefore(end);
    bool renewed = false;
    for (std::size_t i = end; i-- > last;) {
        const EventKind kind = trace.kindAt(i);
        if (kind != EventKind::RecordHeld && kind != EventKind::RecordRenewed) continue;
        const Event before = trace.at(i);
        if (before.subject != held.subject || before.actor != held.actor) continue;
        if (!std::exchange(renewed, true)) over.leaseFrom = before.at;
        if (kind == EventKind::RecordRenewed) continue;
        over.since = before.at;
        break;
    }
    return over;
}

void applyRecord(Record& record, const Event& event, Belief* believer, const std::optional<TakenOver>& over) {
    Belief nobody; // does not even ask
    applyRecord(record, event, over && over->outdated ? &nobody : believer);
    if (!over) return;
    record.since = over->since;
    record.leaseFrom = over->leaseFrom;
}

std::optional<std::int64_t> heldSince(const Record& record, EntityId thread) {
    if (thread == kNoEntity) return std::nullopt;
    if (record.owner == thread) return record.since;
    const auto named = std::ranges::find(record.holders, thread, &Holder::thread);
    return named == record.holders.end() ? std::nullopt : std::optional(named->since);
}

bool isUnheard(const Record& record, const Belief& belief, EntityId thread) {
    // A record that cannot be seen may name a holder of long ago, which asks again.
    if (!belief.waiting() || !record.observed) return false;
    const auto since = heldSince(record, thread);
    return since && *since >= belief.since;
}

namespace {

/// `belief`: of the record's owner in the lock.
bool isLeftover(const Record& record, const Belief& belief, std::int64_t t) {
    if (belief.holding()) return false;
    if (belief.waiting() && record.since >= belief.since) return false; // has not heard of it
    return t - belief.since > kOnItsWay;
}

/// Nobody beside it could hold the lock by this record; and it is seen.
bool hasOneOwner(const Record& record) {
    return record.owner != kNoEntity && record.holders.size() < 2 && record.mode == HoldMode::Exclusive &&
           record.observed;
}

} // namespace

bool isLeftover(EntityId lock, const State& state, std::int64_t t) {
    const auto found = state.records.find(lock);
    if (found == state.records.end() || !hasOneOwner(found->second)) return false;
    const auto belief = state.beliefs.find({lock, found->second.owner});
    return belief != state.beliefs.end() && isLeftover(found->second, belief->second, t);
}

std::vector<EntityId> leftoverCopies(EntityId lock, const State& state, const Trace& trace, std::int64_t t) {
    std::vector<EntityId> copies;
    for (const auto& [copy, record] : state.records) {
        if (record.copyOf != lock || !hasOneOwner(record)) continue;
        const auto server = state.nodes.find(trace.entity(copy).parent);
        if (server != state.nodes.end() && server->second.life == ClientState::Life::Dead) continue;
        const auto belief = state.beliefs.find({lock, record.owner});
        if (belief != state.beliefs.end() && isLeftover(record, belief->second, t)) copies.push_back(copy);
    }
    return copies;
}

} // namespace lockscope::trace
