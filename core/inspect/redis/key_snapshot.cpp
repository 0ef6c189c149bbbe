// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_snapshot.h"

namespace lockscope::inspect {

namespace {

RawValue contentOf(const KeySnapshot& key) {
    if (key.tooBig) return {};
    if (key.type == "string") return RawValue::ofText(key.string);
    if (key.type == "hash") return RawValue::ofFields(key.hash);
    if (key.type == "list") return RawValue::ofList(key.list);
    if (key.type == "zset") return RawValue::ofScores(key.zset);
    return {};
}

} // namespace

RawKey toRaw(const KeySnapshot& key) {
    return {key.key, key.type, key.ttlMs, contentOf(key), key.more};
}

} // namespace lockscope::inspect
