// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/engine.h"

#include "sim/redis/server.h"

namespace lockscope::sim {

RedisEngine::RedisEngine(Clock clock, std::uint64_t seed)
    : m_server(std::make_unique<redisd::Server>(*this, std::move(clock), seed)) {
}

RedisEngine::~RedisEngine() = default;

RedisEngine::SessionId RedisEngine::connect() {
    return m_server->connect();
}

void RedisEngine::disconnect(SessionId session) {
    m_server->disconnect(session);
}

redis::Reply RedisEngine::execute(SessionId session, const redis::Args& args) {
    return m_server->execute(session, args);
}

std::optional<std::int64_t> RedisEngine::nextExpiryUs() const {
    return m_server->nextExpiryUs();
}

void RedisEngine::expireDue() {
    m_server->expireDue();
}

std::uint64_t RedisEngine::steps() const {
    return m_server->steps();
}

void RedisEngine::clear() {
    m_server->clear();
}

} // namespace lockscope::sim
