-- SPDX-License-Identifier: Apache-2.0
-- The permits that are taken and have not ended by the server's clock, those that end first in front.
-- KEYS[1] the permits taken. Returns for each its id and the ms until it ends, -1 = never.
local call = redis.call
local time = call('time')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local permits = call('zrangebyscore', KEYS[1], string.format('(%.0f', now), '+inf', 'WITHSCORES')
for i = 2, #permits, 2 do
    local left = tonumber(permits[i]) - now
    if left > 10000000000000 then
        left = -1 -- for ever, as Redisson writes it
    end
    permits[i] = left
end
return permits
