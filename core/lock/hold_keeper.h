// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"
#include "lock/hold_alarm.h"
#include "lock/hold_view.h"
#include "lock/listener_call.h"
#include "recipes/condition.h"
#include "runtime/completion.h"

#include <map>

namespace lockscope::detail {

struct LockCore;

/// One thread's hold of a lock, with the alarms that watch it.
struct Hold {
    recipes::Grant grant;   ///< as the recipe said; its `holds` counts the thread's holds through all lock objects
    int taken = 0;          ///< holds taken through this lock object
    Nanos since{};          ///< own monotonic clock: when it was first granted
    Nanos ownLease{};       ///< the longest lease that was asked for, while no hold is renewed by the watchdog
    Nanos leaseUntil{};     ///< own monotonic clock: end of the lease; kNever: none
    Nanos newsUntil{};      ///< own monotonic clock: end of its session or connection by the latest news; kNever: none
    Nanos deadline{};       ///< the earlier of both: when it ends if nothing more is heard; kNever: never
    Nanos toldUntil{};      ///< the deadline that was last written to the trace
    bool suspended = false; ///< renewals get no answer
    bool cutOff = false;    ///< the latest news: its connection is lost
    int leaving = 0;        ///< releases of it that are in progress
    bool part = false;      ///< permits given back of a hold that keeps others
    bool resting = false;   ///< given up here, still held on the server until LockOptions::minHold is over
    bool renewing = false;  ///< a watchdog renews the hold
    bool ends = true;       ///< the hold ends at its deadline: HoldOptions::honourDeadline
    bool over = false;      ///< given up or lost: nothing watches it any more
    const char* lostBy = nullptr;                ///< why it was lost, a text of context "Lock"; nullptr: it was not
    std::stop_source watching{std::nostopstate}; ///< stops what watches it; made at first use
    std::optional<HoldAlarm> renewal;            ///< when to renew it next
    std::optional<HoldAlarm> listening;          ///< when to start listening for news
    std::optional<HoldAlarm> heeding;            ///< when to start listening for forced releases
    std::optional<HoldAlarm> ending;             ///< when to check whether its deadline has passed
    std::stop_source lost{std::nostopstate};     ///< stopped by a loss, not by a release; made at first use
    std::vector<Completion<bool>> rested;        ///< takers of its thread that wait until it no longer rests
    std::shared_ptr<HoldView> view = std::make_shared<HoldView>();
    /// The lock core that keeps it now, if not the one that made its guards: a managed lock's condition may take it
    /// again on another engine.
    std::weak_ptr<LockCore> keeper;

    recipes::Mode mode() const { return grant.mode; }
    /// The grant to give back: this object's holds, less `others` that other releases already give back.
    recipes::Grant own(int others = 0) const {
        recipes::Grant mine = grant;
        mine.holds = std::max(taken - others, 1);
        return mine;
    }
    /// Stopped when the hold is given up or lost.
    std::stop_token watched() {
        if (!watching.stop_possible()) watching = std::stop_source();
        if (over) watching.request_stop();
        return watching.get_token();
    }
    std::stop_token lostToken() {
        if (!lost.stop_possible()) lost = std::stop_source();
        if (view->lost) lost.request_stop();
        return lost.get_token();
    }
    void watchAgain() {
        over = false;
        watching = std::stop_source(std::nostopstate); // the earlier watches were stopped
    }
    void stopWatching() {
        over = true;
        watching.request_stop();
        renewal.reset();
        listening.reset();
        heeding.reset();
        ending.reset();
    }
    void setDeadline(Nanos byLease, Nanos byNews) {
        leaseUntil = byLease;
        newsUntil = byNews;
        deadline = std::min(byLease, byNews);
        if (ends) view->deadline.store(deadline.count(), std::memory_order_relaxed);
    }
};

/// The state that a lock's coroutines share; lives until the last of them has ended.
struct LockCore : std::enable_shared_from_this<LockCore> {
    using Thread = DistributedLock::Thread;
    using Event = DistributedLock::Event;
    using Mode = recipes::Mode;
    using Key = std::pair<Thread, Mode>;
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    /// Result of taking: the hold; nullptr when not in time.
    struct Taken {
        std::shared_ptr<Hold> hold;
    };

