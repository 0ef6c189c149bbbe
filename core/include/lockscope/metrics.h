// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

namespace lockscope {

/// One thing that happened to a lock, for counters and histograms.
struct LockMeasure {
    enum class Kind : std::uint8_t {
        Acquired,  ///< `duration`: how long the caller waited for it
        TimedOut,  ///< a try or a timed wait ended without the lock; `duration`: the wait
        Failed,    ///< a request ended with an error; `duration`: the wait
        Renewed,   ///< a renewal was confirmed; `duration` is 0
        Suspended, ///< the server does not answer for a hold; `duration` is 0
        Released,  ///< a hold was given back; `duration`: how long it was held
        Lost,      ///< a hold was lost, or could not be given back; `duration`: how long it was held
    };
    Kind kind = Kind::Acquired;
    std::string_view lock = {}; ///< the lock's name; valid during the call
    std::chrono::nanoseconds duration{};
};

/// Called for each measure, on the service thread of the lock's client, or on the thread of its qt::Connection: it
/// delays the other locks there. It must not block, throw or call the library.
using MetricsHandler = std::function<void(const LockMeasure& measure)>;

/// Sets the process's metrics handler; replaces the one before. nullptr: none. Costs one relaxed atomic read for each
/// event while there is none. Thread-safe; a handler that was replaced may still be running when this returns.
/// A thread's re-entry is one more Acquired; its Released comes with the last of its holds.
void setMetricsHandler(MetricsHandler handler);

/// Totals so far of the locks of a client and of all clients that share its service thread, or of a qt::Connection.
struct LockTotals {
    /// How many there were of each LockMeasure::Kind.
    std::uint64_t acquired = 0, timedOut = 0, failed = 0;
    std::uint64_t renewed = 0, suspended = 0, released = 0, lost = 0;
    std::chrono::nanoseconds waited{}; ///< the sum of all waits that ended with the lock
    std::chrono::nanoseconds held{};   ///< the sum of all holds that have ended
};

} // namespace lockscope
