// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_snapshot.h"

#include "inspect/text.h"

#include <QJsonArray>

namespace lockscope::inspect {

namespace {

QJsonValue contentOf(const KeySnapshot& key) {
    if (key.tooBig) return QJsonValue::Null;
    if (key.type == "string") return readable(key.string);
    if (key.type == "hash") {
        QJsonObject object;
        for (const auto& [field, value] : key.hash)
            object.insert(readable(field), readable(value));
        return object;
    }
    if (key.type == "list") {
        QJsonArray array;
        for (const QByteArray& item : key.list)
            array.append(readable(item));
        return array;
    }
    if (key.type == "zset") {
        QJsonObject object;
        for (const auto& [member, score] : key.zset)
            object.insert(readable(member), score);
        return object;
    }
    return QJsonValue::Null;
}

} // namespace

RawKey toRaw(const KeySnapshot& key) {
    return {key.key, key.type, key.ttlMs, contentOf(key), key.more};
}

} // namespace lockscope::inspect
