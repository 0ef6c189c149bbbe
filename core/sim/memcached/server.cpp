// SPDX-License-Identifier: Apache-2.0
#include "sim/memcached/server.h"

#include "sim/probe.h"

namespace lockscope::sim {

namespace {

using Farewell = TcpConnection::Farewell;
using Second = MemcachedStore::Second;

constexpr Nanos kSecond = 1s;
/// Between two commands of one packet, in which another connection's command may run.
constexpr Nanos kLeastBetween = 1us, kMostBetween = 20us;

} // namespace

MemcachedServer::MemcachedServer(Grounds grounds, const QByteArray& id, std::uint64_t seed,
                                 MemcachedStore::Settings settings)
    : Server(grounds, id), m_settings(settings), m_random(seed) {
    begin();
    grounds.recorder.emit(trace::EventKind::NodeStarted, entity());
}

Nanos MemcachedServer::draw(Nanos low, Nanos high) {
    return low + Nanos(std::int64_t(m_random() % (std::uint64_t((high - low).count()) + 1)));
}

void MemcachedServer::begin() {
    m_zero = now() - draw(Nanos(0), kSecond - Nanos(1));
    m_runBegan = clockUs() / 1'000'000;
    m_lateClock.reset();
    m_wakesAt = kNever;
    m_store = std::make_unique<MemcachedStore>(m_settings, m_runBegan - MemcachedStore::kFirstSecond);
    m_store->onChange = [this](const QByteArray& key, MemcachedStore::Cause cause) {
        if (onChange) onChange(*this, key, cause, cause == MemcachedStore::Cause::Command ? m_cause : trace::kNoEntity);
    };
}

Second MemcachedServer::secondAt(Nanos instant) const {
    return MemcachedStore::kFirstSecond + (instant - m_zero) / kSecond;
}

Nanos MemcachedServer::beginningOf(Second second) const {
    return m_zero + (second - MemcachedStore::kFirstSecond) * kSecond;
}

const MemcachedStore::Item* MemcachedServer::find(const QByteArray& key) const {
    return life() == Life::Dead ? nullptr : m_store->find(key);
}

// --- life ---

void MemcachedServer::resumed() {
    // A race of its threads: the clock's may tick before the requests that have come meanwhile are handled, or after.
    if (secondAt(now()) == m_pausedAt || m_random() % 2 == 0) return dropDue();
    m_lateClock = m_pausedAt;
    after(Nanos(0), [this] {
        m_lateClock.reset();
        dropDue();
    });
}

void MemcachedServer::died(Death death) {
    dropAll(death == Death::Killed ? Farewell::Told : Farewell::Silent);
    if (m_store->size() > 0) reached(Probe::MemcachedForgot);
    if (onLost) onLost(*this);
}

void MemcachedServer::booted(Disk) {
    begin(); // it has no disk
}

void MemcachedServer::dropDue() {
    m_store->dropDue(clock());
    const std::optional<Second> due = m_store->nextDue();
    if (!due) return;
    const Nanos at = std::max(beginningOf(*due), now());
    if (m_wakesAt <= at && m_wakesAt > now()) return;
    m_wakesAt = at;
    after(at - now(), [this, at] {
        if (m_wakesAt == at) m_wakesAt = kNever;
        if (!m_lateClock) dropDue(); // else when it ticks
    });
}

// --- connections ---

bool MemcachedServer::accept(const std::shared_ptr<MemcachedSocket>& socket) {
    if (life() == Life::Dead) return false;
    socket->number = ++m_lastConnection;
    m_connections[m_lastConnection] = {socket};
    return arrive([this, id = socket->number] {
        const auto connection = m_connections.find(id);
        if (connection != m_connections.end()) connection->second.socket->welcome();
    });
}

void MemcachedServer::leave(const MemcachedSocket& socket) {
    arrive([this, id = socket.number] { drop(id); });
}

void MemcachedServer::breakOff(const MemcachedSocket& socket) {
    drop(socket.number);
}

void MemcachedServer::hangUpOn(Party client) {
    std::vector<std::uint64_t> ids;
    for (const auto& [id, connection] : m_connections)
        if (connection.socket->client() == client) ids.push_back(id);
    for (const std::uint64_t id : ids)
        drop(id);
}

void MemcachedServer::drop(std::uint64_t id, Farewell farewell) {
    const auto gone = m_connections.extract(id);
    if (!gone.empty()) gone.mapped().socket->closeAtServer(farewell);
}

void MemcachedServer::dropAll(Farewell farewell) {
    while (!m_connections.empty())
        drop(m_connections.begin()->first, farewell);
}

// --- commands ---

void MemcachedServer::receive(const MemcachedSocket& socket, const std::vector<MemcachedCommand>& commands) {
    arrive([this, id = socket.number, commands] {
        const auto connection = m_connections.find(id);
        if (connection == m_connections.end()) return;
        connection->second.packets.push_back({commands});
        if (connection->second.packets.size() == 1) work(id);
    });
}

void MemcachedServer::work(std::uint64_t id) {
    const auto connection = m_connections.find(id);
    if (connection == m_connections.end()) return;
    Packet& packet = connection->second.packets.front();
    const std::shared_ptr<MemcachedSocket> socket = connection->second.socket;
    packet.replies.push_back(run(packet.commands[packet.replies.size()], socket->client()));
    bool more = packet.replies.size() < packet.commands.size();
    if (!more) {
        const Packet done = std::move(packet);
        connection->second.packets.pop_front();
        more = !connection->second.packets.empty();
        socket->answer(done.commands, done.replies); // may break the connection
    }
    if (more) after(draw(kLeastBetween, kMostBetween), [this, id] { work(id); });
}

MemcachedReply MemcachedServer::run(const MemcachedCommand& command, trace::EntityId client) {
    ++m_steps;
    m_cause = client;
    MemcachedReply reply = m_store->run(command, clock());
    m_cause = trace::kNoEntity;
    if (reply.item) reply.item->mark.runBegan = m_runBegan;
    if (command.changes()) dropDue(); // the next end may be another one now
    return reply;
}

void MemcachedServer::command(const MemcachedCommand& command) {
    arrive([this, command] { run(command, trace::kNoEntity); });
}

void MemcachedServer::evict(const QByteArray& key) {
    arrive([this, key] { m_store->evict(key); });
}

} // namespace lockscope::sim
