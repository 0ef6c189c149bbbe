// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "recipes/recipe_info.h"
#include "recipes/steps.h"
#include "runtime/runtime.h"

#include <expected>
#include <memory>
#include <optional>

namespace lockscope::recipes {

/// What somebody asks of a recipe.
struct Request {
    QByteArray thread = "1"; ///< the caller's thread within its client; decimal
    Nanos lease = 30s;       ///< > 0; whole milliseconds are sent
    Nanos wait = kNever;     ///< longest wait, 0 = try once, kNever = no bound
    bool token = false;      ///< take a fencing token, where the recipe can
    int held = 0;            ///< holds that the thread has already, as far as it knows
    Steps steps;             ///< where the caller stands, for the trace
};

/// What the server granted.
struct Grant {
    QByteArray thread;
    QByteArray value; ///< what on the server says that it is ours
    Nanos askedAt{};  ///< own monotonic clock just before the request was sent: the lease counts from here
    Nanos lease{};
    int holds = 1;
    std::int64_t token = 0; ///< 0 = none
    Steps steps;
};

template <typename T>
using Outcome = QCoro::Task<std::expected<T, LockError>>;

/// A lock algorithm for one lock name and one client, written once: over a port, whichever world is behind it. The
/// numbered steps are RecipeInfo::steps; each coroutine says at which step it stands.
///
/// All operations may throw Cancelled. One that was stopped (not killed) leaves nothing behind on the server.
class Recipe {
public:
    virtual ~Recipe() = default;
    virtual const RecipeInfo& info() const = 0;

    /// Takes the lock; nullopt = not within the wait.
    virtual Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) = 0;
    /// A full lease again. False = the server says that it is no longer ours.
    virtual Outcome<bool> renew(Grant grant, std::stop_token stop) = 0;
    /// Gives one hold up; the holds left. Kind::NotOwner when it was no longer ours.
    virtual Outcome<int> release(Grant grant, std::stop_token stop) = 0;
    /// Frees the lock whoever holds it. False = there was nothing to free.
    virtual Outcome<bool> forceRelease(std::stop_token stop) = 0;
    /// The client has given a hold up without asking the server, by its own clock: whatever is left of it there is not
    /// to be taken for a hold of the same thread later.
    virtual void abandoned(const Grant&) {}
};

} // namespace lockscope::recipes
