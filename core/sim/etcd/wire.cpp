// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/wire.h"

#include "ports/etcd/errors.h"
#include "sim/etcd/members.h"

namespace lockscope::sim {

using etcd::Result;
using Kind = EtcdRequest::Kind;

namespace {
EtcdRequest leaseRequest(Kind kind, std::int64_t id, std::chrono::seconds ttl = {}) {
    EtcdRequest request;
    request.kind = kind;
    request.lease = id;
    request.seconds = ttl.count();
    return request;
}

EtcdRequest keysRequest(Kind kind, QByteArray key, QByteArray end = {}) {
    EtcdRequest request;
    request.kind = kind;
    request.range.key = std::move(key);
    request.range.end = std::move(end);
    return request;
}
} // namespace

EtcdWire::EtcdWire(Grounds grounds, Lookup lookup, Runtime& runtime, trace::EntityId client, const ConnectionUrl& url)
    : m_members(std::make_shared<Members>(grounds, std::move(lookup), runtime, client, url)) {
}

EtcdWire::~EtcdWire() {
    m_members->shutDown();
}

Runtime& EtcdWire::runtime() {
    return m_members->runtime;
}

Result<EtcdWire::Answer> EtcdWire::ask(EtcdRequest request, std::stop_token stop) {
    return Members::ask(m_members, std::move(request), std::move(stop));
}

Result<etcd::OwnedWatch> EtcdWire::begin(EtcdRequest request, std::stop_token stop) {
    request.kind = Kind::Watch;
    return Members::watch(m_members, std::move(request), std::move(stop));
}

Result<etcd::LeaseState> EtcdWire::grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop) {
    const std::shared_ptr<Members> members = m_members; // this object may go
    EtcdRequest grant = leaseRequest(Kind::Grant, id, ttl);
    const auto granted = co_await Members::ask(members, std::move(grant), stop);
    if (granted) {
        etcd::LeaseState state = granted->reply.lease;
        state.granted = state.ttl;
        co_return state;
    }
    if (granted.error().kind != etcd::Error::Kind::LeaseExists) co_return std::unexpected(granted.error());
    // The number is the caller's own and random: an earlier try has made it.
    EtcdRequest look = leaseRequest(Kind::TimeToLive, id);
    const auto there = co_await Members::ask(members, std::move(look), stop);
    if (!there) co_return std::unexpected(there.error());
    co_return there->reply.lease;
}

Result<etcd::LeaseState> EtcdWire::keepAlive(std::int64_t id, std::stop_token stop) {
    EtcdRequest request = leaseRequest(Kind::KeepAlive, id);
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    etcd::LeaseState state = answer->reply.lease;
    state.granted = Nanos(0); // which the server does not tell here
    co_return state;
}

Result<bool> EtcdWire::revokeLease(std::int64_t id, std::stop_token stop) {
    EtcdRequest request = leaseRequest(Kind::Revoke, id);
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (answer) co_return true;
    if (answer.error().kind == etcd::Error::Kind::LeaseNotFound) co_return false;
    co_return std::unexpected(answer.error());
}

Result<etcd::LeaseState> EtcdWire::timeToLive(std::int64_t id, std::stop_token stop) {
    EtcdRequest request = leaseRequest(Kind::TimeToLive, id);
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->reply.lease;
}

Result<etcd::RangeResult> EtcdWire::range(etcd::Range range, std::stop_token stop) {
    EtcdRequest request;
    request.range = std::move(range);
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->reply.range;
}

Result<etcd::TransactionResult> EtcdWire::run(etcd::Transaction transaction, std::stop_token stop) {
    EtcdRequest request;
    request.kind = Kind::Txn;
    request.txn = std::move(transaction);
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    etcd::TransactionResult result = answer->reply.txn;
    result.repeated = answer->repeated;
    co_return result;
}

Result<etcd::Removal> EtcdWire::remove(QByteArray key, std::stop_token stop) {
    EtcdRequest request = keysRequest(Kind::DeleteRange, std::move(key));
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    const etcd::Removal removal{answer->reply.deleted > 0, answer->repeated};
    co_return removal;
}

Result<std::int64_t> EtcdWire::deleteRange(QByteArray key, QByteArray end, std::stop_token stop) {
    EtcdRequest request = keysRequest(Kind::DeleteRange, std::move(key), std::move(end));
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->reply.deleted;
}

Result<std::int64_t> EtcdWire::put(QByteArray key, QByteArray value, std::int64_t lease, std::stop_token stop) {
    EtcdRequest request = keysRequest(Kind::Put, std::move(key));
    request.value = std::move(value);
    request.lease = lease;
    const auto answer = co_await ask(std::move(request), std::move(stop));
    if (!answer) co_return std::unexpected(answer.error());
    co_return answer->reply.revision;
}

Result<etcd::OwnedWatch> EtcdWire::watch(QByteArray key, bool deletionsOnly, std::stop_token stop) {
    EtcdRequest request = keysRequest(Kind::Watch, std::move(key));
    request.deletionsOnly = deletionsOnly;
    return begin(std::move(request), std::move(stop));
}

Result<etcd::OwnedWatch> EtcdWire::watchRange(QByteArray key, QByteArray end, std::stop_token stop) {
    return begin(keysRequest(Kind::Watch, std::move(key), std::move(end)), std::move(stop));
}

Result<std::int64_t> EtcdWire::open(std::stop_token stop) {
    const std::shared_ptr<Members> members = m_members; // this object may go
    EtcdRequest nothing = keysRequest(Kind::Range, QByteArray(1, '\0'));
    nothing.range.limit = 1;
    const auto read = co_await Members::ask(members, std::move(nothing), std::move(stop));
    if (read) co_return read->reply.revision;
    co_return std::unexpected(etcd::errors::notReached(read.error(), members->where()));
}

} // namespace lockscope::sim
