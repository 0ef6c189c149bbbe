// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// What the naive string locks share: nobody wakes a waiter, so it looks again and again; and a DEL that does not look
/// whose lock it deletes.
///
/// A stop request is heard between commands: what an article's code does not say is what to do with half an attempt, so
/// each command's reply is awaited, and what it took is given back with a comparison. A server that can not be asked
/// for a while is waited for.
class PolledLock : public Recipe {
public:
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

protected:
    /// Where the shared steps stand in RecipeInfo::steps; the working step is there already.
    struct StepNumbers {
        std::uint32_t wait, release;
    };
    PolledLock(RedisLock lock, StepNumbers steps) : m_lock(std::move(lock)), m_steps(steps) {}

    /// One try, to its end whatever the stop token says. `value` becomes what it writes, before it is sent; the steps
    /// are told by it. True when taken.
    virtual Outcome<bool> attempt(Request& request, QByteArray& value) = 0;
    /// What a forced release may delete.
    virtual bool valuesAreNumbers() const { return false; }

    RedisLock m_lock;

private:
    /// Deletes it if it is there; false when that is not known.
    QCoro::Task<bool> withdraw(QByteArray value);
    StepNumbers m_steps;
};

} // namespace lockscope::recipes
