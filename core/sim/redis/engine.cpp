// SPDX-License-Identifier: Apache-2.0
#include "sim/redis/engine.h"

namespace lockscope::sim {

class RedisEngine::Core {};

RedisEngine::RedisEngine(Clock, std::uint64_t) : m_core(std::make_unique<Core>()) {
}
RedisEngine::~RedisEngine() = default;
RedisEngine::SessionId RedisEngine::connect() {
    return 1;
}
void RedisEngine::disconnect(SessionId) {
}
redis::Reply RedisEngine::execute(SessionId, const redis::Args&) {
    return redis::Reply::error("ERR not there yet");
}
std::optional<std::int64_t> RedisEngine::nextExpiryUs() const {
    return std::nullopt;
}
void RedisEngine::expireDue() {
}
void RedisEngine::clear() {
}

} // namespace lockscope::sim
