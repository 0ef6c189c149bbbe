// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace lockscope::sim {

/// The rare paths of the simulator: a scenario or a test that claims to reach one asks whether it was reached. The
/// names stand in probe.cpp.
enum class Probe : std::uint8_t {
    PartialResync,        ///< a replica came back and got what it had missed
    FullCopy,             ///< a replica got all data anew
    BacklogTooShort,      ///< it had missed more than the master still had
    WritesDiscarded,      ///< a server that had taken writes of its own became a replica, and lost them
    ExpiredOnReplica,     ///< a promoted replica met keys that had ended while it was not allowed to delete them
    WaitTimedOut,         ///< WAIT was answered by its time-out
    WaitUnblocked,        ///< a WAIT ended because its server changed its role
    TooFewReplicas,       ///< a write was refused for want of good replicas
    NotElected,           ///< a Sentinel gave a failover up: too few votes
    NoGoodReplica,        ///< a Sentinel gave a failover up: nobody to promote
    TwoCandidates,        ///< a Sentinel was asked for a second vote in one epoch
    AnswersAgain,         ///< a failover went on although its master answered again
    StaleMasterDemoted,   ///< an old master came back and was made a replica
    StrayReplica,         ///< a replica of the wrong server was pointed to the right one
    Tilted,               ///< a Sentinel distrusted its own clock
    NewerEpochOldBody,    ///< a Sentinel's answers named the old master with the new epoch
    ClusterPromotion,     ///< a cluster's replica took its master's slots over
    OldMasterFollows,     ///< a cluster's master lost its last slot, and followed the one that has it
    MinorityRefuses,      ///< a cluster's master without a majority stopped serving
    Asked,                ///< a key of a slot that moves was sent on by ASK
    TryAgain,             ///< a command met a slot that moves with some of its keys only
    ReplyLost,            ///< an answer vanished, by a fault that was told to take the next one
    PushLost,             ///< a message that nobody asked for vanished, by such a fault
    RequestRepeated,      ///< a request was done twice, by such a fault
    StoodStill,           ///< a server waited for its disk, and did nothing else
    RedisEvicted,         ///< a key was thrown out for want of memory
    SqlDeadlock,          ///< a database ended a circle of waits
    SqlInsertersMeet,     ///< InnoDB let several inserters share a lock, and all but one died
    SqlNewcomerFirst,     ///< PostgreSQL: a newcomer had the row before the waiter that was being woken
    SqlOrderBroken,       ///< PostgreSQL: waiters went to a row's new version all at once
    SqlDeadWaiter,        ///< a dead client stood in a queue until its turn, or until the server looked
    SqlHalfOpen,          ///< a database gave up a connection whose client's machine was silent
    SqlOldPrimaryFollows, ///< an old primary was made a replica
    SqlCopiedAnew,        ///< a replica whose log was another one got all data anew
    SqlSemiSyncOff,       ///< MariaDB answered a commit that no replica had, and waits for none any more
    SqlPoolEmpty,         ///< a client had to wait for a connection of the pool that all share
    MemcachedEvicted,     ///< a lock's item was thrown out while it was held
    MemcachedFlushed,     ///< a lock's item went with all others, by an operator's command
    MemcachedForgot,      ///< a memcached ended with items
    EtcdAskedAgain,       ///< a request that had no answer was answered at another try
    EtcdLeaseEnded,       ///< a leader revoked a lease whose time was over
    EtcdLeasesAnew,       ///< a new leader gave leases their whole time again
    EtcdLoopStood,        ///< a member's Raft loop waited for its disk
    EtcdSteppedDown,      ///< a leader heard of no quorum for an election time-out
    ZkSessionEnded,       ///< a leader ended a session of which nobody had heard for its time
    ZkSessionKept,        ///< a client came back to its session over another connection
    ZkSessionsAnew,       ///< a new leader gave sessions their whole time again
    ZkSessionMoved,       ///< a write came over the connection that a session had left
    ZkQuorumLost,         ///< a leader gave up: too few followers
    Count_
};
inline constexpr std::size_t kProbes = std::size_t(Probe::Count_);

/// "redis/failover/stale-master-demoted": stable; the kind of server comes first, or "network".
const char* probeName(Probe probe);
/// Counts that this path was reached, on this thread. Writes nothing into any trace, and changes no run.
void reached(Probe probe);
/// How often each was reached on this thread since the last resetProbes().
const std::array<std::uint64_t, kProbes>& probeCounts();
void resetProbes();

} // namespace lockscope::sim
