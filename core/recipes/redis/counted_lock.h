// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/woken_lock.h"

#include <QStringBuilder>

namespace lockscope::recipes {

/// The common part of the locks in Redisson's layouts, which count each thread's holds on the server. Requests of one
/// thread that change the count are sent one at a time. If a request gets no answer, its possible effect is undone
/// before the next one.
class CountedLock : public WokenLock {
public:
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    bool prolongs() const override { return true; }
    Outcome<bool> renew(Grant grant, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;
    Outcome<std::vector<HolderInfo>> holders(std::stop_token stop) override;
    void abandoned(const Grant& grant) override;

protected:
    /// A script with its keys and arguments.
    struct Command {
        const redis::Script* script;
        std::vector<QByteArray> keys;
        redis::Args args;
    };
    /// `keep`: holds to leave at most; nullopt: one fewer.
    using Keep = std::optional<int>;

    explicit CountedLock(RedisLock lock) : WokenLock(std::move(lock)) {}

    /// Replies {1, holds, token}, {0, ms until the next look pays, < 0 = no bound}, or {-1}: a foreign format.
    virtual Command acquireCommand(const Request& request) const = 0;
    /// Replies 1, or 0 when the hold is not ours.
    virtual Command renewCommand(const Grant& grant) const = 0;
    /// Replies the holds left, -1 when none is ours, or {0, number of clients told}. With a number in `keep`, running
    /// it again changes nothing.
    virtual Command keepCommand(const QByteArray& thread, Mode mode, Nanos lease, Keep keep) const = 0;
    /// The key of the fencing counter; empty: none.
    virtual QByteArray counter() const { return {}; }
    /// Called when a try that was not stopped got no answer: what it may have taken is about to be given back.
    virtual void unanswered(const Request&) {}
    /// Replies 1, 0 when the lock was free, or -1: a foreign format.
    virtual Command forceCommand() const = 0;

    QByteArray field(const QByteArray& thread) const {
        return m_lock.client % ':' % thread; // in one go: every try of every waiter says it
    }
    QCoro::Task<redis::Result> run(Command command, std::stop_token stop);
    /// Whether the server may have holds of the thread in its other mode (reading or writing) that it has given up.
    bool otherUnsure(const Grant& grant) const;
    /// Removes such holds; after an error they stay in doubt.
    QCoro::Task<> settleOther(Grant grant, std::stop_token stop);

private:
    class Contender;
    HoldAccounts::Key keyOf(const QByteArray& thread, Mode mode) const {
        return {m_lock.name, mode == Mode::Shared ? thread + ":shared" : thread};
    }
    /// Reduces the server's holds to the number in the account; returns the holds left, -1 = none of ours.
    Outcome<int> settle(HoldAccounts::Account& account, QByteArray thread, Mode mode, Nanos lease,
                        std::stop_token stop);
    Outcome<int> countDown(const Grant& grant, std::stop_token stop);
};

} // namespace lockscope::recipes
