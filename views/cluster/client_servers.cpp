// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/client_servers.h"

#include "cluster/cluster_layout.h"

#include <algorithm>

namespace lockscope::views {

using trace::EntityId;
using trace::EventKind;
using trace::kNoEntity;

namespace {

/// Whether a client of its service is connected with one of several servers.
bool isOneOfSeveral(EntityId server, const trace::Trace& trace, const trace::State& state) {
    const auto roleOf = [&](EntityId node) {
        const auto found = state.nodes.find(node);
        return found == state.nodes.end() ? QByteArray() : trace.entity(found->second.role).name;
    };
    const QByteArray role = roleOf(server);
    if (role == "leader" || role == "follower" || role == "looking" || role == "replica") return true;
    // A master that has no replica is one of several independent ones, or alone.
    return std::ranges::any_of(state.nodes, [&](const auto& node) {
        return node.second.follows == server && roleOf(node.first) == "replica";
    });
}

} // namespace

void ClientServers::forget() {
    *this = {};
}

void ClientServers::move(Visits& visits, Nanos at, EntityId server) {
    const EntityId last = visits.stays.empty() ? kNoEntity : visits.stays.back().server;
    if (server == last) return;
    // A session that was connected with nobody for a while has moved, too.
    EntityId before = last;
    for (auto stay = visits.stays.rbegin(); before == kNoEntity && stay != visits.stays.rend(); ++stay)
        before = stay->server;
    visits.stays.push_back({at, server, before == server ? kNoEntity : before});
}

void ClientServers::grow(const trace::Trace& trace) {
    const std::size_t size = trace.size();
    for (; m_rows < size; ++m_rows) {
        const EventKind kind = trace.kindAt(m_rows);
        if (kind != EventKind::Request && kind != EventKind::SessionChanged && kind != EventKind::NodeRole) continue;
        const trace::Event e = trace.at(m_rows);
        if (kind == EventKind::NodeRole) {
            if (trace.entity(e.aux).name == "sentinel") m_watchers.insert(e.actor);
            continue;
        }
        if (kind == EventKind::SessionChanged && e.subject == kNoEntity) {
            // It does not say with which service; one that is known to have a session is the one.
            if (e.value == std::int64_t(trace::SessionPhase::Connected)) continue;
            for (auto it = m_visits.lower_bound({e.actor, {}}); it != m_visits.end() && it->first.first == e.actor;
                 ++it)
                if (it->second.session) move(it->second, e.time(), kNoEntity);
            continue;
        }
        if (m_watchers.contains(e.subject) || e.subject == kNoEntity) continue;
        const auto [stem, isNew] = m_stems.try_emplace(e.subject);
        if (isNew) stem->second = stemOf(trace.entity(e.subject).name);
        Visits& visits = m_visits[{e.actor, stem->second}];
        if (kind == EventKind::SessionChanged) {
            if (!std::exchange(visits.session, true)) visits.stays.clear();
        } else if (visits.session) {
            continue;
        }
        move(visits, e.time(), e.subject);
    }
}

std::vector<ClientServers::Stay> ClientServers::of(EntityId client, Nanos t, const trace::Trace& trace,
                                                   const trace::State& state) const {
    std::vector<Stay> found;
    for (auto it = m_visits.lower_bound({client, {}}); it != m_visits.end() && it->first.first == client; ++it) {
        const std::vector<Stay>& stays = it->second.stays;
        const auto after = std::ranges::upper_bound(stays, t, {}, &Stay::since);
        if (after == stays.begin()) continue;
        const Stay& stay = *std::prev(after);
        if (stay.server != kNoEntity && isOneOfSeveral(stay.server, trace, state)) found.push_back(stay);
    }
    return found;
}

bool ClientServers::areTogether(EntityId one, EntityId other, const trace::Trace& trace) {
    return stemOf(trace.entity(one).name) == stemOf(trace.entity(other).name);
}

} // namespace lockscope::views
