-- SPDX-License-Identifier: Apache-2.0
-- Whether a waiter of a condition was signalled; if not, keeps its entry alive. The state stays until it leaves: this
-- answer may be lost, the signal must not be.
-- KEYS[1] list of waiters; KEYS[2] this waiter's state; ARGV[1] life of an entry in ms.
-- Returns 1 signalled, 0 still waiting, -1 no longer entered: it was away for too long.
local call = redis.call
local state = call('get', KEYS[2])
if state == 'signalled' then
    return 1
end
if not state then
    return -1
end
call('pexpire', KEYS[2], ARGV[1])
call('pexpire', KEYS[1], ARGV[1])
return 0
