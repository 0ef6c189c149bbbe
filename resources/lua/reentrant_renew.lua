-- SPDX-License-Identifier: Apache-2.0
-- The watchdog's renewal: a full lease again, if the hold is still ours. Another hold of the same thread may have the
-- longer one.
-- KEYS[1] the lock; ARGV[1] lease in ms; ARGV[2] our field. Returns 1, or 0 when it is not ours.
local call = redis.call
if call('hexists', KEYS[1], ARGV[2]) == 1 then
    if call('pttl', KEYS[1]) < tonumber(ARGV[1]) then
        call('pexpire', KEYS[1], ARGV[1])
    end
    return 1
end
return 0
