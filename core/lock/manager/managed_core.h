// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/hold_keeper.h"

#include <map>

namespace lockscope::detail {

class Namespace;

/// What a ManagedLock's coroutines share with it; lives until the last of them has ended.
struct ManagedCore {
    using Thread = DistributedLock::Thread;
    using Mode = recipes::Mode;
    template <typename T>
    using Outcome = recipes::Outcome<T>;
    using Lock = std::shared_ptr<DistributedLock>;

    ManagedCore(std::shared_ptr<Namespace> of, QByteArray lockName, int lockPermits)
        : space(std::move(of)), name(std::move(lockName)), permits(lockPermits) {}

    /// As LockCore::take, of whichever engine is in use meanwhile.
    template <typename T>
    static Outcome<T> take(std::shared_ptr<ManagedCore> core, LockRequest request, std::stop_token stop,
                           std::shared_ptr<Hold> again = nullptr);
    /// DistributedCondition::await over it.
    static Outcome<bool> await(std::shared_ptr<ManagedCore> core, Thread thread, Nanos wait, std::stop_token stop);
    static Outcome<int> signal(std::shared_ptr<ManagedCore> core, Thread thread, int most);
    /// Tells all holders on engines of earlier epochs than `epoch` that they have lost. Nothing once it is closed.
    static QCoro::Task<> loseBefore(std::shared_ptr<ManagedCore> core, std::int64_t epoch, const char* reason);

    std::expected<Lock, LockError> lockOf(std::int64_t epoch);
    /// That of the engine in use; an error when none is.
    std::expected<Lock, LockError> lockInUse();
    /// The latest that the thread holds, with its epoch; 0 and nullptr when it holds none.
    std::pair<std::int64_t, Lock> heldBy(const Thread& thread, Mode mode) const;
    /// The lock object is gone: those that still wait end with nothing.
    bool closed() const { return closing.stop_requested(); }

    const std::shared_ptr<Namespace> space;
    const QByteArray name;
    const int permits; ///< of a semaphore: how many there are in all
    DistributedLock::Listener listener;
    std::map<std::int64_t, Lock> locks; ///< by epoch
    std::map<std::int64_t, std::shared_ptr<recipes::ConditionRecipe>> conditions;
    std::stop_source closing;

private:
    std::expected<std::shared_ptr<recipes::ConditionRecipe>, LockError> conditionOf(std::int64_t epoch);
    /// The epoch to ask, and until when; 0 when there is none just now.
    struct Place {
        std::int64_t epoch = 0;
        Nanos until = kNever;
        bool reentry = false;
    };
    Place placeFor(const LockRequest& request) const;
};

} // namespace lockscope::detail
