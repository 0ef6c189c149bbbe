// SPDX-License-Identifier: Apache-2.0
#include "trace/state.h"

#include <algorithm>
#include <utility>

namespace lockscope::trace {

namespace {

/// The belief is over; the thread stands where it stood in its recipe.
void endBelief(Belief& belief, std::int64_t at) {
    const std::uint32_t step = belief.step;
    const bool asleep = belief.asleep;
    const EntityId recipe = belief.recipe;
    belief = {};
    belief.step = step;
    belief.recipe = recipe;
    belief.asleep = asleep;
    belief.since = at;
}

void endHolding(Belief& belief, std::int64_t at) {
    if (belief.phase == Belief::Phase::Holding) endBelief(belief, at);
}

bool isMasterRole(const QByteArray& role) {
    return role == "master" || role == "leader";
}

template <typename T>
void setLife(T& state, ClientState::Life life, std::int64_t at) {
    state.life = life;
    state.since = at;
}

} // namespace

bool contradicts(const Record& record, const Belief& belief, EntityId thread) {
    if (belief.phase != Belief::Phase::Holding || !record.seen || !record.observed) return false;
    switch (belief.mode) {
    case HoldMode::Exclusive:
        return record.owner != thread;
    case HoldMode::Shared:
        if (record.holders.empty() || !record.namesAllHolders()) return record.owner == kNoEntity;
        return !record.names(thread);
    case HoldMode::Permit:
        break;
    }
    return false;
}

void State::apply(const Event& event, const Trace& trace) {
    if (event.at >= m_alarm.at) passTime(event.at);
    if (isLife(event.kind)) {
        applyLife(event, trace);
    } else if (isBelief(event.kind)) {
        applyBelief(event);
    } else if (isRecord(event.kind)) {
        applyRecord(event, trace);
    } else if (isEffect(event.kind)) {
        ResourceState& resource = resources[event.subject];
        if (event.kind == EventKind::WriteAccepted) {
            ++resource.accepted;
            resource.lastWriter = event.actor;
            resource.lastToken = event.value;
        } else {
            ++resource.refused;
        }
    } else if (event.kind == EventKind::Step) {
        beliefs[{event.subject, event.actor}].step = event.aux;
    } else if ((event.kind == EventKind::Reply || event.kind == EventKind::Push) && event.value == -1) {
        for (auto& [id, link] : links) {
            bool& armed = event.kind == EventKind::Reply ? link.replyLossArmed : link.pushLossArmed;
            const Entity& e = trace.entity(id);
            if (armed && e.other == event.actor && e.parent == event.subject) armed = false;
        }
    }
    ++rows;
}

void State::passTime(std::int64_t t, std::vector<Ended>* ended) {
    if (t < m_alarm.at) return;
    m_alarm.at = INT64_MAX;
    for (auto& [key, belief] : beliefs) {
        // A paused client cannot look at its clock: it could act on the grant the moment it goes on.
        if (belief.phase != Belief::Phase::Holding || belief.until < 0 || belief.asleep) continue;
        if (belief.until > t) {
            expectDeadline(belief.until);
            continue;
        }
        if (ended) ended->push_back({belief.until, key.first, key.second});
        endBelief(belief, belief.until);
    }
}

void State::expectDeadline(std::int64_t until) {
    m_alarm.at = std::min(m_alarm.at, until);
}

void State::setAsleep(EntityId client, bool asleep, std::int64_t at, const Trace& trace) {
    for (auto& [key, belief] : beliefs) {
        if (trace.clientOf(key.second) != client) continue;
        belief.asleep = asleep;
        // The deadline passed while it slept: its belief ends when it says so.
        if (!asleep && belief.until >= 0 && belief.until <= at) belief.until = -1;
        if (!asleep && belief.until >= 0) expectDeadline(belief.until);
    }
}

void State::applyLife(const Event& event, const Trace& trace) {
    using Life = ClientState::Life;
    switch (event.kind) {
    case EventKind::ClientStarted:
        setLife(clients[event.actor], Life::Running, event.at);
        clients[event.actor].watchdogStopped = false;
        clients[event.actor].workHung = false;
        break;
    case EventKind::ClientPaused:
        setLife(clients[event.actor], Life::Paused, event.at);
        setAsleep(event.actor, true, event.at, trace);
        break;
    case EventKind::ClientResumed:
        setLife(clients[event.actor], Life::Running, event.at);
        setAsleep(event.actor, false, event.at, trace);
        break;
    case EventKind::ClientKilled:
        setLife(clients[event.actor], Life::Dead, event.at);
        clients[event.actor].workHung = false;
        for (auto& [key, belief] : beliefs) {
            if (trace.clientOf(key.second) != event.actor) continue;
            if (belief.phase != Belief::Phase::Idle) endBelief(belief, event.at);
            belief.step = 0;
            belief.grant = 0;
            belief.asleep = false; // what starts in its place is another process, and awake
        }
        break;
    case EventKind::NodeStarted:
        setLife(nodes[event.actor], Life::Running, event.at);
        break;
    case EventKind::NodePaused:
        setLife(nodes[event.actor], Life::Paused, event.at);
        break;
    case EventKind::NodeResumed:
        setLife(nodes[event.actor], Life::Running, event.at);
        break;
    case EventKind::NodeKilled:
        setLife(nodes[event.actor], Life::Dead, event.at);
        // A dead node's doubts about other nodes are gone with it.
        std::erase_if(doubts, [&event](const auto& doubt) { return doubt.first.first == event.actor; });
        break;
    case EventKind::LinkCut:
        links[event.subject].cut = true;
        break;
    case EventKind::LinkMended:
        links[event.subject].cut = false;
        break;
    case EventKind::LinkDelayed:
        links[event.subject].extraLatency = event.value;
        break;
    case EventKind::ReplyLossArmed:
        links[event.subject].replyLossArmed = true;
        break;
    case EventKind::PushLossArmed:
        links[event.subject].pushLossArmed = true;
        break;
    case EventKind::WorkHung:
        clients[event.actor].workHung = true;
        break;
    case EventKind::ClockJumped:
        if (trace.entity(event.actor).kind == EntityKind::Node)
            nodes[event.actor].clockOffset = event.value;
        else
            clients[event.actor].clockOffset = event.value;
        break;
    case EventKind::WatchdogStopped:
        clients[event.actor].watchdogStopped = true;
        break;
    case EventKind::SettingChanged:
        if (trace.entity(event.aux).name.startsWith("recipe=")) recipeSetAt = event.at;
        break;
    case EventKind::NodeRole: {
        NodeState& node = nodes[event.actor];
        node.role = event.aux;
        node.copiesNobody = (event.flags & kCopiesNobody) != 0;
        if (event.subject != kNoEntity || node.copiesNobody) node.follows = event.subject;
        if (node.copiesNobody) node.lag = -1;
        node.candidate = node.candidate && !isMasterRole(trace.entity(event.aux).name);
        break;
    }
    case EventKind::NodeDoubted: {
        const Doubt doubt = Doubt(std::clamp<std::int64_t>(event.value, 0, int(Doubt::Agreed)));
        if (doubt == Doubt::None)
            doubts.erase({event.actor, event.subject});
        else
            doubts[{event.actor, event.subject}] = doubt;
        break;
    }
    case EventKind::VoteCast:
        nodes[event.actor].votedFor = event.subject;
        nodes[event.actor].votedEpoch = event.value;
        break;
    case EventKind::FailoverStep:
        if (FailoverPhase(event.value) == FailoverPhase::Chosen) nodes[event.subject].candidate = true;
        if (FailoverPhase(event.value) == FailoverPhase::Abandoned)
            for (auto& [id, node] : nodes)
                node.candidate = false;
        break;
    case EventKind::ReplicationLag: {
        NodeState& node = nodes[event.actor];
        node.follows = event.subject;
        node.lag = event.value;
        node.lagUnit = (event.flags & kLagUnitMask) == unsigned(LagUnit::Bytes) ? LagUnit::Bytes : LagUnit::Time;
        break;
    }
    case EventKind::SessionChanged:
        sessions[{event.actor, event.subject}] = {
            SessionPhase(std::min<std::int64_t>(std::max<std::int64_t>(event.value, 0), int(SessionPhase::Expired))),
            event.at};
        break;
    case EventKind::Healed:
        for (auto& [id, link] : links)
            link = {};
        for (auto& [id, client] : clients) {
            if (client.life == Life::Paused) {
                setLife(client, Life::Running, event.at);
                setAsleep(id, false, event.at, trace);
            }
            client.watchdogStopped = client.workHung = false;
            client.clockOffset = 0;
        }
        for (auto& [id, node] : nodes) {
            if (node.life == Life::Paused) setLife(node, Life::Running, event.at);
            node.clockOffset = 0;
        }
        break;
    default:
        break;
    }
}

void State::grant(Belief& belief, const Event& event) {
    // Rows of others may stand between the two: it is told per thread.
    const HoldMode mode = std::exchange(belief.nextMode, HoldMode::Exclusive);
    const std::uint32_t before = belief.holds;
    if (belief.phase != Belief::Phase::Holding) {
        // The record usually knew of this grant first; where it is not observed the grants seen here are counted.
        if (belief.grant == 0) belief.grant = ++records[event.subject].grants;
        belief.phase = Belief::Phase::Holding;
        belief.since = event.at;
        belief.lastRenewal = -1;
        belief.exclusive = belief.permits = 0;
        belief.suspended = false;
    }
    belief.holds = event.aux ? event.aux : before + 1;
    if (mode == HoldMode::Exclusive)
        belief.exclusive = before == belief.exclusive ? belief.holds : belief.exclusive + 1;
    else if (mode == HoldMode::Permit)
        belief.permits += belief.nextPermits;
    belief.mode = belief.exclusive > 0 ? HoldMode::Exclusive : mode;
    if (event.value) belief.token = event.value;
    if (belief.until >= 0) expectDeadline(belief.until);
}

/// One of several holds is given up, and the trace does not say which: what is left is at least this.
void State::giveUpOne(Belief& belief) {
    if (belief.exclusive == belief.holds) return; // all alike: told by the count alone
    if (belief.exclusive > 0) {
        --belief.exclusive;
        if (belief.exclusive == 0) belief.mode = HoldMode::Shared;
    }
    if (belief.permits > 0) belief.permits = belief.holds - 1;
}

void State::applyBelief(const Event& event) {
    if (event.kind == EventKind::LockCapacity) {
        capacities[event.subject] = event.value;
        return;
    }
    Belief& belief = beliefs[{event.subject, event.actor}];
    const bool holding = belief.phase == Belief::Phase::Holding;
    switch (event.kind) {
    case EventKind::Requested:
        if (holding) break; // a thread that asks for what it holds still holds it
        belief.phase = Belief::Phase::Waiting;
        belief.since = event.at;
        belief.until = -1;
        break;
    case EventKind::Granted:
    case EventKind::Reentered:
        grant(belief, event);
        break;
    case EventKind::TimedOut:
    case EventKind::Interrupted:
    case EventKind::AcquireFailed:
        if (belief.phase == Belief::Phase::Waiting) endBelief(belief, event.at);
        break;
    case EventKind::BelievedUntil:
        // May be written just before the grant it belongs to; one that comes after the end of belief means nothing.
        if (belief.phase == Belief::Phase::Idle) break;
        belief.until = event.value;
        if (event.value < 0) break;
        if (holding && event.value <= event.at)
            endBelief(belief, event.at);
        else
            expectDeadline(event.value);
        break;
    case EventKind::AsksBy:
        belief.recipe = event.aux;
        break;
    case EventKind::GrantedAs:
        belief.nextMode = static_cast<HoldMode>(event.value);
        belief.nextPermits = event.aux;
        break;
    case EventKind::Suspended:
        belief.suspended = holding;
        break;
    case EventKind::Renewed:
        if (!holding) break;
        belief.lastRenewal = event.at;
        belief.suspended = false;
        break;
    case EventKind::Lost:
    case EventKind::ReleaseRefused:
    case EventKind::ReleaseFailed:
        endHolding(belief, event.at);
        break;
    case EventKind::ReleaseSent:
        if (belief.holds <= 1)
            endHolding(belief, event.at);
        else
            giveUpOne(belief);
        break;
    case EventKind::Released:
        if (event.aux == 0) {
            endHolding(belief, event.at);
        } else if (holding) {
            belief.holds = event.aux;
            belief.exclusive = std::min(belief.exclusive, belief.holds);
        }
        break;
    default:
        break;
    }
}

std::size_t State::memoryBytes() const {
    // A node of std::map: colour, three pointers and the heap's own header, beside the pair.
    const auto bytes = [](const auto& map) { return map.size() * (sizeof(*map.begin()) + 5 * sizeof(void*)); };
    return sizeof(State) + bytes(beliefs) + bytes(records) + bytes(clients) + bytes(nodes) + bytes(links) +
           bytes(resources) + bytes(capacities) + bytes(sessions) + bytes(doubts) + m_named * sizeof(Holder);
}

} // namespace lockscope::trace
