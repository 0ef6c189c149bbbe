-- SPDX-License-Identifier: Apache-2.0
-- The watchdog's renewal: a full lease again, if the hold is still ours.
-- KEYS[1] the lock; ARGV[1] lease in ms; ARGV[2] our field. Returns 1, or 0 when it is not ours.
if redis.call('hexists', KEYS[1], ARGV[2]) == 1 then
    return redis.call('pexpire', KEYS[1], ARGV[1])
end
return 0
