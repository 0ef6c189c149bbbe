// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/engine_words.h"
#include "timeline/lane_fold.h"
#include "trace/decider.h"
#include "trace/node.h"

#include <algorithm>

namespace lockscope::views {

using trace::Doubt;
using trace::Event;
using trace::EventKind;
using trace::FailoverPhase;

namespace {

/// Ends the open span and begins another; nothing happens when it would be the same one.
void change(SpanTrack& track, std::int64_t at, std::uint32_t row, unsigned state, std::uint32_t label) {
    label &= 0xffffffu;
    if (track.hasOpen() && track.back().state == state && track.back().label == label) return;
    if (track.hasOpen()) track.close(at);
    Span span;
    span.from = at;
    span.row = row;
    span.state = state & 0xfu;
    span.label = label;
    track.push(span);
}

} // namespace

void LaneFold::openRole(NodeSlot& n, std::int64_t at, std::uint32_t row) {
    if (!n.role) return;
    RoleBand band = *n.role;
    EntityId copies = trace::kNoEntity;
    if (band == RoleBand::Replica) {
        const EntityId follows = n.told.follows;
        const bool orphan = n.told.copiesNobody || (follows != trace::kNoEntity && node(follows).known &&
                                                    node(follows).phase == NodePhase::Down);
        band = n.told.candidate ? RoleBand::Candidate : orphan ? RoleBand::Orphan : RoleBand::Replica;
        if (band == RoleBand::Replica) copies = follows;
    }
    if (n.lane->roles.empty()) ++m_data.m_layoutVersion; // it needs more room now
    change(n.lane->roles, at, row, unsigned(band), copies);
}

void LaneFold::openLag(NodeSlot& n, std::int64_t at, std::uint32_t row) {
    // Bytes make no line over time.
    const bool timed = n.told.lag >= 0 && n.told.lagUnit == trace::LagUnit::Time;
    if (timed && n.role == RoleBand::Replica && !n.told.copiesNobody)
        change(n.lane->lag, at, row, 0, std::uint32_t(std::min<std::int64_t>(n.told.lag / kLagUnit, 0xffffff)));
    else if (n.lane->lag.hasOpen())
        n.lane->lag.close(at);
}

void LaneFold::masterChanged(const NodeSlot& master, std::int64_t at, std::uint32_t row) {
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        if (m_nodes[i].told.follows == master.id && m_nodes[i].role == RoleBand::Replica) openRole(m_nodes[i], at, row);
}

void LaneFold::watch(NodeSlot& n) {
    if (n.lane->folded) return;
    if (!m_watchers) m_watchers = &m_data.addLane(LaneKind::Watchers, trace::kNoEntity, trace::kNoEntity, 0);
    n.lane->folded = true;
    m_watchers->members.push_back(n.lane);
    ++m_data.m_layoutVersion;
}

void LaneFold::applyRole(const Event& event, std::uint32_t row) {
    NodeSlot& n = node(event.actor);
    const QByteArray& role = m_trace.entity(event.aux).name;
    if (role == "sentinel") {
        watch(n);
        return;
    }
    n.role = trace::isMasterRole(role) ? RoleBand::Master : role == "looking" ? RoleBand::Looking : RoleBand::Replica;
    trace::applyRole(n.told, event, role);
    openRole(n, event.at, row);
    openLag(n, event.at, row);
}

void LaneFold::applyLag(const Event& event, std::uint32_t row) {
    NodeSlot& n = node(event.actor);
    trace::applyLag(n.told, event);
    openRole(n, event.at, row); // a replica whose master was not known before
    openLag(n, event.at, row);
}

Lane* LaneFold::watchersOf(EntityId actor) {
    return actor != trace::kNoEntity && node(actor).lane->folded ? m_watchers : nullptr;
}

void LaneFold::applyFailover(const Event& event, std::uint32_t row) {
    Lane* const watchers = watchersOf(event.actor);
    const auto mark = [&](WatcherTick kind, std::uint32_t label = 0) {
        if (watchers) tick(watchers->ticks, event.at, row, unsigned(kind), label);
    };
    if (event.kind == EventKind::NodeDoubted) {
        const auto doubt = Doubt(event.value);
        mark(doubt == Doubt::Agreed  ? WatcherTick::Agreed
             : doubt == Doubt::Alone ? WatcherTick::Doubts
                                     : WatcherTick::Trusts,
             event.aux);
        return;
    }
    if (event.kind == EventKind::VoteCast) {
        if (std::exchange(m_voteEpoch, event.value) != event.value) m_votes.clear();
        ++m_votes[event.subject];
        mark(WatcherTick::Votes);
        // A server that elects by itself, without Sentinels, has the mark on its own lane.
        if (!watchers && event.actor != trace::kNoEntity)
            tick(node(event.actor).lane->ticks, event.at, row, unsigned(WatcherTick::Votes));
        return;
    }
    switch (FailoverPhase(event.value)) {
    case FailoverPhase::Led:
        mark(WatcherTick::Leads, m_votes[event.actor]);
        break;
    case FailoverPhase::Chosen: {
        NodeSlot& chosen = node(event.subject);
        chosen.told.candidate = true;
        openRole(chosen, event.at, row);
        break;
    }
    case FailoverPhase::Promoted:
        mark(WatcherTick::Promotes);
        break;
    case FailoverPhase::Announced:
        mark(WatcherTick::Announces);
        break;
    case FailoverPhase::Abandoned:
        mark(WatcherTick::GivesUp);
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            if (std::exchange(m_nodes[i].told.candidate, false)) openRole(m_nodes[i], event.at, row);
        break;
    case FailoverPhase::Demoted:
        mark(WatcherTick::Demotes);
        break;
    case FailoverPhase::Begun:
    case FailoverPhase::Ended:
    case FailoverPhase::Asked:
        break;
    }
}

void LaneFold::applyEngine(const Event& event, std::uint32_t row) {
    SpanTrack& switches = m_data.m_engineSwitches;
    switch (trace::EngineNews(event.flags & trace::kEngineNewsMask)) {
    case trace::EngineNews::Leaving:
        // A client that hears of it late, when the next engine is in use already, is alone with it.
        if (switches.hasOpen() || event.value < m_engineEpoch || !leavesForASwitch(event, m_trace)) return;
        change(switches, event.at, row, 0, 0);
        break;
    case trace::EngineNews::InUse:
        m_engineEpoch = std::max(m_engineEpoch, event.value);
        if (!switches.hasOpen()) return;
        switches.close(event.at); // a server of the new engine is told of at this very instant
        break;
    case trace::EngineNews::Refused:
        if (!switches.hasOpen()) return;
        switches.close(event.at);
        break;
    case trace::EngineNews::Unhealthy:
    case trace::EngineNews::Healthy:
        return;
    }
    drawDeciders(event.at, row);
}

void LaneFold::drawDecider(LockSlot& l, std::int64_t at, std::uint32_t row) {
    if (l.record.deciders < 0) return;
    const EntityId decider = l.record.decider;
    trace::Deciding now{.enginesChange = m_data.m_engineSwitches.hasOpen(), .deciders = l.record.deciders};
    now.deciderDead = decider != trace::kNoEntity && node(decider).phase == NodePhase::Down;
    if (now.deciders > 1)
        for (const LockSlot* const copy : l.copies) {
            const EntityId server = m_trace.entity(copy->id).parent;
            now.copies.push_back(
                {copy->record.owner, server != trace::kNoEntity && node(server).phase == NodePhase::Down});
        }
    SpanTrack& track = l.lane->deciders;
    switch (trace::whoCannotDecide(now)) {
    case trace::CannotDecide::None:
        if (decider != trace::kNoEntity) return change(track, at, row, unsigned(Decider::One), decider);
        return change(track, at, row, unsigned(Decider::Several), std::uint32_t(now.deciders));
    case trace::CannotDecide::EnginesChange:
        return change(track, at, row, unsigned(Decider::Switching), decider);
    case trace::CannotDecide::NoServer:
    case trace::CannotDecide::NoMajority:
    case trace::CannotDecide::Divided:
    case trace::CannotDecide::DeciderDead:
        return change(track, at, row, unsigned(Decider::Nobody), 0);
    }
}

void LaneFold::drawDeciders(std::int64_t at, std::uint32_t row) {
    for (std::size_t i = 0; i < m_locks.size(); ++i)
        drawDecider(m_locks[i], at, row);
}

void LaneFold::applyDecider(LockSlot& l, const Event& event, std::uint32_t row) {
    SpanTrack& track = l.lane->deciders;
    if (event.value < 0) { // not told from here on
        if (track.hasOpen()) track.close(event.at);
        return;
    }
    if (track.empty()) ++m_data.m_layoutVersion;
    drawDecider(l, event.at, row);
}

} // namespace lockscope::views
