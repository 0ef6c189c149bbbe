-- SPDX-License-Identifier: Apache-2.0
-- Everything that a fair lock in Redisson's layout does: the hash of holds, a list of waiters (head = next) and a sorted
-- set of the instants, ms since 1970, after which a waiter counts as dead.
-- Those deadlines are counted one from the other, as Redisson counts them, so that the dead die one after the other. Its
-- waiters are not heard of while they wait; ours are, several times in ARGV[5], and are dead when they are not: all that
-- died die together. Until when each was heard of stands in a sorted set of our own; Redisson does without.
-- KEYS[1] the lock; KEYS[2] the queue; KEYS[3] the deadlines; KEYS[4] the instants, ms since 1970, until which our
-- waiters count as alive.
-- ARGV[1] what to do; ARGV[2] our field; ARGV[3] lease in ms; ARGV[4] the waiter's time-out in ms; ARGV[5] ms in which
-- the first in the queue must have taken a free lock, and in which one of ours is to be heard of; ARGV[6] see below;
-- ARGV[7] the wake-up channel: a waiter listens on <channel>:<its field>; ARGV[9] (of force) the holders' channel.
--   take     ARGV[6] '1': queue up when it is taken. Returns {1, hold count, 0}, or {0, ms until it pays to look again},
--            or {-1}: the key carries another hash
--   release  returns the holds left, or -1 when the lock is not ours
--   keep     leaves at most ARGV[6] holds; returns the holds left, or -1. ARGV[8] '1': we still wait, so that a lock that
--            we have got without hearing of it leaves us the first place. Else it leaves us no place
--   leave    gives our place in the queue up; returns 1, or 0 when there was none
--   force    frees the lock whoever holds it; returns 1, or 0 when there was nothing to free, or -1 when the key carries
--            something else than one <client>:<thread> with its number of holds
-- Redisson reads the clients' clocks; here the server's decides, so that no client's clock can end another's wait.
local call = redis.call
local lock, queue, deadlines, alive, channel = KEYS[1], KEYS[2], KEYS[3], KEYS[4], ARGV[7]
local action, me, lease, patience, grace =
    ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])

local time = call('time')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)

local function whole(number)
    return string.format('%.0f', number)
end

-- Another hold of the same thread may have the longer lease.
local function lengthen()
    if call('pttl', lock) < lease then
        call('pexpire', lock, lease)
    end
end

-- As lengthen(), and always a write: a full server refuses a script whose first write may need memory, and nothing behind
-- another one.
local function afford()
    call('pexpire', lock, whole(math.max(call('pttl', lock), lease)))
end

-- Whoever asks is alive. What nobody looks at for a day may go: deadlines remain.
local function heard()
    call('zadd', alive, whole(now + math.min(grace, patience)), me)
    call('pexpire', alive, 86400000)
end

-- Whoever stands first and has not been heard of by its deadline is dead. Returns whether anybody was.
local function purge()
    local purged = false
    while true do
        local head = call('lindex', queue, 0)
        if not head then
            return purged
        end
        local deadline = call('zscore', alive, head) or call('zscore', deadlines, head)
        if not deadline then
            -- Something took its deadline away; without one it would stand there for ever.
            call('zadd', deadlines, whole(now + grace), head)
            return purged
        end
        if tonumber(deadline) > now then
            return purged
        end
        call('zrem', deadlines, head)
        call('zrem', alive, head)
        call('lpop', queue)
        purged = true
    end
end

-- The lock is free, and it is this waiter's turn: its deadline was made for a lease that is over. Returns what is left.
local function hurry(head)
    local heard_until = call('zscore', alive, head)
    if heard_until then
        return tonumber(heard_until) - now
    end
    local deadline = tonumber(call('zscore', deadlines, head) or now + grace)
    if deadline > now + grace then
        deadline = now + grace
        call('zadd', deadlines, whole(deadline), head)
    end
    return deadline - now
end

local function wake(message)
    local head = call('lindex', queue, 0)
    if head then
        hurry(head)
    end
    -- Nobody queues: plain locks on the same name listen on the common channel.
    redis.pcall('publish', head and (channel .. ':' .. head) or channel, message)
end

local function free()
    call('del', lock)
    wake('0')
end

-- It was our turn, so it is now.
local function back_to_first()
    call('lpush', queue, me)
    call('zadd', deadlines, whole(now + patience), me)
    heard()
end

-- A waiter that is alive after all has its deadline counted anew from where it stands; one that has a deadline and no
-- place gets a place.
local function refresh()
    local before = false
    for _, waiter in ipairs(call('lrange', queue, 0, -1)) do
        if waiter == me then
            local from = before and tonumber(call('zscore', deadlines, before) or now)
                or now + math.max(0, call('pttl', lock))
            call('zadd', deadlines, whole(math.max(from, now) + patience), me)
            return
        end
        before = waiter
    end
    call('rpush', queue, me)
    call('zadd', deadlines, whole(now + patience), me)
