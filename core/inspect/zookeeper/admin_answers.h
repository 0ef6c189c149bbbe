// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/lock_report.h"

#include <map>
#include <optional>

namespace lockscope::inspect {

/// Reads a ZooKeeper server's answer to "srvr": version and role. nullopt: it does not allow the word, or is none.
std::optional<ServerIdentity> zooKeeperIdentityFrom(const QByteArray& srvr);
/// The number of the newest transaction that the server has; -1: it does not tell.
std::int64_t newestTransactionIn(const QByteArray& srvr);

/// A leader that was cut off, or stood still, takes itself for the leader until it hears of its successor, whose
/// transactions are of a later epoch: its role is not known until then. `newest`: newestTransactionIn() of each server.
void doubtFormerLeaders(std::vector<WatchedServerState>& servers, const std::vector<std::int64_t>& newest);

/// Reads the answer to "cons": where the connections of that one server come from ("10.0.0.5:51234"), by their
/// sessions.
std::map<std::int64_t, QByteArray> sessionPeersIn(const QByteArray& cons);

} // namespace lockscope::inspect
