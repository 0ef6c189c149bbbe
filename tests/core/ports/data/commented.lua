-- SPDX-License-Identifier: Apache-2.0
-- What stands before the first line of code is for people.

local value = redis.call('GET', KEYS[1]) -- this comment is inside
return value
