// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/glob.h"
#include "trace/time.h"

#include <QString>

namespace lockscope::inspect {

/// Which locks are wanted, by name: a name must match one of `match` (none given: any) and none of `ignore`. Globs as
/// in Redis' SCAN MATCH.
struct NameFilter {
    std::vector<QByteArray> match, ignore;
    bool wants(const QByteArray& name) const;
    friend bool operator==(const NameFilter&, const NameFilter&) = default;
};

/// Makes a filter from lists of globs that are separated by commas: "orders:*, stock:*".
NameFilter nameFilterFrom(const QString& match, const QString& ignore);
/// String keys that are locks by their name: the usual names, and those of a list as above.
std::vector<KeyPattern> stringPatternsFrom(const QString& names);

/// Limits for the cost of watching, and the locks to look for. A share is the part of the server's time that answering
/// us may take, at most.
struct WatchOptions {
    std::vector<KeyPattern> patterns = usualLockNames(); ///< string keys that are locks by their name
    NameFilter names;
    bool listKeys = false;                 ///< a memcached may be asked to list all its keys, a walk through all items
    double share = 0.03;                   ///< for watch(), once everything was seen
    double firstShare = 0.10;              ///< … until then
    double onceShare = 0.50;               ///< for once(): a user waits for its answer
    double commandsPerSecond = 20'000;     ///< bound of watch(), on average
    Nanos shortestPeriod = 200ms;          ///< between two looks while things change
    Nanos longestPeriod = 2s;              ///< … while nothing does
    std::int64_t scansOfOnce = 20'000;     ///< bound of once(): about ten million keys
    std::size_t candidatesOfALook = 2'000; ///< keys that may be locks, read in one look of watch()
    /// From so many known keys on, a look of watch() at a Redis that tells of changes is mostly at what has changed.
    std::size_t partsFrom = 2'000;
    Nanos silenceTrusted = 300s; ///< a content is read again by then, although such a server has not told of a change
    Nanos remembered = 30s;      ///< a key is read by its name for so long after it was a lock's: locks come back
    Nanos wholeAgain = 2s;       ///< … and again at all locks after so long, later where that takes long
};

} // namespace lockscope::inspect
