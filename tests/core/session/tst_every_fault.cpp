// SPDX-License-Identifier: Apache-2.0
// Each fault on each party of each kind of servers: an offer can be had, and a refusal says why.
#include "scenario/actions.h"
#include "scenario/scenario_file.h"
#include "session/breakable.h"
#include "session/simulated_session.h"
#include "sim/world.h"

#include <QTest>

using namespace lockscope;
using scenario::Action;
using session::Breakable;
using trace::EntityId;
using trace::EntityKind;

namespace {

constexpr Nanos kAt = 2500ms;

/// A run at an instant, and what can be done to it there. The session is asked only for what such a world allows.
struct Run {
    scenario::Scenario settings;
    std::shared_ptr<trace::Trace> trace = std::make_shared<trace::Trace>();
    std::unique_ptr<sim::World> world;
    trace::State state;

    explicit Run(const scenario::Scenario& scenario) : settings(scenario) {
        settings.faults.clear();
        world = std::make_unique<sim::World>(settings, 7, trace);
        world->runUntil(kAt);
        for (std::size_t row = 0; row < trace->size(); ++row)
            state.apply(trace->at(row), *trace);
    }
    Breakable::Sight sight(session::Session& session) { return {&session, *trace, state, settings}; }
};

/// Clients, servers, and each kind of link once: client to server, server to server.
std::vector<Breakable> targetsIn(const Breakable::Sight& sight) {
    std::vector<Breakable> targets;
    std::vector<EntityId> servers;
    EntityId client = trace::kNoEntity;
    for (EntityId id = 1; id < sight.trace.entityCount(); ++id) {
        const EntityKind kind = sight.trace.entity(id).kind;
        if (kind == EntityKind::Node) servers.push_back(id);
        if (kind == EntityKind::Client && client == trace::kNoEntity) client = id;
    }
    targets.push_back(Breakable::client(sight, client));
    for (const EntityId server : servers)
        targets.push_back(Breakable::server(sight, server));
    targets.push_back(Breakable::link(sight, client, servers.front()));
    if (servers.size() > 1) targets.push_back(Breakable::link(sight, servers[0], servers[1]));
    return targets;
}

} // namespace

class TestEveryFault : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anOfferIsKeptAndARefusalHasItsReason_data() {
        QTest::addColumn<QString>("scenario");
        for (const char* id :
             {"contention", "replicas", "redlock-slow", "engine-switch-kinds", "zk-herd", "etcd-leader-loss",
              "memcached-restart", "sql-failover-async", "sql-pool-taken", "sql-half-open"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void anOfferIsKeptAndARefusalHasItsReason() {
        QFETCH(QString, scenario);
        const auto loaded = scenario::loadScenario(scenario);
        QVERIFY(loaded);
        session::SimulatedSession session(*loaded, 7);
        const scenario::Scenario onServers = session.scenario();
        Run first(onServers);
        int offered = 0, refused = 0;
        for (const Breakable& target : targetsIn(first.sight(session))) {
            for (const Action action : target.actions()) {
                const QString what =
                    QStringLiteral("%1 on %2").arg(QLatin1String(scenario::actionId(action)), target.displayName());
                const auto can = target.can(action);
                if (!can) {
                    ++refused;
                    QVERIFY2(can.error().size() > 10 && can.error().endsWith(u'.'), qPrintable(what));
                    continue;
                }
                ++offered;
                Run run(onServers);
                scenario::Fault fault;
                fault.action = action;
                fault.target = target.name();
                fault.at = kAt;
                fault.byHand = true;
                if (scenario::takesValue(action)) fault.value = 250ms;
                const std::size_t before = run.trace->size();
                const auto done = run.world->apply(fault);
                QVERIFY2(done, qPrintable(what + QStringLiteral(": ") + (done ? QString() : done.error())));
                bool told = false;
                for (std::size_t row = before; row < run.trace->size() && !told; ++row)
                    told = (run.trace->at(row).flags & trace::kByHand) != 0;
                QVERIFY2(told, qPrintable(what + QStringLiteral(" is in no row")));
                run.world->runUntil(kAt + 3s); // and the world goes on
            }
        }
        QVERIFY(offered > 20 && refused > 0);
    }
};

QTEST_GUILESS_MAIN(TestEveryFault)
#include "tst_every_fault.moc"
