-- SPDX-License-Identifier: Apache-2.0
-- Stands before every script that publishes, in a Redis cluster: whatever is published is also said to those who listen
-- by SSUBSCRIBE, as Redisson's clients do there. Servers before version 7 know nothing of that, and a channel of another
-- slot than the keys' cannot be used so: then all is as without this.
-- PUBLISH returns how many listen at this server; here both kinds are asked for, and who listens both ways is one.
local server, redis = redis, {}
local function publish(by, ...)
    local sharded = server.pcall('spublish', ...)
    local told = by('publish', ...)
    if type(sharded) ~= 'number' then
        return told
    end
    return type(told) == 'number' and math.max(told, sharded) or sharded
end
function redis.call(command, ...)
    if command == 'publish' then
        return publish(server.call, ...)
    end
    return server.call(command, ...)
end
function redis.pcall(command, ...)
    if command == 'publish' then
        return publish(server.pcall, ...)
    end
    return server.pcall(command, ...)
end
