// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/joined_report.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

/// Joins notes of several servers: counts add up, and examples stand beside each other.
void joinNotes(std::vector<WatchNote>& all, const std::vector<WatchNote>& more) {
    constexpr std::size_t kMostExamples = 5;
    for (const WatchNote& note : more) {
        if (note.kind == WatchNote::Kind::ClusterNode) { // the others are watched, too
            joinNotes(all, {{WatchNote::Kind::ClusterWaiters, 0, {}}});
            continue;
        }
        if (note.kind == WatchNote::Kind::MovedAway) continue; // it is followed
        const auto same = std::ranges::find(all, note.kind, &WatchNote::kind);
        if (same == all.end()) {
            all.push_back(note);
            continue;
        }
        if (note.kind == WatchNote::Kind::KeysListed)
            same->count = std::max(same->count, note.count); // the servers are searched side by side
        else
            same->count += note.count;
        for (const QByteArray& example : note.examples)
            if (same->examples.size() < kMostExamples &&
                std::ranges::find(same->examples, example) == same->examples.end())
                same->examples.push_back(example);
    }
}

} // namespace

void join(LockReport& all, const LockReport& its) {
    all.hearsOfChanges = all.hearsOfChanges && its.hearsOfChanges;
    all.complete = all.complete && its.complete;
    all.keysSeen += its.keysSeen;
    all.keysThere = all.keysThere < 0 || its.keysThere < 0 ? -1 : all.keysThere + its.keysThere;
    all.keysPassed += its.keysPassed;
    all.keysLeftAlone += its.keysLeftAlone;
    all.keysRefused += its.keysRefused;
    all.commandsPerSecond += its.commandsPerSecond;
    all.period = std::max(all.period, its.period);
    joinNotes(all.notes, its.notes);
}

void runDown(LockRow& row, Nanos passed) {
    const std::int64_t ms = passed / 1ms;
    const auto less = [ms](std::optional<std::int64_t>& ttl) {
        if (ttl) ttl = std::max<std::int64_t>(*ttl - ms, 0);
    };
    less(row.ttlMs);
    for (Party& holder : row.holders)
        less(holder.ttlMs);
    for (RawKey& key : row.raw)
        less(key.ttlMs);
    for (LockRow& copy : row.copies)
        runDown(copy, passed);
}

LockRow notKnown(const LockRow& before, QByteArray server) {
    LockRow row;
    row.name = before.name;
    row.backend = before.backend;
    row.format = before.format;
    row.certainty = before.certainty;
    row.server = std::move(server);
    row.holders = before.holders;
    row.moreHolders = before.moreHolders;
    row.state = LockRow::State::NotKnown;
    return row;
}

std::optional<ServerIdentity> inCommon(const std::vector<ServerIdentity>& servers) {
    if (servers.empty()) return std::nullopt;
    ServerIdentity all;
    all.version = servers.front().version;
    all.mode = servers.front().mode;
    for (const ServerIdentity& its : servers) {
        if (its.version != all.version) all.version.clear();
        if (its.mode != all.mode) all.mode = ServerIdentity::Mode::Unknown;
    }
    return all;
}

} // namespace lockscope::inspect
