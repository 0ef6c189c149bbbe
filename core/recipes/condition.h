// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/recipe.h"

namespace lockscope::recipes {

/// The waiters for a signal of one lock, kept on the server: the basis of conditions over any backend that supports
/// them. The caller gives the lock up and takes it again; the order is: enlist while holding, release, awaitSignal,
/// acquire. So a signal between release and wait is not lost.
///
/// All operations may throw Cancelled. A stopped (not killed) one leaves nothing behind on the server.
class ConditionRecipe {
public:
    virtual ~ConditionRecipe() = default;

    /// Enters the thread as a waiter. Precondition: it holds the lock and has no entry.
    virtual Outcome<void> enlist(QByteArray thread, std::stop_token stop) = 0;
    /// Waits until the thread's entry is signalled; false = not within `wait`. The entry is then removed; a signal at
    /// the last moment counts as true. When stopped or failed, the entry is removed and a signal that it had is passed
    /// to the next waiter. If the server cannot be reached, both end with the entry's lifetime.
    virtual Outcome<bool> awaitSignal(QByteArray thread, Nanos wait, std::stop_token stop) = 0;
    /// Wakes the longest waiters, at most `most` (INT_MAX: all); returns how many. Precondition: the caller holds the
    /// lock.
    virtual Outcome<int> signal(int most, std::stop_token stop) = 0;
};

} // namespace lockscope::recipes
