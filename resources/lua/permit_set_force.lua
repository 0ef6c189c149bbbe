-- SPDX-License-Identifier: Apache-2.0
-- Takes the permits of npm's redis-semaphore away from the holders that were seen: its waiters ask again and again.
-- KEYS[1] the sorted set; ARGV the holders, all that there are. Returns 1, or 0 when there are none, or -2 when there
-- are others.
local call = redis.call
local now = call('zrange', KEYS[1], 0, -1)
local seen = {}
for _, holder in ipairs(ARGV) do
    seen[holder] = true
end
for _, holder in ipairs(now) do
    if not seen[holder] then
        return -2
    end
end
if #now == 0 then
    return 0
end
call('del', KEYS[1])
return 1
