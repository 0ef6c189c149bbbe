-- SPDX-License-Identifier: Apache-2.0
-- Frees a lock whoever holds it, and wakes one waiter per client. Holders are not told.
-- KEYS[1] the lock; KEYS[2] the wake-up channel. Returns 1, or 0 when there was nothing to free.
if redis.call('del', KEYS[1]) == 1 then
    redis.call('publish', KEYS[2], '0')
    return 1
end
return 0
