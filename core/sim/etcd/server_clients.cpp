// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/server.h"

namespace lockscope::sim {

using Kind = EtcdRequest::Kind;

// --- requests ---

void EtcdServer::handle(ConnectionId id, std::uint64_t asked, const Request& asks) {
    ++m_steps;
    const EtcdRequest& request = *asks;
    if (request.kind == Kind::Watch) return watch(id, request);
    if (request.kind == Kind::CancelWatch) {
        m_connections.at(id).watches.erase(request.watch);
        return;
    }
    Pending pending{id, asked, asks, m_connections.at(id).socket->client()};
    if (const auto complaint = EtcdStore::complaint(request)) return answer(pending, *complaint);
    if (request.kind == Kind::Range && request.serializable) return answer(pending, m_store.read(request));
    if (request.kind == Kind::Grant && onGrant) onGrant(request.lease, m_connections.at(id).socket->client());
    const std::uint64_t mine = ++m_lastPending;
    m_pending.emplace(mine, std::move(pending));
    after(m_settings.patience(), [this, mine] { giveUp(mine); });
    if (request.kind == Kind::KeepAlive || request.kind == Kind::TimeToLive) return askLeases();
    if (!request.writes()) return step([this, mine] { m_raft.readIndex(mine); });
    proposeAgain();
}

void EtcdServer::proposeAgain() {
    if (m_raft.leader() == 0) return; // they wait until there is one
    std::vector<std::uint64_t> waiting;
    for (const auto& [id, pending] : m_pending)
        if (pending.request->writes() && !pending.sent) waiting.push_back(id);
    for (const std::uint64_t id : waiting) {
        const auto found = m_pending.find(id);
        if (found == m_pending.end()) continue;
        const Request request = found->second.request;
        // A request that was sent to a leader is lost with it: nobody sends it again.
        found->second.sent = true;
        const trace::EntityId client = found->second.client; // its connection may be gone by now
        step([&] { m_raft.propose({0, request, {m_number, m_run, id, client}}); });
    }
}

void EtcdServer::answerReads() {
    std::vector<std::uint64_t> ready;
    for (const auto& [id, pending] : m_pending)
        if (pending.ready && *pending.ready <= m_applied) ready.push_back(id);
    for (const std::uint64_t id : ready)
        finish(id, m_store.read(*m_pending.at(id).request));
}

void EtcdServer::giveUp(std::uint64_t id) {
    const auto found = m_pending.find(id);
    if (found == m_pending.end()) return;
    const Pending& pending = found->second;
    const Kind kind = pending.request->kind;
    const bool aboutLease = kind == Kind::KeepAlive || kind == Kind::TimeToLive;
    if (aboutLease) return finish(id, m_raft.leader() == 0 ? EtcdReply::noLeader() : EtcdReply::timedOut());
    finish(id, pending.request->writes() && !pending.sent ? EtcdReply::ranOut() : EtcdReply::timedOut());
}

void EtcdServer::finish(std::uint64_t id, EtcdReply reply) {
    const auto done = m_pending.extract(id);
    if (!done.empty()) answer(done.mapped(), std::move(reply));
}

void EtcdServer::answer(const Pending& pending, EtcdReply reply) {
    const auto connection = m_connections.find(pending.connection);
    if (connection == m_connections.end()) return;
    const std::shared_ptr<EtcdSocket> socket = connection->second.socket; // the answer may break it
    socket->answer(pending.asked, *pending.request, std::move(reply));
}

// --- watches ---

void EtcdServer::watch(ConnectionId id, const EtcdRequest& request) {
    Connection& connection = m_connections.at(id);
    Watching watching{request.range.key, request.range.end, request.deletionsOnly};
    watching.behind = request.revision != 0 && request.revision <= m_store.revision();
    watching.next = request.revision == 0 ? m_store.revision() + 1 : request.revision;
    connection.watches[request.watch] = watching;
    connection.socket->tell({.watch = request.watch, .created = true, .revision = m_store.revision()});
    if (!watching.behind || std::exchange(m_servesLate, true)) return;
    after(draw(Nanos(0), m_settings.watchLook), [this] { serveLate(); });
}

EtcdNews EtcdServer::newsOf(const Watching& watching, const std::vector<EtcdStore::Change>& changes) {
    EtcdNews news;
    for (const EtcdStore::Change& change : changes) {
        const bool wanted = change.deleted || !watching.deletionsOnly;
        if (!wanted || change.revision < watching.next) continue;
        if (!EtcdStore::isIn(change.key.key, watching.key, watching.end)) continue;
        etcd::WatchEvent event;
        event.kind = change.deleted ? etcd::WatchEvent::Kind::Deleted : etcd::WatchEvent::Kind::Put;
        event.key = change.key;
        news.events.push_back(std::move(event));
    }
    return news;
}

void EtcdServer::tellWatches() {
    const std::int64_t now = m_store.revision();
    if (now == m_toldUpTo) return;
    const std::vector<EtcdStore::Change> changes = m_store.changesFrom(m_toldUpTo + 1);
    m_toldUpTo = now;
    std::vector<std::pair<std::shared_ptr<EtcdSocket>, EtcdNews>> all;
    for (auto& [id, connection] : m_connections) {
        for (auto& [number, watching] : connection.watches) {
            if (watching.behind) continue;
            EtcdNews news = newsOf(watching, changes);
            news.watch = number;
            news.revision = now;
            if (!news.events.empty()) all.emplace_back(connection.socket, std::move(news));
        }
    }
    for (auto& [socket, news] : all)
        socket->tell(std::move(news));
}

void EtcdServer::serveLate() {
    m_servesLate = false;
    for (auto& [id, connection] : m_connections) {
        std::vector<std::uint64_t> over;
        for (auto& [number, watching] : connection.watches) {
            if (!std::exchange(watching.behind, false)) continue;
            if (watching.next < m_store.compacted()) {
                over.push_back(number);
                connection.socket->tell({.watch = number, .compacted = m_store.compacted()});
                continue;
            }
            EtcdNews news = newsOf(watching, m_store.changesFrom(watching.next));
            news.watch = number;
            news.revision = m_store.revision();
            if (!news.events.empty()) connection.socket->tell(news);
        }
        for (const std::uint64_t number : over)
            connection.watches.erase(number);
    }
}

} // namespace lockscope::sim
