// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "inspect/redis/group_watcher.h"

#include <map>
#include <set>

namespace lockscope::inspect {

/// One server of the group, and what is known of it.
struct RedisGroupWatcher::Master {
    ClusterNode place;
    QByteArray address; ///< "host:port"
    QByteArray before;  ///< the master that it replaced, until that is told; empty: none
    std::unique_ptr<redis::Client> client;
    std::unique_ptr<RedisWatcher> watcher;
    std::stop_source stop;
    std::optional<LockReport> last; ///< the latest one without trouble
    /// The names of its locks that may differ from those of the group's last report; missing: any of them may.
    std::optional<std::set<QByteArray>> again;
    std::optional<WatchTrouble> trouble;
    /// A lock that another master had until its slot came here.
    struct Awaited {
        LockRow row; ///< NotKnown
        Nanos since{};
    };
    std::map<QByteArray, Awaited> awaited; ///< by name, until a look that has begun since
    std::vector<LockRow> lately;           ///< that it had before something happened to it, and not since
    Nanos latelyAt{};                      ///< when that was told
    std::vector<LockRow> expected;         ///< that others had when it came, until it is looked at
    std::vector<ServerEvent> events;       ///< not told yet
    std::optional<Nanos> noMasterSince;    ///< by its own word it is a replica
};

} // namespace lockscope::inspect
