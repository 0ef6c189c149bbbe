// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/looks.h"

#include "models/engine_drain.h"
#include "trace/belief.h"
#include "trace/connection.h"
#include "trace/member.h"

namespace lockscope::views {

using trace::EntityId;
using trace::kNoEntity;

namespace {

/// A server that answers is in sight, though too few of those that decide together do so to know of the lock.
bool answers(EntityId node, const trace::Record& copy, const trace::State& state, const trace::Trace& trace) {
    if (copy.copyOf == kNoEntity || trace::connectionOf(trace, node) == kNoEntity) return false;
    const auto found = state.nodes.find(node);
    return found != state.nodes.end() && found->second.unseenSince < 0;
}

/// A value on a minority of the servers that decide together holds nothing.
bool isOutvoted(const trace::Record& copy, const trace::State& state) {
    const auto whole = state.records.find(copy.copyOf);
    if (copy.copyOf == kNoEntity || whole == state.records.end()) return false;
    const bool together = whole->second.deciders > 1 || whole->second.deciders == 0;
    return together && whole->second.observed && !whole->second.names(copy.owner);
}

/// One value on several servers is hardly chance, though each copy alone may be no lock.
trace::Certainty certaintyOf(const trace::Record& record, const trace::State& state) {
    const auto whole = state.records.find(record.copyOf);
    return record.copyOf == kNoEntity || whole == state.records.end() ? record.certainty : whole->second.certainty;
}

/// The clients whose waiting a change of engines has interrupted up to `t`: they wait for it to be over. Clients that
/// have just released rest, as far as a trace tells.
std::set<EntityId> waitingFor(const EngineDrain& change, const trace::Trace& trace, Nanos t) {
    std::set<EntityId> waiting;
    for (std::size_t row = trace.upperBound(t); row-- > 0 && Nanos(trace.timeAt(row)) >= change.from;)
        if (trace.kindAt(row) == trace::EventKind::Interrupted) waiting.insert(trace.clientOf(trace.at(row).actor));
    return waiting;
}

} // namespace

Looks::Looks(const ViewContext& context) : m_context(context) {
    const trace::State& state = context.state();
    const auto trace = context.trace();
    if (const auto drain = engineDrainAt(*trace, context.settings(), context.playhead()))
        m_engineWaiters = waitingFor(*drain, *trace, context.playhead());
    for (const auto& [key, belief] : state.beliefs) {
        Stand& stand = m_believers[trace->clientOf(key.second)];
        if (belief.phase == trace::Belief::Phase::Idle) continue;
        ClientLook::Belief now = ClientLook::Belief::Waiting;
        if (belief.phase == trace::Belief::Phase::Holding) {
            const auto record = state.records.find(key.first);
            const bool stale = record != state.records.end() && trace::contradicts(record->second, belief, key.second);
            now = stale ? ClientLook::Belief::Stale : ClientLook::Belief::Holding;
        }
        if (now >= stand.belief) stand = {now, belief.since};
    }
    for (const auto& [ends, session] : state.sessions) {
        // A session is suspended with nobody, and connected with a server: each tells of the same one.
        trace::SessionState& newest = m_sessions.try_emplace(ends.first, session).first->second;
        if (session.since >= newest.since) newest = session;
    }
    for (const auto& [lock, record] : state.records) {
        if (record.noLongerShown || (record.observed && record.owner == kNoEntity)) continue;
        const EntityId node = trace::keeperOf(*trace, lock, record.decider);
        if (!record.observed && !answers(node, record, state, *trace)) m_outOfSight.insert(node);
        if (record.owner == kNoEntity) continue;
        if (!record.observed) m_outOfSight.insert(trace->clientOf(record.owner));
        if (isOutvoted(record, state)) continue;
        if (certaintyOf(record, state) != trace::Certainty::Guess) ++m_held[node];
        if (record.observed) m_recorded.insert(trace->clientOf(record.owner));
    }
}

ClientLook Looks::of(EntityId client) const {
    ClientLook look;
    look.engineChanges = m_engineWaiters.contains(client);
    const trace::State& state = m_context.state();
    if (const auto found = state.clients.find(client); found != state.clients.end()) {
        look.life = found->second.life;
        look.watchdogStopped = found->second.watchdogStopped;
        look.clock = found->second;
    }
    if (const auto found = m_sessions.find(client); found != m_sessions.end()) look.session = found->second.phase;
    if (const auto found = m_believers.find(client); found != m_believers.end()) {
        look.belief = found->second.belief;
        look.since = Nanos(found->second.since);
    } else if (look.life == trace::ClientState::Life::Unknown) {
        look.belief = ClientLook::Belief::Unobserved;
        look.recorded = m_recorded.contains(client);
        look.inSight = m_context.trace()->ofRealServers() && inSight(client); // of servers that are watched
    }
    return look;
}

int Looks::heldOn(EntityId node) const {
    const auto found = m_held.find(node);
    return found == m_held.end() ? 0 : found->second;
}

} // namespace lockscope::views
