-- SPDX-License-Identifier: Apache-2.0
-- Takes or re-enters the writing side of a read/write lock in Redisson's layout. A reader cannot become the writer.
-- KEYS[1] the lock; ARGV[1] lease in ms; ARGV[2] our field as writer.
-- Returns {1, hold count, 0}, or {0, PTTL of the lock}, or {-1} when the key carries something else.
local call = redis.call
local mode = call('hget', KEYS[1], 'mode')
if not mode then
    if call('exists', KEYS[1]) == 1 then
        return {-1}
    end
    call('hset', KEYS[1], 'mode', 'write', ARGV[2], 1)
    call('pexpire', KEYS[1], ARGV[1])
    return {1, 1, 0}
end
local left = call('pttl', KEYS[1])
if mode == 'write' and call('hexists', KEYS[1], ARGV[2]) == 1 then
    local holds = call('hincrby', KEYS[1], ARGV[2], 1)
    call('pexpire', KEYS[1], string.format('%.0f', math.max(0, left) + tonumber(ARGV[1]))) -- adds, as Redisson does
    return {1, holds, 0}
end
return {0, left}
