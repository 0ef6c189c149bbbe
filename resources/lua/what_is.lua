-- SPDX-License-Identifier: Apache-2.0
-- Says what stands on a key that a lock found taken by something else, in one word for a message.
-- KEYS[1] the key. Returns a word; "none" when there is nothing any more.
local call = redis.call
local kind = call('type', KEYS[1])['ok']
if kind == 'string' then
    if call('strlen', KEYS[1]) < 20 and string.match(call('get', KEYS[1]), '^%d+$') then
        return 'number'
    end
    return 'string'
end
if kind ~= 'hash' then
    return kind
end
if call('hexists', KEYS[1], 'mode') == 1 then
    return 'redisson-rw'
end
if call('hlen', KEYS[1]) > 1000 then
    return 'hash' -- not worth reading
end
-- Clients may have names of their own instead of UUIDs; locks always have an end.
local ends = call('pttl', KEYS[1]) > 0
local holds = true
for _, field in ipairs(call('hkeys', KEYS[1])) do
    if string.match(field, ':expire_time$') then
        return 'redisson-fastmulti'
    end
    if not string.match(field, '^%x+%-%x+%-%x+%-%x+%-%x+:[%x%-]+$')
        and not (ends and string.match(field, '^.+:%d+$')) then
        holds = false
    end
end
return holds and 'redisson' or 'hash'
