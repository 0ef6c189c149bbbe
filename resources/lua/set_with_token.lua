-- SPDX-License-Identifier: Apache-2.0
-- Takes a string lock and the next fencing token in one step.
-- KEYS[1] the lock; KEYS[2] the token counter; ARGV[1] our unique value; ARGV[2] lease in ms.
-- Returns the token, or nil when the lock is taken.
-- The next fencing token. A new counter begins at this server's clock, in units of 10 us since 2026, so that tokens grow
-- across a loss of all data (core/recipes/token_start.h), and ends 30 days after its last use. One that has no end is
-- another library's: it is left without.
local call = redis.call
local function next_token(counter)
    local life = 2592000000
    local left = call('pttl', counter)
    if left == -2 then
        local time = call('time')
        local start = (tonumber(time[1]) - 1767225600) * 100000 + math.floor(tonumber(time[2]) / 10)
        call('set', counter, string.format('%.0f', math.max(start, 0)), 'PX', life)
    elseif left >= 0 and left < life - 3600000 then
        call('pexpire', counter, life)
    end
    return call('incr', counter)
end
if call('exists', KEYS[1]) == 1 then
    return nil
end
local token = next_token(KEYS[2]) -- first: where it fails, nothing has been taken
call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
return token
