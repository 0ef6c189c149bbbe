// SPDX-License-Identifier: Apache-2.0
#include "sim/client_world.h"

#include "runtime/completion.h"
#include "runtime/virtual_runtime.h"
#include "sim/seeds.h"
#include "workload/participant.h"

namespace lockscope::sim {

std::unique_ptr<Runtime> SimulatedClientWorld::makeRuntime(std::uint64_t process) {
    return std::make_unique<VirtualRuntime>(m_grounds.scheduler, mixSeed(m_seed, process));
}

void SimulatedClientWorld::setWallOffset(Runtime& runtime, Nanos offset) {
    static_cast<VirtualRuntime&>(runtime).setWallOffset(offset);
}

void SimulatedClientWorld::setDrift(Runtime& runtime, std::int64_t ppm) {
    static_cast<VirtualRuntime&>(runtime).setDriftPpm(ppm);
}

std::unique_ptr<Connection> SimulatedClientWorld::connect(Runtime& runtime, const workload::Participant& client,
                                                          std::size_t service) {
    const Service& wanted = m_services.at(service);
    for (const Server* server : wanted.servers())
        m_grounds.network.between(client.entity(), server->entity());
    const auto url = parseConnectionUrl(wanted.url());
    Q_ASSERT(url);
    return connectOver(runtime, client, *url, wanted);
}

std::optional<ConnectionUrl> SimulatedClientWorld::urlOf(const QString& server) const {
    const auto url = parseConnectionUrl(m_services.urlOf(server));
    return url ? std::optional(*url) : std::nullopt;
}

std::unique_ptr<Connection> SimulatedClientWorld::connectTo(Runtime& runtime, const workload::Participant& client,
                                                            ConnectionUrl url) {
    Q_ASSERT(!url.endpoints.empty());
    const Service* const service = m_services.having(url.endpoints.front().host);
    Q_ASSERT(service);
    return connectOver(runtime, client, std::move(url), *service);
}

std::unique_ptr<Connection> SimulatedClientWorld::connectOver(Runtime& runtime, const workload::Participant& client,
                                                              ConnectionUrl url, const Service& service) {
    const Diallers diallers = service.diallers({client.entity(), client.thread()});
    auto connection = makeConnectionOver(runtime, diallers, std::move(url), client.uuid());
    connection->setHoldersListen(service.tellsHolders());
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
