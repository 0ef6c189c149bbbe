// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"
#include "session/breakable.h"
#include "session/recording_session.h"
#include "session/simulated_session.h"

#include <QSignalSpy>
#include <QTest>

using namespace lockscope;
using scenario::Action;
using session::Abilities;
using session::Breakable;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;

namespace {

/// A session that remembers what it was asked for, over a trace that the test writes.
class Asked final : public session::Session {
public:
    Abilities can{.faults = true, .serverFaults = true, .rewind = true};
    std::shared_ptr<trace::Trace> rows = std::make_shared<trace::Trace>();
    std::vector<scenario::Fault> applied;

    Abilities abilities() const override { return can; }
    QString title() const override { return {}; }
    session::Health health() const override { return {}; }
    std::shared_ptr<const trace::Trace> trace() const override { return rows; }
    std::shared_ptr<const verdict::Verdict> verdict() const override { return std::make_shared<verdict::Verdict>(); }
    scenario::Scenario scenario() const override { return {}; }
    std::uint64_t seed() const override { return 0; }
    Nanos planned() const override { return {}; }
    void advanceTo(Nanos) override {}
    void advanceToNext(session::Milestone, Nanos) override {}
    void apply(scenario::Fault fault, Nanos) override { applied.push_back(std::move(fault)); }
    void restart(std::uint64_t, session::ByHand) override {}
};

struct World {
    Asked session;
    trace::State state;
    scenario::Scenario settings;
    EntityId a = session.rows->intern(EntityKind::Client, "A");
    EntityId first = session.rows->intern(EntityKind::Node, "redis-1");
    EntityId second = session.rows->intern(EntityKind::Node, "redis-2");
    EntityId link = session.rows->intern(EntityKind::Link, "", first, second);
    std::int64_t at = 0;

    World() {
        settings.lock.watchdog = 1s;
        add(EventKind::ClientStarted, a);
        add(EventKind::NodeStarted, first);
        add(EventKind::NodeStarted, second);
    }
    void add(EventKind kind, EntityId actor, EntityId subject = 0, std::int64_t value = 0, std::uint32_t aux = 0) {
        session.rows->append({++at, value, actor, subject, aux, kind, trace::kFault});
        state.apply(session.rows->at(session.rows->size() - 1), *session.rows);
    }
    Breakable::Sight sight() { return {&session, *session.rows, state, settings}; }
    Breakable client() { return Breakable::client(sight(), a); }
    Breakable server() { return Breakable::server(sight(), first); }
    QString why(const Breakable& target, Action action) {
        const auto answer = target.can(action);
        return answer ? QStringLiteral("it can") : answer.error();
    }
};

} // namespace

