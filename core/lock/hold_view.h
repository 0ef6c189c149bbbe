// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <atomic>
#include <memory>

namespace lockscope {

/// What any thread may know of a hold at any time, without asking the thread that keeps it. That one writes it.
struct HoldView {
    std::atomic<bool> mine = true;                     ///< neither lost nor given back
    std::atomic<bool> lost = false;                    ///< lost, not given back
    std::atomic<Nanos::rep> deadline = kNever.count(); ///< on the runtime's monotonic clock; kNever: nothing ends it
    std::atomic<std::int64_t> token = 0;               ///< 0 = none
    /// The same as `deadline`, of all holds of a LockManager's namespace: how long its engine is surely in use.
    /// nullptr: it is of none. Set before other threads see the view.
    std::shared_ptr<const std::atomic<Nanos::rep>> engineUntil;

    /// Whether it may still be acted on at `now`, an instant of the runtime's monotonic clock.
    bool stillMineAt(Nanos now) const {
        return mine && now.count() < deadline && (!engineUntil || now.count() < *engineUntil);
    }
};

} // namespace lockscope
