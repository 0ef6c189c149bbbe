// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/duration.h"

#include <QString>
#include <QStringList>
#include <variant>
#include <vector>

namespace lockscope::scenario {

struct NodeSpec {
    QString id = QStringLiteral("redis-1");
    QString kind = QStringLiteral("redis"); ///< of the server: a ServiceKind's, or "sentinel"
    friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// Servers of one kind that are one thing to their clients.
struct ServiceSpec {
    enum class Shape : std::uint8_t {
        Single,
        Sentinel, ///< a master, replicas, and Sentinels that replace it
        Masters,  ///< independent masters, for Redlock; memcached servers, which share nothing
        Cluster,  ///< a Redis Cluster: half of the servers are masters, the others their replicas
        Ensemble, ///< of ZooKeeper servers or etcd members: a leader and followers; also a single one
        Replicas, ///< a database with replicas, one of which an operator can promote
    };
    /// A Redis server's data on its disk.
    enum class Persistence : std::uint8_t {
        None,        ///< nothing but the last full copy that a replica got
        EverySecond, ///< the append-only file, flushed once a second
        Always,      ///< the append-only file, flushed before each reply
    };
    enum class Dialect : std::uint8_t { MariaDb, PostgreSql };
    QString id = QStringLiteral("redis"); ///< as locks name it
    QString kind = QStringLiteral("redis");
    Shape shape = Shape::Single;
    int nodes = 1; ///< servers, without Sentinels; the first Redis server is the first master
    // Redis:
    int sentinels = 0; ///< with Shape::Sentinel
    Persistence persistence = Persistence::None;
    Nanos lag{};          ///< how long a write stays on the master's machine before it leaves for the replicas
    Nanos fullSync = 5s;  ///< until a replica that starts anew has its copy
    Nanos downAfter = 2s; ///< a Sentinel's down-after-milliseconds
    Nanos failoverTimeout = 6s;
    // ZooKeeper:
    Nanos tick = 2s; ///< tickTime: the unit of its time-outs
    Nanos session{}; ///< the session time-out that clients ask for; 0: the first lock's lease
    // Databases, which have lag and fullSync, too:
    Nanos semiSync{}; ///< with Shape::Replicas: 0: commits do not wait for a replica; else MariaDB waits for so long at
                      ///< most, and PostgreSQL without end
    Dialect dialect = Dialect::MariaDb;
    bool uniqueIndex = true; ///< statements find a row by its name; false: they read, and lock, all rows
    int connections = 151;   ///< the most that it takes
    int pool = 0;            ///< connections that all clients share, as threads of one program do; 0: each has its own
    Nanos lockWait = 50s;    ///< the longest wait for a row's lock that asks for no limit of its own; 0: no end
    Nanos keepAlive = 7875s; ///< until it gives up a connection whose client's machine is silent
    friend bool operator==(const ServiceSpec&, const ServiceSpec&) = default;
};
QByteArray shapeId(ServiceSpec::Shape shape); ///< "single", "sentinel", "masters", "cluster", "ensemble", "replicas"
QByteArray persistenceId(ServiceSpec::Persistence persistence); ///< "none", "everysec", "always"
QByteArray dialectId(ServiceSpec::Dialect dialect);             ///< "mariadb", "postgresql"

/// A kind of servers, as scenarios know it.
struct ServiceKind {
    /// One of its shapes.
    struct Form {
        ServiceSpec::Shape shape;
        int nodes; ///< if the file does not say
        int least, most;
    };
    QLatin1String id;     ///< "zookeeper": RecipeInfo::backend
    QLatin1String server; ///< its servers are "zk-1", …
    bool dropsKeys;       ///< its servers throw keys out for lack of memory, and can be emptied by one command
    bool repeats; ///< drivers and proxies are in use that send a request again which had no answer, without asking
    std::vector<Form> forms; ///< the first one is the default
    /// The roles that its servers have by turns: "master", "replica[0]", "leader".
    QStringList (*roles)(const ServiceSpec&);
};
/// All kinds.
const std::vector<ServiceKind>& serviceKinds();
/// nullptr: there is no such kind.
const ServiceKind* findServiceKind(const QString& id);
/// The default service of a kind, named after it. Precondition: there is such a kind, and it has that shape.
ServiceSpec defaultService(const QString& kind, ServiceSpec::Shape shape);
/// As above, in the kind's default shape.
ServiceSpec defaultService(const QString& kind);

/// A number or a time of services that some kinds, in some shapes, have: reader, writer and checks know it from here.
struct ServiceOption {
    QLatin1String key; ///< in a file
    QLatin1String kind;
    std::vector<ServiceSpec::Shape> shapes; ///< that it means something in; empty: in all
    std::variant<int ServiceSpec::*, Nanos ServiceSpec::*> value;
};
const std::vector<ServiceOption>& serviceOptions();
/// Whether it means something for that service.
bool concerns(const ServiceOption& option, const ServiceSpec& service);

/// The servers of one service after others. Ids are numbered through: the first Redis server of a second service of
/// three is "redis-4", if the first one has three.
std::vector<NodeSpec> serversOf(const ServiceSpec& service, const std::vector<NodeSpec>& before = {});
/// The servers of all services, in their order.
std::vector<NodeSpec> serversOf(const std::vector<ServiceSpec>& services);

} // namespace lockscope::scenario
