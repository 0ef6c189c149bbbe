// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/lua_memory.h"
#include "sim/redis/server.h"

#include <expected>

struct lua_State;

namespace lockscope::sim::redisd {

/// The server's scripts: a Lua 5.1 state, made when the first script comes, and the scripts compiled in it by their
/// SHA-1.
///
/// Lua's errors are longjmps. So every C++ function that Lua calls falls in two: one with C++ objects in it, which
/// calls only those parts of Lua's interface that cannot raise an error (save for lack of memory), and a bare one that
/// raises.
class LuaHost {
public:
    explicit LuaHost(Server& server);
    ~LuaHost();
    LuaHost(const LuaHost&) = delete;
    LuaHost& operator=(const LuaHost&) = delete;

    /// Compiles a script unless it is known; returns its SHA-1 in lower-case hex. The error is the reply.
    std::expected<QByteArray, Reply> load(const QByteArray& body);
    bool knows(const QByteArray& sha1) const { return find(sha1) != nullptr; }
    /// kWrites and kGrows as a script's first line says before it runs; 0: it says nothing, or is not known.
    unsigned flagsOf(const QByteArray& sha1) const;
    static unsigned flagsOfText(const QByteArray& body);
    /// Forgets all scripts. Precondition: none is running.
    void flush();
    /// As flush(), and random numbers begin anew.
    void restart();

    /// Runs a script that is known, by its SHA-1 in whatever case. `keys` of the words from `first` on are KEYS, the
    /// rest ARGV.
    Reply run(Call& call, const QByteArray& sha1, int first, int keys, bool readOnly);

    // --- for the functions that scripts call ---
    static LuaHost& of(lua_State* lua);
    Server& server() { return m_server; }
    ScriptContext& script() { return *m_running; }
    /// Room for the words of the command that the running script sends; their buffers are used again and again.
    Args& words(std::size_t count);
    /// The 31 random bits of lrand48, whose sequence a real server's scripts see too.
    std::int32_t random();
    void seedRandom(std::int32_t seed);

private:
    struct Script {
        int function; ///< reference in Lua's registry
        bool readOnly;
        bool mayWrite; ///< said so, by a shebang without no-writes
        bool mayGrow;  ///< said so, by a shebang without no-writes and allow-oom
    };
    /// KEYS or ARGV. A script that ends leaves its words behind, and the next one mostly has the same but for one.
    struct WordTable {
        const char* name;
        std::array<int, 9> kept{}; ///< by their size: references in Lua's registry; 0: none was made yet
        int shown = -1;            ///< the size of the one that scripts see
    };
    void open();
    /// Makes the words from `first` to `last` the entries of that table.
    void setTable(WordTable& table, const Call& call, int first, int last);
    /// Makes the table on top of the stack the one that scripts see; leaves it there.
    void show(WordTable& table, int size);
    /// The text's SHA-1 in lower-case hex.
    const QByteArray& hashOf(const QByteArray& body);
    /// The script with that hash, in whatever case; nullptr: it is not known.
    const Script* find(const QByteArray& sha1) const;

    Server& m_server;
    LuaMemory m_memory;
    lua_State* m_lua = nullptr;
    int m_describeError = 0; ///< reference in Lua's registry, made once: each script needs it
    WordTable m_keys, m_argv;
    BytesIndex<Script> m_scripts;
    QByteArray m_hashed, m_hash;             ///< the text that load() had last, and its SHA-1
    mutable QByteArray m_askedFor;           ///< what find() was last asked for: clients say it from the same buffer
    mutable const Script* m_found = nullptr; ///< what that is
    ScriptContext* m_running = nullptr;
    std::array<Args, 8> m_words; ///< by their number
    Args m_manyWords;            ///< more of them
    std::uint64_t m_random = 0;  ///< goes on from script to script, as a server's does
};

// --- lua_sandbox.cpp ---
/// Fills a new state with the functions that scripts may use; leaves the stack empty.
void openSandbox(lua_State* lua);
/// Pushes the table of globals that C may write and scripts only read.
void pushGlobals(lua_State* lua);
/// Makes the table on top of the stack read-only: replaces it by an empty one that reads through.
void makeReadOnly(lua_State* lua);
/// The handler of errors that reach the top: makes a table of them, with the place in the script.
int describeError(lua_State* lua);

// --- lua_redis.cpp ---
/// Pushes the table that scripts know as `redis`.
void pushRedisTable(lua_State* lua);

// --- lua_replies.cpp ---
/// Pushes a reply as scripts see it.
void pushReply(lua_State* lua, const Reply& reply);
/// Pops a script's value and makes the reply it stands for.
Reply popReply(lua_State* lua);
/// Pushes {err = text}.
void pushError(lua_State* lua, const char* text, std::size_t size);

} // namespace lockscope::sim::redisd
