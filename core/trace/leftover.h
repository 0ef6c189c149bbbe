// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/belief.h"
#include "trace/record.h"
#include "trace/trace.h"

#include <optional>

namespace lockscope::trace {

struct State;

/// A hold that was there before the server came to decide whose copy the record follows from a RecordHeld on.
struct TakenOver {
    std::int64_t since = 0, leaseFrom = 0; ///< of the hold itself, which is older than the row
    bool outdated = false;                 ///< its owner gave it back, or lost it, before: the copy had not heard of it
};

/// Whether the server that decides from this RecordHeld on was told to decide at its very instant. `row`: the event's.
bool decidesNow(const Event& held, std::size_t row, const Trace& trace);
/// The hold of a RecordHeld for which decidesNow(). `copy`: the deciding server's; `believer`: the belief of the row's
/// actor, nullptr: it has none. nullopt: the hold begins with the row.
std::optional<TakenOver> takenOver(const Event& held, const Record& copy, const Belief* believer, const Trace& trace);
/// The hold of a RecordHeld that a server has loaded from its disk at its start: nobody was given it. `row`: the
/// event's.
TakenOver loaded(const Event& held, std::size_t row, const Belief* believer, const Trace& trace);
/// The older hold that a row takes over, if it does: State and the timeline's lanes ask by this. `record`: of the row's
/// lock, before the row. `copyOn(server)`: that server's copy of the lock, a const Record*, nullptr: it has none.
/// `isDead(server)`: whether it is: the row of its start follows what it has loaded.
template <typename CopyOn, typename IsDead>
std::optional<TakenOver> olderHold(const Event& event, std::size_t row, const Record& record, const Belief* believer,
                                   const Trace& trace, CopyOn copyOn, IsDead isDead) {
    if (event.kind != EventKind::RecordHeld) return std::nullopt;
    const EntityId server = trace.entity(event.subject).parent;
    if (server != kNoEntity && isDead(server)) return loaded(event, row, believer, trace);
    if (record.decider == kNoEntity || !decidesNow(event, row, trace)) return std::nullopt;
    const Record* const copy = copyOn(record.decider);
    return copy ? takenOver(event, *copy, believer, trace) : std::nullopt;
}
/// applyRecord() for a row that may take an older hold over: it gets no number of its own.
void applyRecord(Record& record, const Event& event, Belief* believer, const std::optional<TakenOver>& over);

/// Since when the record's present hold of this thread lasts; nullopt: it has none.
std::optional<std::int64_t> heldSince(const Record& record, EntityId thread);
/// Whether a thread that waits has the lock on the server and has not heard of it. A hold older than its request is not
/// what it asks for.
bool isUnheard(const Record& record, const Belief& belief, EntityId thread);
/// Whether the lock's only holder by the record is a client of ours that does not think that it holds it, and will not:
/// it gave the hold up, its own deadline has passed, or it asks anew. A release on its way is none. `t`: the instant of
/// the state.
bool isLeftover(EntityId lock, const State& state, std::int64_t t);
/// The copies of a lock, on servers that run, of which the same is true: a release that did not reach them. Each stands
/// in the way of a majority until its lease ends.
std::vector<EntityId> leftoverCopies(EntityId lock, const State& state, const Trace& trace, std::int64_t t);

} // namespace lockscope::trace
