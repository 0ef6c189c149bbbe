// SPDX-License-Identifier: Apache-2.0
#include "sim/key_look.h"

#include "inspect/redis/recogniser.h"
#include "inspect/redis/redisson_names.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim {

namespace {

using inspect::redisson::queueDeadlinesKey;
using inspect::redisson::queueKey;

/// Only the first elements of a long key are read; of the others, the number is all that a record says. So a look costs
/// the same however many wait.
constexpr std::int64_t kMostElements = 16;

std::optional<inspect::KeySnapshot> lookAtKey(RedisEngine& engine, RedisEngine::SessionId session,
                                              const QByteArray& key, LookAt elements) {
    inspect::KeySnapshot look;
    look.key = key;
    look.type = engine.execute(session, {"TYPE", key}).text;
    if (look.type == "none") return std::nullopt;
    const std::int64_t ttl = engine.execute(session, {"PTTL", key}).integer;
    if (ttl >= 0) look.ttlMs = ttl;
    const bool all = elements == LookAt::All;
    const QByteArray last = QByteArray::number(all ? -1 : qlonglong(kMostElements - 1));
    const auto countOthers = [&](const char* command) {
        if (all) return;
        look.more = std::max<std::int64_t>(0, engine.execute(session, {command, key}).integer - kMostElements);
    };
    if (look.type == "string") {
        look.string = engine.execute(session, {"GET", key}).text;
    } else if (look.type == "hash") {
        const redis::Reply reply = engine.execute(session, {"HGETALL", key});
        for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
            look.hash.emplace_back(reply.items[i].text, reply.items[i + 1].text);
        }
    } else if (look.type == "list") {
        for (const redis::Reply& item : engine.execute(session, {"LRANGE", key, "0", last}).items) {
            look.list.push_back(item.text);
        }
        countOthers("LLEN");
    } else if (look.type == "zset") {
        const redis::Reply reply = engine.execute(session, {"ZRANGE", key, "0", last, "WITHSCORES"});
        for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
            look.zset.emplace_back(reply.items[i].text, redisd::parseDouble(reply.items[i + 1].text).value_or(0));
        }
        countOthers("ZCARD");
    }
    return look;
}

} // namespace

std::vector<inspect::KeySnapshot> lookAt(RedisEngine& engine, RedisEngine::SessionId session,
                                         const QByteArray& lockName, LookAt elements) {
    std::vector<inspect::KeySnapshot> keys;
    // A lock that is free may have a queue all the same.
    std::vector<QByteArray> companions{queueKey(lockName), queueDeadlinesKey(lockName)};
    if (auto look = lookAtKey(engine, session, lockName, elements)) {
        companions = inspect::companionsOf(*look);
        keys.push_back(std::move(*look));
    }
    for (const QByteArray& companion : companions) {
        if (auto other = lookAtKey(engine, session, companion, elements)) keys.push_back(std::move(*other));
    }
    return keys;
}

bool concernsRecord(const QByteArray& key, const QByteArray& lockName) {
    if (key == lockName) return true;
    // Until when waiters count as alive changes with each of their requests, and is no part of the record.
    return key.contains(lockName) && !inspect::redisson::isQueueDeadlinesKeyOf(key, lockName) &&
           !key.startsWith("lockscope_lock_alive:");
}

} // namespace lockscope::sim
