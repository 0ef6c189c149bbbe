// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/connection.h"
#include "lock/lock_options.h"

namespace lockscope {

/// The recipe of that id for one lock; of an empty id, the connection's default one if that offers `mode`, else the
/// first of its backend that does, is safe and works on this server. Kind::NotSupported when there is none: the
/// sentence names those that the backend has.
std::expected<std::unique_ptr<recipes::Recipe>, LockError> chooseRecipe(Connection& connection, const QByteArray& id,
                                                                        recipes::Mode mode, LockSpec spec);

/// Whether a recipe offers a mode.
bool offers(const recipes::RecipeInfo& recipe, recipes::Mode mode);
/// The error of asking a recipe for a mode that it does not offer: names those of its backend that do, and are safe.
LockError notOffered(const recipes::RecipeInfo& recipe, recipes::Mode mode);
/// The error of an epoch beyond kMostEpochs, or a negative one.
LockError epochTooHigh(std::int64_t epoch);
/// The error of asking for a lease that servers cannot grant: under a millisecond, of which they count whole ones.
LockError leaseTooShort(Nanos lease);

/// What makes no sense of the options of a lock; nullopt = nothing.
std::optional<LockError> wrongIn(const LockOptions& options);
/// The error of a recipe that is built to be seen failing, when the options do not allow it; nullopt = none.
std::optional<LockError> unsafe(const recipes::RecipeInfo& recipe, const LockOptions& options);
/// The same options with a watchdog that does not always come too late.
LockOptions withTimelyWatchdog(LockOptions options);

} // namespace lockscope
