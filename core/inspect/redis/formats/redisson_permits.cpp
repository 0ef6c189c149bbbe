// SPDX-License-Identifier: Apache-2.0
// Redisson's expirable permits, semaphore and count-down latch: a string with a number, and what marks it as permits.
#include "inspect/redis/formats.h"
#include "inspect/redis/formats/redisson_parts.h"

namespace lockscope::inspect {

using namespace redisson;

namespace {

constexpr qsizetype kPermitIdBytes = 16;

LockRow permitRow(const KeySnapshot& string, const char* format, std::int64_t freePermits) {
    LockRow row = heldRow(string, format);
    row.mode = "permit";
    if (freePermits > 0) row.state = LockRow::State::Free;
    if (row.state == LockRow::State::Free) row.ends.reset();
    row.neverExpires = row.neverExpires && row.state == LockRow::State::Held;
    return row;
}

std::optional<LockRow> permitsRow(const KeySnapshot& string, const KeyTable& keys,
                                  const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs) {
    bool isNumber = false;
    const std::int64_t value = string.string.toLongLong(&isNumber);
    if (!isNumber) return std::nullopt;

    const auto semaphoreWaiters = subscribersOf(subscriptions, redisson::semaphoreChannel(string.key));
    const KeySnapshot* permits = keys.find(redisson::permitsKey(string.key), "zset");
    if (permits && std::all_of(permits->zset.begin(), permits->zset.end(),
                               [](const auto& permit) { return permit.first.size() == kPermitIdBytes; })) {
        LockRow row = permitRow(string, "redisson-permit", value);
        row.ttlMs.reset();
        row.ends.reset();
        row.neverExpires = false;
        constexpr double kForEver = 922337203685477;
        std::int64_t over = 0;
        for (const auto& [id, score] : permits->zset)
            row.entries.push_back({permits->key, id});
        for (const auto& [id, score] : permits->zset) { // in score order: the first to end decides the row's TTL
            if (score <= double(wallMs)) {              // taken back by the next acquire
                ++over;
                continue;
            }
            Party holder{id.toHex(), {}, {}, {}, "permit"};
            holder.neverExpires = score >= kForEver;
            if (!holder.neverExpires) endAt(holder, std::int64_t(score), wallMs);
            row.holders.push_back(std::move(holder));
            if (!row.ttlMs && score < kForEver) endAt(row, std::int64_t(score), wallMs);
        }
        row.permitsFree = value + over;
        row.permitsInAll = value + std::int64_t(permits->zset.size()) + permits->more;
        row.moreHolders = permits->more;
        const bool held = !row.holders.empty() || permits->more > 0 || *row.permitsFree <= 0;
        row.state = held ? LockRow::State::Held : LockRow::State::Free;
        row.neverExpires = held && !row.ttlMs && permits->more == 0;
        row.waiterCount = semaphoreWaiters;
        attach(row, permits);
        return row;
    }
    // A number by itself is just a number; somebody who waits on the semaphore's channel makes it one.
    if (semaphoreWaiters.value_or(0) > 0) {
        LockRow row = permitRow(string, "redisson-semaphore", value);
        row.permitsFree = value;
        row.waiterCount = semaphoreWaiters;
        return row;
    }
    if (const auto waiters = subscribersOf(subscriptions, redisson::latchChannel(string.key));
        waiters.value_or(0) > 0) {
        LockRow row = permitRow(string, "redisson-latch", value > 0 ? 0 : 1);
        row.waiterCount = waiters;
        return row;
    }
    return std::nullopt;
}

} // namespace

std::vector<LockRow> readRedissonPermits(const SeenKey& seen) {
    if (seen.key.type != "string") return {};
    auto row = permitsRow(seen.key, seen.keys, seen.subscriptions, seen.options.wallMs);
    if (!row) return {};
    return {std::move(*row)};
}

} // namespace lockscope::inspect
