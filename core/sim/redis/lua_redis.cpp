// SPDX-License-Identifier: Apache-2.0
// The table `redis` of scripts.
#include "sim/redis/command.h"
#include "sim/redis/lua_host.h"
#include "sim/redis/numbers.h"

#include <QCryptographicHash>
#include <cstring>
#include <lua.hpp>

namespace lockscope::sim::redisd {

namespace {

void pushError(lua_State* lua, const char* text) {
    redisd::pushError(lua, text, std::strlen(text));
}

int raise(lua_State* lua, const char* text) {
    pushError(lua, text);
    return lua_error(lua);
}

/// Makes `word` that text; in its own buffer, unless somebody has kept the last text that stood there.
void put(QByteArray& word, const char* text, qsizetype size) {
    if (!word.isDetached() || word.capacity() < size) {
        word = QByteArray(text, size);
        return;
    }
    if (word.size() != size) word.resize(size);
    std::memcpy(word.data(), text, std::size_t(size));
}

/// Runs the command that the arguments are, and pushes what it answered; true when that is an error. Raises none
/// itself.
bool perform(lua_State* lua) {
    const int count = lua_gettop(lua);
    if (count == 0) {
        pushError(lua, "ERR Please specify at least one argument for this redis lib call");
        return true;
    }
    LuaHost& host = LuaHost::of(lua);
    Args& args = host.words(std::size_t(count));
    for (int i = 1; i <= count; ++i) {
        QByteArray& word = args[std::size_t(i) - 1];
        const int type = lua_type(lua, i);
        if (type == LUA_TNUMBER) {
            word = formatDouble(lua_tonumber(lua, i));
        } else if (type == LUA_TSTRING) {
            std::size_t size = 0;
            const char* text = lua_tolstring(lua, i, &size);
            put(word, text, qsizetype(size));
        } else {
            pushError(lua, "ERR Lua redis lib command arguments must be strings or integers");
            return true;
        }
    }
    const Reply reply = host.server().runFromScript(host.script(), args);
    pushReply(lua, reply);
    return reply.isError();
}

int call(lua_State* lua) {
    return perform(lua) ? lua_error(lua) : 1;
}

int protectedCall(lua_State* lua) {
    perform(lua);
    return 1;
}

/// redis.error_reply's text: a leading '-' is optional, and so is the error's code.
void pushErrorReply(lua_State* lua) {
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, 1, &size);
    QByteArray message(text, qsizetype(std::strlen(text)));
    if (message.startsWith('-')) message.remove(0, 1);
    if (!message.contains(' ')) message.prepend("ERR ");
    redisd::pushError(lua, message.constData(), std::size_t(message.size()));
}

int errorReply(lua_State* lua) {
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING)
        pushError(lua, "ERR wrong number or type of arguments");
    else
        pushErrorReply(lua);
    return 1;
}

int statusReply(lua_State* lua) {
    if (lua_gettop(lua) != 1 || lua_type(lua, 1) != LUA_TSTRING) {
        pushError(lua, "ERR wrong number or type of arguments");
        return 1;
    }
    lua_createtable(lua, 0, 1);
    lua_pushstring(lua, "ok");
    lua_pushvalue(lua, 1);
    lua_rawset(lua, -3);
    return 1;
}

void pushSha1(lua_State* lua, const char* text, std::size_t size) {
    const QByteArray hex =
        QCryptographicHash::hash(QByteArray(text, qsizetype(size)), QCryptographicHash::Sha1).toHex();
    lua_pushlstring(lua, hex.constData(), std::size_t(hex.size()));
}

int sha1hex(lua_State* lua) {
    if (lua_gettop(lua) != 1) return raise(lua, "ERR wrong number of arguments");
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, 1, &size);
    pushSha1(lua, text, text ? size : 0);
    return 1;
}

/// Checks its arguments as the server does; a simulated server has no log file.
int log(lua_State* lua) {
    if (lua_gettop(lua) < 2) return raise(lua, "ERR redis.log() requires two arguments or more.");
    if (!lua_isnumber(lua, -lua_gettop(lua))) return raise(lua, "ERR First argument must be a number (log level).");
    const double level = lua_tonumber(lua, 1);
    if (level < 0 || level > 3) return raise(lua, "ERR Invalid debug level.");
    return 0;
}

int setresp(lua_State* lua) {
    if (lua_gettop(lua) != 1) return raise(lua, "ERR redis.setresp() requires one argument.");
    if (lua_tonumber(lua, 1) == 3) return raise(lua, "ERR RESP version 3 is not simulated.");
    if (lua_tonumber(lua, 1) != 2) return raise(lua, "ERR RESP version must be 2 or 3.");
    return 0;
}

int setRepl(lua_State* lua) {
    if (lua_gettop(lua) != 1) return raise(lua, "ERR redis.set_repl() requires two arguments.");
    const double flags = lua_tonumber(lua, 1);
    if (flags != 0 && flags != 1 && flags != 2 && flags != 3)
        return raise(lua, "ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE.");
    return 0;
}

int answerTrue(lua_State* lua) {
    lua_pushboolean(lua, 1);
    return 1;
}

int answerFalse(lua_State* lua) {
    lua_pushboolean(lua, 0);
    return 1;
}

int answerNothing(lua_State*) {
    return 0;
}

constexpr luaL_Reg kFunctions[] = {
    {"call", call},
    {"pcall", protectedCall},
    {"error_reply", errorReply},
    {"status_reply", statusReply},
    {"sha1hex", sha1hex},
    {"log", log},
    {"setresp", setresp},
    {"set_repl", setRepl},
    {"replicate_commands", answerTrue},
    {"breakpoint", answerFalse},
    {"debug", answerNothing},
};

struct Constant {
    const char* name;
    double value;
};
constexpr Constant kConstants[] = {
    {"LOG_DEBUG", 0}, {"LOG_VERBOSE", 1}, {"LOG_NOTICE", 2},   {"LOG_WARNING", 3}, {"REPL_NONE", 0},
    {"REPL_AOF", 1},  {"REPL_SLAVE", 2},  {"REPL_REPLICA", 2}, {"REPL_ALL", 3},    {"REDIS_VERSION_NUM", 0x0007000f},
};

} // namespace

void pushRedisTable(lua_State* lua) {
    lua_newtable(lua);
    for (const luaL_Reg& function : kFunctions) {
        lua_pushcfunction(lua, function.func);
        lua_setfield(lua, -2, function.name);
    }
    for (const Constant& constant : kConstants) {
        lua_pushnumber(lua, constant.value);
        lua_setfield(lua, -2, constant.name);
    }
    lua_pushstring(lua, "7.0.15");
    lua_setfield(lua, -2, "REDIS_VERSION");
}

} // namespace lockscope::sim::redisd
