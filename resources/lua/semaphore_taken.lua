-- SPDX-License-Identifier: Apache-2.0
-- How many permits are taken and have not ended by the server's clock: those that have stay there until somebody comes
-- for permits.
-- KEYS[1] the permits taken. Returns their number.
local call = redis.call
local time = call('time')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
return call('zcount', KEYS[1], string.format('(%.0f', now), '+inf')
