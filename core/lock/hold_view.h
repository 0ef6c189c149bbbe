// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <atomic>
#include <memory>

namespace lockscope {

/// The facts of a hold that any thread may read at any time. The runtime's thread writes them.
struct HoldView {
    std::atomic<bool> mine = true;                     ///< neither lost nor given back
    std::atomic<bool> lost = false;                    ///< lost, not given back
    std::atomic<Nanos::rep> deadline = kNever.count(); ///< on the runtime's monotonic clock; kNever: nothing ends it
    std::atomic<std::int64_t> token = 0;               ///< 0 = none
    std::atomic<int> permits = 1;                      ///< of a semaphore; 1 of another lock
    /// For a LockManager's locks: until when the namespace's engine is certainly in use, as `deadline`. nullptr: no
    /// manager. Set before other threads see the view.
    std::shared_ptr<const std::atomic<Nanos::rep>> engineUntil;

    /// Whether its holder may still act on it at `now`, an instant of the runtime's monotonic clock.
    bool stillMineAt(Nanos now) const {
        return mine && now.count() < deadline && (!engineUntil || now.count() < *engineUntil);
    }
};

} // namespace lockscope
