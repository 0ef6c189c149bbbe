// SPDX-License-Identifier: Apache-2.0
#include "sim/services.h"

#include "sim/kinds.h"
#include "sim/seeds.h"
#include "workload/lock_plan.h"

#include <algorithm>

namespace lockscope::sim {

Services::Services(Grounds grounds, const scenario::Scenario& settings, std::uint64_t seed,
                   const inspect::TraceFeed::Resolver& owner)
    : m_settings(settings), m_recorder(grounds.recorder) {
    if (settings.services.empty()) {
        const scenario::ServiceSpec alone;
        m_all.push_back(makeService({grounds, settings, alone, settings.nodes, seed, owner}));
        return;
    }
    std::vector<scenario::NodeSpec> before;
    for (const scenario::ServiceSpec& spec : settings.services) {
        const std::vector<scenario::NodeSpec> nodes = scenario::serversOf(spec, before);
        const std::uint64_t own = m_all.empty() ? seed : mixSeed(seed, m_all.size());
        m_all.push_back(makeService({grounds, settings, spec, nodes, own, owner}));
        before.insert(before.end(), nodes.begin(), nodes.end());
    }
    if (!settings.manager) return;
    decides(settings.manager->engines.front());
}

Services::~Services() = default;

Service& Services::keeping(const QByteArray& lockName) const {
    return *m_all[m_settings.serviceOf(QString::fromUtf8(lockName))];
}

Service* Services::having(const QString& serverId) const {
    for (const auto& service : m_all) {
        const std::vector<Server*> servers = service->servers();
        if (std::ranges::find(servers, serverId.toUtf8(), &Server::id) != servers.end()) return service.get();
    }
    return nullptr;
}

Service* Services::engine(const QString& id) const {
    const auto number = m_settings.serviceNamed(id);
    return number ? m_all[*number].get() : nullptr;
}

QString Services::urlOf(const QString& engine) const {
    const Service* const whole = this->engine(engine);
    if (!whole) return {};
    const Service* const single = having(engine);
    return single ? single->urlOf(engine) : whole->url();
}

void Services::decides(const QString& engine) const {
    Service* const chosen = this->engine(engine);
    // The one that leaves first: its hold ends before the other's begins.
    for (const auto& service : m_all)
        if (service.get() != chosen) service->setDecides(false);
    chosen->decides(engine.toUtf8());
    if (m_all.size() > 1) tellDecider(*chosen);
    chosen->setDecides(true);
}

void Services::tellDecider(Service& chosen) const {
    const std::vector<Server*> servers = chosen.servers();
    const bool one = servers.size() == 1;
    for (const QByteArray& name : workload::lockNames(m_settings))
        m_recorder.emit(trace::EventKind::RecordDecider, one ? servers.front()->entity() : trace::kNoEntity,
                        chosen.lockEntity(name), one ? 1 : std::int64_t(servers.size() / 2 + 1));
}

std::vector<Server*> Services::servers() const {
    std::vector<Server*> all;
    for (const auto& service : m_all) {
        const std::vector<Server*> own = service->servers();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

Server* Services::find(const QString& target) const {
    const qsizetype slash = target.indexOf(QLatin1Char('/'));
    for (std::size_t i = 0; i < m_all.size(); ++i) {
        const bool here =
            slash < 0 || (i < m_settings.services.size() && m_settings.services[i].id == target.left(slash));
        Server* const server = here ? m_all[i]->find(target.mid(slash + 1)) : nullptr;
        if (server) return server;
    }
    return nullptr;
}

void Services::watchLocks() const {
    for (const QByteArray& name : workload::lockNames(m_settings)) {
        if (!m_settings.manager) {
            keeping(name).watch(name, workload::lockPlan(m_settings, name).recipe);
            continue;
        }
        for (int i = 0; i < int(m_settings.manager->engines.size()); ++i)
            engine(m_settings.manager->engines[i])->watch(name, workload::engineRecipe(m_settings, i));
    }
}

std::uint64_t Services::steps() const {
    std::uint64_t steps = 0;
    for (const auto& service : m_all)
        steps += service->steps();
    return steps;
}

} // namespace lockscope::sim
