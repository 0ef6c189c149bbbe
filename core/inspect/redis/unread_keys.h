// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/key_job.h"
#include "inspect/watch_notes.h"

#include <map>
#include <unordered_set>

namespace lockscope::inspect {

/// Says that a Sentinel answers where a Redis was expected, and what to write instead. `where`: "host:port".
QString sentinelText(const QString& where);

/// Counts keys that were not read, each once, and remembers some of their names.
class UnreadKeys {
public:
    void add(const QByteArray& key, KeyJob::End why);
    void clear() { m_kinds.clear(); }
    std::vector<WatchNote> notes() const;
    /// Keys that this user has no right to read.
    std::int64_t refused() const;

private:
    struct Place {
        std::unordered_set<std::size_t> seen; ///< hashes of their names
        std::vector<QByteArray> examples;
    };
    std::map<WatchNote::Kind, Place> m_kinds;
};

} // namespace lockscope::inspect
