// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/recogniser.h"

#include <QTest>

/// Keys as a watcher reads them, and what the recogniser makes of them.
namespace lockscope::test {
using namespace lockscope::inspect;

inline constexpr char kA[] = "285475da-9152-4c83-822a-67ee2f116a79";
inline constexpr char kB[] = "9d6a39e4-27a9-4c1b-8a6e-2f1c0f3a5b77";
inline constexpr std::int64_t kNow = 1'790'000'000'000; // September 2026

inline QByteArray owner(const char* client, int thread) {
    return QByteArray(client) + ':' + QByteArray::number(thread);
}

inline KeySnapshot string(QByteArray key, QByteArray value, std::optional<std::int64_t> ttl = 30'000) {
    KeySnapshot snapshot;
    snapshot.key = std::move(key);
    snapshot.type = "string";
    snapshot.string = std::move(value);
    snapshot.ttlMs = ttl;
    return snapshot;
}

inline KeySnapshot hash(QByteArray key, std::vector<std::pair<QByteArray, QByteArray>> fields,
                        std::optional<std::int64_t> ttl = 30'000) {
    KeySnapshot snapshot;
    snapshot.key = std::move(key);
    snapshot.type = "hash";
    snapshot.hash = std::move(fields);
    snapshot.ttlMs = ttl;
    return snapshot;
}

inline KeySnapshot list(QByteArray key, std::vector<QByteArray> items) {
    KeySnapshot snapshot;
    snapshot.key = std::move(key);
    snapshot.type = "list";
    snapshot.list = std::move(items);
    return snapshot;
}

inline KeySnapshot zset(QByteArray key, std::vector<std::pair<QByteArray, double>> members) {
    KeySnapshot snapshot;
    snapshot.key = std::move(key);
    snapshot.type = "zset";
    snapshot.zset = std::move(members);
    return snapshot;
}

inline std::vector<LockRow> rowsOf(const std::vector<KeySnapshot>& keys,
                                   const std::optional<Subscriptions>& subscriptions = Subscriptions{}) {
    RecogniserOptions options;
    options.wallMs = kNow;
    return recognise(keys, subscriptions, options);
}

std::vector<QByteArray> rawKeys(const LockRow& row) {
    std::vector<QByteArray> keys;
    for (const RawKey& raw : row.raw)
        keys.push_back(raw.key);
    return keys;
}

} // namespace lockscope::test
