// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/string_lock.h"
#include "trace/time.h"

namespace lockscope::inspect {

/// Which locks are wanted, by name: those that match one of `match` (none given: all) and none of `ignore`. Globs as in
/// Redis' SCAN MATCH.
struct NameFilter {
    std::vector<QByteArray> match, ignore;
    bool wants(const QByteArray& name) const;
    friend bool operator==(const NameFilter&, const NameFilter&) = default;
};

/// The filter that lists of globs with commas between them say: "orders:*, stock:*".
NameFilter nameFilterFrom(const QString& match, const QString& ignore);

/// What watching may cost, and what it looks for. A share is of the server's time: what it needs to answer us, at most.
struct WatchOptions {
    std::vector<KeyPattern> patterns = usualLockNames(); ///< string keys that are locks by their name
    NameFilter names;
    double share = 0.08;                   ///< for watch(), once everything was seen
    double firstShare = 0.10;              ///< … until then
    double onceShare = 0.50;               ///< for once(): somebody waits for its answer
    double commandsPerSecond = 20'000;     ///< bound of watch(), on average
    Nanos shortestPeriod = 200ms;          ///< between two looks while things change
    Nanos longestPeriod = 2s;              ///< … while nothing does
    std::int64_t scansOfOnce = 20'000;     ///< bound of once(): about ten million keys
    std::size_t candidatesOfALook = 2'000; ///< keys that may be locks, read in one look of watch()
};

} // namespace lockscope::inspect
