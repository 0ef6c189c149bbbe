// SPDX-License-Identifier: Apache-2.0
// Redisson's plain, fair and fenced locks: a hash whose field is "client:thread", and its value the number of holds.
#include "inspect/redis/formats.h"
#include "inspect/redis/formats/redisson_parts.h"

namespace lockscope::inspect {

using namespace redisson;

namespace {

struct Queue {
    const KeySnapshot* items;     ///< the list; null: there is none
    const KeySnapshot* deadlines; ///< the waiters' own; null: there are none
};

// List order is the order of service. A waiter whose deadline has passed and who does not listen for its turn is gone;
// the deadline alone does not tell, because a holder that renews keeps live waiters beyond it.
void fillQueue(LockRow& row, const Queue& queue, const std::optional<Subscriptions>& subscriptions,
               std::int64_t wallMs) {
    static const std::vector<std::pair<QByteArray, double>> kNone;
    const auto& deadlines = queue.deadlines ? queue.deadlines->zset : kNone;
    std::size_t next = 0; // waiters mostly stand in the order of their deadlines: the search begins behind the last one
    const auto deadlineOf = [&](const QByteArray& item) -> std::optional<double> {
        for (std::size_t i = 0; i < deadlines.size(); ++i) {
            const auto& [waiter, deadline] = deadlines[(next + i) % deadlines.size()];
            if (waiter != item) continue;
            next += i + 1;
            return deadline;
        }
        return std::nullopt;
    };
    std::vector<Party> waiters;
    if (queue.items) {
        for (const QByteArray& item : queue.items->list) {
            const auto owner = parseNamedOwner(item); // the queue's name says that these are owners
            Party party = owner ? partyOf(*owner, {}) : Party{item, {}, {}, {}, "exclusive"};
            party.position = int(waiters.size());
            const auto deadline = deadlineOf(item);
            const bool overdue = deadline && *deadline <= double(wallMs);
            party.dead = overdue && subscribersOf(subscriptions, redisson::fairChannel(row.name, item)) == 0;
            if (party.dead) ++row.deadWaiters;
            waiters.push_back(std::move(party));
        }
    }
    row.waiterCount = std::int64_t(waiters.size()) - row.deadWaiters + (queue.items ? queue.items->more : 0);
    row.waiters = std::move(waiters);
}

std::optional<LockRow> plainRow(const KeySnapshot& hash, const KeyTable& keys,
                                const std::optional<Subscriptions>& subscriptions, const RecogniserOptions& options) {
    LockRow row = heldRow(hash, "redisson");
    row.waiterCount = subscribersOf(subscriptions, redisson::lockChannel(hash.key));
    const KeySnapshot* queue = keys.find(redisson::queueKey(hash.key), "list");
    const KeySnapshot* deadlines = keys.find(redisson::queueDeadlinesKey(hash.key), "zset");
    const KeySnapshot* token = keys.find(redisson::tokenKey(hash.key), "string");
    // A UUID says by itself that this is a lock; another name needs a helper key that says so, too, or a connection
    // of that name (restsOnHoldersName()).
    const bool certain = queue || deadlines || token || row.waiterCount.value_or(0) > 0;
    for (const auto& [field, value] : hash.hash) {
        const bool mayBeNamed = certain || (options.holdersMayBeNamed && hash.ttlMs && hash.hash.size() == 1);
        const auto owner = mayBeNamed ? parseNamedOwner(field) : parseOwner(field);
        const auto holds = positiveCount(value);
        if (!owner || !holds) return std::nullopt;
        row.holders.push_back(partyOf(*owner, holds));
        row.entries.push_back({hash.key, field});
    }
    if (row.holders.empty()) return std::nullopt;
    // A plain lock has one holder and always an end. Other hashes have such fields, too: carts by user, for example.
    const bool unique = isUuid(row.holders.front().client);
    if (!certain)
        row.certainty = unique && hash.ttlMs && row.holders.size() == 1 ? Certainty::Certain : Certainty::Guess;

    if (queue || deadlines) {
        row.format = "redisson-fair";
        fillQueue(row, {queue, deadlines}, subscriptions, options.wallMs);
    } else if (keys.refused(redisson::queueKey(hash.key))) {
        row.waiterCount.reset(); // it may be a fair lock, whose waiters listen elsewhere
    } else if (token) {
        row.format = "redisson-fenced";
        row.token = token->string.toLongLong();
    }
    for (const KeySnapshot* helper : {queue, deadlines, token})
        attach(row, helper);
    return row;
}

} // namespace

std::vector<LockRow> readRedissonLock(const SeenKey& seen) {
    if (seen.key.type != "hash") return {};
    auto row = plainRow(seen.key, seen.keys, seen.subscriptions, seen.options);
    if (!row) return {};
    return {std::move(*row)};
}

LockRow redissonQueueRow(const QByteArray& name, const KeySnapshot& queue, const KeyTable& keys,
                         const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs) {
    LockRow row;
    row.name = name;
    row.format = "redisson-fair";
    row.state = LockRow::State::Queued;
    const KeySnapshot* deadlines = keys.find(redisson::queueDeadlinesKey(name), "zset");
    fillQueue(row, {&queue, deadlines}, subscriptions, wallMs);
    attach(row, &queue);
    attach(row, deadlines);
    return row;
}

} // namespace lockscope::inspect
