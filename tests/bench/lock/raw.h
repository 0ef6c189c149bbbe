// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/url.h"
#include "samples.h"
#include "workload.h"

#include <memory>

namespace lockscope::bench {

/// Does a workload by the backend's bare C client, or on a bare socket where that is faster, with the fewest commands
/// and round trips that the recipe needs: as fast as locks of that kind could be. Blocks the thread it is called on.
class Raw {
public:
    virtual ~Raw() = default;
    /// Works for so long and adds what it measured: pairs, time, and latencies where the workload is about them.
    virtual std::expected<void, QString> run(Nanos duration, Samples& samples) = 0;
};

/// As long as our holder keeps a lock before it wakes the waiter: caches and processors have gone to rest in both.
void napBeforeWaking();

/// nullptr: there is no limit to be named, or nobody has said yet what it is. The error: what the server said.
using MadeRaw = std::expected<std::unique_ptr<Raw>, QString>;
MadeRaw makeRaw(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload);

/// One per backend.
MadeRaw makeRawRedis(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload);
/// For the master that the sentinels name.
MadeRaw makeRawSentinel(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload);
MadeRaw makeRawRedlock(const ConnectionUrl& url, const Workload& workload);
MadeRaw makeRawZooKeeper(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload);
MadeRaw makeRawSql(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload);
MadeRaw makeRawMemcached(const ConnectionUrl& url, const QByteArray& recipe, const Workload& workload);
MadeRaw makeRawEtcd(const ConnectionUrl& url, const Workload& workload);

} // namespace lockscope::bench
