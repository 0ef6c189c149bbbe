-- SPDX-License-Identifier: Apache-2.0
-- Takes a string lock and the next fencing token in one step.
-- KEYS[1] the lock; KEYS[2] the token counter; ARGV[1] our unique value; ARGV[2] lease in ms.
-- Returns the token, or nil when the lock is taken.
if redis.call('exists', KEYS[1]) == 1 then
    return nil
end
local token = redis.call('incr', KEYS[2]) -- first: where it fails, nothing has been taken
redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return token
