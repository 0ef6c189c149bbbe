-- SPDX-License-Identifier: Apache-2.0
-- Takes a string lock and the next fencing token in one step.
-- KEYS[1] the lock; KEYS[2] the token counter; ARGV[1] our unique value; ARGV[2] lease in ms.
-- Returns the token, or nil when the lock is taken.
if redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
    return redis.call('incr', KEYS[2])
end
return nil
