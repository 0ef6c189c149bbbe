// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <optional>
#include <string>
#include <string_view>

namespace lockscope {

/// The greatest epoch: it shares 63 bits with the recipe's 48-bit token.
constexpr std::int64_t kMostEpochs = 32767;

/// A recipe's name, RecipeInfo::id; constructed from any kind of text.
class RecipeId : public QByteArray {
public:
    RecipeId() = default;
    RecipeId(const char* id) : QByteArray(id) {}
    RecipeId(QByteArray id) : QByteArray(std::move(id)) {}
    RecipeId(std::string_view id) : QByteArray(id.data(), static_cast<qsizetype>(id.size())) {}
    RecipeId(const std::string& id) : RecipeId(std::string_view(id)) {}
};

/// How a lock is held.
struct LockOptions {
    /// The algorithm; empty: the connection's default for the mode. Only for locks made by name over a connection; with
    /// a multi-lock, for the parts that name none.
    RecipeId recipe = {};
    /// Accept a recipe that exists to be seen failing (RecipeInfo::naive), such as redis-setnx. Otherwise locks made by
    /// name refuse it.
    bool allowNaive = false;
    /// How long the server grants the lock at a time; at least 1 ms, in whole milliseconds. Recipes held by a session
    /// or a connection have no lease of their own.
    Nanos lease = 30s;
    /// Renewal period while held, 0 = no watchdog. A third of the lease leaves two more tries before it ends. Locks
    /// made by name use a third of the lease if this is not shorter than the lease.
    Nanos watchdog = 10s;
    /// Give the lock up when its lease ends without a renewal, by this client's own monotonic clock. Switch it off only
    /// to show what happens to clients that do not check. That clock stands still while the machine is suspended: if
    /// that can happen, let the guarded resource check tokens.
    bool honourDeadline = true;
    /// Take a fencing token with each grant, if the recipe can give one. On Redis this needs a counter: a key beside
    /// the lock's own, which outlives the hold and expires 30 days after the lock was last taken. False: no such key.
    bool token = true;
    /// The longest time that a hold may last, counted from its first grant; 0 = no bound. Then the holder is told
    /// "lost" and the lock is given back. Without it, a watchdog keeps the lock of a hung worker forever.
    Nanos maxHold{};
    /// The shortest time that the lock stays taken, counted from its first grant; 0 = none. A holder that unlocks
    /// sooner holds nothing from then on, but the server is asked to free the lock only when this time is over: a short
    /// job is not repeated by a machine whose clock is a little late. This continues after the lock object and its
    /// connection are destroyed, but not after the runtime is: then the lock ends as if it were still held. If the
    /// release fails, the lock's listener gets HoldEvent::ReleaseFailed, or the handler of onWarning() when there is
    /// none.
    Nanos minHold{};
    /// A semaphore's number of permits, for the trace; 0 = no semaphore.
    int capacity = 0;
    /// The high bits of every token, above 48 bits of the recipe's own: tokens of a later epoch are greater, whatever
    /// the recipe gives. 0 = none; at most kMostEpochs. LockManager sets it.
    std::int64_t epoch = 0;

    friend bool operator==(const LockOptions&, const LockOptions&) = default;
};

/// One request to take a lock: what may differ from LockOptions.
struct LockRequest {
    recipes::Mode mode = recipes::Mode::Exclusive; ///< a mode that the recipe offers
    int permits = 1;                               ///< with Mode::Permit: how many at once, all or none; > 0
    Nanos wait = kNever;                           ///< longest wait; 0 = one try, kNever = no bound
    QByteArray thread = "1";                       ///< the logical thread that requests it; decimal
    /// Its own lease, at least 1 ms, that no watchdog renews: the lock is free when it ends. nullopt =
    /// LockOptions::lease. When a thread takes the lock again, the longest lease wins. If any of its holds is renewed
    /// by the watchdog, all of them are. With a session or connection, this program gives the lock back at that time,
    /// by its own clock. etcd grants whole seconds, and no less than its election time-out.
    std::optional<Nanos> lease = std::nullopt;
};

} // namespace lockscope
