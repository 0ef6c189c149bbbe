// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <lockscope/detail/standard.h>

#include <chrono>
#include <string>

namespace lockscope {

/// How a lock is held. All users of a lock should give the same options.
struct LockOptions {
    /// The algorithm ("redis-fair", "zk-mutex", …: `lockscope list recipes`); empty: the connection's default for the
    /// lock's mode. With a multi-lock: for the parts that name none.
    std::string recipe = {};
    /// Accept a recipe that exists to be seen failing, such as redis-setnx. Otherwise such a recipe is refused.
    bool allowNaive = false;
    /// How long the server grants the lock at a time; at least 1 ms, in whole milliseconds. Recipes held by a session
    /// or a connection have no lease of their own.
    std::chrono::nanoseconds lease = std::chrono::seconds(30);
    /// Renewal period while held, 0 = no watchdog. A third of the lease leaves two more tries before it ends. A period
    /// that is not shorter than the lease becomes a third of it.
    std::chrono::nanoseconds watchdog = std::chrono::seconds(10);
    /// Take a fencing token with each grant, if the recipe can give one. On Redis this needs a counter: a key beside
    /// the lock's own, which outlives the hold and expires 30 days after the lock was last taken. False: no such key.
    bool token = true;
    /// The longest time that a hold may last, counted from its first grant; 0 = no bound. Then the holder is told
    /// "lost" and the lock is given back. Without it, a watchdog keeps the lock of a hung worker forever.
    std::chrono::nanoseconds maxHold{};
    /// The shortest time that the lock stays taken, counted from its first grant; 0 = none. A holder that unlocks
    /// sooner holds nothing from then on, but the server is asked to free the lock only when this time is over: a short
    /// job is not repeated by a machine whose clock is a little late. This continues after the lock object and its
    /// client are destroyed, as long as another object uses the client's thread. If the release fails, the lock's
    /// listener gets HoldEvent::ReleaseFailed, or the log handler when there is none.
    std::chrono::nanoseconds minHold{};

    friend bool operator==(const LockOptions&, const LockOptions&) = default;
};

} // namespace lockscope
