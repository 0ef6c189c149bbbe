// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/redis/values.h"

#include <map>
#include <set>

namespace lockscope::sim::redisd {

constexpr std::int64_t kNoDeadline = -1;

struct Entry {
    Value value;
    std::int64_t deadlineMs = kNoDeadline; ///< ms since 1970; change it through Database::setDeadline
    std::uint64_t id = 0;                  ///< grows with each new key of its database
    std::uint64_t used = 0;                ///< Server's count of lookups at the last one
};

/// The keys of one of the server's databases. Knows deadlines, but not the time: what is due is the caller's business.
class Database {
public:
    std::size_t size() const { return m_entries.size(); }
    Entry* find(const QByteArray& key);
    const Entry* find(const QByteArray& key) const;
    /// The key's entry, new and empty when there was none.
    Entry& obtain(const QByteArray& key);
    bool erase(const QByteArray& key);
    void clear();
    void setDeadline(const QByteArray& key, Entry& entry, std::int64_t deadlineMs);
    /// All keys in the order in which they were created, by id.
    const std::map<std::uint64_t, QByteArray>& inOrder() const { return m_order; }
    /// (deadline in ms, key), soonest first.
    const std::set<std::pair<std::int64_t, QByteArray>>& deadlines() const { return m_deadlines; }

private:
    BytesIndex<Entry> m_entries;
    std::map<std::uint64_t, QByteArray> m_order;
    std::set<std::pair<std::int64_t, QByteArray>> m_deadlines;
    std::uint64_t m_lastId = 0;
};

} // namespace lockscope::sim::redisd
