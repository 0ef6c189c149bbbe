// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// What the locks in Redisson's layouts have in common.
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

    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_lock.port.onReconnect(std::move(ask));
    }
    bool listens() const override { return m_lock.holdersListen; }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;

protected:
    /// Result of one try.
    struct Answer {
        std::optional<Grant> grant;
        Nanos again = kNever; ///< without a grant: when the next look pays without a message; kNever: unknown
    };

    explicit WokenLock(RedisLock lock) : m_lock(std::move(lock)) {}

    /// One try. A try that was stopped, or whose outcome is unknown, leaves nothing behind.
    virtual Outcome<Answer> attempt(const Request& request, std::stop_token stop) = 0;
    /// The channel that a holder listens on. It differs from the waiters' channel, whose subscribers count as waiters.
    QByteArray forcedChannel() const { return forcedChannelOf(m_lock.name); }
    /// The channel that a waiter listens on.
    virtual QByteArray channel(const QByteArray& thread) const = 0;
    /// Whether Answer::again alone is enough for a waiter that the server does not let subscribe.
    virtual bool doesWithoutMessages() const { return false; }

    /// Goes on after a failed first try; `giveUpAt` by the own monotonic clock. `before`: how many other clients may
    /// take the lock first. `troubled`: the first try failed with an error that may pass.
    Outcome<std::optional<Grant>> waitFor(Request request, Nanos giveUpAt, std::stop_token stop, std::int64_t before,
                                          bool troubled = false);
    /// Whether the wait goes on in spite of the error.
    bool waitsOut(const LockError& error, Nanos giveUpAt) const {
        return passes(error) && m_lock.port.runtime().monotonic() < giveUpAt;
    }

    /// Notes that the undoing of a try failed as well, so the try may have left something for the length of its lease.
    /// A waiter repeats `command` before its next try.
    void leftBehind(redis::Args command, Nanos lease);
    /// Undoes what a waiter's tries may have left behind, as far as possible now.
    virtual QCoro::Task<> takeBack(Request request);

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
    Outcome<bool> listen(std::optional<redis::OwnedSubscription>& subscription, QByteArray thread,
                         std::stop_token stop);
    LastHolder m_lastHolder;
    std::vector<LeftBehind> m_leftBehind;
};

} // namespace lockscope::recipes
