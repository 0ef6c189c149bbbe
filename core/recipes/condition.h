// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// Who waits for a signal of one lock, kept on the server: what a Condition is made of, over any backend that has it.
/// The lock itself is given up and taken again by the caller (lock/condition); the order is: enlist while holding,
/// release, awaitSignal, acquire. So no signal is lost that comes between the release and the wait.
///
/// All operations may throw Cancelled. One that was stopped (not killed) leaves nothing behind on the server.
class ConditionRecipe {
public:
    virtual ~ConditionRecipe() = default;

    /// Enters the thread as waiting. Precondition: it holds the lock and is not entered.
    virtual Outcome<void> enlist(QByteArray thread, std::stop_token stop) = 0;
    /// Waits until the thread's entry has been signalled; false = not within `wait` (the entry is removed: a signal
    /// that came at the last moment counts as true). Stopped or failed: the entry is removed, and a signal that it had
    /// got already is passed on to the next one; where the server cannot be reached, both end with the entry's life.
    virtual Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) = 0;
    /// Wakes those that have waited longest, at most `most` (INT_MAX: all); how many. The caller holds the lock.
    virtual Outcome<int> signal(int most, std::stop_token stop) = 0;
};

} // namespace lockscope::recipes
