// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/services.h"
#include "workload/client_world.h"
#include "workload/resources.h"

namespace lockscope::sim {

/// Supplies one client of the simulated world with virtual time, and connections to the simulated servers.
class SimulatedClientWorld final : public workload::ClientWorld {
public:
    using Identified = std::function<void(const workload::Participant&)>;
    /// Everything outlives it. `seed` is the client's own.
    SimulatedClientWorld(Grounds grounds, Services& services, workload::Resources& resources, std::uint64_t seed,
                         Identified identified)
        : m_grounds(grounds),
          m_services(services),
          m_resources(resources),
          m_seed(seed),
          m_identified(std::move(identified)) {}

    std::unique_ptr<Runtime> makeRuntime(std::uint64_t process) override;
    void setWallOffset(Runtime& runtime, Nanos offset) override;
    void setDrift(Runtime& runtime, std::int64_t ppm) override;
    void identified(const workload::Participant& client) override { m_identified(client); }
    std::unique_ptr<Connection> connect(Runtime& runtime, const workload::Participant& client,
                                        std::size_t service) override;
    std::optional<ConnectionUrl> urlOf(const QString& server) const override;
    std::unique_ptr<Connection> connectTo(Runtime& runtime, const workload::Participant& client,
                                          ConnectionUrl url) override;
    trace::EntityId lockEntity(const QByteArray& lockName) override { return m_services.lockEntity(lockName); }
    QCoro::Task<bool> write(Runtime& runtime, QByteArray lockName, trace::EntityId thread, std::int64_t token) override;

private:
    std::unique_ptr<Connection> connectOver(Runtime& runtime, const workload::Participant& client, ConnectionUrl url,
                                            const Service& service);
    Grounds m_grounds;
    Services& m_services;
    workload::Resources& m_resources;
    std::uint64_t m_seed;
    Identified m_identified;
};

} // namespace lockscope::sim
