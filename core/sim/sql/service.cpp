// SPDX-License-Identifier: Apache-2.0
#include "sim/sql/service.h"

#include "scenario/failover_refusal.h"
#include "sim/sql/wire.h"

namespace lockscope::sim {

SqlService::Settings SqlService::Settings::of(const ServicePlan& plan) {
    Settings settings;
    settings.id = plan.nodes.front().id.toUtf8();
    settings.engine = plan.scenario.manager.has_value();
    SqlServer::Settings& server = settings.server;
    const bool postgreSql = plan.spec.dialect == scenario::ServiceSpec::Dialect::PostgreSql;
    server.engine.dialect = postgreSql ? sql::Dialect::PostgreSql : sql::Dialect::MySql;
    server.engine.lockWait = plan.spec.lockWait > Nanos(0) ? plan.spec.lockWait : kNever;
    server.engine.uniqueIndex = plan.spec.uniqueIndex;
    server.maxConnections = std::size_t(plan.spec.connections);
    // The questions take a third of the time, as those of a system that is set so would.
    constexpr int kQuestions = 2, kParts = 6;
    server.keepAlive.count = kQuestions;
    server.keepAlive.interval = plan.spec.keepAlive / kParts;
    server.keepAlive.idle = plan.spec.keepAlive - kQuestions * server.keepAlive.interval;
    return settings;
}

SqlService::SqlService(Grounds grounds, const Settings& settings, std::uint64_t seed,
                       const inspect::TraceFeed::Resolver& owner)
    : m_grounds(grounds),
      m_server(std::make_unique<SqlServer>(grounds, settings.id, seed, settings.server)),
      m_record(std::make_unique<SqlRecord>(grounds, settings.engine ? trace::kNoEntity : m_server->entity(), *m_server,
                                           owner)) {
}

SqlService::~SqlService() = default;

Server* SqlService::find(const QString& target) const {
    return target.toUtf8() == m_server->id() ? m_server.get() : nullptr;
}

QString SqlService::url() const {
    const bool postgreSql = m_server->settings().engine.dialect == sql::Dialect::PostgreSql;
    return QStringLiteral("%1://%2:%3/locks")
        .arg(postgreSql ? QStringLiteral("postgresql") : QStringLiteral("mysql"), QString::fromUtf8(m_server->id()))
        .arg(m_server->port());
}

void SqlService::setDecides(bool decides) {
    m_record->setDecides(decides);
}

std::expected<void, QString> SqlService::failOver(const Server& master) {
    return std::unexpected(scenario::failoverRefusal({.kind = QStringLiteral("sql")}, QString::fromUtf8(master.id())));
}

void SqlService::forceRelease(const QByteArray& lockName) {
    SqlEngine* const engine = m_server->engine();
    if (!engine) return;
    SqlStatement statement;
    statement.recipe = m_record->recipeOf(lockName);
    statement.name = lockName;
    if (statement.recipe == "sql-for-update") {
        if (const SqlConnectionId holder = engine->rowHolder(lockName)) m_server->end(holder);
    } else if (statement.recipe == "sql-advisory") {
        for (const SqlEngine::NamedUser& user : engine->namedHolders(m_record->keyOf(lockName)))
            m_server->end(user.id);
    } else {
        using Kind = SqlStatement::Kind;
        statement.kind = statement.recipe == "sql-row"       ? Kind::Erase
                         : statement.recipe == "sql-version" ? Kind::Raise
                                                             : Kind::FreeByForce;
        m_server->command(statement);
    }
}

Diallers SqlService::diallers(const ClientEnd& end) const {
    Diallers diallers;
    diallers.sql = [this, end](Runtime& runtime, const ConnectionUrl& url) {
        const Endpoint& at = url.endpoints.front();
        const bool known = at.host == QString::fromUtf8(m_server->id()) && at.port == m_server->port();
        SqlServer* const server = known ? m_server.get() : nullptr;
        return std::make_unique<SqlWire>(m_grounds, server, runtime, end, url);
    };
    return diallers;
}

} // namespace lockscope::sim
