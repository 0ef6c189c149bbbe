// SPDX-License-Identifier: Apache-2.0
// Between replies and Lua's values, by the rules of Redis' EVAL for RESP2.
#include "sim/redis/command.h"
#include "sim/redis/lua_host.h"
#include "sim/redis/numbers.h"

#include <limits>
#include <lua.hpp>
#include <optional>

namespace lockscope::sim::redisd {

namespace {

void setField(lua_State* lua, const char* name, const char* text, std::size_t size) {
    lua_pushstring(lua, name);
    lua_pushlstring(lua, text, size);
    lua_rawset(lua, -3);
}

QByteArray textAt(lua_State* lua, int index) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, index, &size);
    return QByteArray(text, qsizetype(size));
}

/// Pushes the field of the table on top of the stack; true when it has this type, otherwise pops it again.
bool pushField(lua_State* lua, const char* name, int type) {
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    if (lua_type(lua, -1) == type) return true;
    lua_pop(lua, 1);
    return false;
}

/// How deep the tables of an answer may lie in each other. A real server stops at the size of Lua's stack, far beyond
/// what any client's parser takes.
constexpr int kDeepest = 200;

/// As a C cast on the machines that servers run on.
std::int64_t truncated(double number) {
    constexpr double kLimit = 9223372036854775808.0;
    if (!(number >= -kLimit && number < kLimit)) return std::numeric_limits<std::int64_t>::min();
    return std::int64_t(number);
}

Reply makeReply(lua_State* lua, int depth);

/// The keys (and values) of the table on top of the stack, which stays.
Reply flattened(lua_State* lua, bool values, int depth) {
    std::vector<Reply> items;
    lua_pushnil(lua);
    while (lua_next(lua, -2) != 0) {
        lua_pushvalue(lua, -2);
        items.push_back(makeReply(lua, depth));
        if (values)
            items.push_back(makeReply(lua, depth));
        else
            lua_pop(lua, 1);
    }
    return Reply::array(std::move(items));
}

/// The items of the table on top of the stack, which stays, in one go; nothing when it has other keys than 1, 2, 3 …,
/// or may have them in another order.
std::optional<Reply> pureList(lua_State* lua, int depth) {
    std::vector<Reply> items;
    items.reserve(lua_objlen(lua, -1));
    lua_pushnil(lua);
    while (lua_next(lua, -2) != 0) {
        if (lua_type(lua, -2) != LUA_TNUMBER || lua_tonumber(lua, -2) != double(items.size() + 1)) {
            lua_pop(lua, 2);
            return std::nullopt;
        }
        items.push_back(makeReply(lua, depth));
    }
    return Reply::array(std::move(items));
}

/// The items of the table on top of the stack, which stays, up to the first one that is missing.
Reply listed(lua_State* lua, int depth) {
    std::vector<Reply> items;
    items.reserve(lua_objlen(lua, -1));
    for (int i = 1;; ++i) {
        lua_rawgeti(lua, -1, i);
        if (lua_isnil(lua, -1)) break;
        items.push_back(makeReply(lua, depth));
    }
    lua_pop(lua, 1);
    return Reply::array(std::move(items));
}

/// The table on top of the stack, which stays.
Reply fromTable(lua_State* lua, int depth) {
    if (auto list = pureList(lua, depth)) return *std::move(list);
    Reply reply;
    if (pushField(lua, "err", LUA_TSTRING)) {
        reply = Reply::error(oneLine(textAt(lua, -1)));
    } else if (pushField(lua, "ok", LUA_TSTRING)) {
        reply = Reply::status(textAt(lua, -1).replace('\r', ' ').replace('\n', ' '));
    } else if (pushField(lua, "double", LUA_TNUMBER)) {
        reply = Reply::bulk(formatDouble(lua_tonumber(lua, -1)));
    } else if (pushField(lua, "map", LUA_TTABLE)) {
        reply = flattened(lua, true, depth);
    } else if (pushField(lua, "set", LUA_TTABLE)) {
        reply = flattened(lua, false, depth);
    } else if (pushField(lua, "big_number", LUA_TSTRING)) {
        reply = Reply::bulk(textAt(lua, -1).replace('\r', ' ').replace('\n', ' '));
    } else {
        return listed(lua, depth);
    }
    lua_pop(lua, 1);
    return reply;
}

/// Pops a value that lies in `depth` tables.
Reply makeReply(lua_State* lua, int depth) {
    // A table may hold itself.
    const int type = lua_type(lua, -1);
    if (depth >= kDeepest || (type == LUA_TTABLE && !lua_checkstack(lua, 6))) {
        lua_pop(lua, 1);
        return answers::error("ERR reached lua stack limit");
    }
    Reply reply;
    switch (type) {
    case LUA_TSTRING:
        reply = Reply::bulk(textAt(lua, -1));
        break;
    case LUA_TBOOLEAN:
        reply = lua_toboolean(lua, -1) ? Reply::number(1) : Reply::nil();
        break;
    case LUA_TNUMBER:
        reply = Reply::number(truncated(lua_tonumber(lua, -1)));
        break;
    case LUA_TTABLE:
        reply = fromTable(lua, depth + 1);
        break;
    default:
        break;
    }
    lua_pop(lua, 1);
    return reply;
}

} // namespace

void pushError(lua_State* lua, const char* text, std::size_t size) {
    lua_createtable(lua, 0, 1);
    setField(lua, "err", text, size);
}

void pushReply(lua_State* lua, const Reply& reply) {
    switch (reply.type) {
    case Reply::Type::Nil:
        lua_pushboolean(lua, 0);
        break;
    case Reply::Type::Integer:
        lua_pushnumber(lua, double(reply.integer));
        break;
    case Reply::Type::Bulk:
        lua_pushlstring(lua, reply.text.constData(), std::size_t(reply.text.size()));
        break;
    case Reply::Type::Status:
        lua_createtable(lua, 0, 1);
        setField(lua, "ok", reply.text.constData(), std::size_t(reply.text.size()));
        break;
    case Reply::Type::Error:
        pushError(lua, reply.text.constData(), std::size_t(reply.text.size()));
        lua_pushstring(lua, "ignore_error_stats_update");
        lua_pushboolean(lua, 1);
        lua_rawset(lua, -3);
        break;
    case Reply::Type::Array:
        lua_checkstack(lua, 5); // this table, and what it takes to make one of its items
        lua_createtable(lua, int(reply.items.size()), 0);
        for (std::size_t i = 0; i < reply.items.size(); ++i) {
            pushReply(lua, reply.items[i]);
            lua_rawseti(lua, -2, int(i) + 1);
        }
        break;
    }
}

Reply popReply(lua_State* lua) {
    return makeReply(lua, 0);
}

} // namespace lockscope::sim::redisd
