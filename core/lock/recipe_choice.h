// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "lock/lock_options.h"

namespace lockscope {

/// The recipe with that id, for one lock. An empty id means the connection's default recipe if it offers `mode`, else
/// the first safe recipe of the backend that offers it on this server. Kind::NotSupported when there is none; for
/// an unknown id, the message names the connection's recipes.
std::expected<std::unique_ptr<recipes::Recipe>, LockError> chooseRecipe(Connection& connection, const QByteArray& id,
                                                                        recipes::Mode mode, LockSpec spec);

/// Whether the recipe offers the mode.
bool offers(const recipes::RecipeInfo& recipe, recipes::Mode mode);
/// The error for a mode that the recipe does not offer: names the safe recipes of its backend that do.
LockError notOffered(const recipes::RecipeInfo& recipe, recipes::Mode mode);
/// The error for an epoch that is negative or greater than kMostEpochs.
LockError epochTooHigh(std::int64_t epoch);
/// The longest lease that servers are asked for.
inline constexpr Nanos kLongestLease = 24h * 36'500;
/// The error for a lease under 1 ms (servers count whole milliseconds) or over kLongestLease; nullopt: neither.
std::optional<LockError> wrongLease(Nanos lease);
/// The error of a request for a lease. If its outcome is unknown, it says until when that matters.
LockError mayBeGranted(LockError error, recipes::HeldBy heldBy, Nanos lease);
/// The error of a release of a hold whose lease ends in `left`. If its outcome is unknown, it says until when that
/// matters.
LockError mayBeHeldStill(LockError error, recipes::HeldBy heldBy, Nanos left);

/// An error in a lock's options; nullopt = none.
std::optional<LockError> wrongIn(const HoldOptions& options);
/// The error for a recipe that exists to be seen failing, when the options do not allow it; nullopt = none.
std::optional<LockError> unsafe(const recipes::RecipeInfo& recipe, const LockOptions& options);
/// The options; a watchdog period that is not shorter than the lease becomes a third of it.
HoldOptions withTimelyWatchdog(HoldOptions options);

} // namespace lockscope
