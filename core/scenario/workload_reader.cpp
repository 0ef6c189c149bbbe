// SPDX-License-Identifier: Apache-2.0
#include "scenario/workload_reader.h"

#include "scenario/manager_file.h"
#include "scenario/program_text.h"
#include "scenario/sql_dialect.h"

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
    bool isNew(const Fields& entry, QLatin1String key) { return isNew(entry, key, entry[key].toString()); }
    /// `name`: the field's text, or what stands for a field that is left out.
    bool isNew(const Fields& entry, QLatin1String key, const QString& name) {
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

/// The settings of a lock stand in the one table of settings, which knows the place of the first lock only: this reads
/// any lock by it.
LockSettings readLock(const Fields& entry) {
    Scenario scratch;
    entry.text(L("name"), scratch.lock.name);
    entry.text(L("service"), scratch.lock.service);
    for (const Setting& setting : allSettings())
        if (setting.object == L("lock")) readSetting(entry, setting, scratch);
    return scratch.lock;
}

void readLocks(const Fields& top, Scenario& scenario) {
    QStringList services;
    for (const ServiceSpec& service : scenario.services)
        services += service.id;
    if (services.isEmpty()) services += ServiceSpec{}.id;
    Names names;
    bool first = true;
    top.each(L("locks"), [&](const Fields& entry) {
        if (!names.isNew(entry, L("name"))) return;
        NamedLock lock{readLock(entry), entry[L("recipe")].toString()};
        const QString& service = lock.settings.service;
        if (!service.isEmpty() && !services.contains(service))
            entry.complain(
                entry.at(L("service")),
                tr("there is no service “%1” here: there is “%2”").arg(service, services.join(QStringLiteral("”, “"))));
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
    top.each(L("programs"), [&](const Fields& entry) {
        if (names.isNew(entry, L("name"))) scenario.programs.push_back(readProgram(entry, scenario.workload, locks));
    });
    int clients = 0;
    top.each(L("clients"), [&](const Fields& entry) {
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
    const int count = scenario.workload.clients;
    // Groups say who runs which program. With programs, the count may be another one: a person changes it in the
    // window, and saves the scenario.
    if (said && clients > 0 && scenario.programs.empty() && clients != count)
        top.complain(top.at(L("clients")),
                     tr("these are %1 clients, and “count” in “workload” says %2, which wins: leave "
                        "out one of both")
                         .arg(QString::number(clients), QString::number(count)));
    if (clients > 0 && !said) scenario.workload.clients = std::min(clients, kMostClients);
}

} // namespace

ServiceSpec readService(const Fields& fields) {
    QString id = ServiceSpec{}.kind;
    fields.text(L("kind"), id);
    const ServiceKind* const kind = findServiceKind(id);
    Q_ASSERT(kind); // the schema lists them
    using Shape = ServiceSpec::Shape;
    Shape shape = kind->forms.front().shape;
    choice(fields, L("shape"), shapeId, Shape::Replicas, shape);
    const auto form = std::ranges::find(kind->forms, shape, &ServiceKind::Form::shape);
    if (form == kind->forms.end()) {
        QStringList shapes;
        for (const ServiceKind::Form& known : kind->forms)
            shapes += QString::fromLatin1(shapeId(known.shape));
        fields.complain(fields.at(L("shape")),
                        tr("a %1 service is not of this shape, but: %2").arg(id, shapes.join(QStringLiteral(", "))));
        return defaultService(id);
    }
    ServiceSpec service = defaultService(id, shape);
    fields.text(L("id"), service.id);
    fields.number(L("nodes"), service.nodes);
    if (fields.has(L("persistence")) && id != L("redis"))
        fields.complain(fields.at(L("persistence")), tr("a %1 service has no such option").arg(id));
    choice(fields, L("persistence"), persistenceId, ServiceSpec::Persistence::Always, service.persistence);
    for (const L key : {L("dialect"), L("unique_index")})
        if (fields.has(key) && id != L("sql"))
            fields.complain(fields.at(key), tr("a %1 service has no such option").arg(id));
    fields.flag(L("unique_index"), service.uniqueIndex);
    choice(fields, L("dialect"), dialectId, ServiceSpec::Dialect::PostgreSql, service.dialect);
    setDialect(service, service.dialect);
    for (const ServiceOption& option : serviceOptions()) {
        if (!fields.has(option.key)) continue;
        const auto isOfThisKind = [&](const ServiceOption& one) { return one.key == option.key && one.kind == id; };
        if (option.kind != id && std::ranges::any_of(serviceOptions(), isOfThisKind)) continue; // another entry's
        if (option.kind != id)
            fields.complain(fields.at(option.key), tr("a %1 service has no such option").arg(id));
        else if (const auto* const time = std::get_if<Nanos ServiceSpec::*>(&option.value))
            fields.duration(option.key, service.**time);
        else
            fields.number(option.key, service.*std::get<int ServiceSpec::*>(option.value));
    }
    if (service.nodes >= form->least && service.nodes <= form->most) return service;
    const QString path = fields.at(L("nodes"));
    if (shape == Shape::Single)
        fields.complain(path, tr("a single server is one node: leave out “nodes”"));
    else if (shape == Shape::Cluster)
        fields.complain(path, tr("a cluster has at least 6 nodes: three masters and their replicas"));
    else
        fields.complain(path, tr("this is from %1 to %2 servers").arg(form->least).arg(form->most));
    return service;
}

namespace {

/// A ZooKeeper grants sessions of 2 to 20 ticks, whatever is asked for.
void checkSession(const Fields& entry, const ServiceSpec& service) {
    if (service.tick < 10ms) entry.complain(entry.at(L("tick")), tr("a tick is at least 10ms"));
    if (!entry.has(L("session"))) return;
    if (service.session < 2 * service.tick || service.session > 20 * service.tick)
        entry.complain(entry.at(L("session")),
                       tr("a session lasts from 2 to 20 ticks: from %1 to %2 here")
                           .arg(formatDuration(2 * service.tick), formatDuration(20 * service.tick)));
}

} // namespace

void readParts(const Fields& top, Scenario& scenario) {
    Names names;
    std::vector<ServiceSpec> services;
    top.each(L("services"), [&](const Fields& entry) {
        ServiceSpec service = readService(entry);
        checkSession(entry, service);
        if (names.isNew(entry, L("id"), service.id)) services.push_back(std::move(service));
    });
    if (!services.empty()) scenario.setServices(std::move(services));
    if (!scenario.services.empty() && top.has(L("nodes")))
        top.complain(top.at(L("nodes")), tr("“nodes” and “services” both say which servers there are: leave out one"));
    readLocks(top, scenario);
    readPrograms(top, scenario);
    readManager(top, scenario);
}

} // namespace lockscope::scenario
