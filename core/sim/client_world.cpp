// SPDX-License-Identifier: Apache-2.0
#include "sim/client_world.h"

#include "connections/factories.h"
#include "runtime/completion.h"
#include "runtime/virtual_runtime.h"
#include "sim/redis_dialler.h"
#include "sim/seeds.h"
#include "workload/participant.h"

namespace lockscope::sim {

std::unique_ptr<Runtime> SimulatedClientWorld::makeRuntime(std::uint64_t process) {
    return std::make_unique<VirtualRuntime>(m_grounds.scheduler, mixSeed(m_seed, process));
}

void SimulatedClientWorld::setWallOffset(Runtime& runtime, Nanos offset) {
    static_cast<VirtualRuntime&>(runtime).setWallOffset(offset);
}

std::unique_ptr<Connection> SimulatedClientWorld::connect(Runtime& runtime, const workload::Participant& client) {
    for (const Server* server : m_service.servers())
        m_grounds.network.between(client.entity(), server->entity());
    const auto url = parseConnectionUrl(m_service.url());
    Q_ASSERT(url);
    const RedisWire::User user{client.entity(), client.thread()};
    auto connection =
        makeRedisKindConnection(runtime, simulatedDiallers(m_grounds, m_service, user), *url, client.uuid());
    // An operator's DEL on a single simulated server tells nobody: a subscription for that would hear nothing.
    connection->setHoldersListen(m_service.shape() != RedisShape::Single);
    return connection;
}

QCoro::Task<bool> SimulatedClientWorld::write(Runtime& runtime, QByteArray lockName, trace::EntityId thread,
                                              std::int64_t token) {
    // The write is on its way, whatever becomes of its sender.
    const Completion<bool> answered;
    VirtualScheduler& scheduler = m_grounds.scheduler;
    const Nanos there = m_grounds.network.latency(), back = m_grounds.network.latency();
    scheduler.at(laterBy(scheduler.now(), there),
                 [&scheduler, &resource = m_resources.of(lockName), thread, token, back, answered] {
                     const bool taken = resource.write(thread, token);
                     scheduler.at(laterBy(scheduler.now(), back), [answered, taken] { answered.complete(taken); });
                 });
    const std::optional<bool> taken = co_await answered.wait(runtime);
    co_return taken.value_or(false);
}

} // namespace lockscope::sim
