// SPDX-License-Identifier: Apache-2.0
#include "sim/key_look.h"

#include "inspect/redis_recogniser.h"

namespace lockscope::sim {

namespace {

std::optional<inspect::KeySnapshot> lookAtKey(RedisEngine& engine, RedisEngine::SessionId session,
                                              const QByteArray& key) {
    inspect::KeySnapshot look;
    look.key = key;
    look.type = engine.execute(session, {"TYPE", key}).text;
    if (look.type == "none") return std::nullopt;
    const std::int64_t ttl = engine.execute(session, {"PTTL", key}).integer;
    if (ttl >= 0) look.ttlMs = ttl;
    if (look.type == "string") {
        look.string = engine.execute(session, {"GET", key}).text;
    } else if (look.type == "hash") {
        const redis::Reply reply = engine.execute(session, {"HGETALL", key});
        for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
            look.hash.emplace_back(reply.items[i].text, reply.items[i + 1].text);
        }
    } else if (look.type == "list") {
        for (const redis::Reply& item : engine.execute(session, {"LRANGE", key, "0", "-1"}).items) {
            look.list.push_back(item.text);
        }
    } else if (look.type == "zset") {
        const redis::Reply reply = engine.execute(session, {"ZRANGE", key, "0", "-1", "WITHSCORES"});
        for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
            look.zset.emplace_back(reply.items[i].text, reply.items[i + 1].text.toDouble());
        }
    }
    return look;
}

} // namespace

std::vector<inspect::KeySnapshot> lookAt(RedisEngine& engine, RedisEngine::SessionId session,
                                         const QByteArray& lockName) {
    std::vector<inspect::KeySnapshot> keys;
    if (auto look = lookAtKey(engine, session, lockName)) {
        const std::vector<QByteArray> companions = inspect::companionsOf(*look);
        keys.push_back(std::move(*look));
        for (const QByteArray& companion : companions) {
            if (auto other = lookAtKey(engine, session, companion)) keys.push_back(std::move(*other));
        }
    }
    return keys;
}

} // namespace lockscope::sim
