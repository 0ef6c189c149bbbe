// SPDX-License-Identifier: Apache-2.0
#include "sim/zookeeper/expiry.h"

namespace lockscope::sim {

void ZkExpiry::begin(const std::map<ZkSessionId, std::int64_t>& sessions, Nanos now) {
    m_sessions.clear();
    m_buckets.clear();
    for (const auto& [session, timeoutMs] : sessions)
        add(session, timeoutMs, now);
}

void ZkExpiry::add(ZkSessionId session, std::int64_t timeoutMs, Nanos now) {
    m_sessions.try_emplace(session, Nanos(0));
    touch(session, timeoutMs, now);
}

bool ZkExpiry::touch(ZkSessionId session, std::int64_t timeoutMs, Nanos now) {
    const auto known = m_sessions.find(session);
    if (known == m_sessions.end()) return false;
    const Nanos end = nextTick(now + std::chrono::milliseconds(timeoutMs));
    if (end == known->second) return true;
    remove(session);
    m_sessions[session] = end;
    m_buckets[end].insert(session);
    return true;
}

void ZkExpiry::remove(ZkSessionId session) {
    const auto known = m_sessions.extract(session);
    if (known.empty()) return;
    const auto bucket = m_buckets.find(known.mapped());
    if (bucket == m_buckets.end()) return;
    bucket->second.erase(session);
    if (bucket->second.empty()) m_buckets.erase(bucket);
}

std::vector<ZkSessionId> ZkExpiry::takeOver(Nanos now) {
    std::vector<ZkSessionId> over;
    while (!m_buckets.empty() && m_buckets.begin()->first <= now) {
        for (const ZkSessionId session : m_buckets.begin()->second) {
            over.push_back(session);
            m_sessions.erase(session);
        }
        m_buckets.erase(m_buckets.begin());
    }
    return over;
}

} // namespace lockscope::sim
