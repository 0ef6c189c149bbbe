// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/service.h"

#include "sim/seeds.h"
#include "sim/sql/wire.h"
#include "trace/server_told.h"

namespace lockscope::sim {

namespace {
/// The name that leads to the primary of several servers.
const QString kPrimaryName = QStringLiteral("primary");

QString tr(const char* text) {
    return QCoreApplication::translate("Faults", text);
}
} // namespace

SqlService::Settings SqlService::Settings::of(const ServicePlan& plan) {
    Settings settings;
    settings.ids.clear();
    for (const scenario::NodeSpec& node : plan.nodes)
        settings.ids.push_back(node.id.toUtf8());
    settings.engine = plan.scenario.manager.has_value();
    SqlServer::Settings& server = settings.server;
    const bool postgreSql = plan.spec.dialect == scenario::ServiceSpec::Dialect::PostgreSql;
    server.engine.dialect = postgreSql ? sql::Dialect::PostgreSql : sql::Dialect::MySql;
    server.engine.lockWait = plan.spec.lockWait > Nanos(0) ? plan.spec.lockWait : kNever;
    server.engine.uniqueIndex = plan.spec.uniqueIndex;
    server.maxConnections = std::size_t(plan.spec.connections);
    settings.pool = plan.spec.pool;
    // The questions take a third of the time, as those of a system that is set so would.
    constexpr int kQuestions = 2, kParts = 6;
    server.keepAlive.count = kQuestions;
    server.keepAlive.interval = plan.spec.keepAlive / kParts;
    server.keepAlive.idle = plan.spec.keepAlive - kQuestions * server.keepAlive.interval;
    if (settings.ids.size() > 1)
        server.replication = SqlReplicationSettings{plan.spec.lag, plan.spec.fullSync, plan.spec.semiSync};
    return settings;
}

SqlService::SqlService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                       const inspect::TraceFeed::Resolver& owner)
    : m_grounds(grounds) {
    const bool several = settings.ids.size() > 1;
    for (std::size_t i = 0; i < settings.ids.size(); ++i)
        m_servers.push_back(
            std::make_unique<SqlServer>(grounds, settings.ids[i], several ? mixSeed(seed, i) : seed, settings.server));
    m_primary = m_servers.front().get();
    if (settings.pool > 0) m_pool = std::make_unique<SqlSharedPool>(settings.pool);
    if (m_pool)
        m_pool->onLeft = [this](bool left) {
            trace::Recorder& recorder = m_grounds.recorder;
            recorder.emit(trace::EventKind::ServerTold, m_primary->entity(), trace::kNoEntity, 0,
                          recorder.trace().text(trace::serverTold(trace::kPoolHasConnections, left ? "yes" : "no")));
        };
    // A lock of several servers is one lock, which belongs to none of them.
    m_record = std::make_unique<SqlRecord>(grounds, *m_primary,
                                           several || settings.engine ? trace::kNoEntity : m_primary->entity(), owner);
    if (!several) return;
    for (const auto& server : m_servers) {
        m_copies.push_back(std::make_unique<SqlRecord>(grounds, *server, server->entity(), owner));
        m_copies.back()->copies(*m_record);
        server->primaryNow = [this] { return m_primary; };
        server->replication().onLink = [this, each = server.get()] { tellRole(*each); };
        if (server.get() != m_primary) server->beginAsReplica(*m_primary);
        tellRole(*server);
    }
}

SqlService::~SqlService() = default;

void SqlService::tellRole(SqlServer& server) {
    if (server.life() == Server::Life::Dead) return;
    const bool replica = server.isReplica();
    // From the beginning on replicas have their primary's data: the first link is as good as there.
    const bool begins = !m_roles.contains(&server);
    const bool copies = replica && (begins || server.replication().linkUp());
    const std::pair<QByteArray, trace::EntityId> role(
        replica ? "replica" : "master", copies ? server.replication().primary()->entity() : trace::kNoEntity);
    if (!begins && m_roles[&server] == role) return;
    m_roles[&server] = role;
    m_grounds.recorder.emit(trace::EventKind::NodeRole, server.entity(), role.second, 0,
                            m_grounds.recorder.trace().text(role.first), copies ? 0 : trace::kCopiesNobody);
}

std::vector<Server*> SqlService::servers() const {
    std::vector<Server*> all;
    for (const auto& server : m_servers)
        all.push_back(server.get());
    return all;
}

