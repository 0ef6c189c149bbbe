-- SPDX-License-Identifier: Apache-2.0
-- Wakes those waiters of a condition that have waited longest and are still there.
-- KEYS[1] list of waiters; ARGV[1] how many at most; ARGV[2] life of an entry in ms; ARGV[3] what the names of states
-- begin with; ARGV[4] the same of channels; both go on with a waiter's id, and all are in one slot by the lock's name.
-- Returns how many were woken.
local woken = 0
while woken < tonumber(ARGV[1]) do
    local id = redis.call('lpop', KEYS[1])
    if not id then
        break
    end
    -- An entry without a state belongs to somebody who died: the signal goes to the next one.
    if redis.call('set', ARGV[3] .. id, 'signalled', 'px', ARGV[2], 'xx') then
        redis.call('publish', ARGV[4] .. id, '1')
        woken = woken + 1
    end
end
return woken
