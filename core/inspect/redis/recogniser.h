// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_snapshot.h"
#include "inspect/redis/string_lock.h"

#include <map>
#include <set>
#include <span>

namespace lockscope::inspect {

/// Subscribers per channel, as PUBSUB NUMSUB counts them: connections, so client processes of well-behaved libraries.
using Subscriptions = std::map<QByteArray, std::int64_t>;

struct RecogniserOptions {
    /// String keys that are locks by their name alone.
    std::vector<KeyPattern> patterns = usualLockNames();
    /// The present in ms since 1970 by the server's clock, for formats that keep deadlines as instants.
    std::int64_t wallMs = 0;
    /// Pub/sub knows no databases: if another database has keys, a subscriber may wait for a lock over there. Then
    /// waiters alone make a row only for these names, which were locks here a moment ago. Missing = of any name.
    std::optional<std::set<QByteArray>> waitedForHere = {};
    /// Rows that are locks only if their holder's name is one (restsOnHoldersName()) are given, too: the caller asks
    /// whether somebody of that name is there.
    bool holdersMayBeNamed = false;
};

/// The locks among a server's keys, sorted by name. Pure: equal input gives equal output, in any order of keys.
///
/// Formats are tried in the order of the wire-format tables, first match wins. Helper keys are attached to their lock's
/// row and are never a lock by themselves; a queue, waiters or a fencing counter without a holder make a row that is
/// queued or free. A key that nothing marks as a lock gives no row. `subscriptions` missing = not known.
std::vector<LockRow> recognise(std::span<const KeySnapshot> keys, const std::optional<Subscriptions>& subscriptions,
                               const RecogniserOptions& options);

/// The keys whose content a row of this key needs besides its own: a reader of real servers fetches them together.
/// Empty for keys that are no candidate.
std::vector<QByteArray> companionsOf(const KeySnapshot& key);

/// Whether a string key may be a lock or belong to one, whatever its TTL is. False for most strings of a server.
bool mayBeLock(const KeySnapshot& string, const RecogniserOptions& options);

} // namespace lockscope::inspect
