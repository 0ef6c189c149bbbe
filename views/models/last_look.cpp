// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/last_look.h"

#include "models/lock_facts.h"
#include "models/view_context.h"
#include "session/connection_desk.h"
#include "trace/connection.h"
#include "trace/server_told.h"

namespace lockscope::views {

namespace {

/// Looks that come as often as this tell nearly as much as a server that tells by itself.
constexpr Nanos kOften = 1s;

/// How far apart the looks at the lock's server are at most; 0: it tells of each change.
Nanos looksApart(trace::EntityId connection, const ViewContext& context) {
    const auto trace = context.trace();
    Nanos apart{};
    for (const auto& [node, state] : context.state().nodes) {
        if (state.looksApart == trace::kNoEntity || trace::connectionOf(*trace, node) != connection) continue;
        apart = std::max(apart, trace::looksApartIn(trace->entity(state.looksApart).name).value_or(Nanos(0)));
    }
    return apart;
}

} // namespace

bool seenToBegin(trace::EntityId lock, const trace::Record& record, const trace::Trace& trace) {
    if (record.grants <= 1) return false;
    // Readers and holders of permits may all have been there at the first look: each of them counts as a grant.
    if (record.holders.size() <= 1 && record.mode == trace::HoldMode::Exclusive) return true;
    constexpr std::size_t kMostRows = 2048; // of one instant
    const std::size_t first = trace.lowerBound(Nanos(record.since)), end = std::min(first + kMostRows, trace.size());
    for (std::size_t row = first; row < end && trace.timeAt(row) == record.since; ++row) {
        if (trace.kindAt(row) != trace::EventKind::RecordHeld) continue;
        const trace::Event e = trace.at(row);
        if (e.subject == lock && e.actor == record.owner) return (e.flags & trace::kSeenToBegin) != 0;
    }
    return false;
}

Nanos knownUntil(trace::EntityId lock, const ViewContext& context) {
    const Nanos now = context.playhead();
    const trace::EntityId connection = trace::connectionOf(*context.trace(), lock);
    if (connection == trace::kNoEntity) return now;
    const Nanos apart = looksApart(connection, context);
    if (apart == Nanos(0)) return now;
    if (const session::ConnectionDesk* const desk = session::connectionDeskOf(context.session())) {
        if (const session::ConnectionFacts* const its = desk->find(connection); its && its->lookedAt >= Nanos(0)) {
            Nanos at = its->lookedAt;
            if (its->lookedAtBefore)
                if (const auto before = its->lookedAtBefore->find(lock); before != its->lookedAtBefore->end())
                    at = before->second;
            if (at <= now) return at;
        }
    }
    return apart > kOften ? std::max(now - apart, Nanos(0)) : now; // somewhere in between was the last look
}

void countToLastLook(LockFacts& facts, const ViewContext& context) {
    if (!facts.held() || facts.ownClients) return;
    const Nanos unknown = context.playhead() - knownUntil(facts.lock, context);
    if (unknown > kOften) facts.heldFor = std::max(facts.heldFor - unknown, Nanos(0));
    // It began at any time between two looks, and that does not change from one of them to the next.
    const trace::EntityId connection = trace::connectionOf(*context.trace(), facts.lock);
    const auto record = context.state().records.find(facts.lock);
    const bool told = record != context.state().records.end() && record->second.toldSince != trace::kSinceNotTold;
    if (!told && connection != trace::kNoEntity && looksApart(connection, context) > kOften) facts.sinceKnown = false;
}

} // namespace lockscope::views
