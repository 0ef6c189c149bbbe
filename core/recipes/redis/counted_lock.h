// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/woken_lock.h"

namespace lockscope::recipes {

/// What the locks in Redisson's layouts share, which count each thread's holds on the server: requests of one thread
/// that change the count go one after the other, and what one that got no answer may have left behind is made good
/// before the next.
class CountedLock : public WokenLock {
public:
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

protected:
    /// A script with all that it is called with.
    struct Command {
        const redis::Script* script;
        std::vector<QByteArray> keys;
        redis::Args args;
    };
    /// `keep`: holds to leave at most; nullopt: one fewer.
    using Keep = std::optional<int>;

    explicit CountedLock(RedisLock lock) : WokenLock(std::move(lock)) {}

    /// Replies {1, holds, token}, {0, ms until it pays to look again, < 0 = no bound}, or {-1}: a foreign format.
    virtual Command acquireCommand(const Request& request) const = 0;
    /// Replies 1, or 0 when it is not ours.
    virtual Command renewCommand(const Grant& grant) const = 0;
    /// Replies the holds left, -1 when it is not ours, or {0, how many were told}. With a number, running it again
    /// changes nothing more.
    virtual Command keepCommand(const QByteArray& thread, Mode mode, Nanos lease, Keep keep) const = 0;
    /// A try that was not stopped got no answer: what it has got is about to be given back.
    virtual void unanswered(const Request&) {}
    /// Replies 1, 0 when nobody held it, or -1: a foreign format.
    virtual Command forceCommand() const = 0;

    QByteArray field(const QByteArray& thread) const { return m_lock.client + ':' + thread; }
    QCoro::Task<redis::Result> run(Command command, std::stop_token stop);
    /// Whether the server may have holds of the thread in its other mode, reading or writing, that it has given up.
    bool otherUnsure(const Grant& grant) const;
    /// Sees to it that it has not; an error leaves it in doubt.
    QCoro::Task<> settleOther(Grant grant, std::stop_token stop);

private:
    Outcome<Answer> attempt(const Request& request, std::stop_token stop) override;
    QCoro::Task<> takeBack(Request request) override;
    HoldAccounts::Key keyOf(const QByteArray& thread, Mode mode) const {
        return {m_lock.name, mode == Mode::Shared ? thread + ":shared" : thread};
    }
    /// Makes sure that no more holds are left than there should be; the holds left, -1 = none of ours.
    Outcome<int> settle(HoldAccounts::Account& account, QByteArray thread, Mode mode, Nanos lease,
                        std::stop_token stop);
    Outcome<int> countDown(const Grant& grant, std::stop_token stop);
};

} // namespace lockscope::recipes
