-- SPDX-License-Identifier: Apache-2.0
-- Takes the permits of npm's redis-semaphore away: its waiters ask again and again. Behind if_seen.lua.
-- KEYS[1] the sorted set. Returns 1, or 0 when there are none.
return redis.call('del', KEYS[1])
