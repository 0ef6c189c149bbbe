// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/time.h"

#include <QByteArray>
#include <QString>
#include <optional>
#include <vector>

namespace lockscope::inspect {

/// A replica, as its master tells of it.
struct ReplicaState {
    QByteArray address;       ///< "host:port"
    bool inStep = false;      ///< it has the master's data and follows; else it is still being copied to
    std::int64_t behind = -1; ///< bytes of the master's changes that it has not confirmed yet; -1 = not known
    friend bool operator==(const ReplicaState&, const ReplicaState&) = default;
};

/// The server that answers, and its role, by its own word.
struct ServerIdentity {
    /// Leaders and followers are those of ZooKeeper and etcd; an Observer and a server Alone are ZooKeeper's, a Learner
    /// is etcd's.
    enum class Role : std::uint8_t { Unknown, Master, Replica, Leader, Follower, Observer, Learner, Alone };
    enum class Mode : std::uint8_t { Unknown, Standalone, Cluster, Sentinel };
    QByteArray runId;          ///< another one after each start
    bool runIdReturns = false; ///< the next run may have the same: a process id, in a container. Uptime only grows
    QByteArray version;        ///< "7.0.15"
    Nanos uptime{};            ///< whole seconds
    Role role = Role::Unknown;
    Mode mode = Mode::Unknown;
    QByteArray master;        ///< of a replica: "host:port"
    QByteArray replicationId; ///< of the history that its data come from: a replica's is its master's
    int slots = -1;           ///< of a cluster's node: how many of the 16384 it has; -1 = not known
    QByteArray slotRanges;    ///< … and which: "0-5460 5462"; empty: none, or not known
    QByteArray persistence;   ///< what outlives its end: "rdb", "aof", "rdb+aof", "none"; empty: not known
    QByteArray evicts; ///< the policy by which it drops keys when its memory is full, or "noeviction"; empty: not
                       ///< known
    std::vector<ReplicaState> replicas; ///< of a master; empty: none, or not known
    std::int64_t behind = -1;        ///< of a replica: bytes of its master's changes that it has and does not show yet;
                                     ///< -1 = not known
    std::int64_t behindSeconds = -1; ///< of a MySQL's or MariaDB's replica: the age of what it shows; -1 = not known
    /// Entries of the log that etcd's leader has applied and this follower or learner has not, at least; -1 = not
    /// known.
    std::int64_t entriesBehind = -1;
    friend bool operator==(const ServerIdentity&, const ServerIdentity&) = default;
};

/// "master", "replica of 10.0.0.5:6379", "role not known", translated.
QString roleText(const ServerIdentity& server);
/// "master", "leader", …: as `watch --json` and traces say it; empty: not known.
const char* nameOf(ServerIdentity::Role role);

inline constexpr int kClusterSlots = 16384;

/// An event that concerns a whole server, seen between two looks.
enum class ServerEvent : std::uint8_t {
    Restarted,  ///< another process, younger than the last look
    FailedOver, ///< another server answers at the address, or this one has another role, or another master's data
    Emptied,    ///< its keys were thrown away
    Swapped,    ///< its database was exchanged for another one, with other keys
};
/// "server-restarted", "server-failed-over", "server-emptied", "database-swapped".
const char* nameOf(ServerEvent event);

/// The event that the identities of two looks show, which are `between` apart; nullopt: none, or one identity is
/// unknown.
std::optional<ServerEvent> changeOf(const ServerIdentity& before, const ServerIdentity& now, Nanos between);

} // namespace lockscope::inspect
