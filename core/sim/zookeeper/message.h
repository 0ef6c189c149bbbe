// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/zookeeper/options.h"
#include "ports/zookeeper/port.h"

namespace lockscope::sim {

/// ZooKeeper's own result numbers.
struct ZkCode {
    static constexpr int kOk = 0, kRuntimeInconsistency = -2, kConnectionLoss = -4, kUnimplemented = -6,
                         kBadArguments = -8, kNoNode = -101, kNoAuth = -102, kBadVersion = -103,
                         kEphemeralParent = -108, kNodeExists = -110, kNotEmpty = -111, kSessionExpired = -112,
                         kInvalidAcl = -114, kAuthFailed = -115, kSessionMoved = -118;
};

using ZkSessionId = std::int64_t;   ///< 0 = none
using ZkTransaction = std::int64_t; ///< zxid: the epoch above 32 bits of a counter

/// The kinds of access that a login may have to a node.
struct ZkPermission {
    static constexpr int kRead = 1, kWrite = 2, kCreate = 4, kDelete = 8, kAll = 31;
};
/// A line of a node's access list. Scheme "world" (everybody), "digest" (a login), or "auth" (the login of the client
/// that sends it).
struct ZkAclLine {
    int permissions = ZkPermission::kAll;
    QByteArray scheme = QByteArrayLiteral("world"), id = QByteArrayLiteral("anyone");
    friend bool operator==(const ZkAclLine&, const ZkAclLine&) = default;
};
using ZkAcl = std::vector<ZkAclLine>;

/// A step that changes something, or checks a version.
struct ZkOp {
    zookeeper::Op::Kind kind = zookeeper::Op::Kind::Check;
    QByteArray path, data{};
    zookeeper::NodeMode mode = zookeeper::NodeMode::Persistent;
    std::int64_t ttlMs = 0;
    int version = -1; ///< -1 = any
    ZkAcl acl{ZkAclLine{}};
};

/// Watches that a client sets again after a reconnection.
struct ZkRewatch {
    ZkTransaction seen = 0; ///< the last one that the client knows of
    std::vector<QByteArray> data, existence, children;
};

struct ZkRequest {
    enum class Kind : std::uint8_t {
        Create,
        Remove,
        Set,
        Multi,
        Get,
        Exists,
        Children,
        Sync,
        Ping,
        Login,
        Rewatch,
        EndSession
    };
    Kind kind = Kind::Ping;
    QByteArray path{};       ///< of looks and Sync; "user:password" of Login
    bool watch = false;      ///< of looks
    std::vector<ZkOp> ops{}; ///< one of Create, Remove and Set
    ZkRewatch rewatch{};
    QByteArray scheme = QByteArrayLiteral("digest"); ///< of Login
    bool quiet = false;                              ///< a heartbeat: not worth a row in a trace

    /// Whether the leader makes a transaction of it, also when it fails.
    bool changes() const { return kind <= Kind::Multi || kind == Kind::EndSession; }
    /// The request in a trace: "create -e -s /orders/lock-"; empty: not worth a row.
    QByteArray text() const;
};

struct ZkOpResult {
    int code = ZkCode::kOk;
    QByteArray path{}; ///< of a created node
    zookeeper::NodeStat stat{};
};

struct ZkReply {
    int code = ZkCode::kOk;
    ZkTransaction zxid = 0; ///< the newest one that the server knows of
    QByteArray data{};
    zookeeper::NodeStat stat{};
    QByteArrayList names{};
    std::vector<ZkOpResult> results{};
};

struct ZkEvent {
    enum class Kind : std::uint8_t { Created = 1, Deleted = 2, Changed = 3, Children = 4 };
    Kind kind = Kind::Changed;
    QByteArray path;
    QByteArray text() const;
};

/// A client's first message over a connection.
struct ZkGreeting {
    ZkTransaction seen = 0;
    std::int64_t timeoutMs = 0;
    ZkSessionId session = 0;
    std::uint64_t password = 0;
};
/// The server's answer; session 0: the session is over.
struct ZkWelcome {
    std::int64_t timeoutMs = 0;
    ZkSessionId session = 0;
    std::uint64_t password = 0;
};

} // namespace lockscope::sim
