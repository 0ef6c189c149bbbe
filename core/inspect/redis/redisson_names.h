// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QByteArray>
#include <optional>
#include <utility>

namespace lockscope::inspect {

/// How Redisson derives the keys and channels around a lock's name (wire format: names).
namespace redisson {

/// The name as it stands in derived names: `{name}`, or the name itself when it has a brace anywhere.
QByteArray hashTag(const QByteArray& name);
/// The likeliest name that gives this hash tag: without the braces when they are the only ones. `a` and `{a}` have the
/// same tag; which one is meant is decided by the key that exists.
QByteArray nameOfTag(const QByteArray& tag);

QByteArray queueKey(const QByteArray& name);          ///< fair: list of waiters
QByteArray queueDeadlinesKey(const QByteArray& name); ///< fair: zset of the waiters' deadlines
/// Whether it is queueDeadlinesKey(name).
bool isQueueDeadlinesKeyOf(const QByteArray& key, const QByteArray& name);
QByteArray tokenKey(const QByteArray& name);      ///< fenced: string, counter
QByteArray permitsKey(const QByteArray& name);    ///< expirable permits: zset of deadlines
QByteArray holdKeyPrefix(const QByteArray& name); ///< read/write: what hold keys of readers start with

QByteArray lockChannel(const QByteArray& name);
/// On which one waiter of a fair lock, "client:thread", hears that it is its turn.
QByteArray fairChannel(const QByteArray& name, const QByteArray& waiter);
QByteArray readWriteChannel(const QByteArray& name);
QByteArray semaphoreChannel(const QByteArray& name);
QByteArray latchChannel(const QByteArray& name);

/// The lock's name when `channel` is the wake-up channel of a plain (or fenced) lock; fair waiters' own channels
/// (`…:client:thread`) are not.
std::optional<QByteArray> nameOfLockChannel(const QByteArray& channel);
/// A channel that reads as a fair waiter's own: "tag:client:thread". A client may have any name, and a lock's name may
/// look like all of that, so both readings are possible.
struct FairWaiter {
    QByteArray lockTag; ///< hash tag of the lock's name
    QByteArray waiter;  ///< "client:thread"
};
std::optional<FairWaiter> fairWaiterOf(const QByteArray& channel);
/// The name and type of the key that a channel of this library belongs to, whichever kind of lock it is.
std::optional<std::pair<QByteArray, const char*>> keyOfChannel(const QByteArray& channel);
/// The lock's name when `key` is a fair lock's queue.
std::optional<QByteArray> nameOfQueueKey(const QByteArray& key);
/// The semaphore's name when `key` may be the sorted set of its permits.
std::optional<QByteArray> nameOfPermitsKey(const QByteArray& key);
/// The lock's name when `key` is a fencing counter.
std::optional<QByteArray> nameOfTokenKey(const QByteArray& key);

} // namespace redisson

/// True for keys that belong to a lock and are never one by themselves.
bool isHelperKey(const QByteArray& key);

/// 36 characters, hexadecimal with dashes, lower case only.
bool isUuid(QByteArrayView text);
/// One or more decimal digits.
bool isDecimal(QByteArrayView text);
/// Hexadecimal digits, lower case, exactly `length` of them.
bool isLowerHex(QByteArrayView text, qsizetype length);

/// "uuid:thread" as Redisson (thread decimal) and node-redisson (thread a second uuid) write it.
struct Owner {
    QByteArray client, thread;
};
std::optional<Owner> parseOwner(const QByteArray& field);
/// "name:thread" of a client that calls itself something else than a UUID, as `lock --id` allows; a UUID is a name,
/// too. Much that is no owner looks like it: something else must say that this is a lock.
std::optional<Owner> parseNamedOwner(const QByteArray& field);

} // namespace lockscope::inspect
