// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/redis_recipe.h"

namespace lockscope::recipes {

/// The common part of the naive string locks.
RecipeInfo naiveRedisInfo(const char* id, const QString& summary);

/// The common part of the naive string locks: waiters poll, because nobody wakes them; and DEL does not check whose
/// lock it deletes.
///
/// A stop request takes effect between commands. The articles' code does not say how to undo half an attempt, so each
/// command's reply is awaited, and a key that it took is given back by a comparison. Waiters wait out a server that
/// cannot be asked for a while.
class PolledLock : public Recipe {
public:
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

protected:
    /// The steps that this class reports.
    struct SharedSteps {
        StepNumber wait, work, release;
    };
    PolledLock(RedisLock lock, SharedSteps steps) : m_lock(std::move(lock)), m_steps(steps) {}

    /// One try, to its end even after a stop request. Sets `value` to what it writes, before it is sent; reports its
    /// own steps. True when taken.
    virtual Outcome<bool> attempt(Request& request, QByteArray& value) = 0;
    /// Whether a forced release may delete numbers (else the recipe's texts).
    virtual bool valuesAreNumbers() const { return false; }

    RedisLock m_lock;

private:
    class Contender;
    SharedSteps m_steps;
};

} // namespace lockscope::recipes
