// SPDX-License-Identifier: Apache-2.0
#include "inspect/member_nodes.h"

#include "inspect/member_change.h"
#include "trace/member.h"
#include "trace/recorder.h"
#include "trace/server_told.h"

#include <algorithm>
#include <utility>

namespace lockscope::inspect {

using trace::EventKind;
using trace::kNoEntity;

namespace {

/// Whether these are masters of a Redis Cluster, or the one behind Sentinels.
bool areMasters(const std::vector<WatchedServerState>& servers) {
    return std::ranges::any_of(servers, [](const WatchedServerState& one) {
        return one.identity && one.identity->mode != ServerIdentity::Mode::Unknown &&
               one.identity->role == ServerIdentity::Role::Master;
    });
}

bool isOneOf(const QByteArray& address, const std::vector<WatchedServerState>& servers) {
    return std::ranges::find(servers, address, &WatchedServerState::address) != servers.end();
}

/// Whether each server of the group tells of itself, and so which replicas it has.
bool allTell(const std::vector<WatchedServerState>& servers) {
    return std::ranges::all_of(servers, [](const WatchedServerState& one) { return one.identity.has_value(); });
}

} // namespace

std::vector<ServerMember> membersOf(const LockReport& report) {
    std::vector<ServerMember> members;
    const bool ensemble = report.servers.size() > 1 && isEnsemble(report.servers);
    if (report.together || !(ensemble || areMasters(report.servers))) return members;
    for (const WatchedServerState& server : report.servers) {
        members.push_back({.address = server.address, .trouble = server.trouble});
        if (!server.identity) continue;
        members.back().role = server.identity->role;
        members.back().slotRanges = server.identity->slotRanges;
        for (const ReplicaState& replica : server.identity->replicas) {
            if (isOneOf(replica.address, report.servers)) continue; // its former master does not answer any more
            ServerMember its{
                .address = replica.address, .role = ServerIdentity::Role::Replica, .follows = server.address};
            if (replica.inStep && server.trouble.isEmpty()) its.behind = replica.behind;
            members.push_back(std::move(its));
        }
    }
    return members;
}

MemberNodes::Server& MemberNodes::serverAt(const QByteArray& address) {
    Server& server = m_servers[address];
    if (server.node == kNoEntity)
        server.node = m_place.recorder.trace().intern(trace::EntityKind::Node, address, m_place.connection,
                                                      m_place.logical.node());
    return server;
}

void MemberNodes::tellSight(Server& server, const QString& why) {
    const bool away = !why.isEmpty();
    if (!away && !std::exchange(server.started, true)) m_place.recorder.emit(EventKind::NodeStarted, server.node);
    if (std::exchange(server.away, away) == away) return;
    if (away)
        m_place.recorder.emit(EventKind::ConnectionLost, m_place.observer, server.node, 0,
                              m_place.recorder.trace().text(why.toUtf8()));
    else
        m_place.recorder.emit(EventKind::ConnectionRestored, m_place.observer, server.node);
}

void MemberNodes::tellRole(Server& server, const ServerMember& now) {
    const bool replica = now.role == ServerIdentity::Role::Replica;
    const trace::EntityId follows = replica && !now.follows.isEmpty() ? serverAt(now.follows).node : kNoEntity;
    const bool changed = now.role != server.told.role || follows != server.follows;
    if (changed && now.role != ServerIdentity::Role::Unknown) {
        m_place.recorder.emit(EventKind::NodeRole, server.node, follows, 0,
                              m_place.recorder.trace().text(nameOf(now.role)));
        server.follows = follows;
        server.told.role = now.role;
        server.told.behind = -1; // by how much, is told anew
    }
    if (server.told.behind == now.behind) return;
    server.told.behind = now.behind;
    m_place.recorder.emit(EventKind::ReplicationLag, server.node, server.follows, now.behind, 0,
                          std::uint8_t(trace::LagUnit::Bytes));
}

void MemberNodes::tellServer(const ServerMember& now, const QString& why) {
    Server& server = serverAt(now.address);
    tellSight(server, why);
    tellRole(server, now);
    if (std::exchange(server.told.slotRanges, now.slotRanges) != now.slotRanges)
        m_place.recorder.emit(EventKind::ServerTold, server.node, kNoEntity, 0,
                              m_place.recorder.trace().text(trace::serverTold(trace::kHasSlots, now.slotRanges)));
}

void MemberNodes::write(const LockReport& report) {
    const std::vector<ServerMember> members = membersOf(report);
    if (members.empty() && !report.trouble) return; // an ensemble without a leader names no roles
    for (const ServerMember& member : members)      // in their order, before the first of them is named by another
        serverAt(member.address);
    const QString lost = report.trouble ? report.trouble->message : QString();
    for (const ServerMember& member : members)
        tellServer(member, member.trouble.isEmpty() ? lost : member.trouble);
    if (!report.trouble && !allTell(report.servers)) return; // a server may be a replica of one that was never read
    for (auto& [address, server] : m_servers)
        if (std::ranges::find(members, address, &ServerMember::address) == members.end())
            tellSight(server, report.trouble ? lost : QString::fromLatin1(trace::kOutOfService));
}

void MemberNodes::writeDecider(const LockRow& row) {
    // While it is not known where a lock is, nobody has taken the place of the server that had it.
    if (row.server.isEmpty() || row.state == LockRow::State::NotKnown || !row.copies.empty()) return;
    const auto server = m_servers.find(row.server);
    if (server == m_servers.end()) return;
    if (std::exchange(m_deciders[row.name], server->second.node) == server->second.node) return;
    m_place.recorder.emit(EventKind::RecordDecider, server->second.node, m_place.logical.lockEntity(row.name), 1);
}

void MemberNodes::unobserved(const QString& why) {
    for (auto& [address, server] : m_servers)
        tellSight(server, why);
}

} // namespace lockscope::inspect
