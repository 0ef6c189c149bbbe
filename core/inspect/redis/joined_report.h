// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/watcher.h"

namespace lockscope::inspect {

/// Adds what the report of one of several Redis servers says besides its locks, its events and its server: counts, and
/// notes. `all.complete` is true and `all.keysThere` is 0 before the first one.
void join(LockReport& all, const LockReport& its);

/// Makes a row that was seen `passed` ago one of now: what was left of its leases then is less.
void runDown(LockRow& row, Nanos passed);

/// A lock of `server`, which cannot be read now. Its holders stay: another server may turn out to have them.
LockRow notKnown(const LockRow& before, QByteArray server);

/// The facts about several servers that are the same of all: version and mode; nullopt: nothing is known of any.
std::optional<ServerIdentity> inCommon(const std::vector<ServerIdentity>& servers);

/// The cost of the watchers of several servers; each part is a pointer to what has its `watcher`.
template <typename Parts>
WatchLoad loadOf(const Parts& parts) {
    WatchLoad all;
    for (const auto& part : parts) {
        const WatchLoad its = part->watcher->load();
        all.requests += its.requests;
        all.serverTime += its.serverTime;
    }
    return all;
}

/// inCommon() of the servers that these watchers know.
template <typename Parts>
std::optional<ServerIdentity> identityOf(const Parts& parts) {
    std::vector<ServerIdentity> known;
    for (const auto& part : parts)
        if (auto its = part->watcher->identity()) known.push_back(*std::move(its));
    return inCommon(known);
}

} // namespace lockscope::inspect
