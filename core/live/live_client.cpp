// SPDX-License-Identifier: Apache-2.0
#include "live/live_client.h"

#include "recipes/redis/redis_recipe.h"

namespace lockscope::live {

using trace::EntityKind;
using trace::EventKind;

LiveClient::LiveClient(World world, const QByteArray& name)
    : m_world(std::move(world)),
      m_name(name),
      m_entity(m_world.recorder.trace().intern(EntityKind::Client, name)),
      m_thread(m_world.recorder.trace().intern(EntityKind::Thread, "1", m_entity)) {
    m_world.recorder.trace().intern(EntityKind::Link, {}, m_entity, m_world.node);
    start();
}

LiveClient::~LiveClient() {
    m_lock = nullptr;
    if (m_runtime) m_runtime->kill();
    m_port.reset();
    m_driver.reset();
}

void LiveClient::start() {
    m_runtime = std::make_unique<EventLoopRuntime>(m_world.origin);
    m_uuid = m_runtime->randomUuid();
    m_doubts = std::make_shared<recipes::Doubts>();
    m_watchdogStopped = false;
    m_world.identified(*this);
    redis::DriverOptions options;
    options.clientName = "lockscope-" + m_name;
    m_driver = std::make_unique<redis::RedisDriver>(*m_runtime, m_world.url, options);
    m_port = std::make_unique<TracedPort>(*m_driver, m_world.recorder, m_entity, m_world.node);
    m_world.recorder.emit(EventKind::ClientStarted, m_entity);
    m_runtime->spawn([this] {
        return sim::runClientProgram({*m_runtime, m_world.settings, *this, m_thread, [this] { return makeLock(); },
                                      [this](DistributedLock* lock, sim::Doing) { m_lock = lock; }});
    });
}

std::unique_ptr<DistributedLock> LiveClient::makeLock() {
    const scenario::LockSettings& settings = m_world.settings.lock;
    const QByteArray name = settings.name.toUtf8();
    LockOptions options;
    options.lease = settings.lease;
    options.watchdog = settings.watchdog;
    options.honourDeadline = settings.honourDeadline;
    options.token = settings.token;
    auto lock = std::make_unique<DistributedLock>(
        LockClient{*m_runtime, m_uuid, &m_world.recorder, m_entity},
        recipes::makeRedisRecipe(m_world.settings.recipe.toUtf8(), {*m_port, name, m_uuid, {}, m_doubts}), options,
        m_world.lockEntity(name));
    if (m_watchdogStopped) lock->stopWatchdog();
    return lock;
}

QCoro::Task<bool> LiveClient::write(trace::EntityId thread, std::int64_t token) {
    co_return m_world.resource.write(thread, token);
}

std::uint64_t LiveClient::commandsSent() const {
    return m_commandsBefore + (m_driver ? m_driver->commandsSent() : 0);
}

void LiveClient::pause() {
    if (life() != Runtime::Life::Running) return;
    m_runtime->pause();
}

void LiveClient::resume() {
    m_runtime->resume();
}

void LiveClient::kill() {
    if (life() == Runtime::Life::Dead) return;
    m_lock = nullptr;
    m_commandsBefore += m_driver->commandsSent();
    m_runtime->kill();
    m_port.reset();
    m_driver.reset();
}

void LiveClient::restart() {
    kill();
    start();
}

void LiveClient::heal() {
    resume();
    if (life() == Runtime::Life::Dead) restart();
    m_watchdogStopped = false; // from the next lock on; the present one is not renewed any more
}

void LiveClient::stopWatchdog() {
    m_watchdogStopped = true;
    if (m_lock) m_lock->stopWatchdog();
}

} // namespace lockscope::live
