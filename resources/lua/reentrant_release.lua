-- SPDX-License-Identifier: Apache-2.0
-- Gives one hold of a Redisson-layout lock up; at the last one frees the lock and wakes one waiter per client. Whoever
-- may not send messages frees it, too: an error after the DEL would only deny that.
-- KEYS[1] the lock; ARGV[1] our field; ARGV[2] lease in ms while holds are left, where what is left is shorter;
-- ARGV[3] the wake-up channel.
-- Returns the holds left, or -1 when the lock is not ours, or {0, how many were told} when it is free and somebody was.
local call = redis.call
local holds = tonumber(call('hget', KEYS[1], ARGV[1]) or '-1')
if holds < 0 then
    return -1
end
if holds > 1 then
    -- First: a full server refuses a script whose first write may need memory, and nothing behind another one.
    call('pexpire', KEYS[1], string.format('%.0f', math.max(call('pttl', KEYS[1]), tonumber(ARGV[2]))))
    return call('hincrby', KEYS[1], ARGV[1], -1)
end
call('del', KEYS[1])
local told = redis.pcall('publish', ARGV[3], '0')
return type(told) == 'number' and told > 0 and {0, told} or 0
