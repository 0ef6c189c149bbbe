// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "lock/distributed_lock.h"

#include <map>

namespace lockscope::detail {

class Namespace;

/// What a ManagedLock's coroutines share with it; lives until the last of them has ended.
struct ManagedCore {
    ManagedCore(std::shared_ptr<Namespace> of, QByteArray lockName) : space(std::move(of)), name(std::move(lockName)) {}

    /// Tells all holders on engines of earlier epochs than `epoch` that they have lost. Nothing once it is closed.
    static QCoro::Task<> loseBefore(std::shared_ptr<ManagedCore> core, std::int64_t epoch);
    std::expected<std::shared_ptr<DistributedLock>, LockError> lockOf(std::int64_t epoch);
    /// The lock object is gone: those that still wait end with nothing.
    bool closed() const { return closing.stop_requested(); }

    const std::shared_ptr<Namespace> space;
    const QByteArray name;
    DistributedLock::Listener listener;
    std::map<std::int64_t, std::shared_ptr<DistributedLock>> locks; ///< by epoch
    std::stop_source closing;
};

} // namespace lockscope::detail
