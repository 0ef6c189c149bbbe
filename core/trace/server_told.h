// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <optional>

namespace lockscope::trace {

// The Text of a ServerTold row is "name=value". These are the names.

/// The policy by which the server drops keys when its memory is full; empty: it does not.
inline constexpr QByteArrayView kMayEvict = "may-evict";
/// How far apart two looks at the server are at most, as formatDuration() writes it; 0: it tells of each change by
/// itself.
inline constexpr QByteArrayView kLooksApart = "looks-apart";
/// Whether the pool that all clients of a database share has a connection for the next one: "yes" or "no". It is told
/// when a client asks in vain, and when clients get one again and nobody waits behind them.
inline constexpr QByteArrayView kPoolHasConnections = "pool-has-connections";
/// News of the members of an ensemble, each by its address: it does not answer any more, answers again, leads now.
inline constexpr QByteArrayView kMemberAway = "member-away", kMemberBack = "member-back", kMemberLeads = "member-leads";
/// Among servers that are watched together: "NEW OLD", a server that took the place of another one; one that was
/// started again, or emptied; "NEW OLD RANGES", slots of a cluster that went to another master.
inline constexpr QByteArrayView kTookOver = "took-over", kMemberRestarted = "member-restarted",
                                kMemberEmptied = "member-emptied", kSlotsMoved = "slots-moved";
/// The reason of a ConnectionLost at the beginning of a watch of which only the end is kept in memory.
inline constexpr QByteArrayView kLeftOut = "left-out";
/// Whether the Text names a server by its address.
bool tellsOfMember(const QByteArray& text);

/// The Texts of a SettingChanged: others than the clients take all connections of the pool, and give them back.
inline constexpr QByteArrayView kPoolTaken = "pool=exhausted", kPoolGivenBack = "pool=free";

/// The Text that tells it.
QByteArray serverTold(QByteArrayView name, const QByteArray& value);
/// The value in such a Text; nullopt: it tells of something else.
std::optional<QByteArray> toldValue(const QByteArray& text, QByteArrayView name);
/// The value of kLooksApart; nullopt: the Text tells of something else.
std::optional<Nanos> looksApartIn(const QByteArray& text);

} // namespace lockscope::trace
