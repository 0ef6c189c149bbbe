// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/server_identity.h"

#include <map>
#include <optional>

namespace lockscope::inspect {

/// Reads a ZooKeeper server's answer to "srvr": version and role. nullopt: it does not allow the word, or is none.
std::optional<ServerIdentity> zooKeeperIdentityFrom(const QByteArray& srvr);
/// The number of the newest transaction that the server has; -1: it does not tell.
std::int64_t newestTransactionIn(const QByteArray& srvr);

/// Reads the answer to "cons": where the connections of that one server come from ("10.0.0.5:51234"), by their
/// sessions.
std::map<std::int64_t, QByteArray> sessionPeersIn(const QByteArray& cons);

} // namespace lockscope::inspect
