// SPDX-License-Identifier: Apache-2.0
// SCAN and HSCAN. A cursor is the id of the next key to look at, so a key that exists all the while is seen exactly
// once.
#include "sim/redis/command.h"
#include "sim/redis/glob.h"
#include "sim/redis/numbers.h"
#include "sim/redis/type_names.h"

#include <charconv>

namespace lockscope::sim::redisd {

using namespace answers;

namespace {

struct ScanOptions {
    std::int64_t count = 10;
    const QByteArray* pattern = nullptr;
    const QByteArray* type = nullptr;

    bool matches(const QByteArray& name) const { return !pattern || globMatches(*pattern, name); }
};

/// As C's strtoul takes it: a sign is allowed, and nothing at all is 0.
std::optional<std::uint64_t> readCursor(const QByteArray& text) {
    const char* begin = text.constData();
    const char* end = begin + std::min(text.size(), text.indexOf('\0') < 0 ? text.size() : text.indexOf('\0'));
    if (begin == end) return 0;
    const bool negative = *begin == '-';
    if (negative || *begin == '+') ++begin;
    std::uint64_t cursor = 0;
    const auto [stop, bad] = std::from_chars(begin, end, cursor);
    if (bad != std::errc() || stop != end) return std::nullopt;
    return negative ? 0 - cursor : cursor;
}

std::expected<ScanOptions, Reply> readOptions(const Call& call, int first, bool ofKeys) {
    ScanOptions options;
    for (int i = first; i < call.argc(); i += 2) {
        const bool more = i + 1 < call.argc();
        if (more && equalsUpper(call.arg(i), "COUNT")) {
            const auto count = parseInteger(call.arg(i + 1));
            if (!count) return std::unexpected(notInteger());
            if (*count < 1) return std::unexpected(syntaxError());
            options.count = *count;
        } else if (more && equalsUpper(call.arg(i), "MATCH")) {
            options.pattern = &call.arg(i + 1);
        } else if (more && ofKeys && equalsUpper(call.arg(i), "TYPE")) {
            options.type = &call.arg(i + 1);
        } else {
            return std::unexpected(syntaxError());
        }
    }
    return options;
}

Reply page(std::uint64_t cursor, std::vector<Reply> found) {
    std::vector<Reply> reply;
    reply.push_back(Reply::bulk(QByteArray::number(qulonglong(cursor))));
    reply.push_back(Reply::array(std::move(found)));
    return Reply::array(std::move(reply));
}

Reply scan(Call& call) {
    const auto cursor = readCursor(call.arg(1));
    if (!cursor) return error("ERR invalid cursor");
    const auto options = readOptions(call, 2, true);
    if (!options) return options.error();
    call.server.removeDue(call.session.db);
    const auto& order = call.database().inOrder();
    std::vector<Reply> found;
    auto it = order.lower_bound(*cursor);
    for (std::int64_t looked = 0; it != order.end() && looked < options->count; ++it, ++looked) {
        if (!options->matches(it->second) || call.server.hidden(*call.database().find(it->second))) continue;
        if (options->type && qstricmp(typeName(call.database().find(it->second)->value), *options->type) != 0) continue;
        found.push_back(Reply::bulk(it->second));
    }
    return page(it == order.end() ? 0 : it->first, std::move(found));
}

/// Answers a whole hash at once, as Redis does for small ones: COUNT is a wish.
Reply hscan(Call& call) {
    if (!readCursor(call.arg(2))) return error("ERR invalid cursor");
    const auto hash = call.get<HashValue>(call.arg(1));
    if (hash.wrongType) return wrongType();
    if (!hash.value) return page(0, {});
    const auto options = readOptions(call, 3, false);
    if (!options) return options.error();
    std::vector<Reply> found;
    hash.value->each([&](const QByteArray& name, const QByteArray& value) {
        if (!options->matches(name)) return;
        found.push_back(Reply::bulk(name));
        found.push_back(Reply::bulk(value));
    });
    return page(0, std::move(found));
}

constexpr Command kCommands[] = {
    {"SCAN", scan, -2, 0},
    {"HSCAN", hscan, -3, kReads},
};

} // namespace

std::span<const Command> scanCommands() {
    return kCommands;
}

} // namespace lockscope::sim::redisd
