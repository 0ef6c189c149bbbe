// SPDX-License-Identifier: Apache-2.0
// Locks that are one string: libraries tell apart by the value's shape (string_lock.h).
#include "inspect/redis/formats.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

// A value that many libraries make, and much else: a name that locks have makes it likely.
Certainty certaintyOf(const StringLock& lock, const QByteArray& key, const RecogniserOptions& options) {
    if (lock.certainty != Certainty::Guess) return lock.certainty;
    const auto named = [&](const KeyPattern& pattern) { return globMatches(pattern.glob, key); };
    const bool likely = std::ranges::any_of(options.patterns, named) || std::ranges::any_of(usualLockNames(), named);
    return likely ? Certainty::Likely : Certainty::Guess;
}

} // namespace

std::vector<LockRow> readStringLocks(const SeenKey& seen) {
    const auto& [key, keys, subscriptions, options] = seen;
    if (key.type != "string") return {};
    const auto lock = readStringLock(key.key, key.string, key.ttlMs.has_value(), options.wallMs, options.patterns);
    if (!lock) return {};
    LockRow row;
    row.name = key.key;
    row.format = lock->format;
    row.state = LockRow::State::Held;
    row.certainty = certaintyOf(*lock, key.key, options);
    row.ttlMs = key.ttlMs;
    row.ends = key.ends;
    if (lock->expiresWallMs) {
        row.ttlMs = std::max<std::int64_t>(0, *lock->expiresWallMs - options.wallMs);
        row.ends = EndsWithin{*lock->expiresWallMs, *lock->expiresWallMs};
    }
    row.neverExpires = !row.ttlMs;
    if (lock->holder) row.holders.push_back(*lock->holder);
    if (lock->waitersListen) row.waiterCount = subscribersOf(subscriptions, ownChannel(key.key));
    row.raw.push_back(toRaw(key));
    row.entries.push_back({key.key, key.string});
    return {std::move(row)};
}

} // namespace lockscope::inspect
