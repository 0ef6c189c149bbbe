// SPDX-License-Identifier: Apache-2.0
#include "live/client_world.h"

#include "connections/factories.h"
#include "live/traced_client.h"
#include "runtime/event_loop_runtime.h"
#include "workload/participant.h"

#include <algorithm>
#include <numeric>

namespace lockscope::live {

void CommandCount::closes(const redis::Client& driver) {
    const auto found = std::ranges::find_if(m_open, [&](const redis::RedisDriver* one) { return one == &driver; });
    if (found == m_open.end()) return;
    m_before += (*found)->commandsSent();
    m_open.erase(found);
}

std::uint64_t CommandCount::sum() const {
    return std::accumulate(m_open.begin(), m_open.end(), m_before,
                           [](std::uint64_t all, const redis::RedisDriver* one) { return all + one->commandsSent(); });
}

std::unique_ptr<Runtime> LiveClientWorld::makeRuntime(std::uint64_t) {
    return std::make_unique<EventLoopRuntime>(m_session.origin);
}

void LiveClientWorld::setWallOffset(Runtime& runtime, Nanos offset) {
    static_cast<EventLoopRuntime&>(runtime).setWallOffset(offset);
}

std::unique_ptr<Connection> LiveClientWorld::connect(Runtime& runtime, const workload::Participant& client,
                                                     std::size_t) {
    m_session.recorder.trace().intern(trace::EntityKind::Link, {}, client.entity(), m_session.node);
    Diallers diallers;
    diallers.redis = [this, entity = client.entity(), name = "lockscope-" + client.name()](
                         Runtime& of, const ConnectionUrl& url, redis::DriverOptions options) {
        options.clientName = name;
        auto driver = std::make_unique<redis::RedisDriver>(of, url, options);
        m_session.commands.opened(*driver);
        return std::make_unique<TracedClient>(std::move(driver), m_session.recorder, entity, m_session.node,
                                              [this](const redis::Client& real) { m_session.commands.closes(real); });
    };
    return makeRedisKindConnection(runtime, diallers, m_session.url, client.uuid());
}

QCoro::Task<bool> LiveClientWorld::write(Runtime&, QByteArray lockName, trace::EntityId thread, std::int64_t token) {
    co_return m_session.resources.of(lockName).write(thread, token);
}

} // namespace lockscope::live
