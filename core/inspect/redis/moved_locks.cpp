// SPDX-License-Identifier: Apache-2.0
// Locks whose slot moves to another node of a cluster, one key after the other. Until that node was looked at, nobody
// knows what became of them.
#include "inspect/redis/joined_report.h"
#include "inspect/redis/watcher.h"

#include <algorithm>
#include <unordered_set>

namespace lockscope::inspect {

void RedisWatcher::keepMoved(const LookScope& scope, const KeysRead& read, std::vector<LockRow>& rows) {
    if (scope.whole) m_moved.clear();
    for (const LockRow& row : rows)
        m_moved.erase(row.name);
    if (read.elsewhere.empty()) return;
    m_search.noteElsewhere(read.elsewhere);
    const std::unordered_set<QByteArray> moved(read.elsewhere.begin(), read.elsewhere.end());
    const Nanos now = m_client.runtime().monotonic();
    for (const LockRow* const was : lastRowsIn(scope)) {
        if (was->raw.empty() || !moved.contains(was->raw.front().key)) continue;
        LockRow kept = notKnown(*was, was->server);
        for (const RawKey& key : was->raw) {
            RawKey& same = kept.raw.emplace_back();
            same.key = key.key;
            same.type = key.type;
            if (const auto known = m_known.find(key.key); known != m_known.end()) known->second.seen = now;
        }
        // A helper key that is still here tells of waiters at most.
        const auto [first, last] = std::ranges::equal_range(rows, kept.name, {}, &LockRow::name);
        m_moved.insert(kept.name);
        rows.insert(rows.erase(first, last), std::move(kept));
    }
}

void RedisWatcher::leave(const std::vector<LockRow>& rows) {
    std::unordered_set<QByteArray> names;
    for (const LockRow& row : rows) {
        names.insert(row.name);
        m_moved.erase(row.name);
        for (const RawKey& raw : row.raw)
            m_known.erase(raw.key);
    }
    std::erase_if(m_lastLocks, [&](const LockRow& row) {
        return row.state == LockRow::State::NotKnown && names.contains(row.name);
    });
    m_wholeDue = {};
}

} // namespace lockscope::inspect
