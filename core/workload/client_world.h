// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"

namespace lockscope::workload {

class Participant;

/// Supplies one client of a workload with clocks and connections. Everything that it gives out outlives the client.
class ClientWorld {
public:
    virtual ~ClientWorld() = default;
    /// Clocks and life of a new process; `process` counts the client's processes from 1.
    virtual std::unique_ptr<Runtime> makeRuntime(std::uint64_t process) = 0;
    /// Moves the wall clock of a runtime that makeRuntime() made to `offset` from true time.
    virtual void setWallOffset(Runtime& runtime, Nanos offset) = 0;
    /// From now on the clocks of a runtime that makeRuntime() made gain that many millionths; worlds of real time
    /// cannot do that, and refuse the fault before.
    virtual void setDrift(Runtime& runtime, std::int64_t ppm) = 0;
    /// A new process has an identity: Participant::uuid().
    virtual void identified(const Participant& client) = 0;
    /// The new process's connection to a service, by its number in the scenario, not opened; its identity is the
    /// client's. A world of running servers has one service.
    virtual std::unique_ptr<Connection> connect(Runtime& runtime, const Participant& client, std::size_t service) = 0;
    /// The URL of an engine or a witness of the scenario's lock manager: of a whole service by its id, or of one server
    /// alone; nullopt: this world has no such servers.
    virtual std::optional<ConnectionUrl> urlOf(const QString& server) const = 0;
    /// As connect(), to an engine or a witness by its URL.
    virtual std::unique_ptr<Connection> connectTo(Runtime& runtime, const Participant& client, ConnectionUrl url) = 0;
    virtual trace::EntityId lockEntity(const QByteArray& lockName) = 0;
    /// Writes to the resource that the lock guards; true = taken. Throws Cancelled.
    virtual QCoro::Task<bool> write(Runtime& runtime, QByteArray lockName, trace::EntityId thread,
                                    std::int64_t token) = 0;
};

} // namespace lockscope::workload
