-- SPDX-License-Identifier: Apache-2.0
-- Frees a read/write lock whoever holds it, and wakes all waiters. Tells the holders, if they listen.
-- KEYS[1] the lock; ARGV[1] what every reader's prefix begins with; ARGV[2] the wake-up channel; ARGV[3] the holders'
-- channel.
-- Returns 1, or 0 when there was nothing to free, or -1 when the key carries something else.
local call = redis.call
local kind = call('type', KEYS[1])['ok']
if kind == 'none' then
    return 0
end
local mode = kind == 'hash' and call('hget', KEYS[1], 'mode')
if mode ~= 'read' and mode ~= 'write' then
    return -1
end
local fields = call('hgetall', KEYS[1])
for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' then
        for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
            call('del', ARGV[1] .. fields[i] .. ':rwlock_timeout:' .. hold)
        end
    end
end
call('del', KEYS[1])
redis.pcall('publish', ARGV[2], '1')
redis.pcall('publish', ARGV[3], '0')
return 1
