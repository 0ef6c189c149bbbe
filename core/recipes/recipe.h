// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/lock_error.h"
#include "recipes/recipe_info.h"
#include "recipes/steps.h"
#include "runtime/call_list.h"
#include "runtime/runtime.h"

#include <expected>
#include <memory>
#include <optional>

namespace lockscope::recipes {

/// How a lock is held. Numbers stand in traces.
enum class Mode : std::uint8_t {
    Exclusive = 0,
    Shared = 1, ///< a reader, beside other readers
    Permit = 2, ///< some of a semaphore's permits
};

/// What somebody asks of a recipe.
struct Request {
    QByteArray thread = "1";     ///< the caller's thread within its client; decimal
    Nanos lease = 30s;           ///< > 0; whole milliseconds are sent
    Nanos wait = kNever;         ///< longest wait, 0 = try once, kNever = no bound
    bool token = false;          ///< take a fencing token, where the recipe can
    int held = 0;                ///< holds that the thread has already in this mode, as far as it knows
    Mode mode = Mode::Exclusive; ///< one that the recipe offers: RecipeInfo::exclusive, shared, permits
    int permits = 1;             ///< of Mode::Permit: how many at once, all or none
    Steps steps;                 ///< where the caller stands, for the trace
    /// The caller will renew it for as long as it holds it: its end may be bound to that of others that are kept.
    bool kept = false;
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
    Mode mode = Mode::Exclusive;
    int permits = 1;
    /// Whatever the recipe itself must find again: each permit's id, each node of a quorum. Opaque to everybody else.
    std::shared_ptr<const void> own = nullptr;
};

/// What became of a hold that lives as long as a session or a connection does, without anybody renewing it by name.
struct HoldNews {
    enum class Kind : std::uint8_t {
        Kept,      ///< heard from the server: ours until `until`
        Suspended, ///< the connection is lost, the hold may still be ours until `until`
        Lost,      ///< the server has ended it, or will have by now
    };
    Kind kind = Kind::Kept;
    Nanos until = kNever;    ///< own monotonic clock: when the hold ends if nothing more is heard; kNever: not known
    const char* reason = ""; ///< of Suspended and Lost: a text of context "Lock", QT_TRANSLATE_NOOP("Lock", …)
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
    /// What it can do. Valid for as long as the recipe.
    virtual const RecipeInfo& info() const = 0;

    /// Takes the lock; nullopt = not within the wait.
    virtual Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) = 0;
    /// Whether a waiter whose acquire() has failed so may ask again after a while: where that is something that passes,
    /// and the recipe does not wait for its passing itself.
    virtual bool asksAgain(const LockError&) const { return false; }
    /// A full lease again. False = the server says that it is no longer ours. Of recipes that are HeldBy::Lease.
    virtual Outcome<bool> renew(Grant grant, std::stop_token stop);
    /// Waits for the next news of a hold; after Kind::Lost there is no more. Of recipes that are HeldBy::Session or
    /// HeldBy::Connection: their holder is told by this, instead of renewing; and of those that have RecipeInfo::news:
    /// whose hold then ends with its lease or by the news, whichever comes first.
    virtual Outcome<HoldNews> news(Grant grant, std::stop_token stop);
    /// Calls `ask` each time that there is a reason to ask the server at once, by renew(), what became of the holds: a
    /// connection that had been lost is there again, and its server may have forgotten them, or another server has
    /// taken its place. From the runtime's scheduler, for as long as what is returned is kept. nullptr: nothing tells.
    virtual CallList::Registration onReconnect(CallList::Callback /*ask*/) { return nullptr; }
    /// Whether listen() can hear anything here.
    virtual bool listens() const { return false; }
    /// Calls `ask` as onReconnect() does when a message says that this hold may be over because somebody has freed the
    /// lock by force, and once when it begins to hear such messages. Runs until it is stopped; an error: nothing can be
    /// heard. Of recipes that are HeldBy::Lease.
    virtual Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop);
    /// For how long nobody need listen for news of a hold after its grant: what becomes of it meanwhile, news() tells
    /// whoever asks then. Most holds are over by then.
    virtual Nanos newsRest() const { return Nanos(0); }
    /// Gives one hold up; the holds left. Kind::NotOwner when it was no longer ours.
    virtual Outcome<int> release(Grant grant, std::stop_token stop) = 0;
    /// Frees the lock whoever holds it. False = there was nothing to free.
    virtual Outcome<bool> forceRelease(std::stop_token stop) = 0;
    /// Asks the server whether anybody holds the lock, in any mode, or any of a semaphore's permits; those who only
    /// wait do not count, nor does what has ended by the server's clock. Changes nothing there. Somebody may have taken
    /// or freed it by the time that the answer is here: something to show and to watch, not to decide by.
    /// Kind::Unreachable or OutcomeUnknown without an answer; ForeignFormat when it sees something else there.
    virtual Outcome<bool> isLocked(std::stop_token stop) = 0;
    /// The client has given a hold up without asking the server, by its own clock: whatever is left of it there is not
    /// to be taken for a hold of the same thread later.
    virtual void abandoned(const Grant&) {}
    /// The same of a hold that has ended by the client's own clock. Of several locks as one, the parts that may not
    /// have ended yet are given back.
    virtual void overdue(const Grant& grant) { abandoned(grant); }
    /// The fencing tokens of a grant, 0 = none: one, or of several locks as one, one for each part in their order.
    virtual std::vector<std::int64_t> tokensOf(const Grant& grant) const { return {info().token ? grant.token : 0}; }
};

/// Waits until the last of several Recipe::listen() has ended: their first error, or Cancelled when any was stopped.
Outcome<void> untilAllEnd(std::vector<Outcome<void>> all);

} // namespace lockscope::recipes
