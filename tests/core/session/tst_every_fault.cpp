// SPDX-License-Identifier: Apache-2.0
// Each fault on each party of each kind of servers: an offer can be had, and a refusal says why.
#include "scenario/actions.h"
#include "scenario/scenario_file.h"
#include "session/breakable.h"
#include "session/simulated_session.h"
#include "sim/world.h"

#include <QSignalSpy>
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

/// A built-in one, or one on a Redis cluster, or on a Redis that keeps its data on its disk.
scenario::Scenario named(const QString& id) {
    const bool cluster = id == QLatin1String("cluster"), onDisk = id == QLatin1String("on disk");
    auto loaded = scenario::loadScenario(cluster || onDisk ? QStringLiteral("contention") : id);
    if (!loaded) qFatal("there is no such scenario");
    if (cluster)
        loaded->setServices({scenario::defaultService(QStringLiteral("redis"), scenario::ServiceSpec::Shape::Cluster)});
    if (onDisk) {
        scenario::ServiceSpec kept = scenario::defaultService(QStringLiteral("redis"));
        kept.persistence = scenario::ServiceSpec::Persistence::Always;
        loaded->setServices({kept});
    }
    return *loaded;
}

} // namespace

class TestEveryFault : public QObject {
    Q_OBJECT
private Q_SLOTS:
    static void kinds() {
        QTest::addColumn<QString>("scenario");
        for (const char* id : {"contention", "replicas", "failover-async", "cluster", "on disk", "redlock-slow",
                               "engine-switch-kinds", "zk-herd", "etcd-leader-loss", "memcached-restart",
                               "sql-failover-async", "sql-pool-taken", "sql-half-open"})
            QTest::newRow(id) << QString::fromLatin1(id);
    }
    void anOfferIsKeptAndARefusalHasItsReason_data() { kinds(); }
    void anOfferIsKeptAndARefusalHasItsReason() {
        QFETCH(QString, scenario);
        session::SimulatedSession session(named(scenario), 7);
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

    /// Each thing that a hand does, now or in the past, is one change: Undo gives the very run of before, Redo that of
    /// after.
    void eachCanBeTakenBack_data() { kinds(); }
    void eachCanBeTakenBack() {
        QFETCH(QString, scenario);
        scenario::Scenario loaded = named(scenario);
        loaded.faults.clear(); // each thing that is done stands alone
        session::SimulatedSession session(loaded, 7);
        // No event falls on so odd an instant: a run that has reached it has told all that happened until then.
        constexpr Nanos kLater = kAt + 1500ms + 123'457ns;
        const auto reach = [&](Nanos at) {
            session.advanceTo(at);
            QTRY_VERIFY_WITH_TIMEOUT(session.trace()->reached() >= at, 60'000);
        };
        const auto digest = [&] {
            const bool came = QTest::qWaitFor([&] { return session.trace()->reached() >= kLater; }, 30'000);
            return came ? session.trace()->digest() : QByteArrayLiteral("it does not come so far");
        };
        QSignalSpy complained(&session, &session::Session::complained);
        reach(kAt); // where the hand strikes first, as the run plays
        Run run(session.scenario());
        int tried = 0;
        const auto takeBack = [&](const std::function<void()>& act, const QString& what) {
            if (QTest::currentTestFailed()) return; // one is enough to be told
            const bool first = ++tried == 1;
            const QByteArray before = first ? QByteArray() : digest();
            act();
            QVERIFY2(complained.isEmpty(), qPrintable(what + complained.value(0).value(0).toString()));
            QVERIFY2(session.canUndo(), qPrintable(what));
            QCOMPARE(session.doneByHand().size(), 1u);
            reach(kLater);
            const QByteArray after = digest();
            QVERIFY2(after != before, qPrintable(what + QStringLiteral(" is in no row")));
            session.undo();
            QVERIFY2(session.doneByHand().empty() && !session.canUndo(), qPrintable(what));
            if (first) {
                Run plain(session.scenario());
                plain.world->runUntil(kLater);
                QCOMPARE(digest(), plain.trace->digest());
            } else {
                const QByteArray undone = digest();
                QVERIFY2(undone == before, qPrintable(what + QString::fromLatin1(undone)));
            }
            session.redo();
            const QByteArray redone = digest();
            QVERIFY2(redone == after, qPrintable(what + QString::fromLatin1(redone)));
            session.undo();
        };
        for (const Breakable& target : targetsIn(run.sight(session))) {
            for (const Action action : target.actions()) {
                if (!target.can(action)) continue;
                // As the window does it: by the target, which knows what its verb means to the session.
                const Nanos value = scenario::takesValue(action) ? Nanos(250ms) : Nanos(0);
                takeBack(
                    [&] { QVERIFY(target.strike(action, value, kAt)); },
                    QStringLiteral("%1 on %2: ").arg(QLatin1String(scenario::actionId(action)), target.displayName()));
            }
        }
        const auto apply = [&](const scenario::Fault& fault) { return [&, fault] { session.apply(fault, kAt); }; };
        scenario::Fault all;
        all.action = Action::HealAll;
        takeBack(apply(all), QStringLiteral("heal: "));
        const std::pair<const char*, const char*> settings[] = {
            {"clients", "6"}, {"hold", "1s-2s"}, {"think", "100ms"}, {"lease", "9s"}, {"on_loss", "carry-on"}};
        for (const auto& [setting, text] : settings) {
            scenario::Fault set;
            set.action = Action::Set;
            set.setting = QString::fromLatin1(setting);
            set.text = QString::fromLatin1(text);
            takeBack(apply(set), set.setting + QStringLiteral(": "));
        }
        QVERIFY(tried > 25);
    }
};

QTEST_GUILESS_MAIN(TestEveryFault)
#include "tst_every_fault.moc"
