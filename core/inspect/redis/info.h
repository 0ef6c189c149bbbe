// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/server_identity.h"

namespace lockscope::inspect {

/// Reads the texts of INFO server and INFO replication; fields that are missing there stay unknown.
ServerIdentity identityFrom(const QByteArray& infoServer, const QByteArray& infoReplication);
/// How many slots the node has that CLUSTER NODES marks as "myself"; -1 when it does not say.
int slotsOfMyself(const QByteArray& clusterNodes);
/// How often keys were thrown away whole (FLUSHALL, FLUSHDB), by INFO commandstats.
std::int64_t flushesIn(const QByteArray& infoCommandStats);
/// The value of a line "name:value" of INFO; empty when there is none.
QByteArray lineOfInfo(const QByteArray& info, const QByteArray& name);

} // namespace lockscope::inspect
