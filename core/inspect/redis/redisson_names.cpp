// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/redisson_names.h"

#include "trace/joined.h"

#include <algorithm>

namespace lockscope::inspect {

namespace {

constexpr char kQueue[] = "redisson_lock_queue:";
constexpr char kQueueDeadlines[] = "redisson_lock_timeout:";
constexpr char kToken[] = "redisson_lock_token:";
constexpr char kLatchOfUnlock[] = "redisson_unlock_latch:";
constexpr char kLockChannel[] = "redisson_lock__channel:";
constexpr char kHold[] = ":rwlock_timeout:";
constexpr char kPermits[] = ":timeout";

constexpr qsizetype kUuidLength = 36;

std::optional<QByteArray> nameAfter(const QByteArray& text, const char* prefix) {
    if (!text.startsWith(prefix)) return std::nullopt;
    const QByteArray name = redisson::nameOfTag(text.mid(qsizetype(qstrlen(prefix))));
    return name.isEmpty() ? std::nullopt : std::optional(name); // a prefix alone names no lock
}

/// A prefix, and the name as a hash tag, in braces.
QByteArray withTag(QByteArrayView prefix, const QByteArray& name) {
    return name.contains('{') ? trace::joined({prefix, name}) : trace::joined({prefix, "{", name, "}"});
}

bool isHoldKey(const QByteArray& key) {
    const qsizetype at = key.lastIndexOf(kHold);
    return at > 0 && isDecimal(QByteArrayView(key).sliced(at + qsizetype(qstrlen(kHold))));
}

} // namespace

namespace redisson {

QByteArray hashTag(const QByteArray& name) {
    return withTag({}, name);
}

QByteArray nameOfTag(const QByteArray& tag) {
    const bool wrapped = tag.startsWith('{') && tag.endsWith('}') && tag.lastIndexOf('{') == 0;
    return wrapped ? tag.mid(1, tag.size() - 2) : tag;
}

QByteArray queueKey(const QByteArray& name) {
    return withTag(kQueue, name);
}
QByteArray queueDeadlinesKey(const QByteArray& name) {
    return withTag(kQueueDeadlines, name);
}
bool isQueueDeadlinesKeyOf(const QByteArray& key, const QByteArray& name) {
    return key.startsWith(kQueueDeadlines) && key == queueDeadlinesKey(name);
}
QByteArray tokenKey(const QByteArray& name) {
    return withTag(kToken, name);
}
QByteArray permitsKey(const QByteArray& name) {
    return hashTag(name) + kPermits;
}
QByteArray holdKeyPrefix(const QByteArray& name) {
    return hashTag(name) + ':';
}

QByteArray lockChannel(const QByteArray& name) {
    return kLockChannel + hashTag(name);
}
QByteArray fairChannel(const QByteArray& name, const QByteArray& waiter) {
    return lockChannel(name) + ':' + waiter;
}
QByteArray readWriteChannel(const QByteArray& name) {
    return "redisson_rwlock:" + hashTag(name);
}
QByteArray semaphoreChannel(const QByteArray& name) {
    return "redisson_sc:" + hashTag(name);
}
QByteArray latchChannel(const QByteArray& name) {
    return "redisson_countdownlatch__channel__{" + name + '}';
}

std::optional<QByteArray> nameOfLockChannel(const QByteArray& channel) {
    if (!channel.startsWith(kLockChannel)) return std::nullopt;
    const QByteArray tag = channel.mid(qsizetype(qstrlen(kLockChannel)));
    // A fair waiter listens on "<tag>:<client>:<thread>".
    const qsizetype thread = tag.lastIndexOf(':');
    if (thread > kUuidLength && tag[thread - kUuidLength - 1] == ':' &&
        parseOwner(tag.mid(thread - kUuidLength)).has_value())
        return std::nullopt;
    return nameAfter(channel, kLockChannel);
}

std::optional<FairWaiter> fairWaiterOf(const QByteArray& channel) {
    if (!channel.startsWith(kLockChannel)) return std::nullopt;
    const QByteArray text = channel.mid(qsizetype(qstrlen(kLockChannel)));
    const qsizetype brace = text.lastIndexOf('}'); // a tag has one at least; the client's name begins behind a colon
    const qsizetype client = brace < 0 ? -1 : text.indexOf(':', brace);
    if (client < 0) return std::nullopt;
    const QByteArray waiter = text.mid(client + 1);
    if (!parseNamedOwner(waiter)) return std::nullopt;
    return FairWaiter{text.left(client), waiter};
}

std::optional<std::pair<QByteArray, const char*>> keyOfChannel(const QByteArray& channel) {
    if (const auto name = nameOfLockChannel(channel)) return std::pair(*name, "hash");
    if (const auto name = nameAfter(channel, "redisson_rwlock:")) return std::pair(*name, "hash");
    if (const auto name = nameAfter(channel, "redisson_sc:")) return std::pair(*name, "string");
    if (const auto name = nameAfter(channel, "redisson_countdownlatch__channel__")) return std::pair(*name, "string");
    return std::nullopt;
}

std::optional<QByteArray> nameOfQueueKey(const QByteArray& key) {
    return nameAfter(key, kQueue);
}
std::optional<QByteArray> nameOfPermitsKey(const QByteArray& key) {
    if (!key.endsWith(kPermits) || isHelperKey(key)) return std::nullopt;
    return nameOfTag(key.chopped(qsizetype(qstrlen(kPermits))));
}
std::optional<QByteArray> nameOfTokenKey(const QByteArray& key) {
    return nameAfter(key, kToken);
}

} // namespace redisson

bool isHelperKey(const QByteArray& key) {
    for (const char* prefix :
         {kQueue, kQueueDeadlines, kToken, kLatchOfUnlock, "lock-signal:", "lockscope_permits:", "lockscope_token:"})
        if (key.startsWith(prefix)) return true;
    return key == "redisson:events" || isHoldKey(key);
}

bool isUuid(QByteArrayView text) {
    if (text.size() != kUuidLength) return false;
    for (qsizetype i = 0; i < kUuidLength; ++i) {
        const char c = text[i];
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
    }
    return true;
}

bool isDecimal(QByteArrayView text) {
    return !text.isEmpty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool isLowerHex(QByteArrayView text, qsizetype length) {
    return text.size() == length && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::optional<Owner> parseOwner(const QByteArray& field) {
    if (field.size() <= kUuidLength + 1 || field[kUuidLength] != ':') return std::nullopt;
    const QByteArrayView client = QByteArrayView(field).first(kUuidLength);
    const QByteArrayView thread = QByteArrayView(field).sliced(kUuidLength + 1);
    if (!isUuid(client) || !(isDecimal(thread) || isUuid(thread))) return std::nullopt;
    return Owner{client.toByteArray(), thread.toByteArray()};
}

std::optional<Owner> parseNamedOwner(const QByteArray& field) {
    if (auto owner = parseOwner(field)) return owner;
    const qsizetype colon = field.lastIndexOf(':');
    const QByteArray thread = field.mid(colon + 1);
    if (colon <= 0 || !isDecimal(thread)) return std::nullopt;
    return Owner{field.left(colon), thread};
}

} // namespace lockscope::inspect
