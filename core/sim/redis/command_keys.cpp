// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"
#include "sim/redis/lua_host.h"
#include "sim/redis/numbers.h"

namespace lockscope::sim::redisd {

namespace {

bool isOneOf(const Command& command, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), std::string_view(command.name)) != names.end();
}

bool isScript(const Command& command) {
    return isOneOf(command, {"EVAL", "EVALSHA", "EVAL_RO", "EVALSHA_RO"});
}

} // namespace

Args keysIn(const Command& command, const Args& args) {
    if (isScript(command)) {
        const auto count = args.size() > 2 ? parseInteger(args[2]) : std::nullopt;
        if (!count || *count < 1 || *count > std::int64_t(args.size()) - 3) return {};
        return {args.begin() + 3, args.begin() + 3 + *count};
    }
    if (isOneOf(command, {"DEL", "UNLINK", "EXISTS", "TOUCH", "MGET", "WATCH"})) return {args.begin() + 1, args.end()};
    if (isOneOf(command, {"RENAME", "RENAMENX"})) return {args[1], args[2]};
    if (isOneOf(command, {"MSET", "MSETNX"})) {
        Args keys;
        for (std::size_t i = 1; i < args.size(); i += 2)
            keys.push_back(args[i]);
        return keys;
    }
    if (isOneOf(command, {"OBJECT|ENCODING"})) return {args[2]};
    if (command.flags & (kWrites | kReads))
        return args.size() > 1 && !isOneOf(command, {"FLUSHDB", "FLUSHALL"}) ? Args{args[1]} : Args{};
    return {};
}

unsigned Server::flagsOf(const Command& command, const Session& session, const Args& args) const {
    constexpr unsigned kMatter = kWrites | kGrows;
    if (!(command.flags & kWraps)) return command.flags & kMatter;
    unsigned flags = 0;
    if (std::string_view(command.name) == "EXEC") {
        for (const QueuedCommand& queued : session.queue)
            flags |= flagsOf(*queued.command, session, queued.args);
    } else if (isScript(command)) {
        // Only what a script's first line says counts before it runs.
        const bool byHash = std::string_view(command.name).starts_with("EVALSHA");
        flags = byHash ? m_lua->flagsOf(args[1]) : LuaHost::flagsOfText(args[1]);
    }
    return flags & kMatter;
}

} // namespace lockscope::sim::redisd
