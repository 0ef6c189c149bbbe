// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/string_lock.h"

#include "inspect/redis/redisson_names.h"
#include "inspect/shedlock_value.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

bool isAlnum(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool allOf(QByteArrayView text, bool (*is)(char)) {
    return std::all_of(text.begin(), text.end(), is);
}

// 22 random letters and digits have both cases but for one in 10^5; a word or a number does not.
bool looksRandom(QByteArrayView text) {
    const auto any = [&](char low, char high) {
        return std::any_of(text.begin(), text.end(), [&](char c) { return c >= low && c <= high; });
    };
    return any('a', 'z') && any('A', 'Z');
}

bool isBase64(QByteArrayView text) {
    return allOf(text, [](char c) { return isAlnum(c) || c == '+' || c == '/'; });
}

bool isBase64Url(char c) {
    return isAlnum(c) || c == '-' || c == '_';
}

bool isUsualLockName(const QByteArray& key) {
    return std::ranges::any_of(usualLockNames(),
                               [&](const KeyPattern& pattern) { return globMatches(pattern.glob, key); });
}

constexpr qsizetype kUuid = 36; // bytes of a UUID as text

StringLock of(const char* format, QByteArray client, Certainty certainty) {
    Party holder;
    holder.client = std::move(client);
    return {format, std::move(holder), {}, false, certainty};
}

// Lockscope's own: "<uuid>:<thread>:<16 hex>", and "<uuid>:<thread>" of the naive recipes, whose waiters just ask
// again. A client may have a name instead of the UUID where the rest is marked enough: by its length, and by the TTL
// that it always has.
std::optional<StringLock> ownLock(const QByteArray& value, bool hasTtl) {
    QByteArray owner = value;
    const qsizetype tail = value.lastIndexOf(':');
    const bool unique =
        tail > 0 && isLowerHex(QByteArrayView(value).sliced(tail + 1), 16) && value.lastIndexOf(':', tail - 1) > 0;
    if (unique) owner = value.first(tail);
    const auto parsed = unique && hasTtl ? parseNamedOwner(owner) : parseOwner(owner);
    if (!parsed || !isDecimal(parsed->thread)) return std::nullopt;
    // The naive recipes' value is an id and a number: other data has that, too.
    StringLock lock = of("lockscope", parsed->client, unique ? Certainty::Certain : Certainty::Guess);
    lock.holder->thread = parsed->thread;
    lock.waitersListen = unique;
    return lock;
}

// Milliseconds since 1970 of a version 1 UUID without dashes.
std::int64_t uuid1WallMs(const QByteArray& hex) {
    const auto part = [&](qsizetype at, qsizetype length) { return hex.mid(at, length).toLongLong(nullptr, 16); };
    const qint64 ticks = ((part(12, 4) & 0x0fff) << 48) | (part(8, 4) << 32) | part(0, 8);
    return ticks / 10'000 - 12'219'292'800'000; // 100 ns since 15 October 1582
}

bool isRecentUuid1(const QByteArray& hex, std::int64_t wallMs) {
    constexpr std::int64_t kDay = 86'400'000;
    if (hex[12] != '1' || !QByteArrayView("89ab").contains(hex[16])) return false;
    const std::int64_t made = uuid1WallMs(hex);
    return made > wallMs - 90 * kDay && made < wallMs + kDay;
}

// Most UUIDs with an end are sessions; a name that a library gives to its locks makes one likely.
StringLock uuidLock(const QByteArray& key, const QByteArray& value) {
    if (key.startsWith("redlock:")) return of("redlock-net", value, Certainty::Likely);
    if (key.startsWith("mutex:")) return of("redis-semaphore", value, Certainty::Likely);
    return of(key.contains(':') ? "spring|redlock-rb|string" : "redlock-rb|string", value, Certainty::Guess);
}

std::optional<StringLock> randomToken(const QByteArray& key, const QByteArray& value, bool hasTtl,
                                      std::int64_t wallMs) {
    const QByteArrayView text(value);
    if (isLowerHex(text, 32)) {
        if (isRecentUuid1(value, wallMs)) return of("redis-py", value, Certainty::Likely);
        if (hasTtl) return of("node-redlock", value, Certainty::Guess);
    }
    if (text.size() == 24 && isBase64(text) && key.startsWith("lock:"))
        return of("python-redis-lock", value, Certainty::Likely);
    if (!hasTtl) return std::nullopt; // all below always set one
    if (isUuid(value.toLower())) return uuidLock(key, value);
    // npm's redis-semaphore lets programs put a suffix of their own behind the UUID.
    if (key.startsWith("mutex:") && value.size() > kUuid + 1 && value[kUuid] == '-' && isUuid(text.first(kUuid)))
        return of("redis-semaphore", value, Certainty::Likely);
    if (text.size() == 24 && text.endsWith("==") && isBase64(text.first(22)) && looksRandom(text))
        return of("redsync", value, Certainty::Guess);
    if (text.size() == 40 && allOf(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'); }))
        return of("redlock-cpp", value, Certainty::Guess);
    if (text.size() == 22 && looksRandom(text)) {
        if (allOf(text, isAlnum)) return of("redlock-py|redislock", value, Certainty::Guess);
        if (allOf(text, isBase64Url)) return of("redislock", value, Certainty::Guess);
    }
    // redislock's metadata stand behind its token without a mark: other values look like that, so a name must help.
    constexpr qsizetype kToken = 22;
    if (text.size() > kToken && looksRandom(text.first(kToken)) && allOf(text.first(kToken), isBase64Url) &&
        isUsualLockName(key)) {
        StringLock lock = of("redislock|string", value.first(kToken), Certainty::Guess);
        lock.holder->about = value.sliced(kToken);
        return lock;
    }
    return std::nullopt;
}

// The SETNX locks of old articles hold their own end: epoch seconds or milliseconds.
std::optional<std::int64_t> epochMs(const QByteArray& value) {
    if (!isDecimal(value)) return std::nullopt;
    if (value.size() == 10) return value.toLongLong() * 1000;
    if (value.size() == 13) return value.toLongLong();
    return std::nullopt;
}

} // namespace

QByteArray ownChannel(const QByteArray& name) {
    return "lockscope_lock__channel:" + redisson::hashTag(name);
}

std::optional<StringLock> readStringLock(const QByteArray& key, const QByteArray& value, bool hasTtl,
                                         std::int64_t wallMs, std::span<const KeyPattern> patterns) {
    if (auto holder = shedLockHolder(value))
        return StringLock{"shedlock", std::move(holder), {}, false, Certainty::Certain};
    if (auto lock = ownLock(value, hasTtl)) return lock;
    if (auto lock = randomToken(key, value, hasTtl, wallMs)) return lock;
    for (const KeyPattern& pattern : patterns) {
        if (!globMatches(pattern.glob, key)) continue;
        if (const auto end = epochMs(value)) return StringLock{"setnx-expiry", {}, end, false, Certainty::Likely};
        return of(pattern.format.constData(), value, Certainty::Likely);
    }
    return std::nullopt;
}

} // namespace lockscope::inspect
