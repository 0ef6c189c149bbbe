-- SPDX-License-Identifier: Apache-2.0
-- Gives a string lock up, if it is still ours.
-- KEYS[1] the lock; ARGV[1] our unique value. Returns 1, or 0 when it is not ours.
local call = redis.call
if call('get', KEYS[1]) == ARGV[1] then
    return call('del', KEYS[1])
end
return 0
