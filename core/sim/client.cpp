// SPDX-License-Identifier: Apache-2.0
#include "sim/client.h"

#include "connections/factories.h"
#include "recipes/redis/redis_recipe.h"
#include "runtime/completion.h"
#include "sim/redis_dialler.h"
#include "sim/seeds.h"

namespace lockscope::sim {

using trace::EntityKind;
using trace::EventKind;

Client::Client(World world, const QByteArray& name, std::uint64_t seed)
    : m_world(world),
      m_name(name),
      m_seed(seed),
      m_entity(world.grounds.recorder.trace().intern(EntityKind::Client, name)),
      m_thread(world.grounds.recorder.trace().intern(EntityKind::Thread, "1", m_entity)) {
    for (const Server* server : world.service.servers())
        world.grounds.network.between(m_entity, server->entity());
    start();
}

Client::~Client() {
    if (m_runtime) m_runtime->kill();
    m_wire.reset();
    m_connection.reset();
}

void Client::start() {
    m_runtime = std::make_unique<VirtualRuntime>(m_world.grounds.scheduler, mixSeed(m_seed, ++m_incarnation));
    m_runtime->setWallOffset(m_clockOffset);
    m_watchdogStopped = m_workHangs = false; // they were the process's before
    m_uuid = m_runtime->randomUuid();
    m_doubts = std::make_shared<recipes::Doubts>();
    if (onIdentity) onIdentity(*this);
    const RedisWire::User user{m_entity, m_thread};
    if (m_world.service.shape() == RedisShape::Single) {
        m_wire = std::make_unique<RedisWire>(m_world.grounds, m_world.service.redis(0), *m_runtime, user);
    } else {
        const auto url = parseConnectionUrl(m_world.service.url());
        Q_ASSERT(url);
        m_connection = makeRedisKindConnection(*m_runtime, simulatedDiallers(m_world.grounds, m_world.service, user),
                                               *url, m_uuid);
    }
    m_world.grounds.recorder.emit(EventKind::ClientStarted, m_entity);
    // It takes part from here on, even if it dies before its first request: at no step of the lock that it is for.
    m_world.grounds.recorder.emit(EventKind::Step, m_thread,
                                  m_world.service.lockEntity(m_world.settings.lock.name.toUtf8()));
    m_runtime->spawn([this] {
        return runClientProgram({*m_runtime, m_world.settings, *this, m_thread, [this] { return makeLock(); },
                                 [this](DistributedLock* lock, Doing doing) {
                                     m_lock = lock;
                                     m_doing = doing;
                                     if (doing != Doing::Working) m_since = m_world.grounds.scheduler.now();
                                 },
                                 [this] { return m_workHangs; }});
    });
}

std::unique_ptr<DistributedLock> Client::makeLock() {
    const scenario::LockSettings& settings = m_world.settings.lock;
    const QByteArray name = settings.name.toUtf8();
    const QByteArray id = m_world.settings.recipe.toUtf8();
    const trace::EntityId entity = m_world.service.lockEntity(name);
    m_recipeTold.tell(m_world.grounds.recorder, m_thread, entity, id);
    auto recipe = m_wire ? recipes::makeRedisRecipe(id, {*m_wire, name, m_uuid, {}, m_doubts}) : recipeOver(id, name);
    HoldOptions options;
    options.lease = settings.lease;
    options.watchdog = settings.watchdog;
    options.honourDeadline = settings.honourDeadline;
    options.token = settings.token;
    auto lock = std::make_unique<DistributedLock>(LockClient{*m_runtime, m_uuid, &m_world.grounds.recorder, m_entity},
                                                  std::move(recipe), options, entity);
    if (m_watchdogStopped) lock->stopWatchdog();
    lock->listen([this](DistributedLock::Event event, const QByteArray&, const QString&) {
        if (event == DistributedLock::Event::Acquired) m_since = m_world.grounds.scheduler.now();
    });
    return lock;
}

std::unique_ptr<recipes::Recipe> Client::recipeOver(const QByteArray& id, const QByteArray& name) {
    auto recipe = m_connection->makeRecipe(id, {name});
    if (!recipe) qFatal("%s", qPrintable(recipe.error().message)); // scenarios with other recipes are refused
    return std::move(*recipe);
}

QCoro::Task<bool> Client::write(trace::EntityId thread, std::int64_t token) {
    // The write is on its way, whatever becomes of its sender.
    const Completion<bool> answered;
    VirtualScheduler& scheduler = m_world.grounds.scheduler;
    const Nanos there = m_world.grounds.network.latency(), back = m_world.grounds.network.latency();
    scheduler.at(laterBy(scheduler.now(), there),
                 [&scheduler, &resource = m_world.resource, thread, token, back, answered] {
                     const bool taken = resource.write(thread, token);
                     scheduler.at(laterBy(scheduler.now(), back), [answered, taken] { answered.complete(taken); });
                 });
    const std::optional<bool> taken = co_await answered.wait(*m_runtime);
    co_return taken.value_or(false);
}

void Client::pause() {
    m_runtime->pause();
}

void Client::resume() {
    m_runtime->resume();
}

void Client::kill() {
    m_lock = nullptr; // the program's coroutine is about to end, and its lock with it
    m_doing = Doing::Nothing;
    m_runtime->kill();
    m_wire.reset();
    m_connection.reset();
}

void Client::restart() {
    if (m_runtime->alive()) kill();
    start();
}

void Client::setClockOffset(Nanos offset) {
    m_clockOffset = offset;
    m_runtime->setWallOffset(offset);
}

void Client::stopWatchdog(bool stop) {
    m_watchdogStopped = stop;
    if (stop && m_lock) m_lock->stopWatchdog();
}

} // namespace lockscope::sim
