// SPDX-License-Identifier: Apache-2.0
#include "inspect/redis/key_table.h"

namespace lockscope::inspect {

KeyTable::KeyTable(std::span<const KeySnapshot> keys) {
    for (const KeySnapshot& key : keys)
        m_keys.emplace(key.key, &key);
}

const KeySnapshot* KeyTable::find(const QByteArray& key, const char* type) const {
    const auto it = m_keys.find(key);
    const bool there = it != m_keys.end() && it->second->type == type;
    return there && !it->second->tooBig && !it->second->refused ? it->second : nullptr;
}

bool KeyTable::refused(const QByteArray& key) const {
    const auto it = m_keys.find(key);
    return it != m_keys.end() && it->second->refused;
}

std::optional<std::int64_t> subscribersOf(const std::optional<Subscriptions>& subscriptions,
                                          const QByteArray& channel) {
    if (!subscriptions) return std::nullopt;
    const auto it = subscriptions->find(channel);
    return it == subscriptions->end() ? 0 : it->second;
}

} // namespace lockscope::inspect
