// SPDX-License-Identifier: Apache-2.0
#include "workload/participant.h"

#include "lock/distributed_multi_lock.h"
#include "workload/run_program.h"

#include <algorithm>

namespace lockscope::workload {

using trace::EntityKind;
using trace::EventKind;

namespace {

/// Several locks as one are taken by this recipe's steps, whichever their own recipes are.
const QByteArray kSeveral = "redis-multi";

} // namespace

Participant::Participant(std::unique_ptr<ClientWorld> world, trace::Recorder& recorder,
                         const scenario::Scenario& settings, int number)
    : m_world(std::move(world)),
      m_recorder(recorder),
      m_settings(settings),
      m_number(number),
      m_name(scenario::clientName(number).toUtf8()),
      m_entity(recorder.trace().intern(EntityKind::Client, m_name)),
      m_thread(recorder.trace().intern(EntityKind::Thread, "1", m_entity)),
      m_locks([this](const QByteArrayList& names) { return makeLock(names); }, [this] { return m_recorder.now(); }) {
    start();
}

Participant::~Participant() {
    if (m_runtime) m_runtime->kill();
    m_locks.endRound();
    m_engines.reset();
    m_connections.clear();
}

void Participant::start() {
    m_runtime = m_world->makeRuntime(++m_process);
    m_world->setWallOffset(*m_runtime, m_clockOffset);
    m_watchdogStopped = m_workHangs = false; // they were the process's before
    m_drift = 0;
    m_uuid = m_runtime->randomUuid();
    m_world->identified(*this);
    const scenario::Program program = programOf(m_settings, m_number);
    connectTo(program);
    m_recorder.emit(EventKind::ClientStarted, m_entity);
    if (m_settings.manager && m_world->urlOf(m_settings.manager->engines.front())) followEngines();
    // It takes part from here on, even if it dies before its first request: at no step of the locks that it is for.
    for (const QByteArray& lock : locksOf(program, m_settings))
        m_recorder.emit(EventKind::Step, m_thread, m_world->lockEntity(lock));
    m_runtime->spawn([this, program] {
        const auto connectionOf = [this](const QByteArray& lock) -> Connection& { return connectionFor(lock); };
        return runProgram({*m_runtime, connectionOf, m_settings, program, m_locks, *m_world, m_thread, m_workHangs});
    });
}

void Participant::connectTo(const scenario::Program& program) {
    std::set<std::size_t> services;
    for (const QByteArray& lock : locksOf(program, m_settings))
        services.insert(m_settings.serviceOf(QString::fromUtf8(lock)));
    if (services.empty()) services.insert(0);
    for (const std::size_t service : services)
        m_connections[service] = m_world->connect(*m_runtime, *this, service);
}

Connection& Participant::connectionFor(const QByteArray& lock) {
    return *m_connections.at(m_settings.serviceOf(QString::fromUtf8(lock)));
}

std::unique_ptr<AnyLock> Participant::makeLock(const QByteArrayList& names) {
    const LockPlan plan = lockPlan(m_settings, names.front());
    std::vector<trace::EntityId> entities;
    for (const QByteArray& name : names) {
        entities.push_back(m_world->lockEntity(name));
        tellRecipe(entities.back(), names.size() > 1 ? kSeveral : m_engines ? m_engines->recipe() : plan.recipe);
    }
    if (m_engines)
        if (auto managed = m_engines->lock(names.front())) return managed;
    auto recipe = makeRecipe(names);
    if (!recipe) {
        const QByteArray why = lockErrorId(recipe.error().kind);
        for (const trace::EntityId entity : entities)
            m_recorder.emit(EventKind::AcquireFailed, m_thread, entity, 0, m_recorder.trace().text(why));
        return nullptr;
    }
    if ((*recipe)->info().permits) tellCapacity(entities.front(), plan.settings.permits);
    auto lock = std::make_unique<DistributedLock>(LockClient{*m_runtime, m_uuid, &m_recorder, m_entity},
                                                  *std::move(recipe), holdOptionsOf(plan.settings), entities.front());
    lock->recordAlsoAs({entities.begin() + 1, entities.end()});
    if (m_watchdogStopped) lock->stopWatchdog();
    return lock;
}

std::expected<std::unique_ptr<recipes::Recipe>, LockError> Participant::makeRecipe(const QByteArrayList& names) {
    const LockPlan plan = lockPlan(m_settings, names.front());
    Connection& first = m_engines ? m_engines->inUse() : connectionFor(names.front());
    const QByteArray recipe = m_engines ? m_engines->recipe() : plan.recipe;
    if (names.size() == 1) return first.makeRecipe(recipe, {names.front(), plan.settings.permits});
    std::vector<LockPart> parts;
    bool itsOwn = true;
    for (const QByteArray& name : names) {
        Connection& connection = m_engines ? first : connectionFor(name);
        parts.push_back({connection, name, lockPlan(m_settings, name).recipe});
        itsOwn = itsOwn && parts.back().recipe == kSeveral && &connection == &first;
    }
    if (itsOwn) return first.makeRecipe(kSeveral, {names.join(',')});
    return makeMultiRecipe(parts, holdOptionsOf(plan.settings));
}

void Participant::followEngines() {
    m_engines = std::make_unique<Engines>(*m_world, *m_runtime, *this, m_recorder, m_settings, m_engine);
    m_engines->onInUse([this] {
        for (const auto& [lock, told] : m_recipeTold)
            if (told != kSeveral) tellRecipe(lock, m_engines->recipe());
    });
}

void Participant::tellRecipe(trace::EntityId lock, const QByteArray& recipe) {
    QByteArray& told = m_recipeTold[lock];
    if (told == recipe) return;
    told = recipe;
    m_recorder.emit(EventKind::AsksBy, m_thread, lock, 0, m_recorder.trace().text(recipe));
}

void Participant::tellCapacity(trace::EntityId lock, int permits) {
    if (std::exchange(m_capacityTold[lock], permits) == permits) return;
    m_recorder.emit(EventKind::LockCapacity, trace::kNoEntity, lock, permits);
}

bool Participant::holds(const QByteArray& lock) const {
    return std::ranges::any_of(m_locks.all(), [&](const auto& use) { return use->concerns(lock) && use->isHeld(); });
}

bool Participant::waits(const QByteArray& lock) const {
    const auto asks = [&](const auto& use) { return use->concerns(lock) && use->asking; };
    return std::ranges::any_of(m_locks.all(), asks) && !holds(lock);
}

Nanos Participant::since(const QByteArray& lock) const {
    Nanos latest{};
    for (const auto& use : m_locks.all())
        if (use->concerns(lock)) latest = std::max(latest, use->since);
    return latest;
}

void Participant::kill() {
    if (!m_runtime->alive()) return;
    m_runtime->kill();
    m_locks.endRound(); // the program's coroutine has ended
    m_engines.reset();
    m_connections.clear();
}

void Participant::restart() {
    kill();
    start();
}

void Participant::setClockOffset(Nanos offset) {
    m_clockOffset = offset;
    m_world->setWallOffset(*m_runtime, offset);
}

void Participant::setDrift(std::int64_t ppm) {
    m_drift = ppm;
    m_world->setDrift(*m_runtime, ppm);
}

void Participant::stopWatchdog(bool stop) {
    m_watchdogStopped = stop;
    if (!stop) return;
    for (const auto& use : m_locks.all())
        use->lock->stopWatchdog();
}

bool Participant::switchEngine(int number) {
    m_engine = number;
    if (!m_engines || life() != Runtime::Life::Running) return false;
    m_engines->switchTo(number);
    return true;
}

void Participant::heal() {
    resume();
    if (life() == Runtime::Life::Dead) restart();
    m_watchdogStopped = m_workHangs = false; // the present holds are not renewed any more
    setClockOffset(Nanos(0));
    setDrift(0);
}

} // namespace lockscope::workload
