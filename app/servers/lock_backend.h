// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "lock/any_lock.h"
#include "servers/lock_plan.h"

namespace lockscope::cli {

/// The backend of `lockscope lock`: the servers of a URL, or the engines of a manager's namespace. Single-threaded, on
/// its runtime's thread; it outlives its lock.
class LockBackend {
public:
    virtual ~LockBackend() = default;
    /// Connects; a manager waits until it knows which engine is in use, or that a switch is under way.
    virtual recipes::Outcome<void> open(std::stop_token stop) = 0;
    /// Creates what the recipes need on the servers.
    virtual recipes::Outcome<void> prepare(std::stop_token stop) = 0;
    virtual std::expected<std::unique_ptr<AnyLock>, LockError> makeLock() = 0;
    virtual QCoro::Task<> close() = 0;
    /// The sentence for servers that were not reached within that time.
    virtual QString notReached(Nanos within) const = 0;
};

std::unique_ptr<LockBackend> makeBackend(Runtime& runtime, const LockPlan& plan);
/// nullptr after complaints about the configuration.
std::unique_ptr<LockBackend> makeManagedBackend(Runtime& runtime, const LockPlan& plan);

} // namespace lockscope::cli
