-- SPDX-License-Identifier: Apache-2.0
-- Gives permits of a semaphore back, or takes an acquisition back that may or may not have run.
-- KEYS[1] the counter; KEYS[2] the permits taken; ARGV[1] the wake-up channel; ARGV[2…] the permits' ids.
-- Returns how many of them were still ours.
local call = redis.call
local ours = 0
for i = 2, #ARGV do
    ours = ours + call('zrem', KEYS[2], ARGV[i])
end
if ours > 0 and call('exists', KEYS[1]) == 1 then
    redis.pcall('publish', ARGV[1], call('incrby', KEYS[1], ours))
end
return ours
