// SPDX-License-Identifier: Apache-2.0
#include "scenario/workload_reader.h"

#include "scenario/manager_file.h"
#include "scenario/program_text.h"

#include <QCoreApplication>

namespace lockscope::scenario {

namespace {

using L = QLatin1String;

QString tr(const char* text) {
    return QCoreApplication::translate("scenario", text);
}

/// Complains about the second of two entries of a list that have the same name.
class Names {
public:
    bool isNew(const Fields& entry, QLatin1String key) {
        const QString name = entry[key].toString();
        if (!m_known.contains(name)) {
            m_known += name;
            return true;
        }
        entry.complain(entry.at(key),
                       tr("“%1” stands here for the second time: each needs a name of its own").arg(name));
        return false;
    }
    const QStringList& known() const { return m_known; }

private:
    QStringList m_known;
};

/// Calls back with each entry of a list.
template <typename Use>
void eachOf(const Fields& top, QLatin1String list, Use use) {
    const QJsonArray entries = top[list].toArray();
    for (qsizetype i = 0; i < entries.size(); ++i)
        use(Fields(entries[i], top.at(list) + QStringLiteral("/%1").arg(i), top.complaints()));
}

/// The settings of a lock stand in the one table of settings, which knows the place of the first lock only: this reads
/// any lock by it.
LockSettings readLock(const Fields& entry) {
    Scenario scratch;
    entry.text(L("name"), scratch.lock.name);
    for (const Setting& setting : allSettings())
        if (setting.object == L("lock")) readSetting(entry, setting, scratch);
    return scratch.lock;
}

void readLocks(const Fields& top, Scenario& scenario) {
    Names names;
    bool first = true;
    eachOf(top, L("locks"), [&](const Fields& entry) {
        if (!names.isNew(entry, L("name"))) return;
        NamedLock lock{readLock(entry), entry[L("recipe")].toString(), entry[L("service")].toString()};
        const QString service = scenario.service ? scenario.service->id : ServiceSpec{}.id;
        if (!lock.service.isEmpty() && lock.service != service)
            entry.complain(entry.at(L("service")),
                           tr("there is no service “%1” here: there is “%2”").arg(lock.service, service));
        if (lock.settings.lease < 1ms) entry.complain(entry.at(L("lease")), tr("a lease is at least 1ms"));
        if (!std::exchange(first, false)) {
            scenario.moreLocks.push_back(std::move(lock));
            return;
        }
        scenario.lock = lock.settings;
        if (!lock.recipe.isEmpty()) scenario.recipe = lock.recipe;
    });
}

void readPrograms(const Fields& top, Scenario& scenario) {
    QStringList locks{scenario.lock.name};
    for (const NamedLock& lock : scenario.moreLocks)
        locks += lock.settings.name;
    Names names;
    eachOf(top, L("programs"), [&](const Fields& entry) {
        if (names.isNew(entry, L("name"))) scenario.programs.push_back(readProgram(entry, scenario.workload, locks));
    });
    int clients = 0;
    eachOf(top, L("clients"), [&](const Fields& entry) {
        ClientGroup group;
        entry.text(L("program"), group.program);
        entry.number(L("count"), group.count);
        if (!group.program.isEmpty() && !names.known().contains(group.program))
            entry.complain(
                entry.at(L("program")),
                tr("there is no program “%1”%2").arg(group.program, suggestion(group.program, names.known())));
        clients += group.count;
        scenario.groups.push_back(std::move(group));
    });
    if (!scenario.programs.empty() && scenario.groups.empty())
        top.complain(top.at(L("programs")), tr("nobody runs these programs: say in “clients” how many run which"));
    if (clients > kMostClients)
        top.complain(top.at(L("clients")), tr("there are %1 clients; at most %2 fit").arg(clients).arg(kMostClients));
    const bool said = top[L("workload")].toObject().contains(L("count"));
    if (clients > 0 && !said) scenario.workload.clients = std::min(clients, kMostClients);
}

} // namespace

ServiceSpec readService(const Fields& fields) {
    ServiceSpec service;
    using Shape = ServiceSpec::Shape;
    fields.text(L("id"), service.id);
    choice(fields, L("shape"), shapeId, Shape::Cluster, service.shape);
    choice(fields, L("persistence"), persistenceId, ServiceSpec::Persistence::Always, service.persistence);
    switch (service.shape) {
    case Shape::Single:
        break;
    case Shape::Sentinel:
        service.nodes = service.sentinels = 3;
        break;
    case Shape::Masters:
        service.nodes = 5;
        break;
    case Shape::Cluster:
        service.nodes = 6;
        break;
    }
    fields.number(L("nodes"), service.nodes);
    fields.number(L("sentinels"), service.sentinels);
    fields.duration(L("lag"), service.lag);
    fields.duration(L("full_sync"), service.fullSync);
    fields.duration(L("down_after"), service.downAfter);
    fields.duration(L("failover_timeout"), service.failoverTimeout);
    if (service.shape == Shape::Single && service.nodes > 1)
        fields.complain(fields.at(L("nodes")), tr("a single server is one node: leave out “nodes”"));
    if (service.shape == Shape::Cluster && service.nodes < 6)
        fields.complain(fields.at(L("nodes")), tr("a cluster has at least 6 nodes: three masters and their replicas"));
    return service;
}

void readParts(const Fields& top, Scenario& scenario) {
    if (top[L("services")].toArray().size() > 1) {
        top.complain(top.at(L("services")) + QStringLiteral("/1"),
                     tr("a simulation has one service so far: leave out the others"));
    }
    eachOf(top, L("services"), [&](const Fields& entry) {
        if (scenario.service) return;
        scenario.service = readService(entry);
        scenario.nodes = scenario.service->servers();
    });
    if (scenario.service && top.has(L("nodes")))
        top.complain(top.at(L("nodes")), tr("“nodes” and “services” both say which servers there are: leave out one"));
    readLocks(top, scenario);
    readPrograms(top, scenario);
    readManager(top, scenario);
}

} // namespace lockscope::scenario
