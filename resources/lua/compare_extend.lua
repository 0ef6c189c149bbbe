-- SPDX-License-Identifier: Apache-2.0
-- Renews a string lock's lease, if it is still ours. Never shortens it: a holder that only asks whether the hold still
-- exists asks for what is left, rounded down.
-- KEYS[1] the lock; ARGV[1] our unique value; ARGV[2] lease in ms. Returns 1, or 0 when it is not ours.
local call = redis.call
if call('get', KEYS[1]) == ARGV[1] then
    local left = call('pttl', KEYS[1])
    if left < tonumber(ARGV[2]) then
        call('pexpire', KEYS[1], ARGV[2])
    end
    return 1
end
return 0
