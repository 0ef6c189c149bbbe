// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recipes/redis/polled_lock.h"

namespace lockscope::recipes {

/// `redis-set-del`, *naive*: SET NX with an expiry, and a DEL that does not check whose lock it deletes. Exists to be
/// seen failing: a holder that outlives its lease deletes the next holder's lock.
class RedisSetDel final : public PolledLock {
public:
    explicit RedisSetDel(RedisLock lock);
    const RecipeInfo& info() const override;

private:
    Outcome<bool> attempt(Request& request, QByteArray& value) override;
};

/// `redis-set-getdel`, *naive*: as above, with a unique value that the release compares; but in two commands, so the
/// lease can end between GET and DEL.
class RedisSetGetDel final : public PolledLock {
public:
    explicit RedisSetGetDel(RedisLock lock);
    const RecipeInfo& info() const override;
    Outcome<int> release(Grant grant, std::stop_token stop) override;

private:
    Outcome<bool> attempt(Request& request, QByteArray& value) override;
};

} // namespace lockscope::recipes
