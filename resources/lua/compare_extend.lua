-- SPDX-License-Identifier: Apache-2.0
-- Renews a string lock's lease, if it is still ours.
-- KEYS[1] the lock; ARGV[1] our unique value; ARGV[2] lease in ms. Returns 1, or 0 when it is not ours.
if redis.call('get', KEYS[1]) == ARGV[1] then
    return redis.call('pexpire', KEYS[1], ARGV[2])
end
return 0
