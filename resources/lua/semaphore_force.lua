-- SPDX-License-Identifier: Apache-2.0
-- Takes all permits back, whoever has them. Tells the holders, if they listen.
-- KEYS[1] the counter; KEYS[2] the permits taken; ARGV[1] the wake-up channel; ARGV[2] the holders' channel.
-- Returns how many there were.
local call = redis.call
local taken = call('zcard', KEYS[2])
call('del', KEYS[2])
if taken > 0 and call('exists', KEYS[1]) == 1 then
    redis.pcall('publish', ARGV[1], call('incrby', KEYS[1], taken))
end
if taken > 0 then
    redis.pcall('publish', ARGV[2], '0')
end
return taken
