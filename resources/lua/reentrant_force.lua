-- SPDX-License-Identifier: Apache-2.0
-- Frees a lock in Redisson's layout whoever holds it, and wakes one waiter per client. Tells the holder, if it
-- listens.
-- KEYS[1] the lock; ARGV[1] the wake-up channel; ARGV[2] the holders' channel. Returns 1, or 0 when there was nothing to free, or -1 when the key
-- carries something else than one <client>:<thread> with its number of holds.
local call = redis.call
local kind = call('type', KEYS[1])['ok']
if kind == 'none' then
    return 0
end
if kind ~= 'hash' or call('hlen', KEYS[1]) ~= 1 then
    return -1
end
local hold = call('hgetall', KEYS[1])
-- Clients may have names of their own instead of UUIDs; locks always have an end.
local known = string.match(hold[1], '^%x+%-%x+%-%x+%-%x+%-%x+:.')
    or (string.match(hold[1], '^.+:%d+$') and call('pttl', KEYS[1]) > 0)
if not known or not string.match(hold[2], '^%d+$') then
    return -1
end
call('del', KEYS[1])
redis.pcall('publish', ARGV[1], '0')
redis.pcall('publish', ARGV[2], '0')
return 1
