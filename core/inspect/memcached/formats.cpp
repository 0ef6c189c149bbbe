// SPDX-License-Identifier: Apache-2.0
#include "inspect/memcached/formats.h"

namespace lockscope::inspect {

std::span<const Format<SeenItem>> memcachedFormats() {
    static constexpr Format<SeenItem> kFormats[] = {
        {"ShedLock", readMemcachedShedLock},
        {"Lockscope", readMemcachedOwn},
        {"any value", readMemcachedString}, // last: memcachedOwnFormats()
    };
    return kFormats;
}

std::span<const Format<SeenItem>> memcachedOwnFormats() {
    return memcachedFormats().first(memcachedFormats().size() - 1);
}

LockRow memcachedRow(const SeenItem& item, const char* format, Party holder) {
    LockRow row;
    row.name = item.key;
    row.backend = "memcached";
    row.format = format;
    row.state = LockRow::State::Held;
    row.holders.push_back(std::move(holder));
    row.entries.push_back({item.key, item.value});
    row.raw.push_back({item.key, "item", {}, RawValue::ofText(item.value)});
    return row;
}

} // namespace lockscope::inspect
