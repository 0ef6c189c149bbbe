// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/redis/port.h"
#include "ports/url.h"

namespace lockscope::redis::errors {

/// No sentinel that was asked names a master that says it is one. `asked`: the result of each question, one sentence
/// each.
Error noMaster(const QString& master, Nanos after, const QStringList& asked);
/// The master was replaced while a command was in flight to it.
Error masterReplaced(const QString& master, const QByteArray& command, const QString& was);
/// A server that should be the master says that it is something else.
Error notMaster(const QString& where, const QString& role);
/// Keys of one command in different slots.
Error crossSlot(const QByteArray& command);
/// No node of a cluster could be asked, or none knows who owns a slot.
Error noClusterNode(int slot, Nanos after, const QStringList& asked);
/// The cluster answers, but does not serve the slot at present.
Error clusterDown(int slot, Nanos after, const QString& lastWord);

} // namespace lockscope::redis::errors
