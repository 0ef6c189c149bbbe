// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"

#include <initializer_list>

namespace lockscope::sim::redisd {

namespace {

constexpr std::size_t kLongestName = 32;

/// By upper-case name; looked up only, never iterated.
using Table = std::unordered_map<std::string_view, const Command*>;

const Table& table() {
    static const Table kTable = [] {
        Table all;
        for (const auto part : {stringCommands(), counterCommands(), keyCommands(), expiryCommands(), scanCommands(),
                                hashCommands(), zsetCommands(), zsetRangeCommands(), listCommands(), pubsubCommands(),
                                connectionCommands(), transactionCommands(), scriptCommands(), deploymentCommands()})
            for (const Command& command : part)
                all.emplace(command.name, &command);
        return all;
    }();
    return kTable;
}

/// Appends `word` in upper case; false when it does not fit (then no command has that name).
bool appendUpper(char* buffer, std::size_t& size, const QByteArray& word) {
    if (size + std::size_t(word.size()) > kLongestName) return false;
    for (const char c : word)
        buffer[size++] = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    return true;
}

const Command* lookUp(std::string_view name) {
    const auto it = table().find(name);
    return it == table().end() ? nullptr : it->second;
}

} // namespace

const Command* findCommand(const Args& args) {
    char buffer[kLongestName];
    std::size_t size = 0;
    // A bar is how this table writes subcommands, not something a client may say.
    if (!appendUpper(buffer, size, args[0]) || args[0].contains('|')) return nullptr;
    const Command* command = lookUp({buffer, size});
    if (!command || !(command->flags & kContainer) || args.size() < 2) return command;
    if (size == kLongestName) return command;
    buffer[size++] = '|';
    if (!appendUpper(buffer, size, args[1])) return command;
    const Command* inner = lookUp({buffer, size});
    return inner ? inner : command;
}

QByteArray printed(const QByteArray& word, qsizetype limit) {
    const qsizetype zero = word.indexOf('\0');
    return word.left(zero < 0 ? limit : std::min(zero, limit));
}

QByteArray oneLine(QByteArray text) {
    while (text.endsWith('\r') || text.endsWith('\n'))
        text.chop(1);
    if (text.contains('\n') || text.contains('\r')) text.replace('\n', ' ').replace('\r', ' ');
    return text;
}

} // namespace lockscope::sim::redisd
