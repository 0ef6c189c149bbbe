// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/engine.h"

#include "sim/probe.h"
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

void RedisEngine::dropData() {
    m_server->dropData();
}

void RedisEngine::apply(const std::vector<Effect>& effects) {
    m_server->apply(effects);
}

void RedisEngine::setRole(Role role) {
    m_server->setRole(role);
}

RedisEngine::Role RedisEngine::role() const {
    return m_server->role();
}

RedisEngine::Data RedisEngine::snapshot() const {
    return m_server->snapshot();
}

void RedisEngine::load(const Data& data) {
    m_server->load(data);
}

void RedisEngine::setFull(bool full) {
    m_server->setFull(full);
}

bool RedisEngine::evict(int db, const QByteArray& key) {
    const bool there = m_server->evict(db, key);
    if (there) reached(Probe::RedisEvicted);
    return there;
}

std::optional<QByteArray> RedisEngine::victim(int db, Evict policy) const {
    return m_server->victim(db, policy);
}

bool RedisEngine::inTransaction(SessionId session) const {
    return m_server->inTransaction(session);
}

bool RedisEngine::isSubscribed(SessionId session) const {
    return m_server->isSubscribed(session);
}

} // namespace lockscope::sim
