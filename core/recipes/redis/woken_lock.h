// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/backoff.h"
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// What the locks share whose releases send a message: how to wait for one. Subscribe, then try again, because a
/// release between the first try and the subscription is told to nobody; never wait longer than the recipe says,
/// because a message may be lost, and the end of a lease sends none.
///
/// A server that can not be asked for a while costs a waiter nothing but that time: it tries again until its wait is
/// over, and only then says why it could not.
///
/// A lock that is free costs nothing of this: the first try comes before the subscription.
class WokenLock : public Recipe {
public:
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    CallList::Registration onReconnect(CallList::Callback ask) override {
        return m_lock.port.onReconnect(std::move(ask));
    }
    bool listens() const override { return m_lock.holdersListen; }
    Outcome<void> listen(Grant grant, CallList::Callback ask, std::stop_token stop) override;

protected:
    /// The steps of all of them, the same numbers in every such recipe.
    enum Step : std::uint32_t { kNowhere = 0, kTry = 1, kSubscribe = 2, kWait = 3, kHold = 4, kRelease = 5 };

    /// What came of one try.
    struct Answer {
        std::optional<Grant> grant;
        Nanos again = kNever; ///< without one: until it pays to look again without a message; kNever: no saying
    };

    explicit WokenLock(RedisLock lock) : m_lock(std::move(lock)) {}

    /// One try. One that was stopped, or whose outcome is not known, leaves nothing behind.
    virtual Outcome<Answer> attempt(const Request& request, std::stop_token stop) = 0;
    /// What a holder listens on. Not the waiters' channel: who counts the listeners there counts waiters.
    QByteArray forcedChannel() const { return forcedChannelOf(m_lock.name); }
    /// What a waiter listens on.
    virtual QByteArray channel(const QByteArray& thread) const = 0;
    /// Whether Answer::again alone brings a waiter on in time, where the server does not let it subscribe.
    virtual bool doesWithoutMessages() const { return false; }

    /// What follows a first try that failed; `giveUpAt` by the own monotonic clock. So many others have it first, if
    /// they come for it. `troubled`: that one failed by an error that passes.
    Outcome<std::optional<Grant>> waitFor(Request request, Nanos giveUpAt, std::stop_token stop, std::int64_t before,
                                          bool troubled = false);
    /// Whether an error is not the end of a wait.
    bool waitsOut(const LockError& error, Nanos giveUpAt) const {
        return passes(error) && m_lock.port.runtime().monotonic() < giveUpAt;
    }

    /// The command that undoes a try failed as well: the try may have left something, for as long as its lease. A
    /// waiter gives the command again before its next try.
    void leftBehind(redis::Args command, Nanos lease);
    /// Undoes what the tries of one who waits may have left, as far as that is possible now.
    virtual QCoro::Task<> takeBack(Request request);

    /// A thread has freed the lock, and so many clients were told.
    void gaveUp(const QByteArray& thread, std::int64_t waiting);
    /// How many that is when the same thread asks again at once: it would be there before everybody whom its release
    /// has woken, and again after its next one; whoever waits would have to be lucky. So it lines up behind them.
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
