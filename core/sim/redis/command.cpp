// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/command.h"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace lockscope::sim::redisd {

namespace {

constexpr std::size_t kLongestName = 32;

/// By upper-case name.
class Table {
public:
    void add(const Command& command) {
        const std::string_view name = command.name;
        const std::uint64_t letters = firstOf(name);
        std::size_t place = placeOf(name, letters);
        while (m_places[place].command)
            place = (place + 1) % kPlaces;
        m_places[place] = {letters, name, &command};
        ++m_count;
        Q_ASSERT(m_count < kPlaces / 2);
    }
    const Command* find(std::string_view name) const {
        const std::uint64_t letters = firstOf(name);
        for (std::size_t place = placeOf(name, letters); m_places[place].command; place = (place + 1) % kPlaces) {
            const Place& there = m_places[place];
            if (there.first != letters || there.name.size() != name.size()) continue;
            if (name.size() <= sizeof letters || there.name == name) return there.command;
        }
        return nullptr;
    }

private:
    struct Place {
        std::uint64_t first = 0; ///< letters
        std::string_view name;
        const Command* command = nullptr;
    };
    static constexpr std::size_t kPlaces = 1024;
    static std::uint64_t firstOf(std::string_view name) {
        std::uint64_t first = 0;
        for (std::size_t i = 0; i < std::min(name.size(), sizeof first); ++i)
            first |= std::uint64_t(std::uint8_t(name[i])) << (8 * i);
        return first;
    }
    /// Commands differ in their first eight letters, their length, or their last letter.
    static std::size_t placeOf(std::string_view name, std::uint64_t first) {
        const std::uint64_t last = name.empty() ? 0 : std::uint64_t(name.back());
        return (((first ^ name.size() ^ last << 56) * 0x9e3779b97f4a7c15u) >> 40) % kPlaces;
    }
    std::array<Place, kPlaces> m_places{};
    std::size_t m_count = 0;
};

const Table& table() {
    static const Table kTable = [] {
        Table all;
        for (const auto part : {stringCommands(), counterCommands(), keyCommands(), expiryCommands(), scanCommands(),
                                hashCommands(), zsetCommands(), zsetRangeCommands(), listCommands(), pubsubCommands(),
                                connectionCommands(), transactionCommands(), scriptCommands(), deploymentCommands()})
            for (const Command& command : part)
                all.add(command);
        return all;
    }();
    return kTable;
}

/// Appends `word` in upper case; false when no command has that name. A bar is how this table writes subcommands, not
/// something a client may say.
bool appendUpper(char* buffer, std::size_t& size, const QByteArray& word) {
    if (size + std::size_t(word.size()) > kLongestName) return false;
    for (const char c : word) {
        if (c == '|') return false;
        buffer[size++] = c >= 'a' && c <= 'z' ? char(c - 'a' + 'A') : c;
    }
    return true;
}

} // namespace

const Command* findCommand(const Args& args) {
    char buffer[kLongestName];
    std::size_t size = 0;
    if (!appendUpper(buffer, size, args[0])) return nullptr;
    const Command* command = table().find({buffer, size});
    if (!command || !(command->flags & kContainer) || args.size() < 2) return command;
    if (size == kLongestName) return command;
    buffer[size++] = '|';
    if (!appendUpper(buffer, size, args[1])) return command;
    const Command* inner = table().find({buffer, size});
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
