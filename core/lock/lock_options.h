// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <optional>
#include <string>
#include <string_view>

namespace lockscope {

/// As many epochs as fit above a token's 48 bits.
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
    /// Renewal period while held, 0 = no watchdog. A third of the lease leaves two more tries before it ends; locks
    /// that are made by name take that for a period that is no shorter than the lease.
    Nanos watchdog = 10s;
    /// Give the lock up by this client's own monotonic clock when its lease has passed unrenewed. Off only to show what
    /// happens to clients that do not look. That clock stands still while the whole machine is suspended: who works on
    /// a machine that may be, checks tokens where it writes.
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
    /// How many permits there are in all, of a semaphore: for the trace. 0 = it is none.
    int capacity = 0;
    /// Stands in the high bits of every token, above 48 bits of the recipe's own: tokens of a later epoch are greater
    /// whatever the recipe gives. 0 = none; up to kMostEpochs. LockManager sets it.
    std::int64_t epoch = 0;

    friend bool operator==(const LockOptions&, const LockOptions&) = default;
};

/// One taking of a lock: what a caller may want other than what LockOptions say.
struct LockRequest {
    recipes::Mode mode = recipes::Mode::Exclusive; ///< one that the recipe offers
    int permits = 1;                               ///< of Mode::Permit: how many at once, all or none; > 0
    Nanos wait = kNever;                           ///< longest wait; 0 = one try, kNever = no bound
    QByteArray thread = "1";                       ///< the logical thread that asks; decimal
    /// A lease of its own, at least 1 ms, that no watchdog renews: the lock is free when it ends. nullopt =
    /// LockOptions::lease. A thread that holds the lock already has it until the longest of what its takings ask for
    /// ends: one that a watchdog keeps stays kept, and a taking without a lease of its own is kept also inside of one
    /// that has. What a session or a connection holds is given back by this program then, by its own clock. etcd grants
    /// whole seconds, and no less than its election time-out.
    std::optional<Nanos> lease = std::nullopt;
};

} // namespace lockscope
