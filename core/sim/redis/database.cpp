// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/database.h"

namespace lockscope::sim::redisd {

Entry* Database::find(const QByteArray& key) {
    const auto it = m_entries.find(key);
    return it == m_entries.end() ? nullptr : &it->second;
}

const Entry* Database::find(const QByteArray& key) const {
    const auto it = m_entries.find(key);
    return it == m_entries.end() ? nullptr : &it->second;
}

Entry& Database::obtain(const QByteArray& key) {
    const auto [it, added] = m_entries.try_emplace(key);
    if (added) {
        it->second.id = ++m_lastId;
        m_order.emplace_hint(m_order.end(), m_lastId, it->first);
    }
    return it->second;
}

bool Database::erase(const QByteArray& key) {
    const auto it = m_entries.find(key);
    if (it == m_entries.end()) return false;
    if (it->second.deadlineMs != kNoDeadline) m_deadlines.erase({it->second.deadlineMs, it->first});
    m_order.erase(it->second.id);
    m_entries.erase(it);
    return true;
}

void Database::clear() {
    m_entries.clear();
    m_order.clear();
    m_deadlines.clear();
}

void Database::setDeadline(const QByteArray& key, Entry& entry, std::int64_t deadlineMs) {
    if (entry.deadlineMs == deadlineMs) return;
    if (entry.deadlineMs != kNoDeadline) m_deadlines.erase({entry.deadlineMs, key});
    entry.deadlineMs = deadlineMs;
    if (deadlineMs != kNoDeadline) m_deadlines.emplace(deadlineMs, key);
}

} // namespace lockscope::sim::redisd
