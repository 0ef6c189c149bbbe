// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "drivers/redis/driver.h"
#include "live/traced_port.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/event_loop_runtime.h"
#include "sim/client_program.h"

namespace lockscope::live {

/// A workload client on a real Redis: the same program, locks and recipes as in simulation, over the real driver. A
/// process of its own as far as the server can tell; it can be paused and killed like one.
class LiveClient final : private sim::ResourcePort {
public:
    struct World {
        std::chrono::steady_clock::time_point origin;
        trace::Recorder& recorder;
        trace::EntityId node;
        const ConnectionUrl& url;
        sim::GuardedResource& resource;
        const scenario::Scenario& settings;
        std::function<trace::EntityId(const QByteArray& lockName)> lockEntity;
        std::function<void(const LiveClient&)> identified; ///< a new process has a new identity
    };
    /// Starts at once.
    LiveClient(World world, const QByteArray& name);
    ~LiveClient() override;

    const QByteArray& name() const { return m_name; }
    trace::EntityId entity() const { return m_entity; }
    trace::EntityId thread() const { return m_thread; }
    const QByteArray& uuid() const { return m_uuid; }
    Runtime::Life life() const { return m_runtime ? m_runtime->life() : Runtime::Life::Dead; }
    bool holds() const { return m_lock && m_lock->holdCount() > 0; }
    std::uint64_t commandsSent() const;

    void pause();
    void resume();
    /// As SIGKILL does: nothing is given back, the connections break.
    void kill();
    void restart();
    void stopWatchdog();
    /// Makes everything that was done to it good.
    void heal();

private:
    void start();
    std::unique_ptr<DistributedLock> makeLock();
    QCoro::Task<bool> write(trace::EntityId thread, std::int64_t token) override;

    World m_world;
    QByteArray m_name;
    trace::EntityId m_entity, m_thread;
    QByteArray m_uuid;
    bool m_watchdogStopped = false;
    std::uint64_t m_commandsBefore = 0;
    std::shared_ptr<recipes::Doubts> m_doubts; ///< of the process that runs now
    DistributedLock* m_lock = nullptr;         ///< owned by the program's coroutine
    std::unique_ptr<EventLoopRuntime> m_runtime;
    std::unique_ptr<redis::RedisDriver> m_driver;
    std::unique_ptr<TracedPort> m_port; ///< the driver, with its messages in the trace
};

} // namespace lockscope::live
