// SPDX-License-Identifier: Apache-2.0
#include "scenario/service_spec.h"

#include <algorithm>
#include <array>

namespace lockscope::scenario {

namespace {

using L = QLatin1String;
using Shape = ServiceSpec::Shape;

QStringList numbered(const QString& role, int count) {
    QStringList all;
    for (int i = 0; i < count; ++i)
        all += QStringLiteral("%1[%2]").arg(role).arg(i);
    return all;
}

QStringList redisRoles(const ServiceSpec& service) {
    const bool cluster = service.shape == Shape::Cluster;
    if (!cluster && service.shape != Shape::Sentinel) return {};
    const int masters = cluster ? (service.nodes + 1) / 2 : 1;
    QStringList roles{QStringLiteral("master")};
    roles += numbered(QStringLiteral("replica"), service.nodes - masters);
    if (!cluster) roles += numbered(QStringLiteral("sentinel"), service.sentinels);
    return roles;
}

QStringList noRoles(const ServiceSpec&) {
    return {};
}

QStringList databaseRoles(const ServiceSpec& service) {
    if (service.shape != Shape::Replicas) return {};
    return QStringList{QStringLiteral("master")} + numbered(QStringLiteral("replica"), service.nodes - 1);
}

QStringList quorumRoles(const ServiceSpec& service) {
    return QStringList{QStringLiteral("leader")} + numbered(QStringLiteral("follower"), service.nodes - 1);
}

} // namespace

const std::vector<ServiceKind>& serviceKinds() {
    static const std::vector<ServiceKind> kKinds{
        {L("redis"),
         L("redis"),
         true,
         true,
         {{Shape::Single, 1, 1, 1}, {Shape::Sentinel, 3, 1, 9}, {Shape::Masters, 5, 1, 9}, {Shape::Cluster, 6, 6, 9}},
         redisRoles},
        {L("zookeeper"), L("zk"), false, false, {{Shape::Ensemble, 3, 1, 9}}, quorumRoles},
        {L("memcached"), L("memcached"), true, false, {{Shape::Masters, 1, 1, 9}}, noRoles},
        {L("etcd"), L("etcd"), false, false, {{Shape::Ensemble, 3, 1, 9}}, quorumRoles},
        {L("sql"), L("sql"), false, false, {{Shape::Single, 1, 1, 1}, {Shape::Replicas, 2, 2, 9}}, databaseRoles},
    };
    return kKinds;
}

const ServiceKind* findServiceKind(const QString& id) {
    const auto found = std::ranges::find(serviceKinds(), id, [](const ServiceKind& kind) { return QString(kind.id); });
    return found == serviceKinds().end() ? nullptr : &*found;
}

ServiceSpec defaultService(const QString& kind, Shape shape) {
    const ServiceKind* const known = findServiceKind(kind);
    Q_ASSERT(known);
    const auto form = std::ranges::find(known->forms, shape, &ServiceKind::Form::shape);
    Q_ASSERT(form != known->forms.end());
    ServiceSpec service;
    service.id = service.kind = kind;
    service.shape = shape;
    service.nodes = form->nodes;
    service.sentinels = shape == Shape::Sentinel ? 3 : 0;
    return service;
}

ServiceSpec defaultService(const QString& kind) {
    return defaultService(kind, findServiceKind(kind)->forms.front().shape);
}

const std::vector<ServiceOption>& serviceOptions() {
    const std::vector<Shape> watched{Shape::Sentinel}, replicated{Shape::Sentinel, Shape::Cluster},
        replicas{Shape::Replicas};
    static const std::vector<ServiceOption> kOptions{
        {L("sentinels"), L("redis"), watched, &ServiceSpec::sentinels},
        {L("lag"), L("redis"), replicated, &ServiceSpec::lag},
        {L("full_sync"), L("redis"), replicated, &ServiceSpec::fullSync},
        {L("down_after"), L("redis"), watched, &ServiceSpec::downAfter},
        {L("failover_timeout"), L("redis"), watched, &ServiceSpec::failoverTimeout},
        {L("tick"), L("zookeeper"), {}, &ServiceSpec::tick},
        {L("session"), L("zookeeper"), {}, &ServiceSpec::session},
        {L("lag"), L("sql"), replicas, &ServiceSpec::lag},
        {L("full_sync"), L("sql"), replicas, &ServiceSpec::fullSync},
        {L("semi_sync"), L("sql"), replicas, &ServiceSpec::semiSync},
        {L("connections"), L("sql"), {}, &ServiceSpec::connections},
        {L("pool"), L("sql"), {}, &ServiceSpec::pool},
        {L("lock_wait"), L("sql"), {}, &ServiceSpec::lockWait},
        {L("keep_alive"), L("sql"), {}, &ServiceSpec::keepAlive},
    };
    return kOptions;
}

bool concerns(const ServiceOption& option, const ServiceSpec& service) {
    const bool shape = option.shapes.empty() || std::ranges::find(option.shapes, service.shape) != option.shapes.end();
    return service.kind == option.kind && shape;
}

std::vector<NodeSpec> serversOf(const ServiceSpec& service, const std::vector<NodeSpec>& before) {
    const ServiceKind* const kind = findServiceKind(service.kind);
    Q_ASSERT(kind);
    const QString sentinel = QStringLiteral("sentinel");
    std::vector<NodeSpec> all;
    const auto add = [&](const QString& name, const QString& of, int count) {
        const auto first = std::ranges::count(before, of, &NodeSpec::kind) + 1;
        for (int i = 0; i < count; ++i)
            all.push_back({QStringLiteral("%1-%2").arg(name).arg(first + i), of});
    };
    add(kind->server, kind->id, service.nodes);
    if (service.shape == Shape::Sentinel) add(sentinel, sentinel, service.sentinels);
    return all;
}

std::vector<NodeSpec> serversOf(const std::vector<ServiceSpec>& services) {
    std::vector<NodeSpec> all;
    for (const ServiceSpec& service : services) {
        const std::vector<NodeSpec> own = serversOf(service, all);
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

QByteArray shapeId(Shape shape) {
    constexpr std::array kIds{"single", "sentinel", "masters", "cluster", "ensemble", "replicas"};
    return kIds[std::size_t(shape)];
}

QByteArray persistenceId(ServiceSpec::Persistence persistence) {
    constexpr std::array kIds{"none", "everysec", "always"};
    return kIds[std::size_t(persistence)];
}

QByteArray dialectId(ServiceSpec::Dialect dialect) {
    constexpr std::array kIds{"mariadb", "postgresql"};
    return kIds[std::size_t(dialect)];
}

} // namespace lockscope::scenario
