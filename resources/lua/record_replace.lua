-- SPDX-License-Identifier: Apache-2.0
-- Writes a value if the key still has the one that was seen; ARGV[1] 1: it had one, ARGV[2]; ARGV[3] the new one.
-- Returns 1, or 0 when it has changed. Run twice, the second run finds its own value: 1 as well.
local call = redis.call
local now = call('get', KEYS[1])
if now == ARGV[3] then
    return 1
end
if (ARGV[1] == '1' and now == ARGV[2]) or (ARGV[1] == '0' and not now) then
    call('set', KEYS[1], ARGV[3])
    return 1
end
return 0
