// SPDX-License-Identifier: Apache-2.0
// Lockscope's memcached-lease ("<client>:<thread>:<16 hex>") and memcached-add ("<client>:<thread>").
#include "inspect/memcached/formats.h"
#include "recipes/memcached/memcached_recipe.h"

#include <algorithm>

namespace lockscope::inspect {

std::vector<LockRow> readMemcachedOwn(const SeenItem& item) {
    constexpr qsizetype kUnique = 16; // hexadecimal digits, another number for each grant
    const qsizetype tail = item.value.lastIndexOf(':');
    const QByteArray last = item.value.sliced(tail + 1);
    const bool unique = tail > 0 && last.size() == kUnique && std::ranges::all_of(last, [](char c) {
                            return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
                        });
    const QByteArray owner = unique ? item.value.first(tail) : item.value;
    if (!recipes::isMemcachedOwner(owner)) return {};
    const recipes::HolderInfo who = recipes::HolderInfo::of(owner);
    Party holder;
    holder.client = who.client;
    holder.thread = who.thread;
    return {memcachedRow(item, unique ? "memcached-lease" : "memcached-add", std::move(holder))};
}

} // namespace lockscope::inspect
