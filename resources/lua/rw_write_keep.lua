-- SPDX-License-Identifier: Apache-2.0
-- Gives holds of the writer up. What it holds as a reader is left, as long as that lives: others may read beside it then.
-- KEYS[1] the lock; ARGV[1] our field as writer; ARGV[2] lease in ms while holds are left, where what is left is
-- shorter; ARGV[3] holds to keep at most,
-- or '' for one fewer; ARGV[4] the wake-up channel; ARGV[5] what every reader's prefix begins with. Running it again
-- with a number changes nothing more. Hold keys share the lock's hash tag.
-- Returns the holds left, or -1 when we hold nothing.
local call = redis.call
local mode = call('hget', KEYS[1], 'mode')
local holds = mode == 'write' and tonumber(call('hget', KEYS[1], ARGV[1]) or '-1') or -1
if holds < 0 then
    return -1
end
local keep = ARGV[3] == '' and holds - 1 or tonumber(ARGV[3])
if holds <= keep then
    return holds
end
if keep > 0 then
    -- What is left may have the longer lease, by another lock object of this thread: Redisson would cut it short. First:
    -- a full server refuses a script whose first write may need memory, and nothing behind another one.
    call('pexpire', KEYS[1], string.format('%.0f', math.max(call('pttl', KEYS[1]), tonumber(ARGV[2]))))
    call('hset', KEYS[1], ARGV[1], keep)
    return keep
end
call('hdel', KEYS[1], ARGV[1])
local longest = 0
local fields = call('hgetall', KEYS[1])
for i = 1, #fields, 2 do
    if fields[i] ~= 'mode' then
        for hold = tonumber(fields[i + 1]) or 0, 1, -1 do
            longest = math.max(longest, call('pttl', ARGV[5] .. fields[i] .. ':rwlock_timeout:' .. hold))
        end
    end
end
if longest > 0 then
    call('hset', KEYS[1], 'mode', 'read')
    call('pexpire', KEYS[1], string.format('%.0f', longest))
else
    call('del', KEYS[1])
end
redis.pcall('publish', ARGV[4], '1') -- Redisson says nothing when reads are left, and its waiting readers sleep on
return 0
