-- SPDX-License-Identifier: Apache-2.0
-- Frees a string lock whoever holds it, and wakes those who listen. Tells the holder, if it listens.
-- KEYS[1] the lock; ARGV[1] what such locks' values are: "text", or "number"; ARGV[2…] (optional) the channels of those
-- who listen.
-- Returns 1, or 0 when there was nothing to free, or -1 when the key carries something else.
local call = redis.call
local kind = call('type', KEYS[1])['ok']
if kind == 'none' then
    return 0
end
if kind ~= 'string' then
    return -1
end
local size = call('strlen', KEYS[1])
local number = size < 20 and string.match(call('get', KEYS[1]), '^%d+$') ~= nil
if number ~= (ARGV[1] == 'number') then
    return -1
end
-- An instant since 1970 in seconds or milliseconds. Any other number counts something: permits, a latch, orders.
if number and size ~= 10 and size ~= 13 then
    return -1
end
call('del', KEYS[1])
for i = 2, #ARGV do
    redis.pcall('publish', ARGV[i], '0')
end
return 1
