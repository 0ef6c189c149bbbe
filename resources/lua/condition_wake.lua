-- SPDX-License-Identifier: Apache-2.0
-- Wakes those waiters of a condition that have waited longest and are still there; takes one away before that, who
-- waits no longer, and whose own signal then goes to the others.
-- KEYS[1] list of waiters; KEYS[2] (with ARGV[5]) the state of the one that leaves; ARGV[1] how many to wake at most;
-- ARGV[2] life of an entry in ms; ARGV[3] what the names of states begin with; ARGV[4] the same of channels; both go on
-- with a waiter's id, and all are in one slot by the lock's name; ARGV[5] (optional) the id of the one that leaves.
-- Returns how many were woken; of one that leaves 1 when it had been signalled, else 0, and then nobody is woken.
local call = redis.call
if ARGV[5] then
    local state = call('get', KEYS[2])
    call('del', KEYS[2])
    call('lrem', KEYS[1], 0, ARGV[5])
    if state ~= 'signalled' then
        return 0
    end
end
local wanted, woken, deaf = tonumber(ARGV[1]), 0, {}
local function signal(id)
    call('set', ARGV[3] .. id, 'signalled', 'px', ARGV[2])
    woken = woken + 1
end
while woken < wanted do
    local id = call('lpop', KEYS[1])
    if not id then
        break
    end
    -- An entry without a state belongs to somebody who died: the signal goes to the next one.
    if call('exists', ARGV[3] .. id) == 1 then
        -- Who may not send messages signals all the same: the waiter looks now and then.
        local told = redis.pcall('publish', ARGV[4] .. id, '1')
        if type(told) == 'number' and told > 0 then
            signal(id)
        else
            deaf[#deaf + 1] = id
        end
    end
end
-- Whoever does not listen died a moment ago, or is about to listen and looks then: such get what nobody else wants.
local left = {}
for _, id in ipairs(deaf) do
    if woken < wanted then
        signal(id)
    else
        left[#left + 1] = id
    end
end
for i = #left, 1, -1 do
    call('lpush', KEYS[1], left[i])
end
if #left > 0 then
    call('pexpire', KEYS[1], ARGV[2])
end
return ARGV[5] and 1 or woken
