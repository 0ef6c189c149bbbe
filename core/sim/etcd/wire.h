// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/client.h"
#include "sim/etcd/link.h"

namespace lockscope::sim {

/// A simulated client's way to a cluster, as the real driver is one: it keeps to one member, and moves on to the next
/// one when that fails or is silent. Requests sent before the client died still arrive. May be destroyed at any time:
/// calls in flight then end with Disconnected.
class EtcdWire final : public etcd::Client {
public:
    /// The server at an address; nullptr: there is none.
    using Lookup = std::function<EtcdServer*(const Endpoint&)>;
    /// Everything outlives it. `client`: its user in the trace.
    EtcdWire(Grounds grounds, Lookup lookup, Runtime& runtime, trace::EntityId client, const ConnectionUrl& url);
    ~EtcdWire() override;

    Runtime& runtime() override;
    etcd::Result<etcd::LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl,
                                              std::stop_token stop = {}) override;
    etcd::Result<etcd::LeaseState> keepAlive(std::int64_t id, std::stop_token stop = {}) override;
    etcd::Result<bool> revokeLease(std::int64_t id, std::stop_token stop = {}) override;
    etcd::Result<etcd::LeaseState> timeToLive(std::int64_t id, std::stop_token stop = {}) override;
    etcd::Result<etcd::RangeResult> range(etcd::Range range, std::stop_token stop = {}) override;
    etcd::Result<etcd::TransactionResult> run(etcd::Transaction transaction, std::stop_token stop = {}) override;
    etcd::Result<etcd::Removal> remove(QByteArray key, std::stop_token stop = {}) override;
    etcd::Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop = {}) override;
    etcd::Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease,
                                   std::stop_token stop = {}) override;
    etcd::Result<etcd::OwnedWatch> watch(QByteArray key, bool deletionsOnly, std::stop_token stop = {}) override;
    etcd::Result<etcd::OwnedWatch> watchRange(QByteArray key, QByteArray end, std::stop_token stop = {}) override;
    etcd::Result<std::int64_t> open(std::stop_token stop = {}) override;

    struct Answer {
        EtcdReply reply;
        bool repeated = false; ///< the request was sent before, without an answer
    };
    /// Any request, to one member after the other, until one answers or the time is over.
    etcd::Result<Answer> ask(EtcdRequest request, std::stop_token stop = {});
    /// Any watch, at one member after the other until one confirms it.
    etcd::Result<etcd::OwnedWatch> begin(EtcdRequest request, std::stop_token stop = {});

private:
    class Members;
    std::shared_ptr<Members> m_members;
};

} // namespace lockscope::sim
