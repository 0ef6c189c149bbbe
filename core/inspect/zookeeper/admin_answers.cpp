// SPDX-License-Identifier: Apache-2.0
#include "inspect/zookeeper/admin_answers.h"

#include <QList>
#include <algorithm>

namespace lockscope::inspect {

namespace {

/// The value behind "Mode: " at the beginning of a line; empty: there is no such line.
QByteArray valueOf(const QByteArray& text, const QByteArray& label) {
    for (const QByteArray& line : text.split('\n'))
        if (line.startsWith(label)) return line.mid(label.size()).trimmed();
    return {};
}

} // namespace

std::optional<ServerIdentity> zooKeeperIdentityFrom(const QByteArray& srvr) {
    using Role = ServerIdentity::Role;
    const QByteArray version = valueOf(srvr, "Zookeeper version:"), mode = valueOf(srvr, "Mode:");
    if (version.isEmpty() || mode.isEmpty()) return std::nullopt;
    ServerIdentity server;
    server.version = version.left(version.indexOf('-')); // "3.8.0-5a02a05e…, built on …"
    server.role = mode == "leader"       ? Role::Leader
                  : mode == "follower"   ? Role::Follower
                  : mode == "observer"   ? Role::Observer
                  : mode == "standalone" ? Role::Alone
                                         : Role::Unknown;
    return server;
}

std::int64_t newestTransactionIn(const QByteArray& srvr) {
    const QByteArray zxid = valueOf(srvr, "Zxid:");
    bool number = false;
    const auto newest = std::int64_t(zxid.startsWith("0x") ? zxid.sliced(2).toULongLong(&number, 16) : 0);
    return number ? newest : -1;
}

void doubtFormerLeaders(std::vector<WatchedServerState>& servers, const std::vector<std::int64_t>& newest) {
    Q_ASSERT(servers.size() == newest.size());
    constexpr int kEpoch = 32; // the upper half of a transaction's number
    const std::int64_t last = newest.empty() ? 0 : *std::ranges::max_element(newest) >> kEpoch;
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const auto& its = servers[i].identity;
        const bool leads = its && its->role == ServerIdentity::Role::Leader;
        if (leads && newest[i] >= 0 && newest[i] >> kEpoch < last) servers[i].identity.reset();
    }
}

// " /10.0.0.5:51234[1](queued=0,recved=5,sent=5,sid=0x100000a1b2c0001,lop=PING,est=1790000000000,to=10000,…)"
std::map<std::int64_t, QByteArray> sessionPeersIn(const QByteArray& cons) {
    std::map<std::int64_t, QByteArray> peers;
    for (const QByteArray& whole : cons.split('\n')) {
        const QByteArray line = whole.trimmed();
        const qsizetype end = line.lastIndexOf('[', line.indexOf('('));
        if (!line.startsWith('/') || end < 0) continue;
        std::int64_t session = 0;
        for (const QByteArray& field : line.mid(line.indexOf('(') + 1).split(','))
            if (field.startsWith("sid=0x")) session = std::int64_t(field.mid(6).toULongLong(nullptr, 16));
        if (session != 0) peers.emplace(session, line.mid(1, end - 1));
    }
    return peers;
}

} // namespace lockscope::inspect
