// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "recipes/recipe_info.h"
#include "recipes/steps.h"
#include "runtime/call_list.h"
#include "runtime/runtime.h"
#include "trace/event.h"

#include <expected>
#include <memory>
#include <optional>
#include <variant>

namespace lockscope::recipes {

using Mode = trace::HoldMode;

/// A request to a recipe.
struct Request {
    QByteArray thread = "1";     ///< the caller's thread within its client; decimal
    Nanos lease = 30s;           ///< > 0; whole milliseconds are sent
    Nanos wait = kNever;         ///< longest wait, 0 = try once, kNever = no bound
    bool token = false;          ///< take a fencing token, where the recipe can
    int held = 0;                ///< holds that the thread already has in this mode, as far as it knows
    Mode mode = Mode::Exclusive; ///< a mode that the recipe offers: RecipeInfo::exclusive, shared, permits
    int permits = 1;             ///< with Mode::Permit: how many at once, all or none
    Steps steps;                 ///< the caller's step, for the trace
    /// The caller will renew the hold while it has it; so the recipe may tie its end to that of other renewed holds.
    bool kept = false;
};

struct HoldEra;
struct PermitIds;
struct ZkHold;
struct EtcdStand;
struct MemcachedHold;
struct SessionHold;
struct MultiHold;
/// For `redis-redlock`: the requested lease; Grant::lease is shorter.
struct RedlockLease {
    Nanos whole;
};
/// For `sql-version`: the version that was read.
struct ReadVersion {
    std::int64_t number;
};
/// Data that a recipe keeps with its grant; each recipe has a type of its own, and no other code reads it.
using GrantsOwn =
    std::variant<std::monostate, std::shared_ptr<const HoldEra>, std::shared_ptr<const PermitIds>, RedlockLease,
                 std::shared_ptr<ZkHold>, std::shared_ptr<const EtcdStand>, std::shared_ptr<MemcachedHold>,
                 std::shared_ptr<SessionHold>, ReadVersion, std::shared_ptr<const MultiHold>>;

/// A grant by the server.
struct Grant {
    QByteArray thread;
    QByteArray value; ///< identifies the hold on the server
    Nanos askedAt{};  ///< own monotonic clock just before the request was sent: the lease counts from then
    Nanos lease{};
    int holds = 1;
    std::int64_t token = 0; ///< 0 = none
    Steps steps;
    Mode mode = Mode::Exclusive;
    int permits = 1;
    GrantsOwn own{};
};

/// The data that a recipe keeps with this grant; nullptr: none of that type.
template <typename T>
std::shared_ptr<T> ownOf(const Grant& grant) {
    const auto* const own = std::get_if<std::shared_ptr<T>>(&grant.own);
    return own ? *own : nullptr;
}
/// A holder of a lock as the server reports it. An empty field means that the format does not say it: not known, not
/// "none".
struct HolderInfo {
    QByteArray client; ///< identity, or what another library writes there
    QByteArray thread;
    Mode mode = Mode::Exclusive;
    /// When the hold began, by the server's clock, ms since 1970. Never a guess: only where a renewal leaves it alone.
    std::optional<std::int64_t> sinceWallMs = std::nullopt;
    std::optional<Nanos> left = std::nullopt;         ///< of its lease, by the server's clock
    std::optional<std::int64_t> token = std::nullopt; ///< its fencing token, without an epoch
    QByteArray permit = {};                           ///< with Mode::Permit: the permit's id on the server

    /// Reads "<client>:<thread>", the identity that most formats have.
    static HolderInfo of(const QByteArray& clientAndThread);
};

/// The state of a hold that lasts as long as a session or a connection, without being renewed by name.
struct HoldNews {
    enum class Kind : std::uint8_t {
        Kept,      ///< the server has answered: held until `until`
        Suspended, ///< the connection is lost; the hold may last until `until`
        Lost,      ///< the server has ended it, or must have ended it by now
    };
    Kind kind = Kind::Kept;
    Nanos until = kNever;    ///< own monotonic clock: when the hold ends if nothing more is heard; kNever: unknown
    const char* reason = ""; ///< with Suspended and Lost: a text of context "Lock", QT_TRANSLATE_NOOP("Lock", …)
};

template <typename T>
using Outcome = QCoro::Task<std::expected<T, LockError>>;

/// A lock algorithm for one lock name and one client. Its code works over a port, so it is the same for real and
/// simulated servers. RecipeInfo::steps numbers its steps; each coroutine reports the step where it stands.
///
/// All operations may throw Cancelled. A stopped (not killed) one leaves nothing behind on the server.
class Recipe {
public:
    virtual ~Recipe() = default;
    /// The recipe's facts. Valid while the recipe exists.
    virtual const RecipeInfo& info() const = 0;