end

local function enqueue()
    heard()
    local deadline = call('zscore', deadlines, me)
    if deadline then
        if tonumber(deadline) < now + patience then
            refresh()
        end
        return
    end
    local last = call('lindex', queue, -1)
    local of_last = last and call('zscore', deadlines, last)
    local base = of_last and tonumber(of_last) - now or call('pttl', lock)
    call('zadd', deadlines, whole(now + math.max(0, base) + patience), me)
    call('rpush', queue, me)
end

local function leave()
    call('zrem', alive, me)
    if not call('zscore', deadlines, me) then
        return 0
    end
    local behind, was_head = false, call('lindex', queue, 0) == me
    for _, waiter in ipairs(call('lrange', queue, 0, -1)) do
        if behind then
            call('zincrby', deadlines, -patience, waiter)
        end
        behind = behind or waiter == me
    end
    call('zrem', deadlines, me)
    call('lrem', queue, 0, me)
    if was_head and call('exists', lock) == 0 and call('exists', queue) == 1 then
        wake('0') -- what was meant for us is for the next
    end
    return 1
end

-- Any request of a waiter is a sign of life: late, perhaps, but before anybody missed it.
local waits = action == 'take' or (action == 'keep' and ARGV[8] == '1')
if waits and call('zscore', alive, me) then
    heard()
end

if action == 'take' then
    local purged = purge()
    local head = call('lindex', queue, 0)
    local held = call('exists', lock) == 1
    if not held and (not head or head == me) then
        call('lpop', queue)
        call('zrem', deadlines, me)
        call('zrem', alive, me)
        -- One fewer stands before the others. Whoever was made to hurry has shortened what theirs were counted from: no
        -- deadline may end before this lease does and those before have had their time. (Redisson goes by them for ours.)
        for place, waiter in ipairs(call('lrange', queue, 0, -1)) do
            local deadline = tonumber(call('zscore', deadlines, waiter) or now) - patience
            call('zadd', deadlines, whole(math.max(deadline, now + lease + place * patience)), waiter)
        end
        call('hset', lock, me, 1)
        call('pexpire', lock, lease)
        return {1, 1, 0}
    end
    if held and call('hexists', lock, me) == 1 and call('hexists', lock, 'mode') == 0 then
        local holds = call('hincrby', lock, me, 1)
        lengthen()
        return {1, holds, 0}
    end
    if held and call('hexists', lock, 'mode') == 0 then
        local fields = call('hlen', lock) == 1 and call('hkeys', lock)
        -- node-redisson's threads are UUIDs, too.
        if not fields or not (string.match(fields[1], '^.+:%d+$')
            or string.match(fields[1], '^%x+%-%x+%-%x+%-%x+%-%x+:[%x%-]+$')) then
            return {-1}
        end
    end
    if ARGV[6] == '1' then
        enqueue()
    end
    if held then
        -- A release tells only the first in the queue, which may be dead: the others look again now and then, and are
        -- heard of by it. Three times: one look may be late, or lost.
        local left, pause = call('pttl', lock), math.max(1, math.floor(grace / 3))
        return {0, left < 0 and pause or math.min(left, pause)}
    end
    if purged then
        wake('0') -- whose turn it is now has not been told
    end
    -- The first in the queue is about to take it, or dead: look again soon.
    return {0, math.max(1, math.min(hurry(head), 1000))}
end

if action == 'release' then
    purge()
    if call('hexists', lock, me) == 0 then
        if call('exists', lock) == 0 and call('exists', queue) == 1 then
            wake('0') -- it expired, and nobody told the waiters
        end
        return -1
    end
    if tonumber(call('hget', lock, me)) > 1 then
        afford()
        return call('hincrby', lock, me, -1)
    end
    free()
    return 0
end

if action == 'keep' then
    if not waits then
        leave()
    end
    local holds = tonumber(call('hget', lock, me) or '-1')
    local keep = tonumber(ARGV[6])
    if holds <= keep then
        return holds
    end
    if keep > 0 then
        afford()
        call('hset', lock, me, keep)
        return keep
    end
    purge()
    if waits then
        back_to_first()
    end
    free()
    return 0
end

if action == 'leave' then
    return leave()
end

purge()
local kind = call('type', lock)['ok']
if kind == 'none' then
    return 0
end
if kind ~= 'hash' or call('hlen', lock) ~= 1 then
    return -1
end
local hold = call('hgetall', lock)
-- Clients may have names of their own instead of UUIDs; locks always have an end.
local known = string.match(hold[1], '^%x+%-%x+%-%x+%-%x+%-%x+:.')
    or (string.match(hold[1], '^.+:%d+$') and call('pttl', lock) > 0)
if not known or not string.match(hold[2], '^%d+$') then
    return -1
end
free()
redis.pcall('publish', ARGV[9], '0')
return 1
