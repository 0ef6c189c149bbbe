// SPDX-License-Identifier: Apache-2.0
#include "sim/probe.h"

namespace lockscope::sim {

namespace {

// In the order of Probe.
constexpr std::array<const char*, kProbes> kNames{
    "redis/replication/partial-resync",
    "redis/replication/full-copy",
    "redis/replication/backlog-too-short",
    "redis/replication/writes-discarded",
    "redis/replication/expired-on-replica",
    "redis/wait/timed-out",
    "redis/wait/unblocked-by-role",
    "redis/replication/too-few-replicas",
    "redis/failover/not-elected",
    "redis/failover/no-good-replica",
    "redis/failover/two-candidates",
    "redis/failover/master-answers-again",
    "redis/failover/stale-master-demoted",
    "redis/failover/stray-replica-pointed-back",
    "redis/sentinel/tilted",
    "redis/sentinel/newer-epoch-old-body",
    "redis/cluster/promotion",
    "redis/cluster/old-master-follows",
    "redis/cluster/minority-refuses",
    "redis/cluster/ask",
    "redis/cluster/try-again",
    "network/reply-lost",
    "network/push-lost",
    "network/request-repeated",
    "disk/stood-still",
    "redis/evicted",
    "sql/deadlock",
    "sql/inserters-meet",
    "sql/newcomer-first",
    "sql/order-broken",
    "sql/dead-waiter",
    "sql/half-open",
    "sql/replication/old-primary-follows",
    "sql/replication/copied-anew",
    "sql/replication/semi-sync-off",
    "sql/pool-empty",
    "memcached/evicted",
    "memcached/flushed",
    "memcached/forgot",
    "etcd/client/asked-again",
    "etcd/lease/ended",
    "etcd/lease/anew",
    "etcd/disk/loop-stood",
    "etcd/leader/stepped-down",
    "zookeeper/session/ended",
    "zookeeper/session/kept",
    "zookeeper/session/anew",
    "zookeeper/session/moved",
    "zookeeper/leader/quorum-lost",
};

/// A world runs on one thread: no two of them share a counter.
thread_local std::array<std::uint64_t, kProbes> s_counts{};

} // namespace

const char* probeName(Probe probe) {
    return kNames[std::size_t(probe)];
}

void reached(Probe probe) {
    ++s_counts[std::size_t(probe)];
}

const std::array<std::uint64_t, kProbes>& probeCounts() {
    return s_counts;
}

void resetProbes() {
    s_counts = {};
}

} // namespace lockscope::sim
