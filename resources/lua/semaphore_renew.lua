-- SPDX-License-Identifier: Apache-2.0
-- Renews the leases of permits, all of them or none.
-- KEYS[1] the permits taken; ARGV[1] lease in ms; ARGV[2…] the permits' ids. Returns 1, or 0 when one is not ours.
local call = redis.call
for i = 2, #ARGV do
    if not call('zscore', KEYS[1], ARGV[i]) then
        return 0
    end
end
local time = call('time')
local life, left = 2592000000, call('pttl', KEYS[1])
-- A millisecond more, as when they are taken.
local till = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + 1 + tonumber(ARGV[1])
-- A full server refuses a script whose first write may need memory, and nothing behind another one.
call('zrem', KEYS[1], ARGV[2])
for i = 2, #ARGV do
    call('zadd', KEYS[1], string.format('%.0f', till), ARGV[i])
end
-- A semaphore that was set up here ends 30 days after its last use; another library's end stays as it is.
if left >= 0 then
    call('pexpire', KEYS[1], left > life / 2 and life or left)
end
return 1
