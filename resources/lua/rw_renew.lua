-- SPDX-License-Identifier: Apache-2.0
-- Renews a hold of a read/write lock: of a reader its own hold keys, never those of others, who may be dead.
-- KEYS[1] the lock; ARGV[1] lease in ms; ARGV[2] our field, of a writer with its suffix; ARGV[3] (of a reader) our hold
-- keys' prefix. Returns 1, or 0 when it is not ours.
local call = redis.call
local holds = call('hexists', KEYS[1], 'mode') == 1 and call('hget', KEYS[1], ARGV[2])
if not holds then
    return 0
end
if ARGV[3] then
    local alive = 0
    for hold = tonumber(holds), 1, -1 do
        local left = call('pttl', ARGV[3] .. ':' .. hold)
        if left ~= -2 then
            alive = alive + 1
            if left < tonumber(ARGV[1]) then
                call('pexpire', ARGV[3] .. ':' .. hold, ARGV[1])
            end
        end
    end
    if alive == 0 then
        return 0
    end
end
-- Others, our own other side, or another lock object of this thread may have longer leases.
if call('pttl', KEYS[1]) < tonumber(ARGV[1]) then
    call('pexpire', KEYS[1], ARGV[1])
end
return 1
