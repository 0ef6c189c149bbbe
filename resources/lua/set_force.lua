-- SPDX-License-Identifier: Apache-2.0
-- Frees a string lock whoever holds it, and wakes those who listen. Holders are not told.
-- KEYS[1] the lock; ARGV[1] the wake-up channel. Returns 1, or 0 when there was nothing to free.
if redis.call('del', KEYS[1]) == 0 then
    return 0
end
redis.pcall('publish', ARGV[1], '0')
return 1
