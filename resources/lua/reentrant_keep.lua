-- SPDX-License-Identifier: Apache-2.0
-- Leaves at most so many of our holds of a Redisson-layout lock: after a request of ours that may or may not have run.
-- Running it again changes nothing more.
-- KEYS[1] the lock; ARGV[1] our field; ARGV[2] holds to keep; ARGV[3] lease in ms; ARGV[4] the wake-up channel.
-- Returns the holds left, or -1 when the lock is not ours.
local call = redis.call
local holds = tonumber(call('hget', KEYS[1], ARGV[1]) or '-1')
local keep = tonumber(ARGV[2])
if holds <= keep then
    return holds
end
if keep > 0 then
    -- First: a full server refuses a script whose first write may need memory, and nothing behind another one.
    call('pexpire', KEYS[1], string.format('%.0f', math.max(call('pttl', KEYS[1]), tonumber(ARGV[3]))))
    call('hset', KEYS[1], ARGV[1], ARGV[2])
    return keep
end
call('del', KEYS[1])
redis.pcall('publish', ARGV[4], '0')
return 0
