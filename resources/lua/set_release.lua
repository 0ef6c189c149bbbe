-- SPDX-License-Identifier: Apache-2.0
-- Gives a string lock up, if it is still ours, and wakes those who listen. Who may not send messages gives it up, too.
-- KEYS[1] the lock; ARGV[1] our unique value; ARGV[2] the wake-up channel. Returns 1 more than
-- there were who listened, or 0 when it is not ours.
local call = redis.call
if call('get', KEYS[1]) ~= ARGV[1] then
    return 0
end
call('del', KEYS[1])
local told = redis.pcall('publish', ARGV[2], '0')
return 1 + (type(told) == 'number' and told or 0)
