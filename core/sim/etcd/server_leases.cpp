// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/server.h"
#include "sim/probe.h"

namespace lockscope::sim {

using Kind = EtcdRequest::Kind;

namespace {
/// After which a revocation that did not happen is asked for again.
constexpr Nanos kRevokeAgain = 3s;
} // namespace

/// A new leader knows of no keep-alives: every lease has its whole time, and an election's besides.
void EtcdServer::beginLeases() {
    ++m_timesLed;
    m_ends.clear();
    for (const auto& [id, lease] : m_store.leases())
        m_ends[id] = now() + std::chrono::seconds(lease.seconds) + m_settings.election();
    if (!m_ends.empty()) reached(Probe::EtcdLeasesAnew);
    if (onKept) onKept(*this, 0);
}

void EtcdServer::leasesAfter(const EtcdEntry& entry, const EtcdReply& reply) {
    const EtcdRequest& request = *entry.request;
    if (!reply.ok() || !leads()) return;
    if (request.kind == Kind::Grant) {
        m_ends[request.lease] = now() + std::chrono::seconds(m_store.leases().at(request.lease).seconds);
        return;
    }
    if (request.kind != Kind::Revoke) return;
    m_ends.erase(request.lease);
    m_revoking.erase(request.lease);
    const auto [first, last] = m_afterEnd.equal_range(request.lease);
    const std::vector<std::pair<std::int64_t, LeaseQuestion>> waiting(first, last);
    m_afterEnd.erase(first, last);
    for (const auto& [lease, question] : waiting)
        leaseAnswered(question.from, question.id, lease, false);
}

void EtcdServer::endLeases() {
    after(m_settings.leaseLook, [this] { endLeases(); });
    if (!leads()) return;
    std::vector<std::int64_t> over;
    for (const auto& [id, end] : m_ends) {
        if (end > now()) continue;
        const auto asked = m_revoking.find(id);
        if (asked == m_revoking.end() || now() - asked->second >= kRevokeAgain) over.push_back(id);
    }
    for (const std::int64_t id : over) {
        reached(Probe::EtcdLeaseEnded);
        m_revoking[id] = now();
        EtcdRequest revoke;
        revoke.kind = Kind::Revoke;
        revoke.lease = id;
        step([&] { m_raft.propose({0, std::make_shared<const EtcdRequest>(revoke), {}}); });
    }
}

/// Asks the leader, once it is known, about the leases that clients have asked for.
void EtcdServer::askLeases() {
    const int leader = m_raft.leader();
    if (leader == 0) return;
    std::vector<std::pair<std::uint64_t, Request>> questions;
    for (auto& [id, pending] : m_pending) {
        const Kind kind = pending.request->kind;
        if (kind != Kind::KeepAlive && kind != Kind::TimeToLive) continue;
        // Over HTTP, which the member tries again: one that is dead refuses, and the next leader is asked.
        const EtcdServer& asked = *m_all[std::size_t(leader - 1)];
        if (!std::exchange(pending.sent, asked.life() != Life::Dead)) questions.emplace_back(id, pending.request);
    }
    for (const auto& [id, request] : questions) {
        if (leader == m_number) {
            leaseAsked(m_number, id, request->kind, request->lease);
            continue;
        }
        post(leader, [from = m_number, id, kind = request->kind, lease = request->lease](EtcdServer& other) {
            other.leaseAsked(from, id, kind, lease);
        });
    }
}

void EtcdServer::leaseAsked(int from, std::uint64_t id, Kind kind, std::int64_t lease) {
    if (!leads()) return; // it is asked in vain
    const auto end = m_ends.find(lease);
    const bool over = end != m_ends.end() && end->second <= now();
    if (kind == Kind::KeepAlive && over) {
        m_afterEnd.emplace(lease, LeaseQuestion{from, id}); // answered when it is revoked
        return;
    }
    leaseAnswered(from, id, lease, kind == Kind::KeepAlive);
}

/// `restart`: the lease has its whole time again.
void EtcdServer::leaseAnswered(int to, std::uint64_t id, std::int64_t lease, bool restart) {
    EtcdReply reply;
    reply.revision = m_store.revision();
    reply.lease.id = lease;
    const auto known = m_store.leases().find(lease);
    const auto end = m_ends.find(lease);
    if (known != m_store.leases().end() && end != m_ends.end()) {
        const Nanos whole = std::chrono::seconds(known->second.seconds);
        if (restart) {
            end->second = now() + whole;
            if (onKept) onKept(*this, lease);
        }
        const Nanos left = std::max(end->second - now(), Nanos(0));
        reply.lease.ttl = restart ? whole : Nanos(std::chrono::floor<std::chrono::seconds>(left));
        reply.lease.granted = whole;
        if (!restart) reply.lease.keys.assign(known->second.keys.begin(), known->second.keys.end());
    }
    if (to == m_number) return finish(id, reply);
    post(to, [id, reply](EtcdServer& other) { other.finish(id, reply); });
}

} // namespace lockscope::sim
