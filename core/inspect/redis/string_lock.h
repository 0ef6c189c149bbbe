// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/glob.h"
#include "inspect/lock_row.h"

#include <QByteArray>
#include <optional>
#include <span>
#include <vector>

namespace lockscope::inspect {

/// The facts about a lock that a string key contains.
struct StringLock {
    QByteArray format; ///< "redis-py"; "redlock-py|redislock" = one of these
    std::optional<Party> holder;
    std::optional<std::int64_t> expiresWallMs = {}; ///< when the value itself carries the end, by the holder's clock
    bool waitersListen = false;                     ///< its waiters listen on ownChannel()
    Certainty certainty = Certainty::Certain;       ///< by the value, and the name where the format has a fixed one
};

/// The channel on which Lockscope's `redis-set` says that the lock of that name is free, and where its waiters listen.
QByteArray ownChannel(const QByteArray& name);
/// The pattern by which PUBSUB CHANNELS finds all these channels.
inline constexpr char kOwnChannels[] = "lockscope_lock__channel:*";

/// Reads a string value by its shape, then by the patterns. nullopt: nothing says that it is a lock.
/// `hasTtl`: most libraries always set one, so values of their shape without one are something else.
/// `wallMs` is the present, to judge times inside values.
std::optional<StringLock> readStringLock(const QByteArray& key, const QByteArray& value, bool hasTtl,
                                         std::int64_t wallMs, std::span<const KeyPattern> patterns);

} // namespace lockscope::inspect
