// SPDX-License-Identifier: Apache-2.0
#include "sim/seeds.h"
#include "sim/zookeeper/server.h"

#include <algorithm>

namespace lockscope::sim {

namespace {
using Kind = ZkRequest::Kind;

constexpr std::uint64_t kPasswords = 0x5e5510u;
std::uint64_t passwordOf(ZkSessionId session) {
    return mixSeed(std::uint64_t(session), kPasswords);
}
} // namespace

// --- connections ---

bool ZkServer::accept(const std::shared_ptr<ZkSocket>& socket, const ZkGreeting& greeting) {
    if (life() == Life::Dead) return false;
    const ConnectionId id = socket->number = ++m_lastConnection;
    m_connections[id] = {socket, greeting, 0, 0, {}, {}};
    return arrive([this, id] {
        if (m_connections.contains(id)) open(id);
    });
}

void ZkServer::leave(const ZkSocket& socket) {
    arrive([this, id = socket.number] { drop(id); });
}

void ZkServer::breakOff(const ZkSocket& socket) {
    drop(socket.number);
}

void ZkServer::hangUpOn(Party client) {
    std::vector<ConnectionId> ids;
    for (const auto& [id, connection] : m_connections)
        if (connection.socket->client() == client) ids.push_back(id);
    for (const ConnectionId id : ids)
        drop(id);
}

void ZkServer::drop(ConnectionId id, ZkSocket::Farewell farewell) {
    const auto gone = m_connections.extract(id);
    if (gone.empty()) return;
    const auto own = m_bySession.find(gone.mapped().session);
    if (own != m_bySession.end() && own->second == id) m_bySession.erase(own);
    m_watches.forget(id);
    gone.mapped().socket->closeAtServer(farewell);
}

void ZkServer::dropAll(ZkSocket::Farewell farewell) {
    while (!m_connections.empty())
        drop(m_connections.begin()->first, farewell);
}

Nanos ZkServer::clamped(std::int64_t wantedMs) const {
    const Nanos longest =
        m_settings.longestSession > Nanos(0) ? m_settings.longestSession : m_settings.tick * m_settings.longest;
    return std::clamp<Nanos>(std::chrono::milliseconds(wantedMs), m_settings.tick * m_settings.shortest, longest);
}

void ZkServer::open(ConnectionId id) {
    Connection& connection = m_connections.at(id);
    const ZkGreeting& greeting = connection.greeting;
    // A client must not go back in time; it is not told why.
    if (!m_serves || greeting.seen > m_state.zxid) return drop(id);
    connection.timeoutMs = std::chrono::duration_cast<std::chrono::milliseconds>(clamped(greeting.timeoutMs)).count();
    ++m_steps;
    if (greeting.session == 0) {
        const ZkSessionId session =
            (ZkSessionId(m_number) << 56) | ZkSessionId(m_epoch << 32) | ZkSessionId(++m_lastSession);
        const ZkOrigin origin{m_number, id, m_reign};
        const std::int64_t timeoutMs = connection.timeoutMs;
        if (m_role == ZkRole::Leading) return processSession(origin, session, timeoutMs);
        m_leader->up.write([peer = m_leader, origin, session, timeoutMs] {
            if (peer->leader.followerOf(peer)) peer->leader.processSession(origin, session, timeoutMs);
        });
        return;
    }
    const ZkSessionId session = greeting.session;
    if (greeting.password != passwordOf(session)) return refuse(id);
    if (m_role == ZkRole::Leading) {
        if (revalidate(m_number, session, connection.timeoutMs))
            welcome(id, session);
        else
            refuse(id);
        return;
    }
    m_leader->up.write([peer = m_leader, session, id, timeoutMs = connection.timeoutMs] {
        if (!peer->leader.followerOf(peer)) return;
        const bool known = peer->leader.revalidate(peer->follower.m_number, session, timeoutMs);
        peer->down.write([peer, session, id, known] {
            ZkServer& server = peer->follower;
            server.heardLeader(peer, [&] {
                if (!server.m_connections.contains(id)) return;
                if (known)
                    server.welcome(id, session);
                else
                    server.refuse(id);
            });
        });
    });
}

void ZkServer::welcome(ConnectionId id, ZkSessionId session) {
    // The session's older connection to this server ends.
    if (const auto older = m_bySession.find(session); older != m_bySession.end()) drop(older->second);
    Connection& connection = m_connections.at(id);
    connection.session = session;
    m_bySession[session] = id;
    if (onWelcome) onWelcome(session, connection.socket->client());
    connection.socket->welcome({connection.timeoutMs, session, passwordOf(session)});
}

void ZkServer::refuse(ConnectionId id) {
    m_connections.at(id).socket->welcome({});
    drop(id);
}

// --- requests ---

void ZkServer::receive(const std::shared_ptr<ZkSocket>& socket, std::uint64_t asked, Request request) {
    arrive([this, id = socket->number, asked, request = std::move(request)] { handle(id, asked, request); });
}

void ZkServer::touch(ZkSessionId session, std::int64_t timeoutMs) {
    if (m_role == ZkRole::Leading)
        m_expiry.touch(session, timeoutMs, monotonic());
    else
        m_touched[session] = timeoutMs;
}

void ZkServer::handle(ConnectionId id, std::uint64_t asked, const Request& request) {
    const auto found = m_connections.find(id);
    if (found == m_connections.end() || found->second.session == 0) return;
    Connection& connection = found->second;
    ++m_steps;
    touch(connection.session, connection.timeoutMs);
    if (request->kind == Kind::Login) {
        if (request->scheme != "digest") {
            ZkReply reply;
            reply.code = ZkCode::kAuthFailed;
            connection.socket->answer(asked, *request, std::move(reply));
            return drop(id);
        }
        connection.logins.digests.push_back(request->path);
        return;
    }
    connection.pending.push_back({asked, request});
    if (connection.pending.back().waits())
        submit({m_number, id, m_reign}, connection.session, request, connection.logins);
    answerDue(id);
}

void ZkServer::submit(const ZkOrigin& origin, ZkSessionId session, const Request& request, const ZkLogins& logins) {
    if (m_role == ZkRole::Leading) return process(origin, session, *request, logins);
    const bool asks = request->kind == Kind::Sync; // as clients do again and again, to see whether their server lags
    m_leader->up.write(
        [peer = m_leader, origin, session, request, logins] {
            if (peer->leader.followerOf(peer)) peer->leader.process(origin, session, *request, logins);
        },
        Nanos(0), asks ? nullptr : "forward");
}

/// The oldest change or sync of that connection that has no answer yet: they are carried out in their order.
ZkServer::Pending* ZkServer::waiting(const ZkOrigin& origin) {
    if (origin.server != m_number || origin.incarnation != m_reign) return nullptr;
    const auto connection = m_connections.find(origin.connection);
    if (connection == m_connections.end()) return nullptr;
    for (Pending& pending : connection->second.pending)
        if (pending.waits() && !pending.done) return &pending;
    return nullptr;
}

void ZkServer::synced(const ZkOrigin& origin) {
    Pending* const pending = waiting(origin);
    if (!pending) return;
    pending->done = true;
    answerDue(origin.connection);
}

void ZkServer::answerTo(const ZkTxn& txn) {
    const ZkOrigin& origin = txn.origin;
    if (origin.server != m_number || origin.incarnation != m_reign) return;
    if (txn.kind == ZkTxn::Kind::NewSession) {
        if (m_connections.contains(origin.connection)) welcome(origin.connection, txn.session);
        return;
    }
    Pending* const pending = waiting(origin);
    if (!pending) return;
    if (txn.code == ZkCode::kSessionMoved) return drop(origin.connection); // the client is not told that
    const bool multi = pending->request->kind == Kind::Multi;
    pending->done = true;
    // The header of a multi that failed says that all is well.
    pending->reply.code = multi && !txn.results.empty() ? ZkCode::kOk : txn.code;
    pending->reply.results = txn.results;
    answerDue(origin.connection);
}

void ZkServer::answerDue(ConnectionId id) {
    for (;;) {
        const auto connection = m_connections.find(id);
        if (connection == m_connections.end() || connection->second.pending.empty()) return;
        Pending& first = connection->second.pending.front();
        if (first.waits() ? !first.done : looksWait()) return;
        Pending pending = std::move(first);
        connection->second.pending.pop_front();
        ZkReply reply = pending.waits() ? std::move(pending.reply) : look(id, *pending.request);
        reply.zxid = m_state.zxid;
        if (!m_connections.contains(id)) return;
        connection->second.socket->answer(pending.asked, *pending.request, std::move(reply));
    }
}

ZkReply ZkServer::look(ConnectionId id, const ZkRequest& request) {
    ZkReply reply;
    if (request.kind == Kind::Ping) return reply;
    if (request.kind == Kind::Rewatch) {
        rewatch(id, request.rewatch);
        return reply;
    }
    const ZkNode* const node = m_state.tree.find(request.path);
    const bool exists = request.kind == Kind::Exists;
    if (exists && request.watch) m_watches.addData(id, request.path);
    if (!node) {
        reply.code = ZkCode::kNoNode;
        return reply;
    }
    if (!exists && !m_connections.at(id).logins.allows(node->acl, ZkPermission::kRead)) {
        reply.code = ZkCode::kNoAuth;
        return reply;
    }
    reply.stat = ZkTree::statOf(*node);
    if (request.kind == Kind::Get) {
        reply.data = node->data;
        if (request.watch) m_watches.addData(id, request.path);
    } else if (request.kind == Kind::Children) {
        reply.names = QByteArrayList(node->children.begin(), node->children.end());
        if (request.watch) m_watches.addChildren(id, request.path);
    }
    return reply;
}

// --- watches ---

void ZkServer::tellWatchers(const ZkEvent& event, ZkTree::Concerns watches, const ZkAcl& acl) {
    for (const ConnectionId id : m_watches.take(event, watches)) {
        const auto connection = m_connections.find(id);
        if (connection == m_connections.end()) continue;
        if (connection->second.logins.allows(acl, ZkPermission::kRead)) connection->second.socket->tell(event);
    }
}

void ZkServer::rewatch(ConnectionId id, const ZkRewatch& rewatch) {
    ZkSocket& socket = *m_connections.at(id).socket;
    using Event = ZkEvent::Kind;
    for (const QByteArray& path : rewatch.data) {
        const ZkNode* const node = m_state.tree.find(path);
        if (!node)
            socket.tell({Event::Deleted, path});
        else if (node->mzxid > rewatch.seen)
            socket.tell({Event::Changed, path});
        else
            m_watches.addData(id, path);
    }
    for (const QByteArray& path : rewatch.existence) {
        if (m_state.tree.find(path))
            socket.tell({Event::Created, path});
        else
            m_watches.addData(id, path);
    }
    for (const QByteArray& path : rewatch.children) {
        const ZkNode* const node = m_state.tree.find(path);
        if (!node)
            socket.tell({Event::Deleted, path});
        else if (node->pzxid > rewatch.seen)
            socket.tell({Event::Children, path});
        else
            m_watches.addChildren(id, path);
    }
}

} // namespace lockscope::sim
