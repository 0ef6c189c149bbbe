// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/memcached/memcached_recipe.h"

namespace lockscope::recipes {

/// `memcached-add`, *naive*: `add` with an expiry takes the lock, `delete` gives it up, whosever it is by then. As many
/// texts show it. The lease is rounded up to whole seconds (down, less than a second would be 0: for ever), and the
/// server ends it up to one second early: its clock ticks once a second. It waits behind any value, since texts store
/// all kinds; a forced release deletes only what looks like its own.
class MemcachedAdd final : public Recipe {
public:
    explicit MemcachedAdd(MemcachedLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    MemcachedLock m_lock;
};

} // namespace lockscope::recipes
