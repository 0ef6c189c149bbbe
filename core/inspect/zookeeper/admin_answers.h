// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/server_identity.h"

#include <map>
#include <optional>

namespace lockscope::inspect {

/// Reads a ZooKeeper server's answer to "srvr": version and role. nullopt: it does not allow the word, or is none.
std::optional<ServerIdentity> zooKeeperIdentityFrom(const QByteArray& srvr);

/// A session's connection, as its server sees it.
struct SessionPeer {
    QByteArray address;           ///< "10.0.0.5:51234"
    std::int64_t sinceWallMs = 0; ///< when it was established, by that server's clock
    std::int64_t timeoutMs = 0;   ///< of the session
    friend bool operator==(const SessionPeer&, const SessionPeer&) = default;
};
/// Reads the answer to "cons": the connections of that one server, by their sessions.
std::map<std::int64_t, SessionPeer> sessionPeersIn(const QByteArray& cons);

} // namespace lockscope::inspect
