// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/server.h"

#include <span>
#include <string_view>

namespace lockscope::sim::redisd {

enum CommandFlag : unsigned {
    kWrites = 1,          ///< changes data: refused in read-only scripts and on replicas
    kNoScript = 2,        ///< refused in scripts
    kWhileSubscribed = 4, ///< allowed to a session that has subscriptions
    kNotQueued = 8,       ///< runs at once inside MULTI
    kContainer = 16,      ///< its first argument chooses the command proper
    kGrows = 32,          ///< may need memory: refused when there is none
    kTells = 64,          ///< changes nothing, but tells others: refused in read-only scripts
    kReads = 256,         ///< reads the key that is its first argument
    kWraps = 128,         ///< runs other commands, whose effects are its own
};

struct Command {
    using Handler = Reply (*)(Call&);
    const char* name; ///< upper case; "SCRIPT|LOAD" for one of a container
    Handler handler;
    int arity; ///< words including the name; negative: at least that many
    unsigned flags;

    /// The name as it stands in error texts.
    QByteArray lowerName() const { return QByteArray(name).toLower(); }
    bool takes(std::size_t words) const { return arity >= 0 ? int(words) == arity : int(words) >= -arity; }
};

/// Finds by the command's words, whatever their case. A container is returned itself when the second word is missing or
/// unknown.
const Command* findCommand(const Args& args);

// Each file of commands has its table.
std::span<const Command> stringCommands();
std::span<const Command> counterCommands();
std::span<const Command> keyCommands();
std::span<const Command> expiryCommands();
std::span<const Command> scanCommands();
std::span<const Command> hashCommands();
std::span<const Command> zsetCommands();
std::span<const Command> zsetRangeCommands();
std::span<const Command> listCommands();
std::span<const Command> pubsubCommands();
std::span<const Command> connectionCommands();
std::span<const Command> transactionCommands();
std::span<const Command> scriptCommands();
std::span<const Command> deploymentCommands();

// --- what many commands answer ---
namespace answers {
inline Reply ok() {
    return Reply::status(QByteArrayLiteral("OK"));
}
inline Reply error(const char* text) {
    return Reply::error(QByteArray(text));
}
inline Reply syntaxError() {
    return Reply::error(QByteArrayLiteral("ERR syntax error"));
}
inline Reply wrongType() {
    return Reply::error(QByteArrayLiteral("WRONGTYPE Operation against a key holding the wrong kind of value"));
}
inline Reply notInteger() {
    return Reply::error(QByteArrayLiteral("ERR value is not an integer or out of range"));
}
inline Reply notFloat() {
    return Reply::error(QByteArrayLiteral("ERR value is not a valid float"));
}
inline Reply notPositive() {
    return Reply::error(QByteArrayLiteral("ERR value is out of range, must be positive"));
}
inline Reply noSuchKey() {
    return Reply::error(QByteArrayLiteral("ERR no such key"));
}
inline Reply wrongArity(const Command& command) {
    return Reply::error("ERR wrong number of arguments for '" + command.lowerName() + "' command");
}
inline Reply emptyArray() {
    return Reply::array({});
}
} // namespace answers

/// The keys that a command names.
Args keysIn(const Command& command, const Args& args);

/// A client's word as a server prints it in an error: at most `limit` bytes, up to the first zero byte.
QByteArray printed(const QByteArray& word, qsizetype limit = 128);

/// The error for a command that a server does not know.
QByteArray unknownCommand(const Args& args);

/// An error's text may not break the protocol's lines.
QByteArray oneLine(QByteArray text);

} // namespace lockscope::sim::redisd
