-- SPDX-License-Identifier: Apache-2.0
-- Takes a waiter of a condition away, who waits no longer.
-- KEYS[1] list of waiters; KEYS[2] its state; ARGV[1] its id; ARGV[2] 1: a signal that it had got goes to the next one;
-- ARGV[3] life of an entry in ms; ARGV[4] what the names of states begin with; ARGV[5] the same of channels.
-- Returns 1 when it had been signalled, else 0.
local state = redis.call('get', KEYS[2])
redis.call('del', KEYS[2])
redis.call('lrem', KEYS[1], 0, ARGV[1])
if state ~= 'signalled' then
    return 0
end
while ARGV[2] == '1' do
    local id = redis.call('lpop', KEYS[1])
    if not id then
        break
    end
    if redis.call('set', ARGV[4] .. id, 'signalled', 'px', ARGV[3], 'xx') then
        redis.call('publish', ARGV[5] .. id, '1')
        break
    end
end
return 1
