// SPDX-License-Identifier: Apache-2.0
#include "sim/resp_server.h"

namespace lockscope::sim {

RespServer::RespServer(Grounds grounds, const QByteArray& id, std::uint64_t seed)
    : Server(grounds, id), m_engine([this] { return clockUs(); }, seed) {
    m_engine.onPush = [this](const RedisEngine::Push& push) {
        const auto session = m_sessions.find(push.to);
        if (session != m_sessions.end() && session->second.push) session->second.push(push);
    };
}

RespServer::SessionId RespServer::connect(ClientEnd end) {
    if (life() == Life::Dead) return 0;
    const SessionId id = m_engine.connect();
    m_sessions[id] = std::move(end);
    return id;
}

void RespServer::disconnect(SessionId session) {
    // A paused process reads what came before first.
    arrive([this, session] {
        if (m_sessions.erase(session) == 0) return;
        left(session);
        m_engine.disconnect(session);
    });
}

bool RespServer::deliver(SessionId session, redis::Args args, Answer answer) {
    if (life() == Life::Dead || !m_sessions.contains(session)) return false;
    if (acts()) { // the usual case, without a detour
        serve(session, args, std::move(answer));
        return true;
    }
    return arrive([this, session, args = std::move(args), answer = std::move(answer)] {
        if (m_sessions.contains(session)) serve(session, args, answer);
    });
}

void RespServer::died(Death death) {
    m_crashed = death == Death::Crashed;
    const auto sessions = std::exchange(m_sessions, {});
    for (const auto& [id, end] : sessions) {
        left(id);
        m_engine.disconnect(id);
    }
    // A machine without power tells nobody.
    for (const auto& [id, end] : sessions)
        if (end.broken && death == Death::Killed) end.broken();
}

void RespServer::cutClients() {
    std::vector<SessionId> clients;
    for (const auto& [id, end] : m_sessions)
        if (!end.byServer) clients.push_back(id);
    for (const SessionId id : clients)
        cut(id);
}

void RespServer::hangUpOn(Party client) {
    const trace::Trace& trace = grounds().recorder.trace();
    std::vector<SessionId> sessions;
    for (const auto& [id, end] : m_sessions)
        if (!end.byServer && end.thread != trace::kNoEntity && trace.clientOf(end.thread) == client)
            sessions.push_back(id);
    for (const SessionId id : sessions)
        cut(id);
}

void RespServer::cut(SessionId session) {
    auto found = m_sessions.extract(session);
    if (found.empty()) return;
    left(session);
    m_engine.disconnect(session);
    if (found.mapped().broken) found.mapped().broken();
}

const RespServer::ClientEnd* RespServer::clientOf(SessionId session) const {
    const auto found = m_sessions.find(session);
    return found == m_sessions.end() ? nullptr : &found->second;
}

} // namespace lockscope::sim
