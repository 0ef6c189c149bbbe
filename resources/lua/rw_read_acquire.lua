-- SPDX-License-Identifier: Apache-2.0
-- Takes or re-enters the reading side of a read/write lock in Redisson's layout: a hash with the field `mode`, and one
-- key with a TTL of its own for each hold of a reader, <prefix>:<hold>.
-- KEYS[1] the lock; ARGV[1] lease in ms; ARGV[2] our field; ARGV[3] our field as writer; ARGV[4] our hold keys' prefix.
-- Returns {1, hold count, 0}, or {0, PTTL of the lock}, or {-1} when the key carries something else.
local call = redis.call
local mode = call('hget', KEYS[1], 'mode')
if not mode then
    if call('exists', KEYS[1]) == 1 then
        return {-1}
    end
    call('hset', KEYS[1], 'mode', 'read', ARGV[2], 1)
    call('set', ARGV[4] .. ':1', 1, 'PX', ARGV[1])
    call('pexpire', KEYS[1], ARGV[1])
    return {1, 1, 0}
end
if mode == 'read' or (mode == 'write' and call('hexists', KEYS[1], ARGV[3]) == 1) then
    -- Holds of ours that have all run out, while others kept the lock alive, are no holds any more.
    local old, alive = tonumber(call('hget', KEYS[1], ARGV[2]) or '0'), 0
    for hold = old, 1, -1 do
        alive = alive + call('exists', ARGV[4] .. ':' .. hold)
        if alive > 0 then
            break
        end
    end
    if alive == 0 and old > 0 then
        call('hdel', KEYS[1], ARGV[2])
    end
    local holds = call('hincrby', KEYS[1], ARGV[2], 1)
    -- The last one given up is the first one taken: it lives as long as any of ours, whichever key goes before it.
    for hold = holds, 1, -1 do
        if call('pttl', ARGV[4] .. ':' .. hold) < tonumber(ARGV[1]) then
            call('set', ARGV[4] .. ':' .. hold, 1, 'PX', ARGV[1])
        end
    end
    if call('pttl', KEYS[1]) < tonumber(ARGV[1]) then
        call('pexpire', KEYS[1], ARGV[1])
    end
    return {1, holds, 0}
end
return {0, call('pttl', KEYS[1])}
