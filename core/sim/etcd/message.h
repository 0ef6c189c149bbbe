// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/port.h"

namespace lockscope::sim {

/// A request as an etcd gets it.
struct EtcdRequest {
    enum class Kind : std::uint8_t {
        Range,
        Put,
        DeleteRange,
        Txn,
        Grant,
        KeepAlive,
        Revoke,
        TimeToLive,
        Compact,
        Watch,
        CancelWatch
    };
    Kind kind = Kind::Range;
    etcd::Range range{};        ///< of Range; its key and end of Put, DeleteRange and Watch
    QByteArray value{};         ///< of Put
    std::int64_t lease = 0;     ///< of Put, and of the four kinds about leases
    std::int64_t seconds = 0;   ///< of Grant: the wanted time-to-live
    etcd::Transaction txn{};    ///< of Txn
    std::int64_t revision = 0;  ///< of Compact; of Watch the first one of interest, 0 = from now on
    std::uint64_t watch = 0;    ///< of Watch and CancelWatch: its number on the connection
    bool deletionsOnly = false; ///< of Watch
    bool serializable = false;  ///< of Range: the member answers by itself
    QByteArray sent{};          ///< its text(), from when a client has sent it: its answer has it in the trace, too

    /// Whether it takes an entry in the log.
    bool writes() const;
    /// The request in a trace: "put orders/1f".
    QByteArray text() const;
};

struct EtcdReply {
    int status = 200;          ///< HTTP's
    int code = 0;              ///< gRPC's
    QByteArray error{};        ///< the server's own text
    std::int64_t revision = 0; ///< the store's, afterwards
    etcd::RangeResult range{};
    etcd::TransactionResult txn{};
    etcd::LeaseState lease{};
    std::int64_t deleted = 0; ///< keys

    bool ok() const { return status == 200; }
    static EtcdReply refusal(int status, int code, const char* text) { return {status, code, text}; }
    static EtcdReply leaseNotFound() { return refusal(404, 5, "etcdserver: requested lease not found"); }
    static EtcdReply timedOut() { return refusal(503, 14, "etcdserver: request timed out"); }
    static EtcdReply ranOut() { return refusal(500, 2, "context deadline exceeded"); }
    static EtcdReply leaderChanged() { return refusal(503, 14, "etcdserver: leader changed"); }
    static EtcdReply noLeader() { return refusal(503, 14, "etcdserver: no leader"); }
};

/// A message of a watch: its confirmation, the changes of one revision, or its end.
struct EtcdNews {
    std::uint64_t watch = 0;
    bool created = false;
    std::int64_t revision = 0; ///< the store's
    std::vector<etcd::WatchEvent> events{};
    std::int64_t compacted = 0; ///< not 0: the watch is over, as what it asked for is no longer kept
    /// "orders/1f deleted"; empty: not worth a row.
    QByteArray text() const;
};

} // namespace lockscope::sim
