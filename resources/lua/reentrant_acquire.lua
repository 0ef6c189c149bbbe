-- SPDX-License-Identifier: Apache-2.0
-- Takes or re-enters a lock in Redisson's layout: a hash of <client>:<thread> -> hold count.
-- KEYS[1] the lock; KEYS[2] (optional) the fencing counter; ARGV[1] lease in ms; ARGV[2] our field.
-- Returns {1, hold count, token or 0}, or {0, PTTL of the lock}, or {-1}: the key carries another hash, which no release
-- would ever tell of.
-- The next fencing token. A new counter begins at this server's clock, in units of 10 us since 2026, so that tokens grow
-- across a loss of all data (core/recipes/token_start.h), and ends 30 days after its last use. One that has no end is
-- another library's: it is left without.
local function next_token(counter)
    local life = 2592000000
    local left = redis.call('pttl', counter)
    if left == -2 then
        local time = redis.call('time')
        local start = (tonumber(time[1]) - 1767225600) * 100000 + math.floor(tonumber(time[2]) / 10)
        redis.call('set', counter, string.format('%.0f', math.max(start, 0)), 'PX', life)
    elseif left >= 0 and left < life - 3600000 then
        redis.call('pexpire', counter, life)
    end
    return redis.call('incr', counter)
end
local free = redis.call('exists', KEYS[1]) == 0
if not free and redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    -- A read/write lock has our field, too, when we read: that is another lock, and taken.
    free = redis.call('hexists', KEYS[1], 'mode') == 0
end
if free then
    local token = 0
    if KEYS[2] then
        token = next_token(KEYS[2]) -- first: where it fails, nothing has been taken
    end
    local holds = redis.call('hincrby', KEYS[1], ARGV[2], 1)
    -- Another hold of the same thread may have the longer lease.
    if holds == 1 or redis.call('pttl', KEYS[1]) < tonumber(ARGV[1]) then
        redis.call('pexpire', KEYS[1], ARGV[1])
    end
    return {1, holds, token}
end
if redis.call('hexists', KEYS[1], 'mode') == 0 then
    local fields = redis.call('hlen', KEYS[1]) == 1 and redis.call('hkeys', KEYS[1])
    -- node-redisson's threads are UUIDs, too.
    if not fields or not (string.match(fields[1], '^.+:%d+$')
        or string.match(fields[1], '^%x+%-%x+%-%x+%-%x+%-%x+:[%x%-]+$')) then
        return {-1}
    end
end
return {0, redis.call('pttl', KEYS[1])}
