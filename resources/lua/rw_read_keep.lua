-- SPDX-License-Identifier: Apache-2.0
-- Gives holds of a reader up. The lock then lives as long as the longest hold that is left of anybody.
-- KEYS[1] the lock; ARGV[1] our field; ARGV[2] holds to keep at most, or '' for one fewer; ARGV[3] our hold keys' prefix;
-- ARGV[4] what every reader's prefix begins with; ARGV[5] the wake-up channel. Running it again with a number changes
-- nothing more. Hold keys share the lock's hash tag.
-- Returns the holds left, or -1 when we hold nothing.
local call = redis.call
local mode = call('hget', KEYS[1], 'mode')
local holds = mode and tonumber(call('hget', KEYS[1], ARGV[1]) or '-1') or -1
if holds < 0 then
    return -1
end
local keep = ARGV[2] == '' and holds - 1 or tonumber(ARGV[2])
if holds <= keep then
    return holds
end
for hold = holds, keep + 1, -1 do
    call('del', ARGV[3] .. ':' .. hold)
end
if keep > 0 then
    call('hset', KEYS[1], ARGV[1], keep)
else
    call('hdel', KEYS[1], ARGV[1])
end
if mode == 'write' then
    return keep
end
local longest = 0
local fields = call('hgetall', KEYS[1])
for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' then
        for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
            longest = math.max(longest, call('pttl', ARGV[4] .. fields[i] .. ':rwlock_timeout:' .. hold))
        end
    end
end
if longest > 0 then
    local before = call('pttl', KEYS[1])
    call('pexpire', KEYS[1], string.format('%.0f', longest))
    if longest < before then
        redis.pcall('publish', ARGV[5], '0') -- who waits has been told the longer time, and would sleep so long
    end
    return keep
end
call('del', KEYS[1])
redis.pcall('publish', ARGV[5], '0')
return 0
