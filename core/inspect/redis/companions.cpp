// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/companions.h"

#include "inspect/redis/recogniser.h"
#include "inspect/redis/redisson_names.h"

#include <algorithm>

namespace lockscope::inspect {

const char* typeOfCompanion(const QByteArray& key) {
    if (redisson::nameOfQueueKey(key)) return "list";
    if (key.startsWith("redisson_lock_timeout:")) return "zset";
    if (isHelperKey(key)) return "string"; // counters and hold keys
    return key.endsWith(":timeout") ? "zset" : "hash";
}

std::vector<WantedKey> wantedWith(const KeySnapshot& key) {
    std::vector<WantedKey> wanted;
    if (const auto name = key.type == "zset" ? redisson::nameOfPermitsKey(key.key) : std::nullopt) {
        for (const QByteArray& semaphore : {*name, redisson::hashTag(*name)})
            wanted.push_back({semaphore, "string", false});
        return wanted;
    }
    for (QByteArray& companion : companionsOf(key)) {
        const char* type = typeOfCompanion(companion);
        wanted.push_back({std::move(companion), type, false});
    }
    return wanted;
}

bool mayBelongToLock(const KeySnapshot& key) {
    if (key.type != "hash" || key.refused) return true;
    const auto counts = [](const auto& field) { return field.first.endsWith(":lock_count"); }; // a fast multi-lock's
    return !companionsOf(key).empty() || std::ranges::any_of(key.hash, counts);
}

} // namespace lockscope::inspect
