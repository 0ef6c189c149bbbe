// SPDX-License-Identifier: Apache-2.0
#include "inspect/member_change.h"

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <utility>

namespace lockscope::inspect {

namespace {

using Role = ServerIdentity::Role;

bool isLeader(const WatchedServerState& server) {
    return server.identity && server.identity->role == Role::Leader;
}

bool isOfCluster(const WatchedServerState& server) {
    return server.identity && server.identity->mode == ServerIdentity::Mode::Cluster && server.identity->slots >= 0;
}

/// The place of the server among `all` that has each slot; -1: none has.
using Owners = std::vector<int>;

Owners ownersOf(const std::vector<WatchedServerState>& all) {
    Owners owners(kClusterSlots, -1);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!isOfCluster(all[i])) continue;
        for (const QByteArray& range : all[i].identity->slotRanges.split(' ')) {
            const QByteArrayList ends = range.split('-');
            bool isFirst = false, isLast = false;
            const int first = ends.front().toInt(&isFirst), last = ends.back().toInt(&isLast);
            if (!isFirst || !isLast || first < 0 || last >= kClusterSlots) continue;
            std::fill(owners.begin() + first, owners.begin() + std::max(last, first) + 1, int(i));
        }
    }
    return owners;
}

/// The slots that masters have got from others which are there still. If a master is gone, its slots went with its
/// place: that is a failover.
std::vector<MemberChange> slotsMoved(const std::vector<WatchedServerState>& before,
                                     const std::vector<WatchedServerState>& now) {
    const Owners had = ownersOf(before), have = ownersOf(now);
    std::map<std::pair<int, int>, QByteArrayList> moved; // by the new owner and the former one
    for (int slot = 0; slot < kClusterSlots;) {
        const int from = had[std::size_t(slot)], to = have[std::size_t(slot)], first = slot;
        while (slot < kClusterSlots && had[std::size_t(slot)] == from && have[std::size_t(slot)] == to)
            ++slot;
        if (from < 0 || to < 0) continue;
        const QByteArray& former = before[std::size_t(from)].address;
        if (former == now[std::size_t(to)].address) continue;
        if (std::ranges::find(now, former, &WatchedServerState::address) == now.end()) continue;
        const QByteArray single = QByteArray::number(first);
        moved[{to, from}] << (slot - first == 1 ? single : single + '-' + QByteArray::number(slot - 1));
    }
    std::vector<MemberChange> changes;
    for (const auto& [owners, ranges] : moved)
        changes.push_back({MemberChange::What::Slots, now[std::size_t(owners.first)].address, ranges.join(' '),
                           before[std::size_t(owners.second)].address});
    return changes;
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
    case MemberChange::What::Slots:
        return "slots-moved";
    case MemberChange::What::Leads:
        break;
    }
    return "member-leads";
}

std::optional<std::pair<QByteArray, QByteArray>> successionIn(const LockReport& report) {
    const auto serves = [&report](const QByteArray& address) {
        return std::ranges::find(report.servers, address, &WatchedServerState::address) != report.servers.end();
    };
    const bool failedOver = std::ranges::find(report.events, ServerEvent::FailedOver) != report.events.end();
    if (!failedOver || report.eventsAt.size() != 2 || !serves(report.eventsAt.front()) ||
        serves(report.eventsAt.back()))
        return std::nullopt;
    return std::pair(report.eventsAt.front(), report.eventsAt.back());
}

bool isEnsemble(const std::vector<WatchedServerState>& servers) {
    return std::ranges::any_of(servers, [](const WatchedServerState& one) {
        return one.identity && (one.identity->role == Role::Leader || one.identity->role == Role::Follower);
    });
}

std::vector<MemberChange> MemberNews::since(const std::vector<WatchedServerState>& now) {
    using What = MemberChange::What;
    std::vector<MemberChange> changes;
    if (std::ranges::any_of(now, isOfCluster)) {
        if (std::ranges::equal(now, m_before, sameServer)) return changes; // most looks
        const std::vector<WatchedServerState> before = std::exchange(m_before, now);
        return slotsMoved(before, now);
    }
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
