// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/cluster_keys.h"

#include "ports/endpoint.h"

#include <array>
#include <string_view>

namespace lockscope::redis {

namespace {

constexpr std::array<std::uint16_t, 256> makeTable() {
    std::array<std::uint16_t, 256> table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        unsigned crc = byte << 8;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc & 0x8000) ? (crc << 1) ^ 0x1021 : crc << 1;
        table[byte] = std::uint16_t(crc);
    }
    return table;
}
constexpr auto kTable = makeTable();

/// Where keys stand in a command.
enum class Keys : std::uint8_t {
    None,
    First,      ///< right behind the name
    All,        ///< everything behind the name
    Pairs,      ///< key value key value …
    Counted,    ///< EVAL script numkeys key …
    Second,     ///< behind a subcommand
    AllButLast, ///< BLPOP key … timeout
};

struct Rule {
    std::string_view name;
    Keys keys;
};
constexpr Rule kRules[] = {
    {"PING", Keys::None},
    {"ECHO", Keys::None},
    {"TIME", Keys::None},
    {"INFO", Keys::None},
    {"ROLE", Keys::None},
    {"WAIT", Keys::None},
    {"SCRIPT", Keys::None},
    {"CLIENT", Keys::None},
    {"CONFIG", Keys::None},
    {"CLUSTER", Keys::None},
    {"COMMAND", Keys::None},
    {"PUBLISH", Keys::None},
    {"PUBSUB", Keys::None},
    {"SCAN", Keys::None},
    {"DBSIZE", Keys::None},
    {"RANDOMKEY", Keys::None},
    {"FLUSHALL", Keys::None},
    {"FLUSHDB", Keys::None},
    {"HELLO", Keys::None},
    {"AUTH", Keys::None},
    {"SELECT", Keys::None},
    {"LASTSAVE", Keys::None},
    {"LATENCY", Keys::None},
    {"SLOWLOG", Keys::None},
    {"READONLY", Keys::None},
    {"READWRITE", Keys::None},
    {"ASKING", Keys::None},
    {"FUNCTION", Keys::None},
    {"ACL", Keys::None},
    {"MODULE", Keys::None},
    {"SENTINEL", Keys::None},
    {"WAITAOF", Keys::None},
    {"DEL", Keys::All},
    {"UNLINK", Keys::All},
    {"EXISTS", Keys::All},
    {"TOUCH", Keys::All},
    {"MGET", Keys::All},
    {"WATCH", Keys::All},
    {"SUNION", Keys::All},
    {"SINTER", Keys::All},
    {"SDIFF", Keys::All},
    {"RENAME", Keys::All},
    {"RENAMENX", Keys::All},
    {"MSET", Keys::Pairs},
    {"MSETNX", Keys::Pairs},
    {"EVAL", Keys::Counted},
    {"EVALSHA", Keys::Counted},
    {"EVAL_RO", Keys::Counted},
    {"EVALSHA_RO", Keys::Counted},
    {"FCALL", Keys::Counted},
    {"FCALL_RO", Keys::Counted},
    {"OBJECT", Keys::Second},
    {"MEMORY", Keys::Second},
    {"DEBUG", Keys::Second},
    {"XGROUP", Keys::Second},
    {"XINFO", Keys::Second},
    {"BLPOP", Keys::AllButLast},
    {"BRPOP", Keys::AllButLast},
    {"BZPOPMIN", Keys::AllButLast},
    {"BZPOPMAX", Keys::AllButLast},
};

Keys placeOfKeys(const QByteArray& command) {
    const QByteArray name = command.toUpper();
    for (const Rule& rule : kRules)
        if (rule.name == std::string_view(name.constData(), std::size_t(name.size()))) return rule.keys;
    return Keys::First;
}

} // namespace

std::uint16_t crc16(const QByteArray& bytes) {
    unsigned crc = 0;
    for (const char c : bytes)
        crc = ((crc << 8) & 0xffff) ^ kTable[((crc >> 8) ^ std::uint8_t(c)) & 0xff];
    return std::uint16_t(crc);
}

int keySlot(const QByteArray& key) {
    const qsizetype open = key.indexOf('{');
    const qsizetype close = open < 0 ? -1 : key.indexOf('}', open + 1);
    const bool tagged = close > open + 1;
    return crc16(tagged ? key.mid(open + 1, close - open - 1) : key) % kClusterSlots;
}

std::vector<QByteArray> keysOf(const Args& command) {
    const auto size = std::ptrdiff_t(command.size());
    const auto part = [&](std::ptrdiff_t first, std::ptrdiff_t last) {
        first = std::min(first, size);
        return std::vector<QByteArray>(command.begin() + first, command.begin() + std::clamp(last, first, size));
    };
    switch (placeOfKeys(command.front())) {
    case Keys::None:
        return {};
    case Keys::First:
        return part(1, 2);
    case Keys::All:
        return part(1, size);
    case Keys::AllButLast:
        return part(1, size - 1);
    case Keys::Second:
        return part(2, 3);
    case Keys::Counted:
        return size < 3 ? std::vector<QByteArray>() : part(3, 3 + command[2].toInt());
    case Keys::Pairs:
        break;
    }
    std::vector<QByteArray> keys;
    for (std::ptrdiff_t i = 1; i < size; i += 2)
        keys.push_back(command[std::size_t(i)]);
    return keys;
}

std::optional<Redirection> redirectionOf(const QByteArray& code, const QString& text) {
    if (code != "MOVED" && code != "ASK") return std::nullopt;
    const QString word = QString::fromLatin1(code) + u' ';
    const qsizetype at = text.indexOf(word);
    if (at < 0) return std::nullopt;
    const QStringList parts = text.mid(at + word.size()).split(u' ');
    if (parts.size() < 2) return std::nullopt;
    const auto node = endpointOf(parts[1]);
    bool slotFine = false;
    const int slot = parts[0].toInt(&slotFine);
    if (!node || node->port == 0 || !slotFine || slot < 0 || slot >= kClusterSlots) return std::nullopt;
    return Redirection{slot, node->host, node->port};
}

} // namespace lockscope::redis
