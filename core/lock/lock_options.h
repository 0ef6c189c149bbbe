// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <optional>
#include <string>
#include <string_view>

namespace lockscope {

/// The greatest epoch: it shares 63 bits with the recipe's 48-bit token.
constexpr std::int64_t kMostEpochs = 32767;

/// A recipe's name, RecipeInfo::id, from whichever kind of text a program has.
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
    /// Which algorithm; empty: the one that suits the connection and what is made of it. Only for locks that are made
    /// by name over a connection; of several as one, for the parts that name none.
    RecipeId recipe = {};
    /// Take a recipe that is built to be seen failing (RecipeInfo::naive), such as redis-setnx. Without this, locks
    /// that are made by name refuse it.
    bool allowNaive = false;
    /// What the server grants at a time; at least 1 ms, whole milliseconds. Recipes that are held by a session or a
    /// connection have no lease of their own.
    Nanos lease = 30s;
    /// Renewal period while held, 0 = no watchdog. A third of the lease leaves two more tries before it ends. Locks
    /// made by name use a third of the lease if this is not shorter than the lease.
    Nanos watchdog = 10s;
    /// Give the lock up when its lease ends without a renewal, by this client's own monotonic clock. Switch it off only
    /// to show what happens to clients that do not check. That clock stands still while the machine is suspended: if
    /// that can happen, let the guarded resource check tokens.
    bool honourDeadline = true;
    /// Take a fencing token with each grant, where the recipe can give one. Redis keeps a counter for it, a key beside
    /// the lock's own, which outlives the hold and expires 30 days after the lock was last taken. False: no such key.
    bool token = true;
    /// The longest that a hold may last, counted from its first grant; 0 = no bound. When it is over, the holder is
    /// told "lost" and the lock is given back: what a watchdog renews for a hung worker would never be free otherwise.
    Nanos maxHold{};
    /// The shortest time that the lock stays taken, counted from its first grant; 0 = none. Who unlocks sooner holds
    /// nothing from then on, but the server is asked to free the lock no sooner than this: a job that is done in a
    /// moment is not done again by a machine whose clock is a little late. That goes on when the lock object and its
    /// connection are gone, but not when the runtime is: then it ends as if it were still held. When the server cannot
    /// be told then, the lock's listener hears HoldEvent::ReleaseFailed, or when there is none, onWarning()'s handler.
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
