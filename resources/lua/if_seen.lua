-- SPDX-License-Identifier: Apache-2.0
-- Stands in front of a script that frees a lock by force: that one runs only while the lock has no other holders than
-- those that were seen, of whom some may have gone. They are a string's value, a hash's fields but "mode", or a sorted set's members.
-- The last argument is the number of the lock's key in KEYS, the one before it the number of holders, those before it
-- they themselves; all of these are taken off ARGV. Returns -2 when there are others.
do
    local call = redis.call
    local lock = KEYS[tonumber(table.remove(ARGV))]
    local count = tonumber(table.remove(ARGV))
    local seen = {}
    for _ = 1, count do
        seen[table.remove(ARGV)] = true
    end
    local kind = call('type', lock)['ok']
    local now = {}
    if kind == 'string' then
        now[1] = call('get', lock)
    elseif kind == 'hash' then
        for _, field in ipairs(call('hkeys', lock)) do
            if field ~= 'mode' then
                now[#now + 1] = field
            end
        end
    elseif kind == 'zset' then
        now = call('zrange', lock, 0, -1)
    end
    for _, holder in ipairs(now) do
        if not seen[holder] then
            return -2
        end
    end
end
