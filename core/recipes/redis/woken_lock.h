// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/milliseconds.h"
#include "recipes/redis/redis_recipe.h"
#include "recipes/waiting.h"

namespace lockscope::recipes {

/// The common part of the locks in Redisson's layouts.
RecipeInfo redissonInfo(const char* id, const QString& summary);

/// The common part of locks whose releases send a message: how to wait for one. Subscribe, then try again, because a
/// release between the first try and the subscription reaches nobody. Never wait longer than the recipe says, because a
/// message may be lost, and the end of a lease sends none.
///
/// A waiter waits out a server that cannot be asked for a while: it tries again until its wait is over, and only then
/// reports the error.
///
/// A free lock costs none of this: the first try comes before the subscription.
class WokenLock : public Recipe {
public:
    /// The steps of all these recipes.
    enum class Step : std::uint32_t { Try = 1, Subscribe, Wait, Hold, Release };

    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_lock.port.onReconnect(std::move(ask));
    }
    bool listens() const override { return m_lock.holdersListen; }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;

protected:
    class Contender;

    explicit WokenLock(RedisLock lock) : m_lock(std::move(lock)) {}

    /// How long a waiter need not look again, from the milliseconds of a script's reply; < 0 = no bound. 0 is less than
    /// a millisecond, not nothing: asking again at once would only ask again and again.
    static Nanos restFrom(std::int64_t ms) { return ms < 0 ? kNever : timeOfMs(std::max<std::int64_t>(ms, 1)); }
    /// The channel that a holder listens on. It differs from the waiters' channel, whose subscribers count as waiters.
    QByteArray forcedChannel() const { return forcedChannelOf(m_lock.name); }
    /// The channel that a waiter listens on.
    virtual QByteArray channel(const QByteArray& thread) const = 0;
    /// Whether Tried::rest alone is enough for a waiter that the server does not let subscribe.
    virtual bool doesWithoutMessages() const { return false; }

    /// Notes that the undoing of a try failed as well, so the try may have left something for the length of its lease.
    /// A waiter repeats `command` before its next try.
    void leftBehind(redis::Args command, Nanos lease);
    /// Undoes what tries may have left behind, as far as possible now.
    QCoro::Task<> takeBack();

    /// Notes that a thread freed the lock and that `waiting` clients were told.
    void gaveUp(const QByteArray& thread, std::int64_t waiting);
    /// How many clients should go before this request: all that the thread's own release has just woken, if the thread
    /// asks again at once. Otherwise it would win every time, because the woken clients need a round trip.
    std::int64_t politeness(const Request& request, Nanos now);

    RedisLock m_lock;

private:
    struct LastHolder {
        QByteArray thread;
        std::int64_t waiting = 0;
        Nanos at{};
    };
    struct LeftBehind {
        redis::Args command;
        Nanos ends{};
    };
    LastHolder m_lastHolder;
    std::vector<LeftBehind> m_leftBehind;
};

/// A request for such a lock. The lock's own class says what a try is, and how it is taken back.
class WokenLock::Contender : public LockContender {
public:
    using Asked = Request;
    /// `lock` outlives it.
    Contender(WokenLock& lock, Request asked);
    Outcome<Tried<Grant>> attempt(std::stop_token stop) override;
    QCoro::Task<> undo(Then) override;
    QCoro::Task<> rest(Tried<Grant> tried, std::stop_token stop) override;
    void pauses() override { request.steps.at(Step::Wait); }
    QCoro::Task<> takeBack() override { return m_lock.takeBack(); }

protected:
    /// One try.
    virtual Outcome<Tried<Grant>> tryOnce(std::stop_token stop) = 0;
    /// Takes back a try that was stopped or not answered.
    virtual QCoro::Task<> undoTry(Then then) = 0;
    /// How long a waiter rests at most without a message.
    virtual Nanos longestRest(const Tried<Grant>& tried);

private:
    Outcome<Tried<Grant>> attemptAgain(std::stop_token stop);
    Outcome<void> subscribe(std::stop_token stop);
    WokenLock& m_lock;
    std::optional<redis::OwnedSubscription> m_subscription;
    std::int64_t m_before; ///< how many other clients may take the lock first
    bool m_first = true;
    bool m_trying = false;
    bool m_alone = false; ///< we may not subscribe, and go without
    bool m_woken = false;
    int m_beaten = 0; ///< how often woken and too late
};

} // namespace lockscope::recipes
