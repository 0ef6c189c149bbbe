// SPDX-License-Identifier: Apache-2.0
#include "recipes/zookeeper/zk_patience.h"

namespace lockscope::recipes {

namespace {
constexpr Nanos kAnswersWithin = 1s;
} // namespace

ZkPatience::ZkPatience(zookeeper::Port& port, Nanos giveUpAt, std::stop_token stop)
    : Alarm(port.runtime()), m_port(port), m_caller(std::move(stop)) {
    if (giveUpAt == kNever) return;
    m_source = std::stop_source();
    m_forward.emplace(m_caller, Forward{m_source});
    m_since = giveUpAt;
    set(laterBy(giveUpAt, kAnswersWithin));
}

void ZkPatience::ring() {
    const zookeeper::Session& session = m_port.session();
    const bool connecting = session.state == zookeeper::Session::State::None;
    const bool connected = std::exchange(m_connecting, connecting) && !connecting; // only now
    if (connecting || connected || session.answeredAt >= m_since) {
        m_since = m_port.runtime().monotonic();
        set(laterBy(m_since, kAnswersWithin));
        return;
    }
    m_over = true;
    m_source.request_stop();
}

} // namespace lockscope::recipes
