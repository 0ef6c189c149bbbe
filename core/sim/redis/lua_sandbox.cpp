// SPDX-License-Identifier: Apache-2.0
// The world of a script: the parts of Lua's library that cannot reach outside, all of it read-only.
//
// Redis patches Lua to have read-only tables; this uses Lua as it comes, so a read-only table is an empty one whose
// metatable reads through to the real one, and the few functions that look past metatables are wrapped.
#include "sim/redis/lua_host.h"

#include <cmath>
#include <lua.hpp>

namespace lockscope::sim::redisd {

namespace {

const char kGlobalsKey = 0;
const char kRealTablesKey = 0;
constexpr char kReadOnly[] = "Attempt to modify a readonly table";

void pushRegistered(lua_State* lua, const char& key) {
    lua_pushlightuserdata(lua, const_cast<char*>(&key));
    lua_rawget(lua, LUA_REGISTRYINDEX);
}

/// Pops a value and keeps it under the key.
void keep(lua_State* lua, const char& key) {
    lua_pushlightuserdata(lua, const_cast<char*>(&key));
    lua_insert(lua, -2);
    lua_rawset(lua, LUA_REGISTRYINDEX);
}

/// Pushes the table behind a read-only one; false, and nothing pushed, when the value is no such table.
bool pushReal(lua_State* lua, int index) {
    if (!lua_istable(lua, index)) return false;
    pushRegistered(lua, kRealTablesKey);
    lua_pushvalue(lua, index);
    lua_rawget(lua, -2);
    lua_remove(lua, -2);
    if (lua_istable(lua, -1)) return true;
    lua_pop(lua, 1);
    return false;
}

int refuseWrite(lua_State* lua) {
    return luaL_error(lua, kReadOnly);
}

int refuseUnknownGlobal(lua_State* lua) {
    const char* name = lua_tostring(lua, 2);
    return luaL_error(lua, "Script attempted to access nonexistent global variable '%s'", name ? name : "?");
}

/// Refuses without a place, as Redis does for what its C functions raise.
int refuseIfReadOnly(lua_State* lua) {
    if (!pushReal(lua, 1)) return 0;
    lua_pushstring(lua, kReadOnly);
    return lua_error(lua);
}

int rawSet(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checkany(lua, 2);
    luaL_checkany(lua, 3);
    refuseIfReadOnly(lua);
    lua_settop(lua, 3);
    lua_rawset(lua, 1);
    return 1;
}

int rawGet(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    luaL_checkany(lua, 2);
    lua_settop(lua, 2);
    if (pushReal(lua, 1)) lua_replace(lua, 1);
    lua_rawget(lua, 1);
    return 1;
}

int next(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_settop(lua, 2);
    if (pushReal(lua, 1)) lua_replace(lua, 1);
    if (lua_next(lua, 1)) return 2;
    lua_pushnil(lua);
    return 1;
}

int pairs(lua_State* lua) {
    luaL_checktype(lua, 1, LUA_TTABLE);
    lua_pushcfunction(lua, next);
    lua_pushvalue(lua, 1);
    lua_pushnil(lua);
    return 3;
}

int setMetatable(lua_State* lua) {
    refuseIfReadOnly(lua);
    lua_pushvalue(lua, lua_upvalueindex(1));
    lua_insert(lua, 1);
    lua_call(lua, lua_gettop(lua) - 1, 1);
    return 1;
}

/// pcall that gives the text of a command's error, not the table that carries it.
int protectedCall(lua_State* lua) {
    luaL_checkany(lua, 1);
    if (lua_pcall(lua, lua_gettop(lua) - 1, LUA_MULTRET, 0) != 0) {
        if (lua_istable(lua, -1)) {
            lua_pushstring(lua, "err");
            lua_rawget(lua, -2);
            if (lua_isstring(lua, -1))
                lua_replace(lua, -2);
            else
                lua_pop(lua, 1);
        }
        lua_pushboolean(lua, 0);
        lua_insert(lua, -2);
        return 2;
    }
    lua_pushboolean(lua, 1);
    lua_insert(lua, 1);
    return lua_gettop(lua);
}

/// math.random over the server's own generator.
int mathRandom(lua_State* lua) {
    constexpr std::int32_t kMax = 0x7fffffff;
    const lua_Number r = lua_Number(LuaHost::of(lua).random() % kMax) / lua_Number(kMax);
    switch (lua_gettop(lua)) {
    case 0:
        lua_pushnumber(lua, r);
        return 1;
    case 1: {
        const int upper = luaL_checkint(lua, 1);
        luaL_argcheck(lua, 1 <= upper, 1, "interval is empty");
        lua_pushnumber(lua, std::floor(r * upper) + 1);
        return 1;
    }
    case 2: {
        const int lower = luaL_checkint(lua, 1);
        const int upper = luaL_checkint(lua, 2);
        luaL_argcheck(lua, lower <= upper, 2, "interval is empty");
        lua_pushnumber(lua, std::floor(r * (lua_Number(upper) - lower + 1)) + lower);
        return 1;
    }
    default:
        return luaL_error(lua, "wrong number of arguments");
    }
}

int mathRandomSeed(lua_State* lua) {
    LuaHost::of(lua).seedRandom(luaL_checkint(lua, 1));
    return 0;
}

void openLibrary(lua_State* lua, lua_CFunction open, const char* name) {
    lua_pushcfunction(lua, open);
    lua_pushstring(lua, name);
    lua_call(lua, 1, 0);
}

/// Sets a field of the table on top of the stack.
void setFunction(lua_State* lua, const char* name, lua_CFunction function) {
    lua_pushcfunction(lua, function);
    lua_setfield(lua, -2, name);
}

void adaptBase(lua_State* lua) {
    for (const char* name : {"dofile", "loadfile", "print", "getfenv", "setfenv", "newproxy", "module", "require"}) {
        lua_pushnil(lua);
        lua_setfield(lua, -2, name);
    }
    setFunction(lua, "rawset", rawSet);
    setFunction(lua, "rawget", rawGet);
    setFunction(lua, "next", next);
    setFunction(lua, "pairs", pairs);
    setFunction(lua, "pcall", protectedCall);
    lua_getfield(lua, -1, "setmetatable");
    lua_pushcclosure(lua, setMetatable, 1);
    lua_setfield(lua, -2, "setmetatable");
    lua_getfield(lua, -1, "math");
    setFunction(lua, "random", mathRandom);
    setFunction(lua, "randomseed", mathRandomSeed);
    lua_pop(lua, 1);
}

/// The methods of strings stay reachable, but not replaceable.
void protectStrings(lua_State* lua) {
    lua_pushliteral(lua, "");
    lua_getmetatable(lua, -1);
    lua_getfield(lua, -3, "string");
    lua_setfield(lua, -2, "__index");
    lua_pushvalue(lua, -1);
    makeReadOnly(lua);
    lua_setfield(lua, -2, "__metatable");
    lua_pop(lua, 2);
}

int fillState(lua_State* lua) {
    openLibrary(lua, luaopen_base, "");
    openLibrary(lua, luaopen_table, LUA_TABLIBNAME);
    openLibrary(lua, luaopen_string, LUA_STRLIBNAME);
    openLibrary(lua, luaopen_math, LUA_MATHLIBNAME);
    lua_newtable(lua);
    keep(lua, kRealTablesKey);
    lua_pushvalue(lua, LUA_GLOBALSINDEX);
    lua_pushvalue(lua, -1);
    keep(lua, kGlobalsKey);
    pushRedisTable(lua);
    lua_setfield(lua, -2, "redis");
    adaptBase(lua);
    for (const char* name : {"string", "table", "math", "coroutine", "redis"}) {
        lua_getfield(lua, -1, name);
        makeReadOnly(lua);
        lua_setfield(lua, -2, name);
    }
    protectStrings(lua);
    lua_createtable(lua, 0, 1);
    setFunction(lua, "__index", refuseUnknownGlobal);
    lua_setmetatable(lua, -2);
    lua_pushvalue(lua, -1);
    makeReadOnly(lua);
    lua_pushvalue(lua, -1);
    lua_setfield(lua, -3, "_G");
    lua_replace(lua, LUA_GLOBALSINDEX);
    return 0;
}

} // namespace

void makeReadOnly(lua_State* lua) {
    const int real = lua_gettop(lua);
    lua_newtable(lua);
    lua_createtable(lua, 0, 3);
    lua_pushvalue(lua, real);
    lua_setfield(lua, -2, "__index");
    setFunction(lua, "__newindex", refuseWrite);
    lua_pushboolean(lua, 0);
    lua_setfield(lua, -2, "__metatable");
    lua_setmetatable(lua, -2);
    pushRegistered(lua, kRealTablesKey);
    lua_pushvalue(lua, -2);
    lua_pushvalue(lua, real);
    lua_rawset(lua, -3);
    lua_pop(lua, 1);
    lua_replace(lua, real);
}

void pushGlobals(lua_State* lua) {
    pushRegistered(lua, kGlobalsKey);
}

int describeError(lua_State* lua) {
    if (!lua_istable(lua, 1)) {
        if (lua_isstring(lua, 1))
            lua_pushfstring(lua, "ERR %s", lua_tostring(lua, 1));
        else
            lua_pushfstring(lua, "ERR %s", luaL_typename(lua, 1));
        lua_createtable(lua, 0, 3);
        lua_insert(lua, -2);
        lua_setfield(lua, -2, "err");
        lua_replace(lua, 1);
    }
    lua_settop(lua, 1);
    lua_Debug place;
    bool known = lua_getstack(lua, 1, &place) != 0 && lua_getinfo(lua, "Sl", &place) != 0;
    if (known && place.what[0] == 'C') known = lua_getstack(lua, 2, &place) != 0 && lua_getinfo(lua, "Sl", &place) != 0;
    if (known) {
        lua_pushstring(lua, "source");
        lua_pushstring(lua, place.source);
        lua_rawset(lua, 1);
        lua_pushstring(lua, "line");
        lua_pushnumber(lua, place.currentline);
        lua_rawset(lua, 1);
    }
    return 1;
}

void openSandbox(lua_State* lua) {
    // A collection in the midst of this would find nothing to free.
    lua_gc(lua, LUA_GCSTOP, 0);
    lua_pushcfunction(lua, fillState);
    if (lua_pcall(lua, 0, 0, 0) != 0) qFatal("The Lua state cannot be filled: %s", lua_tostring(lua, -1));
    lua_gc(lua, LUA_GCRESTART, 0);
}

} // namespace lockscope::sim::redisd