    LockCore(LockClient lockClient, std::unique_ptr<recipes::Recipe> lockRecipe, HoldOptions lockOptions,
             trace::EntityId entity)
        : client(std::move(lockClient)), recipe(std::move(lockRecipe)), options(std::move(lockOptions)), lock(entity) {}

    LockClient client;
    std::unique_ptr<recipes::Recipe> recipe;
    HoldOptions options;
    trace::EntityId lock;
    std::vector<trace::EntityId> alsoLocks = {};                ///< DistributedLock::recordAlsoAs()
    std::shared_ptr<const std::atomic<Nanos::rep>> engineUntil; ///< HoldView::engineUntil
    std::shared_ptr<const DistributedLock::Listener> listener;  ///< shared with calls of it, which may replace it
    CallList::Registration reconnects; ///< asks about all holds when a lost connection is replaced
    bool watchdogStopped = false;
    bool capacityTold = false;
    bool closed = false; ///< the lock object is gone
    /// By key: one hold each; with permits as many as were taken.
    std::multimap<Key, std::shared_ptr<Hold>> holds;
    std::map<Key, std::shared_ptr<Hold>> resting;
    /// Each thread's latest hold if that was lost, so that whoever gives it up hears why: those of a few threads.
    std::map<Key, std::shared_ptr<Hold>> gone;

    /// The thread's latest hold in that mode; nullptr when there is none.
    std::shared_ptr<Hold> find(const Thread& thread, Mode mode) const;
    /// As find(); where there is none, the one that the thread has lost.
    std::shared_ptr<Hold> findOrGone(const Thread& thread, Mode mode) const;
    bool has(const Hold& hold) const;
    /// How many holds the thread has through this lock object, in that mode.
    int holdCount(const Thread& thread, Mode mode) const;
    /// How many holds the thread has in all modes, also through other lock objects of the name: the trace's count.
    std::uint32_t holdsOf(const Thread& thread) const;
    /// holdsOf() after a release of this hold has ended, `left` being the recipe's answer: includes holds that other
    /// releases in progress are still to give back.
    std::uint32_t leftAfter(const Hold& released, int left) const;

    /// T: bool (in time or not), LockGuard, or Taken; a coroutine for each, so that none has to await another. `again`:
    /// a hold that was given up for a while; if the lock is taken, its guards know this hold again.
    template <typename T>
    static Outcome<T> take(std::shared_ptr<LockCore> core, LockRequest request, std::stop_token stop,
                           std::shared_ptr<Hold> again = nullptr);
    /// `atOnce`: ignore LockOptions::minHold.
    static Outcome<int> giveUp(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, bool atOnce = false);
    /// Implements LockGuard::release for fewer permits than the hold has.
    static Outcome<int> giveUpPart(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, int permits);
    /// Implements DistributedLock::extend.
    static Outcome<void> extend(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, Nanos lease);
    template <typename T>
    static T made(const std::shared_ptr<LockCore>& core, const std::shared_ptr<Hold>& hold);
    /// How to take a condition's lock again after the wait, if not through the same core.
    struct Retake {
        Retake() = default; // no aggregate: those are destroyed twice when they are made in a co_await
        /// As take<Taken>.
        std::function<Outcome<Taken>(LockRequest, std::shared_ptr<Hold> again)> take;
        /// Whether it would be taken on another engine by now, so that it does not matter whether the hold on this one
        /// could be given up.
        std::function<bool()> elsewhere;
    };
    /// Implements DistributedCondition::await.
    static Outcome<bool> await(std::shared_ptr<LockCore> core, std::shared_ptr<recipes::ConditionRecipe> condition,
                               Thread thread, Nanos wait, std::stop_token stop, Retake retake = {});
    bool stillMine(const Hold& hold) const;
    /// The fencing token of a grant, with the epoch; the epoch alone when the recipe gave no token.
    std::int64_t tokenOf(const recipes::Grant& grant) const {
        // Not for permits: several are held at once, so a number could not tell a late holder from a present one.
        return withEpoch(recipe->info().token ? grant.token : 0);
    }
    std::vector<std::int64_t> tokensOf(const recipes::Grant& grant) const {
        std::vector<std::int64_t> tokens = recipe->tokensOf(grant);
        for (std::int64_t& token : tokens)
            token = withEpoch(token);
        return tokens;
    }
    std::int64_t withEpoch(std::int64_t token) const {
        constexpr int kBits = 48;
        if (options.epoch == 0) return token;
        return (options.epoch << kBits) | (token & ((std::int64_t(1) << kBits) - 1));
    }
    /// Something to wait for.
    using Pause = std::function<QCoro::Task<>()>;
    /// Tells all holders of their loss before any hold is given back, after `pause`.
    static QCoro::Task<> loseAll(std::shared_ptr<LockCore> core, const char* reason, Pause pause = nullptr);
    /// Ends a hold that the client has learned is gone. `reason` is a text of context "Lock": the trace keeps it
    /// untranslated, so that equal runs have equal digests in every language; the listener gets it translated.
    void lose(const std::shared_ptr<Hold>& hold, const char* reason);
    /// Removes a hold from the books.
    void forget(const std::shared_ptr<Hold>& hold);