Server* SqlService::find(const QString& target) const {
    int number = 0;
    for (const auto& server : m_servers) {
        if (target.toUtf8() == server->id()) return server.get();
        if (!alone() && server.get() != m_primary && target == QStringLiteral("replica[%1]").arg(number++))
            return server.get();
    }
    return !alone() && target == QLatin1String("master") ? m_primary : nullptr;
}

QString SqlService::url() const {
    const bool postgreSql = m_primary->settings().engine.dialect == sql::Dialect::PostgreSql;
    return QStringLiteral("%1://%2:%3/locks")
        .arg(postgreSql ? QStringLiteral("postgresql") : QStringLiteral("mysql"),
             alone() ? QString::fromUtf8(m_primary->id()) : kPrimaryName)
        .arg(m_primary->port());
}

void SqlService::setDecides(bool decides) {
    m_record->setDecides(decides);
}

bool SqlService::isAddress(const Endpoint& endpoint) const {
    return endpoint.host == (alone() ? QString::fromUtf8(m_primary->id()) : kPrimaryName) &&
           endpoint.port == m_primary->port();
}

Diallers SqlService::diallers(const ClientEnd& end) const {
    Diallers diallers;
    diallers.sql = [this, end](Runtime& runtime, const ConnectionUrl& url) {
        const bool known = isAddress(url.endpoints.front());
        SqlPool::Way way;
        way.server = [this, known] { return known ? m_primary : nullptr; };
        way.shared = m_pool.get();
        return std::make_unique<SqlWire>(m_grounds, std::move(way), runtime, end, url);
    };
    return diallers;
}

void SqlService::watch(const QByteArray& lockName, const QByteArray& recipe) {
    for (const auto& copy : m_copies)
        copy->watch(lockName, recipe);
    m_record->watch(lockName, recipe);
}

std::expected<void, QString> SqlService::failOver(const Server& master) {
    const QString id = QString::fromUtf8(master.id());
    if (alone())
        return std::unexpected(
            tr(QT_TRANSLATE_NOOP("Faults", "%1 is a database without a replica: nothing could replace it.")).arg(id));
    if (&master != m_primary) return std::unexpected(tr(QT_TRANSLATE_NOOP("Faults", "%1 is not the master.")).arg(id));
    SqlServer* chosen = nullptr;
    for (const auto& server : m_servers) {
        if (server.get() == m_primary || server->life() != Server::Life::Running) continue;
        if (!chosen || server->replication().position() > chosen->replication().position()) chosen = server.get();
    }
    if (!chosen)
        return std::unexpected(tr(QT_TRANSLATE_NOOP("Faults", "No replica runs that could replace %1.")).arg(id));
    m_primary = chosen; // the name leads there from now on
    chosen->promote(++m_reign);
    m_record->decidedBy(*chosen);
    for (const auto& server : m_servers) {
        if (server.get() == chosen) continue;
        Stream(m_grounds, *chosen, *server).write([this, each = server.get()] { each->demote(*m_primary); });
    }
    return {};
}

Service::Pool SqlService::pool() const {
    return !m_pool ? Pool::None : m_pool->isExhausted() ? Pool::Exhausted : Pool::Free;
}

void SqlService::setPool(Pool pool) {
    Q_ASSERT(m_pool && pool != Pool::None);
    pool == Pool::Exhausted ? m_pool->exhaust() : m_pool->free();
}

void SqlService::forceRelease(const QByteArray& lockName) {
    SqlEngine* const engine = m_primary->engine();
    if (!engine) return;
    SqlStatement statement;
    statement.recipe = m_record->recipeOf(lockName);
    statement.name = lockName;
    if (heldByTransaction(statement.recipe)) {
        if (const SqlConnectionId holder = engine->rowHolder(lockName)) m_primary->end(holder);
    } else if (statement.recipe == "sql-advisory") {
        for (const SqlEngine::NamedUser& user : engine->namedHolders(m_record->keyOf(lockName)))
            m_primary->end(user.id);
    } else {
        using Kind = SqlStatement::Kind;
        statement.kind = statement.recipe == "sql-row"       ? Kind::Erase
                         : statement.recipe == "sql-version" ? Kind::Raise
                                                             : Kind::FreeByForce;
        m_primary->command(statement);
    }
}

std::uint64_t SqlService::steps() const {
    std::uint64_t steps = 0;
    for (const auto& server : m_servers)
        steps += server->steps();
    return steps;
}

} // namespace lockscope::sim