    /// Takes the lock; nullopt = not in time. Waits out what may pass (waiting.h), as long as there is time.
    virtual Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) = 0;
    /// Restarts the full lease. False = the server no longer knows the hold as the caller's. For HeldBy::Lease.
    virtual Outcome<bool> renew(Grant grant, std::stop_token stop);
    /// Whether renew() may ask for a longer lease than was granted, by Grant::lease.
    virtual bool prolongs() const { return false; }
    /// Waits for the next news of a hold; after Kind::Lost there is none. For HeldBy::Session and HeldBy::Connection,
    /// whose holders listen instead of renewing. Also for HeldBy::Lease with RecipeInfo::news: such a hold ends with
    /// its lease or by the news, whichever is first.
    virtual Outcome<HoldNews> news(Grant grant, std::stop_token stop);
    /// Calls `ask` from the runtime's scheduler each time that the caller should ask the server at once, by renew(),
    /// whether the holds still exist. There are two reasons: a lost connection is replaced, and its server may have
    /// forgotten the holds; or another server has taken its place. Lasts while the caller keeps the returned
    /// registration. nullptr: this recipe never calls.
    virtual CallList::Registration onReconnect(CallList::Callback /*ask*/) { return nullptr; }
    /// Whether listen() works with this recipe and server.
    virtual bool listens() const { return false; }
    /// Listens for messages that a client has freed the lock by force. Calls `ask`, as onReconnect() does, for each
    /// message that concerns this hold, and once when listening begins. Runs until it is stopped; an error means that
    /// no message can arrive. For HeldBy::Lease.
    virtual Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop);
    /// How long after a grant nobody need listen for news: most holds end sooner, and a later news() reports what
    /// happened meanwhile.
    virtual Nanos newsRest() const { return Nanos(0); }
    /// Gives one hold up; returns the holds left. Kind::NotOwner when it was no longer the caller's.
    virtual Outcome<int> release(Grant grant, std::stop_token stop) = 0;
    /// Takes permits out of a grant, as a grant of their own for release(); `grant` keeps the others. Asks nobody.
    /// Precondition: `grant` is of Mode::Permit and has more permits than that.
    virtual Grant takePart(Grant& grant, int permits);
    /// Frees the lock, regardless of its holder. False = it was free.
    virtual Outcome<bool> forceRelease(std::stop_token stop) = 0;
    /// Asks the server whether the lock is held, in any mode, or any permit taken. Waiters do not count, nor holds that
    /// have expired by the server's clock. Changes nothing. The answer may be outdated on arrival: for display, not for
    /// decisions. Kind::Unreachable or OutcomeUnknown without an answer; ForeignFormat when the key holds something
    /// else.
    virtual Outcome<bool> isLocked(std::stop_token stop) = 0;
    /// Asks the server who holds the lock; empty when it is free. Changes nothing; for display, as isLocked().
    /// Kind::NotSupported: the lock's format does not say. Other kinds as for isLocked().
    virtual Outcome<std::vector<HolderInfo>> holders(std::stop_token stop);
    /// Asks the server how many permits are free, of the number in all that this client says; nullopt = it cannot be
    /// told: more are taken than that. Changes nothing; for display, as isLocked(). Kind::NotSupported: no semaphore.
    virtual Outcome<std::optional<int>> permitsFree(std::stop_token stop);
    /// Asks the server how many contenders wait for permits; nullopt: it keeps no queue. A contender that is being
    /// granted them counts until it knows. Changes nothing; for display, as isLocked().
    virtual Outcome<std::optional<int>> queueLength(std::stop_token stop);
    /// The client has given a hold up by its own clock, without asking the server. A hold still recorded there must not
    /// count as a later hold of the same thread.
    virtual void abandoned(const Grant&) {}
    /// As abandoned(), for a hold that ended by the client's own clock. A MultiRecipe gives back parts that may not
    /// have ended yet.
    virtual void overdue(const Grant& grant) { abandoned(grant); }
    /// The fencing tokens of a grant, 0 = none: one token, or one per part of a MultiRecipe, in their order.
    virtual std::vector<std::int64_t> tokensOf(const Grant& grant) const { return {info().token ? grant.token : 0}; }
};

/// The permits that are left of so many in all; nullopt: more are taken, so others say another number.
inline std::optional<int> freeOf(int permits, std::int64_t taken) {
    return taken > permits ? std::nullopt : std::optional(permits - int(taken));
}

/// Waits until the last of several Recipe::listen() has ended. Returns their first error; throws Cancelled when any was
/// stopped.
Outcome<void> untilAllEnd(std::vector<Outcome<void>> all);

} // namespace lockscope::recipes
