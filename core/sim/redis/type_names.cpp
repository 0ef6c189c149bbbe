// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/type_names.h"

#include "sim/redis/numbers.h"

#include <algorithm>

namespace lockscope::sim::redisd {

namespace {
constexpr std::size_t kListpackEntries = 128;
constexpr qsizetype kListpackBytes = 64;
constexpr qsizetype kEmbeddedBytes = 44;
} // namespace

const char* typeName(const Value& value) {
    switch (value.index()) {
    case 0:
        return "string";
    case 1:
        return "hash";
    case 2:
        return "zset";
    default:
        return "list";
    }
}

QByteArray encodingName(const Value& value) {
    if (const auto* text = std::get_if<StringValue>(&value)) {
        if (parseInteger(*text)) return "int";
        return text->size() <= kEmbeddedBytes ? "embstr" : "raw";
    }
    if (const auto* hash = std::get_if<HashValue>(&value)) {
        bool small = hash->size() <= kListpackEntries;
        hash->each([&](const QByteArray& name, const QByteArray& content) {
            small &= name.size() <= kListpackBytes && content.size() <= kListpackBytes;
        });
        return small ? "listpack" : "hashtable";
    }
    if (const auto* zset = std::get_if<ZsetValue>(&value)) {
        const bool small = zset->size() <= kListpackEntries &&
                           std::all_of(zset->items().begin(), zset->items().end(),
                                       [](const auto& item) { return item.member.size() <= kListpackBytes; });
        return small ? "listpack" : "skiplist";
    }
    return "quicklist";
}

} // namespace lockscope::sim::redisd
