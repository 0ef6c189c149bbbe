-- SPDX-License-Identifier: Apache-2.0
-- Takes or re-enters a lock in Redisson's layout: a hash of <client>:<thread> -> hold count.
-- KEYS[1] the lock; KEYS[2] (optional) the fencing counter; ARGV[1] lease in ms; ARGV[2] our field.
-- Returns {1, hold count, token or 0}, or {0, PTTL of the lock}, or {-1}: the key carries another hash, which no release
-- would ever tell of.
local call, lock, me = redis.call, KEYS[1], ARGV[2]
local left = call('pttl', lock)
local free = left == -2
if not free then
    if call('hlen', lock) == 1 then
        local field = call('hkeys', lock)[1]
        free = field == me
        -- node-redisson's threads are UUIDs, too. A read/write lock may be without a holder for now.
        if not (free or field:match('^.+:%d+$') or field:match('^%x+%-%x+%-%x+%-%x+%-%x+:[%x%-]+$')
            or field == 'mode') then
            return {-1}
        end
    elseif call('hexists', lock, 'mode') == 0 then
        free = call('hexists', lock, me) == 1
        if not free then
            return {-1}
        end
    end -- A read/write lock has our field, too, when we read: that is another lock, and taken.
end
if not free then
    return {0, left}
end
local token, counter = 0, KEYS[2]
if counter then -- first: where it fails, nothing has been taken
    -- A new counter begins at this server's clock, in units of 10 us since 2026, so that tokens grow across a loss of all
    -- data (core/recipes/token_start.h), and ends 30 days after its last use. One that has no end is another library's:
    -- it is left without.
    local life, ends = 2592000000, call('pttl', counter)
    if ends == -2 then
        local time = call('time')
        local start = (tonumber(time[1]) - 1767225600) * 100000 + math.floor(tonumber(time[2]) / 10)
        call('set', counter, string.format('%.0f', math.max(start, 0)), 'PX', life)
    elseif ends >= 0 and ends < life - 3600000 then
        call('pexpire', counter, life)
    end
    token = call('incr', counter)
end
local holds = call('hincrby', lock, me, 1)
-- Another hold of the same thread may have the longer lease.
if holds == 1 or left < tonumber(ARGV[1]) then
    call('pexpire', lock, ARGV[1])
end
return {1, holds, token}
