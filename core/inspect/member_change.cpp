// SPDX-License-Identifier: Apache-2.0
#include "inspect/member_change.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

namespace lockscope::inspect {

namespace {

using Role = ServerIdentity::Role;

bool isLeader(const WatchedServerState& server) {
    return server.identity && server.identity->role == Role::Leader;
}

} // namespace

QString doesNotAnswer() {
    return QCoreApplication::translate("ServerWords", "it does not answer");
}

const char* nameOf(MemberChange::What what) {
    switch (what) {
    case MemberChange::What::Away:
        return "member-away";
    case MemberChange::What::Back:
        return "member-back";
    case MemberChange::What::Leads:
        break;
    }
    return "member-leads";
}

bool isEnsemble(const std::vector<WatchedServerState>& servers) {
    return std::ranges::any_of(servers, [](const WatchedServerState& one) {
        return one.identity && (one.identity->role == Role::Leader || one.identity->role == Role::Follower);
    });
}

std::vector<MemberChange> MemberNews::since(const std::vector<WatchedServerState>& now) {
    using What = MemberChange::What;
    std::vector<MemberChange> changes;
    if (!isEnsemble(now)) return changes;
    const std::vector<WatchedServerState> before = std::exchange(m_before, now);
    if (before.empty()) return changes;
    for (const WatchedServerState& server : now) {
        const auto old = std::ranges::find(before, server.address, &WatchedServerState::address);
        if (old != before.end() && old->trouble.isEmpty() && !server.trouble.isEmpty())
            changes.push_back({What::Away, server.address});
        if (old != before.end() && !old->trouble.isEmpty() && server.trouble.isEmpty())
            changes.push_back({What::Back, server.address});
        if (isLeader(server) && (old == before.end() || !isLeader(*old)))
            changes.push_back({What::Leads, server.address});
    }
    return changes;
}

} // namespace lockscope::inspect
