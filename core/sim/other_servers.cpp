// SPDX-License-Identifier: Apache-2.0
#include "sim/other_servers.h"

#include "recipes/backend_name.h"
#include "sim/fitting_recipes.h"

#include <QCoreApplication>

namespace lockscope::sim {

namespace {

using scenario::Scenario;
using scenario::ServiceSpec;

/// "3 ZooKeeper servers". Servers of one product that work together in several ways are told apart.
QString serversText(const ServiceSpec& service) {
    const bool isDatabase = service.kind == QLatin1String("sql");
    const QString name =
        recipes::backendName(isDatabase ? QString::fromLatin1(dialectId(service.dialect)) : service.kind);
    if (service.nodes == 1) return QCoreApplication::translate("Faults", "one %1 server").arg(name);
    const QString count = QString::number(service.nodes);
    if (service.shape == ServiceSpec::Shape::Sentinel)
        //: %1 a number.
        return QCoreApplication::translate("Faults", "%1 Redis servers with Sentinels").arg(count);
    if (service.shape == ServiceSpec::Shape::Cluster)
        //: %1 a number.
        return QCoreApplication::translate("Faults", "a Redis Cluster of %1 servers").arg(count);
    if (service.shape == ServiceSpec::Shape::Masters && service.kind == QLatin1String("redis"))
        //: %1 a number.
        return QCoreApplication::translate("Faults", "%1 independent Redis servers").arg(count);
    //: %1 a number, %2 "ZooKeeper".
    return QCoreApplication::translate("Faults", "%1 %2 servers").arg(count, name);
}

QString allServersText(const Scenario& scenario) {
    QStringList all;
    for (const ServiceSpec& service : scenario.services)
        all += serversText(service);
    return all.join(QStringLiteral(", "));
}

} // namespace

QString otherServers(const Scenario& scenario) {
    const Scenario running = onFittingServers(scenario);
    if (scenario.services.empty() || running.services == scenario.services) return {};
    const ServiceSpec now =
        running.services.empty() ? ServiceSpec{} : running.services[running.serviceOf(running.lock.name)];
    return QCoreApplication::translate("Faults", "%1 does not work on %2: the run is on %3 instead")
        .arg(scenario.recipe, allServersText(scenario), serversText(now));
}

QString wrongServers(const Scenario& scenario) {
    if (otherServers(scenario).isEmpty()) return {};
    QStringList fitting;
    for (const recipes::RecipeInfo& info : recipesFor(scenario))
        fitting += QString::fromLatin1(info.id);
    return QCoreApplication::translate("Faults",
                                       "“%1” does not work on the servers that are named here, %2: choose one "
                                       "of %3, or servers for it")
        .arg(scenario.recipe, allServersText(scenario), fitting.join(QStringLiteral(", ")));
}

} // namespace lockscope::sim
