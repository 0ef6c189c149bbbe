// SPDX-License-Identifier: Apache-2.0
#include "ports/redis/reading_port.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lockscope::redis {

namespace {

using namespace std::literals;

constexpr auto kReads = [] {
    std::array words{"TYPE"sv, "STRLEN"sv,  "GETRANGE"sv, "PTTL"sv, "EXISTS"sv, "HLEN"sv,  "HSTRLEN"sv,
                     "HGET"sv, "HGETALL"sv, "HSCAN"sv,    "LLEN"sv, "LRANGE"sv, "ZCARD"sv, "ZRANGE"sv,
                     "SCAN"sv, "TIME"sv,    "DBSIZE"sv,   "INFO"sv, "PUBSUB"sv};
    std::ranges::sort(words);
    return words;
}();

/// Commands that have writing second words, too.
constexpr std::pair<std::string_view, std::string_view> kReadsWith[] = {
    {"MEMORY", "USAGE"},    {"OBJECT", "IDLETIME"}, {"CLUSTER", "NODES"},   {"CONFIG", "GET"},
    {"CLIENT", "NO-TOUCH"}, {"CLIENT", "LIST"},     {"CLIENT", "TRACKING"}, {"CLIENT", "CACHING"},
};

std::string_view textOf(const QByteArray& word) {
    return {word.constData(), std::size_t(word.size())};
}

QCoro::Task<std::vector<Result>> refused(std::size_t count, QByteArray word) {
    const Error error{Error::Kind::Refused, "READONLYPORT",
                      QStringLiteral("“%1” is no command of a watcher.").arg(QLatin1String(word))};
    co_return std::vector<Result>(count, std::unexpected(error));
}

} // namespace

bool onlyReads(const Args& command) {
    if (command.empty()) return false;
    const std::string_view word = textOf(command.front());
    if (std::ranges::binary_search(kReads, word)) return true;
    return command.size() > 1 &&
           std::ranges::find(kReadsWith, std::pair(word, textOf(command[1]))) != std::end(kReadsWith);
}

QCoro::Task<std::vector<Result>> ReadingPort::callAll(std::vector<Args> commands, std::stop_token stop) {
    const auto other = std::ranges::find_if_not(commands, onlyReads);
    if (other != commands.end()) return refused(commands.size(), other->empty() ? QByteArray() : other->front());
    return m_client.callAll(std::move(commands), std::move(stop));
}

} // namespace lockscope::redis
