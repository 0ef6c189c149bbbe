// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ports/etcd/client.h"

namespace lockscope::etcd {

class Members;

/// A client of a real etcd, over the JSON gateway (/v3/) of its client port: a handful of calls does not justify gRPC.
///
/// Keeps connections to one member and moves on to the next one when that fails or is silent; watches on a member that
/// was given up end in a Gap. Connects at the first call. With a user in the URL it logs in, and again when the server
/// no longer knows its token.
///
/// Lives on its runtime's thread, which needs a Qt event loop. May be destroyed at any time: calls in flight then end
/// with Disconnected. The runtime must outlive it.
class EtcdDriver final : public Client {
public:
    /// The URL's time-outs override those of `options`.
    EtcdDriver(Runtime& runtime, const ConnectionUrl& url, DriverOptions options = {});
    ~EtcdDriver() override;

    Runtime& runtime() override;
    Result<LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop = {}) override;
    Result<LeaseState> keepAlive(std::int64_t id, std::stop_token stop = {}) override;
    Result<bool> revokeLease(std::int64_t id, std::stop_token stop = {}) override;
    Result<LeaseState> timeToLive(std::int64_t id, std::stop_token stop = {}) override;
    Result<RangeResult> range(Range range, std::stop_token stop = {}) override;
    Result<std::vector<RangeResult>> ranges(std::vector<Range> ranges, std::stop_token stop = {}) override;
    Result<TransactionResult> run(Transaction transaction, std::stop_token stop = {}) override;
    Result<Removal> remove(QByteArray key, std::stop_token stop = {}) override;
    Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop = {}) override;
    Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease, std::stop_token stop = {}) override;
    Result<OwnedWatch> watch(QByteArray key, bool deletionsOnly, std::stop_token stop = {}) override;
    Result<OwnedWatch> watchRange(QByteArray key, QByteArray end, std::stop_token stop = {}) override;
    Result<MemberList> members(std::stop_token stop = {}) override;

    Result<std::int64_t> open(std::stop_token stop = {}) override;
    /// The number of requests sent, logins and watches included: the load on the server.
    std::uint64_t requestsSent() const;
    /// "host:port" of the member in use.
    QString where() const;

private:
    std::shared_ptr<Members> m_members;
};

} // namespace lockscope::etcd
