// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/hold_keeper.h"

#include <map>

namespace lockscope::detail {

class Namespace;

/// The state that a ManagedLock shares with its coroutines; lives until the last of them has ended.
struct ManagedCore {
    using Thread = DistributedLock::Thread;
    using Mode = recipes::Mode;
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    using Lock = std::shared_ptr<DistributedLock>;

    ManagedCore(std::shared_ptr<Namespace> of, QByteArray lockName, int lockPermits)
        : space(std::move(of)), name(std::move(lockName)), permits(lockPermits) {}

    /// As LockCore::take, on the engine in use; moves on to the next one when that is left.
    template <typename T>
    static Outcome<T> take(std::shared_ptr<ManagedCore> core, LockRequest request, std::stop_token stop,
                           std::shared_ptr<Hold> again = nullptr);
    /// Implements ManagedCondition::await.
    static Outcome<bool> await(std::shared_ptr<ManagedCore> core, Thread thread, Nanos wait, std::stop_token stop);
    static Outcome<int> signal(std::shared_ptr<ManagedCore> core, Thread thread, int most);
    /// Tells all holders on engines of epochs before `epoch` that they have lost, then gives their holds back after
    /// `pause`.
    static QCoro::Task<> loseBefore(std::shared_ptr<ManagedCore> core, std::int64_t epoch, const char* reason,
                                    LockCore::Pause pause);

    /// The lock on the engine of that epoch; made when there is none.
    std::expected<Lock, LockError> lockOf(std::int64_t epoch);
    /// The lock on the engine in use; an error when none is in use.
    std::expected<Lock, LockError> lockInUse();
    /// The latest lock that the thread holds, with its epoch; 0 and nullptr when it holds none.
    std::pair<std::int64_t, Lock> heldBy(const Thread& thread, Mode mode) const;
    /// The thread's latest hold if that was lost, on whichever engine; nullptr: it was not.
    std::shared_ptr<Hold> goneFrom(const Thread& thread, Mode mode) const;
    /// The lock object was destroyed: waiters end without the lock.
    bool closed() const { return closing.stop_requested(); }

    const std::shared_ptr<Namespace> space;
    const QByteArray name;
    const int permits; ///< a semaphore's number of permits
    DistributedLock::Listener listener;
    std::map<std::int64_t, Lock> locks; ///< by epoch
    std::map<std::int64_t, std::shared_ptr<recipes::ConditionRecipe>> conditions;
    std::stop_source closing;

private:
    std::expected<std::shared_ptr<recipes::ConditionRecipe>, LockError> conditionOf(std::int64_t epoch);
    /// The epoch on whose engine to take the lock, and until when; 0: none just now.
    struct Place {
        std::int64_t epoch = 0;
        Nanos until = kNever;
        bool reentry = false;
    };
    Place placeFor(const LockRequest& request) const;
};

} // namespace lockscope::detail
