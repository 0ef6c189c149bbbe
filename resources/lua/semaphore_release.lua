-- SPDX-License-Identifier: Apache-2.0
-- Gives permits of a semaphore back, or takes an acquisition back that may or may not have run.
-- KEYS[1] the counter; KEYS[2] the permits taken; KEYS[3] the wake-up channel; ARGV[…] the permits' ids.
-- Returns how many of them were still ours.
local ours = 0
for _, id in ipairs(ARGV) do
    ours = ours + redis.call('zrem', KEYS[2], id)
end
if ours > 0 and redis.call('exists', KEYS[1]) == 1 then
    redis.pcall('publish', KEYS[3], redis.call('incrby', KEYS[1], ours))
end
return ours