class TestBreakable : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aHealthyOneCanBearEverythingThatItsKindLists() {
        World w;
        for (const Action action : w.client().actions())
            QCOMPARE(w.why(w.client(), action), u"it can"_qs);
        for (const Action action : {Action::KillNode, Action::CrashNode, Action::PauseNode, Action::RestartNode,
                                    Action::CutLink, Action::DelayLink, Action::JumpClock})
            QCOMPARE(w.why(w.server(), action), u"it can"_qs);
        QCOMPARE(w.why(Breakable::world(w.sight()), Action::HealAll), u"it can"_qs);
    }

    void whatItSuffersFromIsRefusedAndCanBeCured() {
        World w;
        QCOMPARE(w.why(w.client(), Action::ResumeClient), u"It is not paused."_qs);
        QVERIFY(!w.client().suffers(Action::PauseClient));
        QVERIFY(!w.client().cure(Action::PauseClient));
        w.add(EventKind::ClientPaused, w.a);
        QCOMPARE(w.why(w.client(), Action::PauseClient), u"It is paused already."_qs);
        QVERIFY(w.client().suffers(Action::PauseClient));
        const auto cure = w.client().cure(Action::PauseClient);
        QVERIFY(cure.has_value());
        QCOMPARE(cure->action, Action::ResumeClient);
        QCOMPARE(cure->target, u"A"_qs);
        w.add(EventKind::ClientKilled, w.a);
        for (const Action action : {Action::PauseClient, Action::KillClient, Action::LosePush, Action::HangWork,
                                    Action::JumpClock, Action::StopWatchdog})
            QCOMPARE(w.why(w.client(), action), u"A is dead."_qs);
        QCOMPARE(w.why(w.client(), Action::RestartClient), u"it can"_qs);
    }

    /// A client is cut off by all its links, dead or alive.
    void aClientIsCutOffByItsLinks() {
        World w;
        const EntityId own = w.session.rows->intern(EntityKind::Link, "", w.a, w.first);
        QCOMPARE(w.why(w.client(), Action::MendLink), u"None of its links is cut."_qs);
        QVERIFY(w.client().strike(Action::CutLink, {}, 1s));
        QCOMPARE(w.session.applied.back().target, u"A"_qs);
        w.add(EventKind::LinkCut, w.a, own);
        QCOMPARE(w.why(w.client(), Action::CutLink), u"it can"_qs); // it still reaches the other server
        QCOMPARE(w.why(w.client(), Action::MendLink), u"it can"_qs);
        w.add(EventKind::LinkCut, w.a, w.session.rows->intern(EntityKind::Link, "", w.a, w.second));
        QCOMPARE(w.why(w.client(), Action::CutLink), u"It is cut off already."_qs);
        const auto cure = w.client().cure(Action::CutLink);
        QVERIFY(cure && cure->action == Action::MendLink);
        w.add(EventKind::ClientKilled, w.a);
        QCOMPARE(w.why(w.client(), Action::MendLink), u"it can"_qs);
        w.session.can = {.faults = true, .live = true};
        QVERIFY(w.why(w.client(), Action::DelayLink).contains(u"are real"_qs));
    }

    void aClockThatDriftsIsCuredByItsRightSpeed() {
        World w;
        const auto drift = [&w](EntityId party, const char* gain) {
            w.add(EventKind::SettingChanged, party, 0, 0, w.session.rows->text(gain));
        };
        drift(w.a, "drift=50ms");
        drift(w.first, "drift=-50ms");
        for (const Breakable& target : {w.client(), w.server()}) {
            QVERIFY(target.suffers(Action::DriftClock) && !target.suffers(Action::JumpClock));
            const auto cure = target.cure(Action::DriftClock);
            QVERIFY(cure && cure->action == Action::DriftClock && cure->value == 0s);
        }
        w.at += 1'000'000'000;
        drift(w.a, "drift=0s");
        drift(w.first, "drift=0s");
        QVERIFY(!w.client().suffers(Action::DriftClock) && !w.client().suffers(Action::JumpClock));
        QVERIFY(!w.server().suffers(Action::DriftClock) && w.server().suffers(Action::JumpClock)); // it stays behind
    }

    void onlyAServerWithAFileKeepsItsData() {
        World w;
        w.settings.setServices({scenario::defaultService(u"redis"_qs)});
        QVERIFY(w.server().keepsItsData().error().contains(u"its persistence is none"_qs));
        QCOMPARE(w.why(w.server(), Action::RestartNode), u"it can"_qs);
        scenario::ServiceSpec kept = w.settings.services.front();
        kept.persistence = scenario::ServiceSpec::Persistence::EverySecond;
        w.settings.setServices({kept});
        QVERIFY(w.server().keepsItsData());
    }

    /// A replica has its master's data on its disk, whatever it writes itself; the first master has nothing there.
    void aServerThatWasAReplicaKeepsTheCopyThatItGot() {
        World w;
        w.settings.setServices({scenario::defaultService(u"redis"_qs, scenario::ServiceSpec::Shape::Sentinel)});
        w.add(EventKind::NodeRole, w.first, 0, 0, w.session.rows->text("master"));
        w.add(EventKind::NodeRole, w.second, w.first, 0, w.session.rows->text("replica"));
        QVERIFY(!w.server().keepsItsData());
        w.add(EventKind::NodeRole, w.first, w.second, 0, w.session.rows->text("replica"));
        QVERIFY(w.server().keepsItsData());
        w.add(EventKind::NodeRole, w.first, 0, 0, w.session.rows->text("master"));
        QVERIFY(w.server().keepsItsData());
    }

    /// A fault that is planned may strike after its target is back; one that no server here can have never strikes.
    void aPlannedFaultIsRefusedOnlyWhereNobodyEverCanBearIt() {
        World w;
        w.add(EventKind::ClientKilled, w.a);
        w.add(EventKind::NodePaused, w.first);
        w.add(EventKind::NodePaused, w.second);
        const auto ever = [&w](Breakable::Kind kind, Action action) {
            return Breakable::everCan(w.sight(), kind, action).has_value();
        };
        QVERIFY(ever(Breakable::Kind::Client, Action::PauseClient));
        QVERIFY(ever(Breakable::Kind::Server, Action::PauseNode));
        QVERIFY(ever(Breakable::Kind::Link, Action::CutLink));
        QVERIFY(!ever(Breakable::Kind::Server, Action::ExhaustPool));
        w.settings.setServices({scenario::defaultService(u"zookeeper"_qs)});
        QVERIFY(!ever(Breakable::Kind::Client, Action::RepeatRequest));
        const auto refused = Breakable::everCan(w.sight(), Breakable::Kind::Client, Action::RepeatRequest);
        QVERIFY(refused.error().contains(u"TCP"_qs));
    }

    void aWatchdogIsStoppedOnlyWhereThereIsOne() {
        World w;
        w.settings.lock.watchdog = 0s;
        QVERIFY(w.why(w.client(), Action::StopWatchdog).startsWith(u"There is no watchdog"_qs));
        w.settings.lock.watchdog = 1s;
        w.add(EventKind::WatchdogStopped, w.a);
        QCOMPARE(w.why(w.client(), Action::StopWatchdog), u"It is stopped already."_qs);
    }

    void aFailoverNeedsAMasterAndSentinelsThatRun() {
        World w;
        QCOMPARE(w.why(w.server(), Action::Failover), u"There are no Sentinels to ask for a failover."_qs);
        w.add(EventKind::NodeRole, w.second, 0, 0, w.session.rows->text("sentinel"));
        QCOMPARE(w.why(w.server(), Action::Failover), u"redis-1 is not the master."_qs);
        const trace::EntityId other = w.session.rows->intern(trace::EntityKind::Node, "redis-7");
        w.add(EventKind::NodeRole, other, 0, 0, w.session.rows->text("master"));
        w.add(EventKind::NodeRole, w.first, other, 0, w.session.rows->text("replica"));
        QCOMPARE(w.why(w.server(), Action::Failover),
                 u"redis-1 is not the master. Demote redis-7, and a replica is promoted."_qs);
        w.add(EventKind::NodeKilled, other);
        QCOMPARE(w.why(w.server(), Action::Failover), u"redis-1 is not the master."_qs);
        w.add(EventKind::NodeRole, w.first, 0, 0, w.session.rows->text("master"));
        QCOMPARE(w.why(w.server(), Action::Failover), u"it can"_qs);
        w.add(EventKind::NodeKilled, w.second);
        QCOMPARE(w.why(w.server(), Action::Failover), u"No Sentinel runs."_qs);
        QVERIFY(w.why(w.server(), Action::SwitchEngine).contains(u"lock manager"_qs));
    }

    void onlyADiskThatAnswersWaitForCanStall() {
        World w;
        w.settings.setServices({scenario::defaultService(u"redis"_qs)});
        QCOMPARE(w.why(w.server(), Action::StallDisk),
                 u"redis-1 writes nothing to its disk: its persistence is none."_qs);
        scenario::ServiceSpec kept = scenario::defaultService(u"redis"_qs, scenario::ServiceSpec::Shape::Sentinel);
        kept.persistence = scenario::ServiceSpec::Persistence::EverySecond;
        w.settings.setServices({kept});
        QCOMPARE(w.why(w.server(), Action::StallDisk), u"it can"_qs);
        QCOMPARE(w.why(w.server(), Action::FreeDisk), u"Its disk does not stall."_qs);
        w.add(EventKind::SettingChanged, w.first, 0, 0, w.session.rows->text("disk=stalled"));
        QCOMPARE(w.why(w.server(), Action::StallDisk), u"Its disk stalls already."_qs);
        QCOMPARE(w.why(w.server(), Action::FlushNode), u"Its disk stalls: a command may wait for it."_qs);
        QVERIFY(Breakable::everCan(w.sight(), Breakable::Kind::Server, Action::StallDisk));
        const auto cure = w.server().cure(Action::StallDisk);
        QVERIFY(cure && cure->action == Action::FreeDisk && cure->target == u"redis-1"_qs);
        w.add(EventKind::NodeKilled, w.first); // a disk is its machine's
        QCOMPARE(w.why(w.server(), Action::FreeDisk), u"it can"_qs);
        w.add(EventKind::SettingChanged, w.first, 0, 0, w.session.rows->text("disk=free"));
        QVERIFY(!w.server().suffers(Action::StallDisk));
        const EntityId sentinel = w.session.rows->intern(EntityKind::Node, "sentinel-1");
        QVERIFY(w.why(Breakable::server(w.sight(), sentinel), Action::StallDisk).contains(u"is a Sentinel"_qs));
        w.settings.setServices({scenario::defaultService(u"memcached"_qs)});
        const EntityId cache = w.session.rows->intern(EntityKind::Node, "memcached-1");
        QCOMPARE(w.why(Breakable::server(w.sight(), cache), Action::StallDisk),
                 u"memcached-1 keeps its data in memory only: it waits for no disk."_qs);
    }

    void onlyAPoolThatIsSharedCanBeExhausted() {
        World w;
        scenario::ServiceSpec database = scenario::defaultService(u"sql"_qs);
        w.settings.setServices({database});
        const EntityId server = w.session.rows->intern(EntityKind::Node, "sql-1");
        const auto target = [&] { return Breakable::server(w.sight(), server); };
        QCOMPARE(w.why(w.server(), Action::ExhaustPool),
                 u"redis-1 is no database: its clients have no pool of connections."_qs);
        QCOMPARE(w.why(target(), Action::ExhaustPool),
                 u"The clients of sql-1 share no pool: each has connections of its own."_qs);
        database.pool = 3;
        database.shape = scenario::ServiceSpec::Shape::Replicas;
        database.nodes = 2;
        w.settings.setServices({database});
        const EntityId replica = w.session.rows->intern(EntityKind::Node, "sql-2");
        QCOMPARE(w.why(target(), Action::ExhaustPool), u"it can"_qs);
        QCOMPARE(w.why(target(), Action::FreePool), u"Its pool is not exhausted."_qs);
        QVERIFY(!target().suffers(Action::ExhaustPool));
        w.add(EventKind::SettingChanged, server, 0, 0, w.session.rows->text("pool=exhausted"));
        QCOMPARE(w.why(target(), Action::ExhaustPool), u"Its pool is exhausted already."_qs);
        QCOMPARE(w.why(target(), Action::FreePool), u"it can"_qs);
        QVERIFY(Breakable::server(w.sight(), replica).suffers(Action::ExhaustPool)); // the pool is both servers'
        QVERIFY(!w.server().suffers(Action::ExhaustPool));
        const auto cure = target().cure(Action::ExhaustPool);
        QVERIFY(cure.has_value());
        QCOMPARE(cure->action, Action::FreePool);
        QCOMPARE(cure->target, u"sql-1"_qs);
        w.add(EventKind::Healed, 0);
        QVERIFY(!target().suffers(Action::ExhaustPool));
    }

    /// Menus refuse with the words that the simulated service itself would use.
    void serversThatNobodyCanReplaceByHandSayWhy_data() {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<int>("shape");
        QTest::addColumn<QString>("reason");
        using Shape = scenario::ServiceSpec::Shape;
        QTest::newRow("ZooKeeper") << u"zookeeper"_qs << int(Shape::Ensemble)
                                   << u"zk-1 is a ZooKeeper server: the ensemble elects its leader by itself."_qs;
        QTest::newRow("database") << u"sql"_qs << int(Shape::Single)
                                  << u"sql-1 is a database without a replica: nothing could replace it."_qs;
        QTest::newRow("memcached")
            << u"memcached"_qs << int(Shape::Masters)
            << u"memcached-1 is a memcached: no other server replaces it, as they share nothing."_qs;
        QTest::newRow("cluster") << u"redis"_qs << int(Shape::Cluster)
                                 << u"redis-1 is a server of a Redis Cluster: when a master is gone, the other masters "
                                    "elect one of its replicas by themselves."_qs;
        QTest::newRow("masters") << u"redis"_qs << int(Shape::Masters)
                                 << u"There are no Sentinels to ask for a failover."_qs;
    }
    void serversThatNobodyCanReplaceByHandSayWhy() {
        QFETCH(QString, kind);
        QFETCH(int, shape);
        QFETCH(QString, reason);
        World w;
        w.settings.setServices({scenario::defaultService(kind, scenario::ServiceSpec::Shape(shape))});
        const QByteArray name = w.settings.nodes.front().id.toUtf8();
        const EntityId server = w.session.rows->intern(EntityKind::Node, name);
        w.add(EventKind::NodeStarted, server);
        QCOMPARE(w.why(Breakable::server(w.sight(), server), Action::Failover), reason);
    }

    void aMessageIsLostOnlyWhereServersSendSome() {
        World w;
        QCOMPARE(w.why(w.client(), Action::LosePush), u"it can"_qs);
        for (const QString& kind : {u"memcached"_qs, u"sql"_qs}) {
            w.settings.nodes = {{u"redis-1"_qs, kind}};
            QCOMPARE(w.why(w.client(), Action::LosePush),
                     u"The servers here send no messages of their own: clients ask."_qs);
        }
        QCOMPARE(w.why(w.client(), Action::LoseReply), u"it can"_qs);
    }

    void aMessageIsLostOnlyWhereSomebodyListens() {
        World w;
        const QString polled = u"There is no message to lose: waiters poll, and no server tells them anything."_qs;
        w.settings.recipe = u"redis-set-del"_qs;
        QCOMPARE(w.why(w.client(), Action::LosePush), polled);
        QCOMPARE(w.why(w.client(), Action::LoseReply), u"it can"_qs);
        w.settings.recipe = u"redis-redlock"_qs;
        QCOMPARE(w.why(w.client(), Action::LosePush), polled);
        w.settings.recipe = u"redis-reentrant"_qs;
        QCOMPARE(w.why(w.client(), Action::LosePush), u"it can"_qs);
        // Another lock's waiters listen.
        w.settings.recipe = u"redis-set-del"_qs;
        w.settings.moreLocks = {{.settings = {.name = u"stock"_qs}, .recipe = u"redis-set"_qs}};
        QCOMPARE(w.why(w.client(), Action::LosePush), u"it can"_qs);
        // Sentinels tell all clients of a new master.
        w.settings.moreLocks.clear();
        w.settings.setServices({scenario::defaultService(u"redis"_qs, scenario::ServiceSpec::Shape::Sentinel)});
        QCOMPARE(w.why(w.client(), Action::LosePush), u"it can"_qs);
    }

    void aRequestIsRepeatedOnlyWhereDriversDoSo() {
        World w;
        QCOMPARE(w.why(w.client(), Action::RepeatRequest), u"it can"_qs);
        w.settings.nodes = {{u"redis-1"_qs, u"zookeeper"_qs}};
        QVERIFY(w.why(w.client(), Action::RepeatRequest).contains(u"TCP brings each request once"_qs));
    }

    void anEtcdLeaderHandsOverToAnotherMember() {
        World w;
        w.settings.nodes = {{u"redis-1"_qs, u"etcd"_qs}, {u"redis-2"_qs, u"etcd"_qs}};
        QCOMPARE(w.why(w.server(), Action::Failover), u"redis-1 is not the leader."_qs);
        w.add(EventKind::NodeRole, w.first, 0, 0, w.session.rows->text("leader"));
        QCOMPARE(w.why(w.server(), Action::Failover), u"it can"_qs);
        w.settings.nodes.pop_back();
        QVERIFY(w.why(w.server(), Action::Failover).contains(u"alone"_qs));
    }

    void onlySomeServersThrowKeysOut() {
        World w;
        for (const Action action : {Action::EvictKey, Action::FlushNode}) {
            w.settings.nodes = {{u"redis-1"_qs, u"redis"_qs}};
            QCOMPARE(w.why(w.server(), action), u"it can"_qs);
            w.settings.nodes = {{u"redis-1"_qs, u"memcached"_qs}};
            QCOMPARE(w.why(w.server(), action), u"it can"_qs);
            for (const QString& kind : {u"zookeeper"_qs, u"etcd"_qs, u"sql"_qs, u"sentinel"_qs}) {
                w.settings.nodes = {{u"redis-1"_qs, kind}};
                QVERIFY(w.why(w.server(), action).startsWith(u"redis-1 keeps its data"_qs));
            }
        }
        w.settings.nodes = {{u"redis-1"_qs, u"redis"_qs}};
        w.add(EventKind::NodePaused, w.first);
        QCOMPARE(w.why(w.server(), Action::FlushNode), u"It is paused."_qs);
        w.add(EventKind::NodeRole, w.first, 0, 0, w.session.rows->text("replica"));
        QVERIFY(w.why(w.server(), Action::EvictKey).contains(u"replica"_qs));
        w.add(EventKind::NodeKilled, w.first);
        QCOMPARE(w.why(w.server(), Action::EvictKey), u"redis-1 is dead."_qs);
    }

    void connectionsBetweenServersAreNotReset() {
        World w;
        QVERIFY(w.why(Breakable::link(w.sight(), w.first, w.second), Action::ResetLink).contains(u"clients"_qs));
        QCOMPARE(w.why(Breakable::link(w.sight(), w.a, w.first), Action::ResetLink), u"it can"_qs);
        QCOMPARE(w.why(Breakable::link(w.sight(), w.first, w.second), Action::JitterLink), u"it can"_qs);
        w.session.can = {.faults = true, .live = true};
        QVERIFY(w.why(w.client(), Action::ResetLink).contains(u"real"_qs)); // on its links
        QVERIFY(w.why(w.client(), Action::DriftClock).contains(u"real"_qs));
    }

    void aServerOfAnEngineStandsForIt() {
        World w;
        QVERIFY(w.why(w.server(), Action::SwitchEngine).contains(u"lock manager"_qs));
        scenario::ServiceSpec zookeeper = scenario::defaultService(u"zookeeper"_qs);
        w.settings.setServices({scenario::ServiceSpec{}, zookeeper});
        w.settings.manager = scenario::ManagerSpec{.engines = {u"redis"_qs, u"zookeeper"_qs}, .witnesses = {}};
        QCOMPARE(w.why(w.server(), Action::SwitchEngine), u"it can"_qs);
        QCOMPARE(w.settings.engineNumber(u"zk-2"_qs), 1);
        QCOMPARE(w.settings.engineNumber(u"redis-2"_qs), -1);
    }

    void severalTargetsAreNoOneThing() {
        World w;
        QVERIFY(!Breakable::named(w.sight(), Action::PauseNode, u"redis-1,redis-2"_qs));
        QVERIFY(!Breakable::named(w.sight(), Action::CutLink, u"A|redis-1"_qs));
    }

    void aLinkIsFoundByNamesWithHyphens() {
        World w;
        const auto found = Breakable::named(w.sight(), Action::CutLink, u"redis-1-redis-2"_qs);
        QVERIFY(found.has_value());
        QCOMPARE(found->kind(), Breakable::Kind::Link);
        QCOMPARE(found->name(), u"redis-1-redis-2"_qs);
        QCOMPARE(w.why(*found, Action::MendLink), u"It is not cut."_qs);
        w.add(EventKind::LinkCut, w.first, w.link);
        QCOMPARE(w.why(*found, Action::CutLink), u"It is cut already."_qs);
        QVERIFY(w.server().suffers(Action::CutLink)); // one of its links
        const auto server = Breakable::named(w.sight(), Action::CutLink, u"redis-1"_qs);
        QVERIFY(server.has_value());
        QCOMPARE(server->kind(), Breakable::Kind::Server);
        QVERIFY(!Breakable::named(w.sight(), Action::CutLink, u"redis-9"_qs));
    }

    void whereTheServersAreRealOnlyOurOwnClientsCanBeBroken() {
        World w;
        w.session.can = {.faults = true, .live = true};
        QVERIFY(w.why(w.server(), Action::KillNode).contains(u"real"_qs));
        QVERIFY(w.why(w.client(), Action::LosePush).contains(u"real"_qs)); // on its link
        QVERIFY(w.why(w.client(), Action::JumpClock).contains(u"real"_qs));
        QCOMPARE(w.why(w.client(), Action::PauseClient), u"it can"_qs);
        const EntityId stranger = w.session.rows->intern(EntityKind::Client, "somebody");
        QVERIFY(w.why(Breakable::client(w.sight(), stranger), Action::KillClient).contains(u"no client of ours"_qs));
        w.session.can = {};
        QCOMPARE(w.why(w.client(), Action::PauseClient), u"This session cannot be changed."_qs);
    }

    void aRecordingSaysWhyNothingInItCanBeBroken() {
        session::RecordingSession recording(u"/nowhere.lockscope"_qs);
        World w;
        const Breakable::Sight sight{&recording, *w.session.rows, w.state, w.settings};
        QVERIFY(w.why(Breakable::client(sight, w.a), Action::PauseClient).startsWith(u"A recording"_qs));
    }

    void aStrikeIsSentOnlyIfItCan() {
        World w;
        const auto refused = w.client().strike(Action::ResumeClient, {}, 5s);
        QVERIFY(!refused.has_value());
        QCOMPARE(refused.error(), u"It is not paused."_qs);
        QVERIFY(w.session.applied.empty());
        const auto delayed = w.server().strike(Action::DelayLink, 50ms, 5s);
        QVERIFY(delayed.has_value());
        QCOMPARE(w.session.applied.size(), std::size_t(1));
        const scenario::Fault& sent = w.session.applied.front();
        QCOMPARE(sent.target, u"redis-1"_qs);
        QCOMPARE(sent.value, Nanos(50ms));
        QCOMPARE(sent.at, std::optional(Nanos(5s)));
        QVERIFY(sent.byHand);
        QVERIFY(delayed->has_value());
        QCOMPARE((*delayed)->action, Action::DelayLink);
        QCOMPARE((*delayed)->value, Nanos(0)); // ends itself
        const auto lost = w.client().strike(Action::LoseReply, {}, 6s);
        QVERIFY(lost.has_value() && !lost->has_value()); // nothing lasts
    }

    void inTheSimulatorAStrikeAndItsUndoTakeEffect() {
        const auto story = scenario::loadScenario(u"contention"_qs);
        QVERIFY(story.has_value());
        session::SimulatedSession session(*story, 3);
        session.advanceTo(2s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(2s));
        const auto life = [&session](Nanos t) {
            trace::State state;
            EntityId a = trace::kNoEntity;
            const auto trace = session.trace();
            for (std::size_t i = 0; i < trace->upperBound(t); ++i)
                state.apply(trace->at(i), *trace);
            for (const auto& [id, client] : state.clients)
                if (trace->entity(id).name == "A") a = id;
            return std::pair(a, state);
        };
        const auto [a, before] = life(2s);
        const scenario::Scenario settings = session.settings();
        const auto trace = session.trace();
        const auto undo =
            Breakable::client({&session, *trace, before, settings}, a).strike(Action::PauseClient, {}, Nanos(2s));
        QVERIFY2(undo.has_value(), undo ? "" : qPrintable(undo.error()));
        session.advanceTo(3s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(3s));
        const auto [paused, there] = life(3s);
        QCOMPARE(there.clients.at(paused).life, trace::ClientState::Life::Paused);
        session.apply(**undo, 3s);
        session.advanceTo(4s);
        QTRY_VERIFY(session.trace()->reached() >= Nanos(4s));
        const auto [resumed, then] = life(4s);
        QCOMPARE(then.clients.at(resumed).life, trace::ClientState::Life::Running);
    }
};

QTEST_GUILESS_MAIN(TestBreakable)
#include "tst_breakable.moc"
