// SPDX-License-Identifier: Apache-2.0
#include "trace/state.h"

#include "trace/connection.h"
#include "trace/duration.h"
#include "trace/leftover.h"
#include "trace/node.h"
#include "trace/server_told.h"

#include <algorithm>
#include <utility>

namespace lockscope::trace {

namespace {

template <typename T>
void setLife(T& state, ClientState::Life life, std::int64_t at) {
    state.life = life;
    state.since = at;
}

} // namespace

std::optional<std::int64_t> driftOf(const QByteArray& setting) {
    constexpr QByteArrayView kBegin = "drift=";
    if (!setting.startsWith(kBegin)) return std::nullopt;
    const auto gain = parseDuration(QString::fromUtf8(setting.mid(kBegin.size())));
    return gain ? std::optional(gain->count()) : std::nullopt;
}

std::int64_t WallClock::offsetAt(std::int64_t t) const {
    __extension__ using Wide = __int128; // ten years of a clock that runs twice as fast
    constexpr Wide kSecond = 1'000'000'000;
    return clockOffset + clockDrifted + std::int64_t(Wide(clockGain) * (t - clockSince) / kSecond);
}

void WallClock::jump(std::int64_t offset, std::int64_t t, EntityKind owner) {
    drift(clockGain, t);
    clockOffset = offset;
    if (owner == EntityKind::Node) clockDrifted = 0;
}

void WallClock::drift(std::int64_t gain, std::int64_t t) {
    clockDrifted = offsetAt(t) - clockOffset;
    clockGain = gain;
    clockSince = t;
}

namespace {
void setSight(NodeState& node, const Event& event) {
    const bool lost = event.kind == EventKind::ConnectionLost;
    node.unseenSince = lost ? event.at : -1;
    node.unseenBy = lost ? event.actor : kNoEntity;
    node.unseenWhy = lost ? event.aux : kNoEntity;
}

/// A message that was lost, or came twice, may be the one for which a fault was armed.
void disarm(std::map<EntityId, LinkState>& links, const Event& event, const Trace& trace) {
    const bool answers = event.kind == EventKind::Reply || event.kind == EventKind::Push;
    if (answers && event.value == -1) {
        for (auto& [id, link] : links) {
            bool& armed = event.kind == EventKind::Reply ? link.replyLossArmed : link.pushLossArmed;
            const Entity& e = trace.entity(id);
            if (armed && e.other == event.actor && e.parent == event.subject) armed = false;
        }
    } else if (event.kind == EventKind::Request && event.flags & kFault) {
        for (auto& [id, link] : links) {
            const Entity& e = trace.entity(id);
            if (e.parent == event.actor && e.other == event.subject) link.repeatArmed = false;
        }
    }
}
} // namespace

void State::apply(const Event& event, const Trace& trace, std::vector<Ended>* ended) {
    if (event.at >= m_alarm.at) passTime(event.at, ended);
    if (isMessage(event.kind)) { // first: most rows are
        if (event.value == -1 || event.flags & kFault) disarm(links, event, trace);
    } else if (isLife(event.kind)) {
        applyLife(event, trace, ended);
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
    } else if (event.kind == EventKind::ConnectionLost || event.kind == EventKind::ConnectionRestored) {
        // Only what the watcher of a server sees counts: clients of our own may lose it, too.
        if (connectionOf(trace, event.subject) != kNoEntity && !clients.contains(event.actor))
            setSight(nodes[event.subject], event);
    } else if (event.kind == EventKind::Step) {
        beliefs[{event.subject, event.actor}].step = event.aux;
    }
    ++rows;
}

void State::passTime(std::int64_t t, std::vector<Ended>* ended) {
    if (t < m_alarm.at) return;
    m_alarm.at = INT64_MAX;
    for (auto& [key, belief] : beliefs) {
        // A paused client cannot look at its clock: it could act on the grant the moment it goes on.
        const std::int64_t end = belief.endsAt();
        if (end < 0) continue;
        if (end > t) {
            expectDeadline(end);
            continue;
        }
        if (ended) ended->push_back({end, key.first, key.second});
        belief.expire();
    }
}

void State::expectDeadline(std::int64_t until) {
    m_alarm.at = std::min(m_alarm.at, until);
}

void State::setAsleep(EntityId client, bool asleep, std::int64_t at, const Trace& trace) {
    for (auto& [key, belief] : beliefs) {
        if (trace.clientOf(key.second) != client) continue;
        belief.setAsleep(asleep, at);
        if (belief.endsAt() >= 0) expectDeadline(belief.endsAt());
    }
}

void State::applyLife(const Event& event, const Trace& trace, std::vector<Ended>* ended) {
    using Life = ClientState::Life;
    switch (event.kind) {
    case EventKind::ClientStarted:
        setLife(clients[event.actor], Life::Running, event.at);
        clients[event.actor].watchdogStopped = false;
        clients[event.actor].workHung = false;
        clients[event.actor].restart();
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
            if (ended && belief.phase != Belief::Phase::Idle) ended->push_back({event.at, key.first, key.second});
            belief.die(event.at);
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
        links[event.subject].ways = cutWays(event.value);
        break;
    case EventKind::LinkMended:
        links[event.subject].cut = false;
        links[event.subject].ways = CutWays::Both;
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
    case EventKind::RepeatArmed:
        links[event.subject].repeatArmed = true;
        break;
    case EventKind::WorkHung:
        clients[event.actor].workHung = true;
        break;
    case EventKind::ClockJumped:
        if (trace.entity(event.actor).kind == EntityKind::Node)
            nodes[event.actor].jump(event.value, event.at, EntityKind::Node);
        else
            clients[event.actor].jump(event.value, event.at, EntityKind::Client);
        break;
    case EventKind::WatchdogStopped:
        clients[event.actor].watchdogStopped = true;
        break;
    case EventKind::SettingChanged:
        applySetting(event, trace.entity(event.aux).name, trace.entity(event.actor).kind);
        break;
    case EventKind::NodeRole:
        trace::applyRole(nodes[event.actor], event, trace.entity(event.aux).name);
        break;
    case EventKind::ServerTold: {
        const QByteArray& text = trace.entity(event.aux).name;
        if (toldValue(text, kMayEvict)) nodes[event.actor].mayEvict = event.aux;
        if (toldValue(text, kLooksApart)) nodes[event.actor].looksApart = event.aux;
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
        // An election is over with the failover that it was for: an old vote says nothing of what is doubted next.
        if (FailoverPhase(event.value) == FailoverPhase::Ended ||
            FailoverPhase(event.value) == FailoverPhase::Abandoned)
            for (const std::int64_t epoch = nodes[event.actor].votedEpoch; auto& [id, node] : nodes)
                if (node.votedEpoch <= epoch) node.votedFor = kNoEntity;
        break;
    case EventKind::ReplicationLag:
        trace::applyLag(nodes[event.actor], event);
        break;
    case EventKind::SessionChanged:
        sessions[{event.actor, event.subject}] = {sessionPhase(event.value), event.at};
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
            static_cast<WallClock&>(client) = {};
        }
        for (auto& [id, node] : nodes) {
            if (node.life == Life::Paused) setLife(node, Life::Running, event.at);
            static_cast<WallClock&>(node) = {};
            node.poolExhausted = node.diskStalled = false;
        }
        break;
    default:
        break;
    }
}

void State::applySetting(const Event& event, const QByteArray& change, EntityKind kind) {
    const auto becomes = [&change](const char* begin) { return change.startsWith(begin); };
    if (becomes("recipe=")) {
        recipeSetAt = event.at;
    } else if (becomes("drift=")) {
        const auto gain = driftOf(change);
        if (gain && kind == EntityKind::Node) nodes[event.actor].drift(*gain, event.at);
        if (gain && kind == EntityKind::Client) clients[event.actor].drift(*gain, event.at);
    } else if (kind == EntityKind::Node && becomes("pool=")) {
        nodes[event.actor].poolExhausted = change == "pool=exhausted";
    } else if (kind == EntityKind::Node && becomes("disk=")) {
        nodes[event.actor].diskStalled = change == "disk=stalled";
    }
}

void State::applyBelief(const Event& event) {
    if (event.kind == EventKind::LockCapacity) {
        capacities[event.subject] = event.value;
        return;
    }
    Belief& belief = beliefs[{event.subject, event.actor}];
    // Grants are counted in the record, also where nobody has seen one.
    const bool grants = event.kind == EventKind::Granted || event.kind == EventKind::Reentered;
    const bool counts = grants && !belief.holding() && belief.grant == 0;
    std::uint32_t none = 0;
    belief.apply(event, counts ? records[event.subject].grants : none);
    if (belief.endsAt() >= 0) expectDeadline(belief.endsAt());
}

void State::applyRecord(const Event& event, const Trace& trace) {
    const auto [found, isNew] = records.try_emplace(event.subject);
    Record& record = found->second;
    if (isNew) record.copyOf = trace.copyOf(event.subject);
    const std::size_t named = record.holders.size() + record.queue.size();
    const bool grants = event.kind == EventKind::RecordHeld || event.kind == EventKind::RecordHolder;
    const auto believer = grants ? beliefs.find({event.subject, event.actor}) : beliefs.end();
    Belief* const belief = believer == beliefs.end() ? nullptr : &believer->second;
    const auto copyOn = [&](EntityId server) -> const Record* {
        for (const auto& [copy, its] : records)
            if (its.copyOf == event.subject && trace.entity(copy).parent == server) return &its;
        return nullptr;
    };
    const auto isDead = [&](EntityId server) {
        const auto node = nodes.find(server);
        return node != nodes.end() && node->second.life == ClientState::Life::Dead;
    };
    const auto over = olderHold(event, rows, record, belief, trace, copyOn, isDead);
    trace::applyRecord(record, event, belief, over);
    m_named += record.holders.size() + record.queue.size() - named;
}

std::size_t State::memoryBytes() const {
    // A node of std::map: colour, three pointers and the heap's own header, beside the pair.
    const auto bytes = [](const auto& map) { return map.size() * (sizeof(*map.begin()) + 5 * sizeof(void*)); };
    return sizeof(State) + bytes(beliefs) + bytes(records) + bytes(clients) + bytes(nodes) + bytes(links) +
           bytes(resources) + bytes(capacities) + bytes(sessions) + bytes(doubts) + m_named * sizeof(Holder);
}

} // namespace lockscope::trace
