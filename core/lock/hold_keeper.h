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

/// One thread's hold of a lock, kept by its watches while it lasts.
struct Hold {
    recipes::Grant grant;   ///< as the recipe said; its holds are the thread's, of all lock objects
    int taken = 0;          ///< how often, by this lock object
    Nanos since{};          ///< own monotonic clock: first granted
    Nanos ownLease{};       ///< the longest that one of its takings asked for, while none wants a watchdog
    Nanos leaseUntil{};     ///< own monotonic clock: how far the lease goes; kNever: there is none
    Nanos newsUntil{};      ///< the same of what there is news of, a session or a connection
    Nanos deadline{};       ///< the first of both: when it ends if nothing more is heard; kNever
    Nanos toldUntil{};      ///< the deadline that the trace knows of
    bool suspended = false; ///< renewals have no answer
    bool cutOff = false;    ///< the news are that its connection is lost
    int leaving = 0;        ///< releases of it that are under way
    bool resting = false;   ///< given up here, not yet freed on the server (LockOptions::minHold)
    bool renewing = false;  ///< a watchdog keeps it
    bool ends = true;       ///< by its deadline: LockOptions::honourDeadline
    bool over = false;      ///< given up or lost: nobody watches it any more
    std::stop_source watching{std::nostopstate}; ///< stops its watches; made for the first of them
    std::optional<HoldAlarm> renewal;            ///< when to renew it next
    std::optional<HoldAlarm> listening;          ///< when to begin to listen for news
    std::optional<HoldAlarm> heeding;            ///< the same for forced releases
    std::optional<HoldAlarm> ending;             ///< when to look whether it is past its deadline
    std::stop_source lost{std::nostopstate};     ///< stopped by a loss, not by a release; made for who asks
    std::vector<Completion<bool>> rested;        ///< those of its thread that wait for the end of its rest
    std::shared_ptr<HoldView> view = std::make_shared<HoldView>();
    /// Whose it is now, if another engine's than its guards were made by: a managed lock's, taken again by a condition.
    std::weak_ptr<LockCore> keeper;

    recipes::Mode mode() const { return grant.mode; }
    /// To give back what this lock object has taken, but for `others` of them.
    recipes::Grant own(int others = 0) const {
        recipes::Grant mine = grant;
        mine.holds = std::max(taken - others, 1);
        return mine;
    }
    /// For a watch: until it is given up or lost.
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
        watching = std::stop_source(std::nostopstate); // those that watched it before have been stopped
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

/// What a lock's coroutines share; lives until the last of them has ended.
struct LockCore : std::enable_shared_from_this<LockCore> {
    using Thread = DistributedLock::Thread;
    using Event = DistributedLock::Event;
    using Mode = recipes::Mode;
    using Key = std::pair<Thread, Mode>;
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    /// Of a taking: the hold, or none when it was not in time.
    struct Taken {
        std::shared_ptr<Hold> hold;
    };

    LockCore(LockClient lockClient, std::unique_ptr<recipes::Recipe> lockRecipe, LockOptions lockOptions,
             trace::EntityId entity)
        : client(std::move(lockClient)), recipe(std::move(lockRecipe)), options(std::move(lockOptions)), lock(entity) {}

    LockClient client;
    std::unique_ptr<recipes::Recipe> recipe;
    LockOptions options;
    trace::EntityId lock;
    std::shared_ptr<const std::atomic<Nanos::rep>> engineUntil; ///< HoldView::engineUntil
    std::shared_ptr<const DistributedLock::Listener> listener;  ///< shared with the calls of it: they may replace it
    CallList::Registration reconnects; ///< asks about all holds when a connection is there again
    bool watchdogStopped = false;
    bool capacityTold = false;
    bool closed = false; ///< the lock object is gone
    /// One hold for each key; of permits as many as were taken.
    std::multimap<Key, std::shared_ptr<Hold>> holds;
    std::map<Key, std::shared_ptr<Hold>> resting;

    /// The latest hold of that thread in that mode, nullptr when there is none.
    std::shared_ptr<Hold> find(const Thread& thread, Mode mode) const;
    bool has(const Hold& hold) const;
    /// How often this lock object has taken it.
    int holdCount(const Thread& thread, Mode mode) const;
    /// How often the thread holds it in all modes, also by other lock objects of the name: what the trace counts.
    std::uint32_t holdsOf(const Thread& thread) const;
    /// The same after one release of this hold has ended, by which the recipe says so many are left: with those that
    /// other releases of it are still to give back.
    std::uint32_t leftAfter(const Hold& released, int left) const;

    /// T: bool, whether it was in time; LockGuard; or Taken. A coroutine for each, so that none has to wait for
    /// another. `again`: a hold that was given up for a while, to be the one that guards know, if it is taken.
    template <typename T>
    static Outcome<T> take(std::shared_ptr<LockCore> core, LockRequest request, std::stop_token stop,
                           std::shared_ptr<Hold> again = nullptr);
    /// `atOnce`: without the rest that LockOptions::minHold asks for.
    static Outcome<int> giveUp(std::shared_ptr<LockCore> core, std::shared_ptr<Hold> hold, bool atOnce = false);
    template <typename T>
    static T made(const std::shared_ptr<LockCore>& core, const std::shared_ptr<Hold>& hold);
    /// How a condition's lock is taken again after the wait, as by take<Taken>.
    using Retake = std::function<Outcome<Taken>(LockRequest, std::shared_ptr<Hold> again)>;
    /// DistributedCondition::await. `retake`: where, if not by this lock.
    static Outcome<bool> await(std::shared_ptr<LockCore> core, std::shared_ptr<recipes::ConditionRecipe> condition,
                               Thread thread, Nanos wait, std::stop_token stop, Retake retake = nullptr);
    bool stillMine(const Hold& hold) const;
    /// The fencing token of a grant, with the epoch; of a recipe without tokens, or without being asked for one, the
    /// epoch alone.
    std::int64_t tokenOf(const recipes::Grant& grant) const {
        // Permits are held side by side: the numbers that a server gives them refuse nobody who is late.
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
    /// Everybody is told the loss of their hold before any of it is given back.
    static QCoro::Task<> loseAll(std::shared_ptr<LockCore> core, const char* reason);
    /// The client has learned that the hold is gone.
    /// `reason` is a text of context "Lock": the trace keeps it as it is, so that equal runs have equal digests in
    /// every language; the listener gets it translated.
    void lose(const std::shared_ptr<Hold>& hold, const char* reason);
    /// Takes a hold off the books.
    void forget(const std::shared_ptr<Hold>& hold);

    void emit(trace::EventKind kind, const Thread& thread, std::int64_t value = 0, std::uint32_t aux = 0);
    void emitText(trace::EventKind kind, const Thread& thread, const QString& text);
    void tell(Event event, const Thread& thread, const QString& reason) {
        if (const auto current = listener) callListener(*current, event, thread, reason);
    }

    /// A release in the background has failed, and no caller is there to be told: if no listener is either, stderr is.
    void unheard(const LockError& error) const;

private:
    Outcome<std::optional<recipes::Grant>> ask(const LockRequest& request, Nanos wait, std::stop_token stop);
    /// Gives a grant back that is of no use. No coroutine, so that a copy of the grant need not stand in a caller's.
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

/// The error of waiting or signalling without the condition's lock.
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
