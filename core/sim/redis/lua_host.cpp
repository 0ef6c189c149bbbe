// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/lua_host.h"

#include "sim/redis/command.h"
#include "sim/redis/shebang.h"

#include <QCryptographicHash>
#include <clocale>
#include <cstring>
#include <lua.hpp>
#include <utility>

namespace lockscope::sim::redisd {

namespace {

/// No script of a simulation may hang the program: far above what any lock needs.
constexpr int kInstructionLimit = 100'000'000;

/// Lua reads and writes numbers by the C library, which follows the user's locale; a server does not.
class PlainLocale {
public:
    PlainLocale() : m_before(uselocale(plain())) {}
    ~PlainLocale() { uselocale(m_before); }
    PlainLocale(const PlainLocale&) = delete;
    PlainLocale& operator=(const PlainLocale&) = delete;

private:
    static locale_t plain() {
        static const locale_t kPlain = newlocale(LC_ALL_MASK, "C", nullptr);
        return kPlain;
    }
    locale_t m_before;
};

void stopEndlessScript(lua_State* lua, lua_Debug*) {
    // From here on at every instruction, so that a script's own pcall cannot hold it up.
    lua_sethook(lua, stopEndlessScript, LUA_MASKCOUNT, 1);
    luaL_error(lua, "Script stopped: it ran for more than %d instructions", kInstructionLimit);
}

/// A field of the error table on top of the stack, as text; empty when it is something else.
QByteArray errorField(lua_State* lua, const char* name) {
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    std::size_t size = 0;
    const char* text = lua_tolstring(lua, -1, &size);
    const QByteArray field = text ? QByteArray(text, qsizetype(size)) : QByteArray();
    lua_pop(lua, 1);
    return field;
}

/// Makes the word an entry of the table at `index`, which is negative.
void putWord(lua_State* lua, int index, int place, const QByteArray& word) {
    lua_pushlstring(lua, word.constData(), std::size_t(word.size()));
    lua_rawseti(lua, index - 1, place);
}

/// Whether the value on top of the stack is this text.
bool isWord(lua_State* lua, const QByteArray& word) {
    if (lua_type(lua, -1) != LUA_TSTRING) return false;
    std::size_t size = 0;
    const char* const text = lua_tolstring(lua, -1, &size);
    return size == std::size_t(word.size()) && std::memcmp(text, word.constData(), size) == 0;
}

/// Gives a table of an earlier script, which is on top of the stack, these words. False: that script has made something
/// else of it.
bool fillAgain(lua_State* lua, const Call& call, int first, int last) {
    if (lua_getmetatable(lua, -1)) {
        lua_pop(lua, 1);
        return false;
    }
    int i = first;
    lua_pushnil(lua);
    for (; lua_next(lua, -2) != 0; ++i) {
        const int place = i - first + 1;
        if (i == last || lua_type(lua, -2) != LUA_TNUMBER || lua_tonumber(lua, -2) != place) {
            lua_pop(lua, 2);
            return false;
        }
        const bool same = isWord(lua, call.arg(i));
        lua_pop(lua, 1);
        if (!same) putWord(lua, -2, place, call.arg(i));
    }
    return i == last;
}

/// Pops the error that ended a script.
Reply popFailure(lua_State* lua, const QByteArray& sha1) {
    QByteArray text = "ERR unknown error", source, line;
    if (lua_istable(lua, -1)) {
        if (const QByteArray said = errorField(lua, "err"); !said.isEmpty()) text = said;
        source = errorField(lua, "source");
        line = errorField(lua, "line");
    } else if (lua_isstring(lua, -1)) {
        // Out of memory, or an error within the handler.
        text = QByteArray("ERR ") + lua_tostring(lua, -1);
    }
    lua_pop(lua, 1);
    if (!source.isEmpty() && !line.isEmpty()) text += " script: " + sha1 + ", on " + source + ':' + line + '.';
    return Reply::error(oneLine(std::move(text)));
}

} // namespace

LuaHost::LuaHost(Server& server) : m_server(server) {
    restart();
}

LuaHost::~LuaHost() {
    if (m_lua) lua_close(m_lua);
}

// The allocator's argument is the one thing that leads from a state to its host without a look into a table.
LuaHost& LuaHost::of(lua_State* lua) {
    void* host = nullptr;
    (void)lua_getallocf(lua, &host);
    return *static_cast<LuaHost*>(host);
}

Args& LuaHost::words(std::size_t count) {
    Args& words = count < m_words.size() ? m_words[count] : m_manyWords;
    words.resize(count);
    return words;
}

void LuaHost::open() {
    if (m_lua) return;
    const lua_Alloc resize = [](void* host, void* block, std::size_t size, std::size_t wanted) {
        return static_cast<LuaHost*>(host)->m_memory.resize(block, size, wanted);
    };
    m_lua = lua_newstate(resize, this);
    if (!m_lua) qFatal("No memory for a Lua state");
    lua_atpanic(m_lua, [](lua_State* lua) -> int { qFatal("Lua: %s", lua_tostring(lua, -1)); });
    // A script drops all that it has made at its end. Collecting that with every hundredth script is soon enough.
    constexpr int kCollectAtPercent = 800;
    lua_gc(m_lua, LUA_GCSETPAUSE, kCollectAtPercent);
    openSandbox(m_lua);
    lua_pushcfunction(m_lua, describeError);
    m_describeError = luaL_ref(m_lua, LUA_REGISTRYINDEX);
}

void LuaHost::flush() {
    if (m_lua) lua_close(m_lua);
    m_lua = nullptr;
    m_keys = {"KEYS"};
    m_argv = {"ARGV"};
    m_scripts.clear();
    m_found = nullptr;
}

void LuaHost::restart() {
    constexpr std::int32_t kServersOwnSeed = 0x1234ABCD;
    flush();
    seedRandom(kServersOwnSeed);
}

const QByteArray& LuaHost::hashOf(const QByteArray& body) {
    // Clients send a script from the same buffer each time, and keeping it keeps it from being another text's.
    const bool same = !body.isEmpty() && body.constData() == m_hashed.constData() && body.size() == m_hashed.size();
    if (!same) {
        m_hash = QCryptographicHash::hash(body, QCryptographicHash::Sha1).toHex();
        m_hashed = body;
    }
    return m_hash;
}

std::expected<QByteArray, Reply> LuaHost::load(const QByteArray& body) {
    QByteArray sha1 = hashOf(body);
    if (knows(sha1)) return sha1;
    const auto shebang = readShebang(body);
    if (!shebang) return std::unexpected(shebang.error());
    open();
    const PlainLocale plain;
    const char* code = body.constData() + shebang->length;
    if (luaL_loadbuffer(m_lua, code, std::size_t(body.size() - shebang->length), "@user_script") != 0) {
        Reply reply =
            Reply::error(oneLine(QByteArray("ERR Error compiling script (new function): ") + lua_tostring(m_lua, -1)));
        lua_pop(m_lua, 1);
        return std::unexpected(std::move(reply));
    }
    m_scripts.emplace(sha1, Script{luaL_ref(m_lua, LUA_REGISTRYINDEX), shebang->noWrites,
                                   shebang->present && !shebang->noWrites,
                                   shebang->present && !shebang->noWrites && !shebang->allowOom});
    return sha1;
}

unsigned LuaHost::flagsOf(const QByteArray& sha1) const {
    const Script* const script = find(sha1);
    if (!script) return 0;
    return (script->mayWrite ? unsigned(kWrites) : 0) | (script->mayGrow ? unsigned(kGrows) : 0);
}

const LuaHost::Script* LuaHost::find(const QByteArray& sha1) const {
    if (m_found && sha1.constData() == m_askedFor.constData() && sha1.size() == m_askedFor.size()) return m_found;
    auto known = m_scripts.find(sha1); // clients mostly say it in lower case
    if (known == m_scripts.end()) known = m_scripts.find(sha1.toLower());
    if (known == m_scripts.end()) return nullptr;
    m_askedFor = sha1; // which keeps the buffer from being another word's
    return m_found = &known->second;
}

unsigned LuaHost::flagsOfText(const QByteArray& body) {
    const auto shebang = readShebang(body);
    if (!shebang || !shebang->present || shebang->noWrites) return 0;
    return unsigned(kWrites) | (shebang->allowOom ? 0 : unsigned(kGrows));
}

void LuaHost::show(WordTable& table, int size) {
    if (std::exchange(table.shown, size) == size) return;
    pushGlobals(m_lua);
    lua_pushstring(m_lua, table.name);
    lua_pushvalue(m_lua, -3);
    lua_rawset(m_lua, -3);
    lua_pop(m_lua, 1);
}

void LuaHost::setTable(WordTable& table, const Call& call, int first, int last) {
    const int size = last - first;
    int* const kept = std::size_t(size) < table.kept.size() ? &table.kept[std::size_t(size)] : nullptr;
    if (kept && *kept != 0) {
        lua_rawgeti(m_lua, LUA_REGISTRYINDEX, *kept);
        if (fillAgain(m_lua, call, first, last)) {
            show(table, size);
            lua_pop(m_lua, 1);
            return;
        }
        lua_pop(m_lua, 1);
    }
    lua_createtable(m_lua, size, 0);
    for (int i = first; i < last; ++i)
        putWord(m_lua, -1, i - first + 1, call.arg(i));
    table.shown = -1;
    show(table, size);
    if (!kept) {
        lua_pop(m_lua, 1);
    } else if (*kept == 0) {
        *kept = luaL_ref(m_lua, LUA_REGISTRYINDEX);
    } else {
        lua_rawseti(m_lua, LUA_REGISTRYINDEX, *kept);
    }
}

Reply LuaHost::run(Call& call, const QByteArray& sha1, int first, int keys, bool readOnly) {
    // An observer of a change could send a script while another runs, which no server would do.
    if (m_running) return answers::error("BUSY Redis is busy running a script.");
    const Script script = *find(sha1);
    if (readOnly && script.mayWrite)
        return answers::error("ERR Can not execute a script with write flag using *_ro command.");
    ScriptContext context;
    context.session.id = call.session.id;
    context.session.db = call.session.db;
    context.caller = call.by;
    context.readOnly = readOnly || script.readOnly;
    m_running = &context;
    const PlainLocale plain;
    setTable(m_keys, call, first, first + keys);
    setTable(m_argv, call, first + keys, call.argc());
    lua_sethook(m_lua, stopEndlessScript, LUA_MASKCOUNT, kInstructionLimit);
    lua_rawgeti(m_lua, LUA_REGISTRYINDEX, m_describeError);
    lua_rawgeti(m_lua, LUA_REGISTRYINDEX, script.function);
    const bool failed = lua_pcall(m_lua, 0, 1, -2) != 0;
    lua_sethook(m_lua, nullptr, 0, 0);
    Reply reply = failed ? popFailure(m_lua, sha1.toLower()) : popReply(m_lua);
    lua_settop(m_lua, 0);
    m_running = nullptr;
    return reply;
}

void LuaHost::seedRandom(std::int32_t seed) {
    // POSIX drand48: the upper 32 bits are the seed, the lower 16 are fixed.
    m_random = (std::uint64_t(std::uint32_t(seed)) << 16) + 0x330E;
}

std::int32_t LuaHost::random() {
    constexpr std::uint64_t kMask = (std::uint64_t(1) << 48) - 1;
    m_random = (m_random * 0x5DEECE66Du + 0xB) & kMask;
    return std::int32_t(m_random >> 17);
}

} // namespace lockscope::sim::redisd
