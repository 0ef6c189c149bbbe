// SPDX-License-Identifier: Apache-2.0
#include "inspect/redisson_rows.h"

#include "inspect/redisson_names.h"

namespace lockscope::inspect {

namespace {

constexpr qsizetype kPermitIdBytes = 16;

std::optional<int> positiveCount(const QByteArray& value) {
    bool ok = false;
    const int count = value.toInt(&ok);
    return ok && count > 0 ? std::optional(count) : std::nullopt;
}

LockRow heldRow(const KeySnapshot& key, const char* format) {
    LockRow row;
    row.name = key.key;
    row.format = format;
    row.state = LockRow::State::Held;
    row.ttlMs = key.ttlMs;
    row.ends = key.ends;
    row.neverExpires = !key.ttlMs;
    row.raw.push_back(toRaw(key));
    return row;
}

void attach(LockRow& row, const KeySnapshot* key) {
    if (key) row.raw.push_back(toRaw(*key));
}

Party partyOf(const Owner& owner, std::optional<int> holds, const char* mode = "exclusive") {
    return {owner.client, owner.thread, holds, {}, mode};
}

// An end that the content itself says, not a measured one.
template <typename T>
void endAt(T& row, std::int64_t endMs, std::int64_t wallMs) {
    row.ttlMs = std::max<std::int64_t>(0, endMs - wallMs);
    row.ends = EndsWithin{endMs, endMs};
}

struct Queue {
    const KeySnapshot* items;     ///< the list; null: there is none
    const KeySnapshot* deadlines; ///< the waiters' own; null: there are none
};

// List order is the order of service. A waiter whose deadline has passed and who does not listen for its turn is gone;
// the deadline alone does not tell, because a holder that renews keeps live waiters beyond it.
void fillQueue(LockRow& row, const Queue& queue, const std::optional<Subscriptions>& subscriptions,
               std::int64_t wallMs) {
    std::map<QByteArray, double> deadlines;
    if (queue.deadlines) deadlines.insert(queue.deadlines->zset.begin(), queue.deadlines->zset.end());
    std::vector<Party> waiters;
    if (queue.items) {
        for (const QByteArray& item : queue.items->list) {
            const auto owner = parseNamedOwner(item); // the queue's name says that these are owners
            Party party = owner ? partyOf(*owner, {}) : Party{item, {}, {}, {}, "exclusive"};
            party.position = int(waiters.size());
            const auto deadline = deadlines.find(item);
            const bool overdue = deadline != deadlines.end() && deadline->second <= double(wallMs);
            const auto listening = subscribersOf(subscriptions, redisson::fairChannel(row.name, item));
            party.dead = overdue && listening && *listening == 0;
            if (party.dead) ++row.deadWaiters;
            waiters.push_back(std::move(party));
        }
    }
    row.waiterCount = std::int64_t(waiters.size()) - row.deadWaiters + (queue.items ? queue.items->more : 0);
    row.waiters = std::move(waiters);
}

std::optional<LockRow> plainRow(const KeySnapshot& hash, const KeyTable& keys,
                                const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs) {
    LockRow row = heldRow(hash, "redisson");
    row.waiterCount = subscribersOf(subscriptions, redisson::lockChannel(hash.key));
    const KeySnapshot* queue = keys.find(redisson::queueKey(hash.key), "list");
    const KeySnapshot* deadlines = keys.find(redisson::queueDeadlinesKey(hash.key), "zset");
    const KeySnapshot* token = keys.find(redisson::tokenKey(hash.key), "string");
    // A UUID says by itself that this is a lock; another name needs a helper key that says so, too.
    const bool certain = queue || deadlines || token || row.waiterCount.value_or(0) > 0;
    for (const auto& [field, value] : hash.hash) {
        const auto owner = certain ? parseNamedOwner(field) : parseOwner(field);
        const auto holds = positiveCount(value);
        if (!owner || !holds) return std::nullopt;
        row.holders.push_back(partyOf(*owner, holds));
    }
    if (row.holders.empty()) return std::nullopt;
    // A plain lock has one holder and always an end. Other hashes have such fields, too: carts by user, for example.
    if (!certain) row.certainty = hash.ttlMs && row.holders.size() == 1 ? Certainty::Certain : Certainty::Guess;

    if (queue || deadlines) {
        row.format = "redisson-fair";
        fillQueue(row, {queue, deadlines}, subscriptions, wallMs);
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

// The longest of a reader's holds counts.
void lastsUntil(Party& reader, const KeySnapshot& hold) {
    if (!hold.ttlMs) reader.neverExpires = true;
    if (reader.neverExpires) {
        reader.ttlMs.reset();
        reader.ends.reset();
    } else if (!reader.ttlMs || *hold.ttlMs > *reader.ttlMs) {
        reader.ttlMs = hold.ttlMs;
        reader.ends = hold.ends;
    }
}

// A reader lives as long as one of its hold keys; the hash's TTL is not its own.
std::optional<LockRow> readWriteRow(const KeySnapshot& hash, const KeyTable& keys,
                                    const std::optional<Subscriptions>& subscriptions) {
    LockRow row = heldRow(hash, "redisson-rw");
    QByteArray mode;
    const KeySnapshot* lastHold = nullptr; ///< of the holds that end, the one that ends last
    bool readerForEver = false;
    bool readerRefused = false;
    for (const auto& [field, value] : hash.hash) {
        if (field == "mode") {
            mode = value;
            continue;
        }
        constexpr qsizetype kSuffix = 6; // ":write"
        const bool writes = field.endsWith(":write");
        // The mode says that this is a lock, so a client may have any name.
        const auto owner = parseNamedOwner(writes ? field.chopped(kSuffix) : field);
        const auto holds = positiveCount(value);
        if (!owner || !holds) return std::nullopt;
        if (writes) {
            row.holders.push_back(partyOf(*owner, holds));
            continue;
        }
        bool lives = false;
        Party reader = partyOf(*owner, holds, "shared");
        for (int i = 1; i <= std::min(*holds, 1000); ++i) {
            const QByteArray holdKey =
                redisson::holdKeyPrefix(hash.key) + field + ":rwlock_timeout:" + QByteArray::number(i);
            const KeySnapshot* hold = keys.find(holdKey, "string");
            const bool refused = !hold && keys.refused(holdKey); // then it may live: nothing says that it is dead
            lives = lives || hold || refused;
            readerRefused = readerRefused || refused;
            if (!hold) continue;
            readerForEver = readerForEver || !hold->ttlMs;
            lastsUntil(reader, *hold);
            if (hold->ttlMs && (!lastHold || *hold->ttlMs > *lastHold->ttlMs)) lastHold = hold;
            attach(row, hold);
        }
        if (lives) row.holders.push_back(std::move(reader));
    }
    if (mode != "read" && mode != "write") return std::nullopt;
    if (mode == "read") {
        row.mode = "shared";
        row.neverExpires = readerForEver;
        const bool known = lastHold && !readerForEver && !readerRefused;
        row.ttlMs = known ? lastHold->ttlMs : std::nullopt;
        row.ends = known ? lastHold->ends : std::nullopt;
    }
    row.moreHolders = hash.more;
    row.holdersGone = row.holders.empty() && hash.more == 0;
    row.waiterCount = subscribersOf(subscriptions, redisson::readWriteChannel(hash.key));
    return row;
}

// One hash for many values: field v = owner, "v:owner:expire_time" and "v:owner:lock_count".
std::vector<LockRow> fastMultiRows(const KeySnapshot& hash, const std::optional<Subscriptions>& subscriptions,
                                   std::int64_t wallMs) {
    std::map<QByteArray, QByteArray> fields(hash.hash.begin(), hash.hash.end());
    const auto ends = [&](const char* suffix) {
        return std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.first.endsWith(suffix); });
    };
    if (!ends(":expire_time") || !ends(":lock_count")) return {};
    std::vector<LockRow> rows;
    for (const auto& [field, value] : fields) {
        if (field.endsWith(":expire_time") || field.endsWith(":lock_count")) continue;
        const auto owner = parseOwner(value);
        const auto expiry = fields.find(field + ':' + value + ":expire_time");
        const auto count = fields.find(field + ':' + value + ":lock_count");
        if (!owner || expiry == fields.end() || count == fields.end()) return {};
        const std::int64_t left = expiry->second.toLongLong() - wallMs;
        LockRow row = heldRow(hash, "redisson-fastmulti");
        row.name = hash.key + ':' + field;
        row.waiterCount = subscribersOf(subscriptions, redisson::lockChannel(hash.key));
        row.neverExpires = false;
        row.ttlMs.reset();
        row.ends.reset();
        if (left > 0) {
            endAt(row, wallMs + left, wallMs);
            row.holders.push_back(partyOf(*owner, positiveCount(count->second)));
        } else {
            row.state = LockRow::State::Free;
        }
        rows.push_back(std::move(row));
    }
    return rows;
}

LockRow permitRow(const KeySnapshot& string, const char* format, std::int64_t freePermits) {
    LockRow row = heldRow(string, format);
    row.mode = "permit";
    if (freePermits > 0) row.state = LockRow::State::Free;
    if (row.state == LockRow::State::Free) row.ends.reset();
    row.neverExpires = row.neverExpires && row.state == LockRow::State::Held;
    return row;
}

} // namespace

KeyTable::KeyTable(std::span<const KeySnapshot> keys) {
    for (const KeySnapshot& key : keys)
        m_keys.emplace(key.key, &key);
}

const KeySnapshot* KeyTable::find(const QByteArray& key, const char* type) const {
    const auto it = m_keys.find(key);
    const bool there = it != m_keys.end() && it->second->type == type;
    return there && !it->second->tooBig && !it->second->refused ? it->second : nullptr;
}

bool KeyTable::refused(const QByteArray& key) const {
    const auto it = m_keys.find(key);
    return it != m_keys.end() && it->second->refused;
}

std::optional<std::int64_t> subscribersOf(const std::optional<Subscriptions>& subscriptions,
                                          const QByteArray& channel) {
    if (!subscriptions) return std::nullopt;
    const auto it = subscriptions->find(channel);
    return it == subscriptions->end() ? 0 : it->second;
}

std::vector<LockRow> redissonHashRows(const KeySnapshot& hash, const KeyTable& keys,
                                      const std::optional<Subscriptions>& subscriptions, std::int64_t wallMs) {
    if (auto row = readWriteRow(hash, keys, subscriptions)) return {std::move(*row)};
    if (auto rows = fastMultiRows(hash, subscriptions, wallMs); !rows.empty()) return rows;
    if (auto row = plainRow(hash, keys, subscriptions, wallMs)) return {std::move(*row)};
    return {};
}

std::optional<LockRow> redissonPermitRow(const KeySnapshot& string, const KeyTable& keys,
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
        const bool held = !row.holders.empty() || permits->more > 0 || value <= 0;
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
