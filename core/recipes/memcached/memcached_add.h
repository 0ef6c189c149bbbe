// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/memcached/memcached_recipe.h"

namespace lockscope::recipes {

/// `memcached-add`, *naive*: `add` with an expiry takes the lock, `delete` releases it, whoever holds it by then; many
/// texts show it so. The lease is rounded up to whole seconds (rounded down, less than a second would become 0, which
/// means forever). The server ends it up to one second early, because its clock ticks once a second. It waits behind
/// any value, because those texts store all kinds; a forced release deletes only values in its own format.
class MemcachedAdd final : public Recipe {
public:
    explicit MemcachedAdd(MemcachedLock lock) : m_lock(std::move(lock)) {}
    const RecipeInfo& info() const override;
    Outcome<std::optional<Grant>> acquire(Request request, std::stop_token stop) override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;
    Outcome<bool> forceRelease(std::stop_token stop) override;
    Outcome<bool> isLocked(std::stop_token stop) override;

private:
    class Contender;
    MemcachedLock m_lock;
};

} // namespace lockscope::recipes
