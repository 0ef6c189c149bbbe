-- SPDX-License-Identifier: Apache-2.0
-- Takes permits of a semaphore in the layout of Redisson's permits that expire: a counter of those that are free, and a
-- sorted set of ids of those that are taken, each with the instant at which it ends, ms since 1970, by the server's
-- clock.
-- KEYS[1] the counter; KEYS[2] the permits taken; KEYS[3] how many there are in all, if one of us has said it; ARGV[1]
-- the wake-up channel; ARGV[2] permits in all; ARGV[3] lease in ms; ARGV[4…] ids of 16 bytes, one for each permit wanted.
-- Returns {1, free permits left}, or {0, ms until it pays to look again, -1 = no saying}, or {-1} when the key carries
-- something else, or {-2, permits in all} when there are not so many, or {-3, permits in all} when others have some of
-- another number, or {-4, the number} when nobody has any and it may count something else.
local call = redis.call
local wanted = #ARGV - 3
local time = call('time')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

-- A semaphore that is set up here ends 30 days after its last use; another library's lasts as that has said.
local life = 2592000000
local function keep()
    local left = call('pttl', KEYS[3])
    if left >= 0 and left < life - 3600000 then
        call('pexpire', KEYS[1], life)
        call('pexpire', KEYS[3], life)
    end
end

local all = tonumber(ARGV[2])
local free = call('get', KEYS[1])
if not free then
    free = all - call('zcard', KEYS[2])
    call('set', KEYS[1], free, 'PX', life)
    call('set', KEYS[3], all, 'PX', life)
elseif #free > 9 or not string.match(free, '^%-?%d+$') then
    return {-1}
end
free = tonumber(free)

local ended = call('zrangebyscore', KEYS[2], '-inf', string.format('%.0f', now), 'LIMIT', 0, 1000)
if #ended > 0 then
    for _, id in ipairs(ended) do
        call('zrem', KEYS[2], id)
    end
    free = call('incrby', KEYS[1], #ended)
    redis.pcall('publish', ARGV[1], free)
end

local taken = call('zcard', KEYS[2])
if free + taken ~= all then
    if taken > 0 then
        return {-3, free + taken}
    end
    -- Anything may count under this name: only what stands as one of us has left it is ours to change.
    if call('get', KEYS[3]) ~= string.format('%.0f', free) then
        return {-4, free}
    end
    call('incrby', KEYS[1], all - free) -- its TTL stays
    call('set', KEYS[3], all, 'PX', life)
    free = all
end

if free >= wanted then
    call('decrby', KEYS[1], wanted)
    -- `now` is rounded down, and what ends now has ended: a millisecond more, or others come before our own deadline.
    local till = string.format('%.0f', now + 1 + tonumber(ARGV[3]))
    for i = 4, #ARGV do
        call('zadd', KEYS[2], till, ARGV[i])
    end
    keep()
    local ttl = call('pttl', KEYS[1])
    if ttl > 0 then
        call('pexpire', KEYS[2], ttl)
    end
    return {1, free - wanted}
end
if all < wanted then
    return {-2, all}
end
local first = call('zrange', KEYS[2], 0, 0, 'WITHSCORES')
local left = first[2] and tonumber(first[2]) - now or -1
if left > 10000000000000 then
    left = -1 -- for ever, as Redisson writes it
end
return {0, left}