    void emit(trace::EventKind kind, const Thread& thread, std::int64_t value = 0, std::uint32_t aux = 0);
    void emitText(trace::EventKind kind, const Thread& thread, const QString& text);
    void tell(Event event, const Thread& thread, const QString& reason) {
        if (const auto current = listener) callListener(*current, event, thread, reason);
    }

    /// Reports a failed release that no caller waits for: as a warning, if there is no listener.
    void unheard(const LockError& error) const;

private:
    static Outcome<bool> enlist(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold,
                                std::shared_ptr<recipes::ConditionRecipe> condition, Nanos giveUpAt,
                                std::stop_token stop);
    Outcome<std::optional<recipes::Grant>> ask(const LockRequest& request, Nanos wait, std::stop_token stop);
    /// Gives an unusable grant back. Not a coroutine, so that its caller need not keep a copy of the grant.
    Outcome<int> putBack(const recipes::Grant& grant) const { return recipe->release(grant, {}); }
    std::shared_ptr<Hold> hold(recipes::Grant grant, std::optional<Nanos> ownLease, std::shared_ptr<Hold> reused);
    void granted(const Hold& hold, trace::EventKind kind);
    void watch(const std::shared_ptr<Hold>& hold);
    void awaitNews(const std::shared_ptr<Hold>& hold);
    void heedDoubts(const std::shared_ptr<Hold>& hold);
    void askAboutAll();
    void askAbout(const std::shared_ptr<Hold>& hold);
    void keepRenewing(const std::shared_ptr<Hold>& hold);
    void moveDeadline(Hold& hold, Nanos byLease, Nanos byNews);
    void believeUntilDeadline(Hold& hold);
    Nanos deadlineOf(const recipes::Grant& grant) const;
    void rest(const std::shared_ptr<Hold>& hold);
    void restIsOver(const std::shared_ptr<Hold>& hold);
    void hear(const std::shared_ptr<Hold>& hold, const recipes::HoldNews& news);

    friend class HoldAlarm;
    void renewSoon(const std::shared_ptr<Hold>& hold);
    void listenForNews(const std::shared_ptr<Hold>& hold);
    void heedForce(const std::shared_ptr<Hold>& hold);
    void lookAtDeadline(const std::shared_ptr<Hold>& hold);
    static QCoro::Task<> renewOnce(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> newsWatch(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> askOnce(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> forceWatch(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> longestHold(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> freeAfterRest(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold);
    static QCoro::Task<> giveBack(std::shared_ptr<LockCore> core, recipes::Grant grant);
};

/// The error for giving up or extending a hold that the thread does not have; says why, if `hold` was lost.
LockError notHeld(const Hold* hold);
/// The error for waiting or signalling without holding the condition's lock.
LockError notHeldForCondition();

template <typename T>
T LockCore::made(const std::shared_ptr<LockCore>& core, const std::shared_ptr<Hold>& hold) {
    if constexpr (std::is_same_v<T, bool>)
        return hold != nullptr;
    else if constexpr (std::is_same_v<T, LockGuard>)
        return LockGuard(hold ? core : nullptr, hold);
    else
        return T{hold};
}

} // namespace lockscope::detail
