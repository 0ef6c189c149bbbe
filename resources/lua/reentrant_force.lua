-- SPDX-License-Identifier: Apache-2.0
-- Frees a lock in Redisson's layout whoever holds it, and wakes one waiter per client. Holders are not told.
-- KEYS[1] the lock; KEYS[2] the wake-up channel. Returns 1, or 0 when there was nothing to free, or -1 when the key
-- carries something else than one <uuid>:<thread> with its number of holds.
local kind = redis.call('type', KEYS[1])['ok']
if kind == 'none' then
    return 0
end
if kind ~= 'hash' or redis.call('hlen', KEYS[1]) ~= 1 then
    return -1
end
local hold = redis.call('hgetall', KEYS[1])
if not string.match(hold[1], '^%x+%-%x+%-%x+%-%x+%-%x+:.') or not string.match(hold[2], '^%d+$') then
    return -1
end
redis.call('del', KEYS[1])
redis.pcall('publish', KEYS[2], '0')
return 1
