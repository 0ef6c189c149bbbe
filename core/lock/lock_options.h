// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

#include <lockscope/lock_options.h>
#include <optional>

namespace lockscope {

/// The greatest epoch: it shares 63 bits with the recipe's 48-bit token.
constexpr std::int64_t kMostEpochs = 32767;

/// LockOptions, and the options that only the library's own code sets.
struct HoldOptions : LockOptions {
    HoldOptions() = default;
    HoldOptions(LockOptions options) : LockOptions(std::move(options)) {}
    /// Give the lock up when its lease ends without a renewal, by this client's own monotonic clock. Off only to show
    /// what happens to clients that do not check. That clock stands still while the machine is suspended: if that can
    /// happen, let the guarded resource check tokens.
    bool honourDeadline = true;
    /// A semaphore's number of permits, for the trace; 0 = no semaphore.
    int capacity = 0;
    /// The high bits of every token, above 48 bits of the recipe's own: tokens of a later epoch are greater, whatever
    /// the recipe gives. 0 = none; at most kMostEpochs. LockManager sets it.
    std::int64_t epoch = 0;

    /// The recipe's id as the recipes know it.
    QByteArray recipeId() const { return QByteArray::fromStdString(recipe); }
};

/// One request to take a lock: what may differ from LockOptions.
struct LockRequest {
    recipes::Mode mode = recipes::Mode::Exclusive; ///< a mode that the recipe offers
    int permits = 1;                               ///< with Mode::Permit: how many at once, all or none; > 0
    Nanos wait = kNever;                           ///< longest wait; 0 = one try, kNever = no bound
    QByteArray thread = "1";                       ///< the logical thread that requests it; decimal
    /// A lease of the hold's own, at least 1 ms, that no watchdog renews: the lock is free when it ends. nullopt =
    /// LockOptions::lease. When a thread takes the lock again, the longest lease wins. If any of its holds is renewed
    /// by the watchdog, all of them are. With a session or connection, this program gives the lock back at that time,
    /// by its own clock. etcd grants whole seconds, and no less than its election time-out.
    std::optional<Nanos> lease = std::nullopt;
};

} // namespace lockscope
