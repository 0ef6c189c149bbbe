-- SPDX-License-Identifier: Apache-2.0
-- Enters a waiter of a condition, as the last one.
-- KEYS[1] list of waiters, oldest first; KEYS[2] this waiter's state; ARGV[1] its id; ARGV[2] life of an entry in ms.
local call = redis.call
call('lrem', KEYS[1], 0, ARGV[1])
call('rpush', KEYS[1], ARGV[1])
call('set', KEYS[2], 'waiting', 'px', ARGV[2])
if call('pttl', KEYS[1]) < tonumber(ARGV[2]) then
    call('pexpire', KEYS[1], ARGV[2])
end
return 1
