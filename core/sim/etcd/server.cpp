// SPDX-License-Identifier: Apache-2.0
#include "sim/etcd/server.h"

#include "sim/peer_message.h"
#include "sim/seeds.h"

namespace lockscope::sim {

using Farewell = TcpConnection::Farewell;

EtcdServer::EtcdServer(Grounds grounds, const QByteArray& id, int number, int members, std::uint64_t seed,
                       const EtcdSettings& settings)
    : Server(grounds, id),
      m_number(number),
      m_settings(settings),
      m_random(seed),
      m_raft(number, members, mixSeed(seed, 1)) {
    m_raft.send = [this](int to, EtcdRaftMessage message) {
        auto sent = std::make_shared<const EtcdRaftMessage>(std::move(message));
        if (diskStalls())
            m_unsent.emplace_back(to, std::move(sent));
        else
            deliver(to, sent);
    };
    m_raft.write = [this](std::int64_t index) { write(m_raft.term(), index); };
    m_raft.onLeader = [this](bool isNew) { leaderChanged(isNew); };
    m_raft.onVote = [this](int candidate) {
        if (m_all.size() < 2) return; // alone it needs no vote
        this->grounds().recorder.emit(trace::EventKind::VoteCast, entity(), m_all[std::size_t(candidate - 1)]->entity(),
                                      m_raft.term());
    };
    m_raft.onRead = [this](std::uint64_t read, std::int64_t index) {
        const auto ready = [this, read, index] {
            const auto found = m_pending.find(read);
            if (found != m_pending.end()) found->second.ready = index;
        };
        // Raft's loop tells of reads, too.
        if (!m_loopStands) return ready();
        onDisk([this, ready] { step(ready); });
    };
    begin();
}

Nanos EtcdServer::draw(Nanos low, Nanos high) {
    return low + Nanos(std::int64_t(m_random() % (std::uint64_t((high - low).count()) + 1)));
}

void EtcdServer::begin() {
    after(draw(Nanos(0), m_settings.tick), [this] { tick(); });
    after(draw(Nanos(0), m_settings.leaseLook), [this] { endLeases(); });
}

void EtcdServer::tick() {
    after(m_settings.tick, [this] { tick(); });
    if (!m_loopStands) step([this] { m_raft.tick(); });
    askLeases();
}

void EtcdServer::post(int to, std::function<void(EtcdServer&)> work, const char* what) {
    EtcdServer& other = *m_all[std::size_t(to - 1)];
    Network::Link& link = grounds().network.between(entity(), other.entity());
    // Members' connections are closed with what lies in them when they break: nothing is sent again.
    const auto arrival = grounds().network.carry(link, link.wayFrom(entity()));
    if (what) tellMessage(grounds(), entity(), other.entity(), arrival, what);
    if (!arrival) return;
    grounds().scheduler.at(*arrival, [&other, work = std::move(work)]() mutable {
        other.arrive([&other, work = std::move(work)] { work(other); });
    });
}

void EtcdServer::step(const Work& work) {
    ++m_steps;
    work();
    if (diskStalls()) letOut();
    apply();
    answerReads();
}

void EtcdServer::apply() {
    bool any = false;
    while (m_applied < m_raft.committed()) {
        const EtcdEntry entry = m_raft.entry(++m_applied);
        any = true;
        if (!entry.request) {
            if (onApplied) onApplied(*this, entry);
            continue;
        }
        EtcdReply reply = m_store.apply(*entry.request);
        leasesAfter(entry, reply);
        if (onApplied) onApplied(*this, entry);
        tellWatches();
        if (entry.origin.member == m_number && entry.origin.run == m_run)
            finish(entry.origin.request, std::move(reply));
    }
    if (any) ++m_steps;
}

void EtcdServer::leaderChanged(bool isNew) {
    if (leads())
        beginLeases();
    else
        m_ends.clear();
    m_revoking.clear();
    m_afterEnd.clear();
    if (onRole) onRole(*this);
    if (!isNew) return;
    // Reads that the former leader was asked for will have no answer.
    std::vector<std::uint64_t> reads;
    for (auto& [id, pending] : m_pending) {
        const auto kind = pending.request->kind;
        // Questions about leases are put to the next leader again.
        if (kind == EtcdRequest::Kind::KeepAlive || kind == EtcdRequest::Kind::TimeToLive) pending.sent = false;
        const bool reading = kind == EtcdRequest::Kind::Range || kind == EtcdRequest::Kind::Txn;
        if (reading && !pending.request->writes() && !pending.ready) reads.push_back(id);
    }
    for (const std::uint64_t id : reads)
        finish(id, EtcdReply::leaderChanged());
    after(Nanos(0), [this] { proposeAgain(); }); // not in the middle of an election
}

bool EtcdServer::handOver() {
    const int to = leads() ? m_raft.nextBest() : 0;
    if (to == 0) return false;
    arrive([this, to] {
        if (leads()) m_raft.transferTo(to);
    });
    return true;
}

void EtcdServer::died(Death death) {
    while (!m_connections.empty())
        drop(m_connections.begin()->first, death == Death::Killed ? Farewell::Told : Farewell::Silent);
    m_pending.clear();
    m_ends.clear();
    m_revoking.clear();
    m_afterEnd.clear();
    m_servesLate = m_loopStands = false;
    m_unsent.clear();
    m_unsaved.reset();
    m_raft.restart();
    if (onRole) onRole(*this);
}

void EtcdServer::booted(Disk disk) {
    ++m_run;
    if (disk == Disk::Empty) {
        m_raft.forget();
        m_store = EtcdStore();
        m_applied = 0;
        m_toldUpTo = 1;
        if (onReplaced) onReplaced(*this);
    }
    m_savedTerm = m_raft.term();
    begin();
    if (onRole) onRole(*this);
}

void EtcdServer::command(const EtcdRequest& request) {
    arrive([this, request] { step([&] { m_raft.propose({0, std::make_shared<const EtcdRequest>(request), {}}); }); });
}

std::optional<Nanos> EtcdServer::endOf(std::int64_t lease) const {
    const auto end = m_ends.find(lease);
    return end == m_ends.end() ? std::nullopt : std::optional(end->second);
}

std::size_t EtcdServer::watches() const {
    std::size_t count = 0;
    for (const auto& [id, connection] : m_connections)
        count += connection.watches.size();
    return count;
}

// --- connections ---

bool EtcdServer::accept(const std::shared_ptr<EtcdSocket>& socket) {
    if (life() == Life::Dead) return false;
    socket->number = ++m_lastConnection;
    m_connections[m_lastConnection] = {socket};
    return true;
}

void EtcdServer::receive(const EtcdSocket& socket, std::uint64_t asked, Request request) {
    arrive([this, id = socket.number, asked, request = std::move(request)]() mutable {
        // After the members' messages that have come by then.
        const Nanos turn = draw(m_settings.quickestTurn, m_settings.slowestTurn);
        after(turn, [this, id, asked, request = std::move(request)] {
            if (m_connections.contains(id)) handle(id, asked, request);
        });
    });
}

void EtcdServer::leave(const EtcdSocket& socket) {
    arrive([this, id = socket.number] { drop(id); });
}

void EtcdServer::breakOff(const EtcdSocket& socket) {
    drop(socket.number);
}

void EtcdServer::hangUpOn(Party client) {
    std::vector<ConnectionId> ids;
    for (const auto& [id, connection] : m_connections)
        if (connection.socket->client() == client) ids.push_back(id);
    for (const ConnectionId id : ids)
        drop(id);
}

void EtcdServer::drop(ConnectionId id, Farewell farewell) {
    const auto gone = m_connections.extract(id);
    if (!gone.empty()) gone.mapped().socket->closeAtServer(farewell);
}

} // namespace lockscope::sim
