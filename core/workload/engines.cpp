// SPDX-License-Identifier: Apache-2.0
#include "workload/engines.h"

#include "workload/lock_plan.h"
#include "workload/participant.h"

#include <algorithm>

namespace lockscope::workload {

NamespaceConfig namespaceOf(const scenario::Scenario& scenario,
                            const std::function<ConnectionUrl(const QString& server)>& urlOf) {
    Q_ASSERT(scenario.manager);
    const scenario::ManagerSpec& spec = *scenario.manager;
    NamespaceConfig config;
    config.name = scenario.lock.name.section(u':', 0, 0).toUtf8();
    for (int i = 0; i < int(spec.engines.size()); ++i)
        config.engines.push_back({urlOf(spec.engines[i]), engineRecipe(scenario, i)});
    for (const QString& witness : spec.witnesses)
        config.witnesses.push_back(urlOf(witness));
    config.mode = spec.mode.value_or(config.mode);
    config.onFailure = spec.onFailure;
    config.drainFor = spec.drainFor;
    config.confirmFor = spec.confirmFor;
    const HoldOptions options = holdOptionsOf(scenario.lock);
    static_cast<LockOptions&>(config.options) = options;
    config.allowNaive = true; // to be seen failing
    return config;
}

Nanos switchTime(const scenario::Scenario& scenario) {
    if (!scenario.manager || scenario.manager->isNaive()) return Nanos(0);
    return namespaceOf(scenario, [](const QString&) { return ConnectionUrl(); }).switchTime();
}

Engines::Engines(ClientWorld& world, Runtime& runtime, const Participant& client, trace::Recorder& recorder,
                 const scenario::Scenario& settings, int number)
    : m_runtime(runtime), m_number(number) {
    const auto urlOf = [&world](const QString& server) { return world.urlOf(server).value_or(ConnectionUrl()); };
    const NamespaceConfig config = namespaceOf(settings, urlOf);
    m_space = config.name;
    for (const EngineConfig& engine : config.engines) {
        m_recipes.push_back(engine.recipe);
        m_ids.push_back(engine.id());
    }
    if (settings.manager->isNaive()) {
        for (const EngineConfig& engine : config.engines)
            m_connections.push_back(world.connectTo(runtime, client, engine.url));
        return;
    }
    const auto connect = [&world, &client](Runtime& of, ConnectionUrl url, const QByteArray&) {
        return world.connectTo(of, client, std::move(url));
    };
    auto made = LockManager::make(runtime, {{config}}, connect, client.uuid(), &recorder, client.entity());
    if (!made) qFatal("%s", qPrintable(made.error())); // scenarios with such a manager are refused
    m_manager = *std::move(made);
    runtime.spawn([manager = m_manager.get()] { return start(*manager); });
}

Engines::~Engines() = default;

QCoro::Task<> Engines::start(LockManager& manager) {
    co_await manager.start();
}

std::unique_ptr<AnyLock> Engines::lock(const QByteArray& name) {
    const QByteArray prefix = m_space + ':';
    return m_manager && name.startsWith(prefix) ? m_manager->lock(m_space, name.mid(prefix.size())) : nullptr;
}

QByteArray Engines::recipe() const {
    if (!m_manager) return m_recipes[std::size_t(m_number)];
    const auto used = std::ranges::find(m_ids, m_manager->status(m_space).engine);
    return used == m_ids.end() ? m_recipes.front() : m_recipes[std::size_t(used - m_ids.begin())];
}

void Engines::onInUse(std::function<void()> changed) {
    if (!m_manager) return;
    m_manager->listen([changed = std::move(changed)](const ManagerEvent& event) {
        if (event.kind == ManagerEvent::Kind::InUse) changed();
    });
}

QCoro::Task<> Engines::change(LockManager& manager, QByteArray space, int number) {
    // A refusal stands in the trace: the manager tells of it.
    (void)co_await manager.switchTo(std::move(space), number);
}

void Engines::switchTo(int number) {
    m_number = number;
    if (m_manager) m_runtime.spawn([this, number] { return change(*m_manager, m_space, number); });
}

} // namespace lockscope::workload
