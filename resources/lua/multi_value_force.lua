-- SPDX-License-Identifier: Apache-2.0
-- Takes one value of Redisson's fast multi-lock away from the owner that was seen, and wakes one waiter per client.
-- KEYS[1] the hash of all values; ARGV[1] the value, ARGV[2] its owner as it was seen, ARGV[3] the wake-up channel.
-- Returns 1, or 0 when nobody has the value, or -2 when another owner has it.
local call = redis.call
local owner = call('hget', KEYS[1], ARGV[1])
if not owner then
    return 0
end
if owner ~= ARGV[2] then
    return -2
end
local mine = ARGV[1] .. ':' .. owner
call('hdel', KEYS[1], ARGV[1], mine .. ':expire_time', mine .. ':lock_count')
redis.pcall('publish', ARGV[3], '0')
return 1
