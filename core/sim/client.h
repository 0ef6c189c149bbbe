// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "connections/connection.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/virtual_runtime.h"
#include "sim/client_program.h"
#include "sim/redis_service.h"
#include "sim/redis_wire.h"

namespace lockscope::sim {

/// A simulated client process: its program, its connections, its clocks. Restarting makes a new process with a new
/// identity under the same name.
class Client final : private ResourcePort {
public:
    struct World {
        Grounds grounds;
        RedisService& service;
        GuardedResource& resource;
        const scenario::Scenario& settings;
    };
    /// Starts at once.
    Client(World world, const QByteArray& name, std::uint64_t seed);
    ~Client() override;

    const QByteArray& name() const { return m_name; }
    trace::EntityId entity() const { return m_entity; }
    trace::EntityId thread() const { return m_thread; }
    /// The identity of the process that runs now, as servers see it.
    const QByteArray& uuid() const { return m_uuid; }
    Runtime::Life life() const { return m_runtime ? m_runtime->life() : Runtime::Life::Dead; }
    bool holds() const { return m_lock && m_lock->holdCount() > 0; }
    /// When the lock was granted or asked for last, whichever is the case now.
    Nanos since() const { return m_since; }
    /// It has asked for the lock and has no answer yet. One that lost its lock and works on does not wait.
    bool waits() const { return m_doing == Doing::Asking && !holds(); }

    void pause();
    void resume();
    void kill();
    void restart();
    void setClockOffset(Nanos offset);
    /// Renewals stop; undone by `false`, from the next hold on, and by a restart.
    void stopWatchdog(bool stop);
    /// The work stands still, and notices nothing, while renewals go on; undone by `false`, and by a restart.
    void hangWork(bool hang) { m_workHangs = hang; }

    /// Called with the client when a new process has started: its identity is new.
    std::function<void(Client&)> onIdentity;

private:
    void start();
    std::unique_ptr<DistributedLock> makeLock();
    std::unique_ptr<recipes::Recipe> recipeOver(const QByteArray& id, const QByteArray& name);
    QCoro::Task<bool> write(trace::EntityId thread, std::int64_t token) override;

    World m_world;
    QByteArray m_name;
    std::uint64_t m_seed;
    std::uint64_t m_incarnation = 0;
    trace::EntityId m_entity, m_thread;
    QByteArray m_uuid;
    RecipeTold m_recipeTold;
    Nanos m_clockOffset{};
    bool m_watchdogStopped = false;
    bool m_workHangs = false;
    Nanos m_since{};
    std::shared_ptr<recipes::Doubts> m_doubts; ///< of the process that runs now
    DistributedLock* m_lock = nullptr;         ///< owned by the program's coroutine
    Doing m_doing = Doing::Nothing;
    std::unique_ptr<VirtualRuntime> m_runtime;
    std::unique_ptr<RedisWire> m_wire;        ///< to the one server of a service of that shape
    std::unique_ptr<Connection> m_connection; ///< to a service of several
};

} // namespace lockscope::sim
