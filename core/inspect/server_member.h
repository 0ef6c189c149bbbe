// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

namespace lockscope::inspect {

/// A server of a group, also one that is asked for no lock: a replica, as its master tells of it.
struct ServerMember {
    QByteArray address; ///< "host:port"
    ServerIdentity::Role role = ServerIdentity::Role::Unknown;
    QByteArray follows = {};    ///< of a replica: its master's address
    std::int64_t behind = -1;   ///< … bytes of that one's changes that it has not confirmed; -1 = not known
    QByteArray slotRanges = {}; ///< of a cluster's master: "0-5460 5462"
    QString trouble = {};       ///< why it cannot be read, a sentence; empty: it can, or nobody tries
    friend bool operator==(const ServerMember&, const ServerMember&) = default;
};

/// The members of the group of Redis servers, or of the ensemble, that a report is about, each master before its
/// replicas; empty: it is about one server, or about several that know nothing of each other, or roles are not known.
std::vector<ServerMember> membersOf(const LockReport& report);

} // namespace lockscope::inspect
