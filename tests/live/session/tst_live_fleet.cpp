// SPDX-License-Identifier: Apache-2.0
#include "live/live_session.h"
#include "live_sql.h"
#include "own_redis.h"
#include "sandbox/redis_sentinel.h"
#include "session/alert_desk.h"
#include "trace/connection.h"
#include "trace/wait_for.h"

#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace lockscope;
using namespace lockscope::test;
using live::LiveSession;
using session::ConnectionFacts;
using session::Health;
using trace::EntityId;
using trace::EntityKind;
using trace::EventKind;
using trace::kNoEntity;

namespace {

constexpr const char* kFirst = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57";
constexpr const char* kSecond = "5b8ad3c1-8a7e-4b1d-b5a5-27f0f7f4a611:3";

/// A client of PostgreSQL with a session of its own, by the name of its program.
struct Program {
    Program(Runtime& runtime, const QString& url, const QByteArray& name) : client(runtime, url) {
        auto opened = run(client.driver.textSession());
        if (!opened) return;
        session = std::move(*opened).share();
        ask("SET application_name = '" + name + "'");
    }
    sql::Result ask(const QByteArray& text) {
        const sql::Statement statement{text, {}};
        return run(session->execute(statement));
    }
    SqlClient client;
    std::shared_ptr<sql::DriverSession> session;
};

trace::State stateOf(const session::Session& session) {
    return trace::StateIndex(session.trace()).at(session.trace()->reached());
}

/// The lock of a name over a connection; kNoEntity: none so far.
EntityId lockOf(const session::Session& session, const QByteArray& name, const QString& connection) {
    const auto trace = session.trace();
    for (EntityId id = 1; id < trace->entityCount(); ++id)
        if (trace->entity(id).kind == EntityKind::Lock && trace->entity(id).name == name &&
            trace->displayName(trace::connectionOf(*trace, id)) == connection)
            return id;
    return kNoEntity;
}

/// "0f6e… · 57", "free", "not observed", "no lock": what the record says of it now.
QString recordOf(const session::Session& session, const QByteArray& name, const QString& connection) {
    const EntityId lock = lockOf(session, name, connection);
    if (lock == kNoEntity) return QStringLiteral("no lock");
    const trace::State state = stateOf(session);
    const auto record = state.records.find(lock);
    if (record == state.records.end()) return QStringLiteral("no lock");
    if (!record->second.observed) return QStringLiteral("not observed");
    if (record->second.owner == kNoEntity) return QStringLiteral("free");
    return session.trace()->displayName(record->second.owner);
}

/// How many rows of a kind there are so far.
int rowsOf(const LiveSession& session, trace::EventKind kind) {
    const auto trace = session.trace();
    int rows = 0;
    for (std::size_t i = 0; i < trace->size(); ++i)
        rows += trace->kindAt(i) == kind;
    return rows;
}

} // namespace

class TestLiveFleet : public QObject {
    Q_OBJECT

    EventLoopRuntime m_runtime;
    OwnRedis m_redis, m_other;
    std::unique_ptr<sandbox::PostgresServer> m_postgres;

    void hold(OwnRedis& redis, const QByteArray& name, const char* owner) {
        redis.ask({"HSET", name, owner, "1"});
        redis.ask({"PEXPIRE", name, "600000"});
    }
    static live::ConnectionPlan plan(const char* name, const ConnectionUrl& url, bool changes = false) {
        return {QString::fromLatin1(name), url, changes};
    }
    ConnectionUrl postgresUrl() const { return *parseConnectionUrl(m_postgres->url()); }
    static const ConnectionFacts& factsOf(LiveSession& session, const char* name) {
        static const ConnectionFacts kNone;
        for (const ConnectionFacts& one : session.connectionDesk()->all())
            if (one.name == QLatin1String(name)) return one;
        return kNone;
    }

private Q_SLOTS:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        m_postgres = std::make_unique<sandbox::PostgresServer>(m_runtime);
        VERIFY_EMPTY(start(*m_postgres));
    }
    void init() { VERIFY_EMPTY(m_redis.startAnew()); }
    void cleanup() {
        m_redis.end();
        m_other.end();
    }

    void aMasterBehindSentinelsIsFollowed() {
        constexpr int kFailoverLimit = 30'000; // two seconds; many times that on a busy machine
        sandbox::RedisSentinels group(m_runtime);
        const auto started = run(group.start());
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        const int master = run(group.group().master());
        {
            redis::RedisDriver client(m_runtime, urlOf(group.group().at(master)));
            VERIFY_OK(run(client.call({"HSET", "orders", kFirst, "1"})));
            VERIFY_OK(run(client.call({"PEXPIRE", "orders", "600000"})));
            VERIFY_OK(run(client.call({"WAIT", "2", "5000"})));
        }
        LiveSession session({plan("shop", *parseConnectionUrl(group.url()))}, {});
        QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", u"shop"_qs) != u"no lock", 10'000);
        const QString held = recordOf(session, "orders", u"shop"_qs);
        QVERIFY2(held != u"free" && held != u"not observed", qPrintable(held));
        QTRY_COMPARE(factsOf(session, "shop").servers.size(), 1);
        const inspect::ServerLine before = factsOf(session, "shop").servers.front();
        QCOMPARE(before.role, u"master"_qs);
        QVERIFY2(before.state.contains(u"replicas: "), qPrintable(before.state));
        const inspect::WatchOptions limits;
        QTRY_COMPARE_WITH_TIMEOUT(factsOf(session, "shop").budget, limits.share, 30'000);

        group.group().at(master).kill();
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "orders", u"shop"_qs), u"not observed"_qs, kFailoverLimit);
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "orders", u"shop"_qs), held, kFailoverLimit);
        QTRY_VERIFY(factsOf(session, "shop").servers.front().address != before.address);
        QCOMPARE(factsOf(session, "shop").budget, limits.firstShare); // the new master is searched through
        const auto told = [&session] {
            for (const session::AlertDesk* desk : session::alertDesksOf(&session))
                for (const session::AlertDesk::Entry& entry : desk->entries())
                    if (entry.alert.rule.kind == inspect::AlertRule::Kind::FailedOver && entry.alert.lock == "orders")
                        return true;
            return false;
        };
        QTRY_VERIFY(told());
        QCOMPARE(rowsOf(session, trace::EventKind::RecordFailedOver), 1); // its lane and the list of events say so, too
    }

    void twoKindsOfServersAreOnePicture() {
        hold(m_redis, "orders", kFirst);
        Program program(m_runtime, m_postgres->url(), "batch-02");
        QVERIFY(program.session);
        VERIFY_OK(program.ask("SELECT pg_advisory_lock(42)"));
        LiveSession session({plan("shop", m_redis.url()), plan("bank", postgresUrl())}, {});
        QCOMPARE(session.connectionDesk()->all().size(), 2u); // known at once, before any server has answered
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 20'000);
        QTRY_COMPARE_WITH_TIMEOUT(factsOf(session, "shop").held, 1, 20'000);
        QTRY_COMPARE_WITH_TIMEOUT(factsOf(session, "bank").held, 1, 20'000);
        QVERIFY2(session.health().text.startsWith(QLatin1String("2 connection")), qPrintable(session.health().text));
        QVERIFY2(factsOf(session, "shop").kind.startsWith(QLatin1String("Redis ")),
                 qPrintable(factsOf(session, "shop").kind));
        QVERIFY2(factsOf(session, "bank").kind.startsWith(QLatin1String("PostgreSQL")),
                 qPrintable(factsOf(session, "bank").kind));
        QTRY_VERIFY_WITH_TIMEOUT(factsOf(session, "shop").commandsPerSecond > 0, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(factsOf(session, "bank").commandsPerSecond > 0, 10'000);
        QVERIFY(factsOf(session, "shop").budget > 0 && factsOf(session, "bank").budget > 0);
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("shop")),
                                  QStringLiteral("0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c · 57"), 10'000);
        QCOMPARE(session.title(), QStringLiteral("shop + bank"));
        QVERIFY(!session.abilities().forceRelease && !session.abilities().workload);
    }

    void oneThatFailsDisturbsNoOther() {
        hold(m_redis, "orders", kFirst);
        hold(m_redis, "only-here", kFirst);
        VERIFY_EMPTY(m_other.startAnew());
        hold(m_other, "orders", kSecond);
        LiveSession session({plan("shop", m_redis.url()), plan("jobs", m_other.url())}, {});
        // One name on two servers: two locks with an owner each.
        QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("shop")).endsWith(QLatin1String("57")),
                                 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("jobs")).endsWith(QLatin1String("3")),
                                 20'000);
        m_other.end();
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("jobs")), QStringLiteral("not observed"),
                                  20'000);
        QTRY_COMPARE_WITH_TIMEOUT(factsOf(session, "jobs").health.level, Health::Level::Bad, 20'000);
        QCOMPARE(factsOf(session, "shop").health.level, Health::Level::Good);
        QVERIFY2(session.health().text.contains(QLatin1String("jobs: ")), qPrintable(session.health().text));
        QVERIFY2(session.health().text.startsWith(QLatin1String("1 of 2")), qPrintable(session.health().text));
        m_redis.ask({"DEL", "only-here"});
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "only-here", QStringLiteral("shop")), QStringLiteral("free"),
                                  10'000);
        QVERIFY(recordOf(session, "orders", QStringLiteral("shop")).endsWith(QLatin1String("57")));
        // No gap is written for the server that stayed.
        const trace::State state = stateOf(session);
        QVERIFY(state.records.at(lockOf(session, "orders", QStringLiteral("shop"))).observed);
    }

    void connectionsComeAndEndWhileItRuns() {
        hold(m_redis, "orders", kFirst);
        LiveSession session({plan("", m_redis.url())}, {});
        session::ConnectionDesk* const desk = session.connectionDesk();
        const QString first = m_redis.url().endpoints.front().display();
        QCOMPARE(desk->all().front().name, first);
        QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", first).endsWith(QLatin1String("57")), 20'000);
        Program program(m_runtime, m_postgres->url(), "batch-02");
        QVERIFY(program.session);
        VERIFY_OK(program.ask("SELECT pg_advisory_lock(43)"));
        QSignalSpy arranged(desk, &session::ConnectionDesk::arranged);
        desk->add({QStringLiteral("bank"), m_postgres->url(), false});
        QTRY_COMPARE_WITH_TIMEOUT(factsOf(session, "bank").held, 1, 20'000);
        QVERIFY(!arranged.isEmpty());
        QCOMPARE(session.alertDesks().size(), 2u);
        QCOMPARE(session.alertDesks().back()->connection(), factsOf(session, "bank").id);

        QSignalSpy complained(&session, &LiveSession::complained);
        desk->add({QStringLiteral("again"), m_postgres->url(), false});
        desk->add({QStringLiteral("wrong"), QStringLiteral("nosuch://host"), false});
        QCOMPARE(complained.count(), 2);
        QVERIFY(complained.front().front().toString().contains(QLatin1String("bank")));

        desk->end(desk->all().front().id);
        QTRY_VERIFY_WITH_TIMEOUT(!desk->all().front().open, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "orders", first), QStringLiteral("not observed"), 10'000);
        QCOMPARE(desk->openCount(), 1);
        QCOMPARE(session.health().level, Health::Level::Good); // what was ended on purpose is no trouble
        m_redis.ask({"DEL", "orders"});
        desk->reconnect(desk->all().front().id);
        QTRY_COMPARE_WITH_TIMEOUT(recordOf(session, "orders", first), QStringLiteral("free"), 20'000);
        QCOMPARE(desk->all().size(), 2u); // the same connection, opened again
    }

    void anEditedConnectionKeepsItsPassword() {
        m_redis.ask({"CONFIG", "SET", "requirepass", "hunter2secret"});
        ConnectionUrl url = m_redis.url();
        url.password = QStringLiteral("hunter2secret");
        LiveSession session({plan("shop", url)}, {});
        session::ConnectionDesk* const desk = session.connectionDesk();
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 20'000);
        const QString shown = desk->all().front().url;
        QVERIFY(!shown.contains(QLatin1String("hunter2")));
        desk->edit(desk->all().front().id, {QStringLiteral("store"), shown, false});
        QTRY_COMPARE_WITH_TIMEOUT(desk->all().size(), 2u, 10'000);
        QVERIFY(factsOf(session, "store").open);
        QTRY_COMPARE_WITH_TIMEOUT(factsOf(session, "store").health.level, Health::Level::Good, 20'000);
        QVERIFY(!factsOf(session, "shop").open);
        // Only the access differs: the connection stays.
        desk->edit(factsOf(session, "store").id, {QStringLiteral("store"), shown, true});
        QTRY_VERIFY_WITH_TIMEOUT(factsOf(session, "store").changesAllowed, 10'000);
        QCOMPARE(desk->all().size(), 2u);
    }

    void changesAreAllowedForOneConnectionOnly() {
        VERIFY_EMPTY(m_other.startAnew());
        hold(m_redis, "orders", kFirst);
        hold(m_other, "orders", kSecond);
        LiveSession session({plan("shop", m_redis.url()), plan("jobs", m_other.url())}, {});
        QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("shop")).endsWith(QLatin1String("57")),
                                 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("jobs")).endsWith(QLatin1String("3")),
                                 20'000);
        const EntityId here = lockOf(session, "orders", QStringLiteral("shop")),
                       there = lockOf(session, "orders", QStringLiteral("jobs"));
        session.connectionDesk()->allowChanges(factsOf(session, "jobs").id, true);
        QTRY_VERIFY_WITH_TIMEOUT(session::mayForce(&session, there), 10'000);
        QVERIFY(!session::mayForce(&session, here));
        QVERIFY(session.abilities().workload);
        QSignalSpy complained(&session, &LiveSession::complained);
        session.connectionDesk()->forceRelease(here);
        QCOMPARE(complained.count(), 1);
        QSignalSpy planned(session.connectionDesk(), &session::ConnectionDesk::releasePlanned);
        session.connectionDesk()->planRelease(there);
        QTRY_COMPARE_WITH_TIMEOUT(planned.count(), 1, 10'000);
        QCOMPARE(planned.front().at(0).toUInt(), there);
        session.connectionDesk()->forceRelease(there);
        QTRY_COMPARE_WITH_TIMEOUT(m_other.ask({"EXISTS", "orders"}).integer, 0, 10'000);
        QCOMPARE(m_redis.ask({"HGET", "orders", kFirst}).text, QByteArray("1"));
        session.connectionDesk()->allowChanges(factsOf(session, "jobs").id, false);
        QTRY_VERIFY_WITH_TIMEOUT(!session.abilities().forceRelease, 10'000);
    }

    void ownClientsEndWhenChangesAreForbidden() {
        scenario::Scenario settings;
        settings.recipe = QStringLiteral("redis-set");
        settings.lock.name = QStringLiteral("lockscope:test");
        settings.workload.hold = {50ms, 120ms};
        LiveSession session({plan("bank", postgresUrl()), plan("shop", m_redis.url(), true)}, settings);
        scenario::Fault clients;
        clients.action = scenario::Action::Set;
        clients.setting = QStringLiteral("clients");
        clients.text = QStringLiteral("2");
        session.apply(clients, Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Granted) >= 4, 20'000);
        QVERIFY(lockOf(session, "lockscope:test", QStringLiteral("shop")) != kNoEntity);
        session.connectionDesk()->allowChanges(factsOf(session, "shop").id, false);
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::ClientKilled), 2, 10'000);
        QVERIFY2(session.verdict()->violations.empty(), qPrintable(explainAll(session)));
    }

    void aDeadlockAcrossTwoServersIsSeen() {
        // order-svc-3 holds stock in Redis and waits for 77 in PostgreSQL; batch-02 the other way round.
        m_redis.ask({"HSET", "stock", "order-svc-3:1", "1"});
        m_redis.ask({"PEXPIRE", "stock", "600000"});
        m_redis.ask({"RPUSH", "redisson_lock_queue:{stock}", "batch-02:1"});
        m_redis.ask({"ZADD", "redisson_lock_timeout:{stock}", "99999999999999", "batch-02:1"});
        Program batch(m_runtime, m_postgres->url(), "batch-02"), order(m_runtime, m_postgres->url(), "order-svc-3");
        QVERIFY(batch.session && order.session);
        VERIFY_OK(batch.ask("SELECT pg_advisory_lock(77)"));
        const sql::Statement wants{"SELECT pg_advisory_lock(77)", {}};
        const auto waiting = beside(order.session->execute(wants));
        LiveSession session({plan("shop", m_redis.url()), plan("bank", postgresUrl())}, {});
        const auto rule = inspect::parseClientRule(QStringLiteral("^((?:batch|order-svc)-\\d+)"));
        QVERIFY(rule);
        session.connectionDesk()->setClientRules({*rule, inspect::usualClientRules().front()});
        const auto cycles = [&] { return trace::waitGraph(stateOf(session), *session.trace()).cycles; };
        QTRY_COMPARE_WITH_TIMEOUT(cycles().size(), 1u, 20'000);
        const auto trace = session.trace();
        std::set<QString> clients, connections;
        const std::vector<trace::WaitEdge> ring = cycles().front().edges;
        for (const trace::WaitEdge& edge : ring) {
            clients.insert(trace->displayName(edge.waiter));
            connections.insert(trace->displayName(trace::connectionOf(*trace, edge.lock)));
        }
        QCOMPARE(clients, (std::set{QStringLiteral("batch-02"), QStringLiteral("order-svc-3")}));
        QCOMPARE(connections, (std::set{QStringLiteral("bank"), QStringLiteral("shop")}));
        // Since when order-svc-3 waits is PostgreSQL's own word.
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(session, trace::EventKind::RecordSince) > 0, 10'000);
        // Both connections tell of it, with what to do.
        const auto alerts = [&] {
            QStringList all;
            for (session::AlertDesk* const desk : session.alertDesks())
                for (const auto& entry : desk->entries())
                    if (!entry.over && entry.alert.rule.kind == inspect::AlertRule::Kind::Deadlock)
                        all << entry.alert.sentence + QLatin1Char(' ') + entry.alert.advice;
            return all;
        };
        QTRY_COMPARE_WITH_TIMEOUT(alerts().size(), 2, 20'000);
        for (const QString& alert : alerts())
            for (const char* part : {"“stock” on shop", "“77” on bank", "Stop "})
                QVERIFY2(alert.contains(QString::fromUtf8(part)), qPrintable(alert));
        VERIFY_OK(batch.ask("SELECT pg_advisory_unlock(77)"));
        QTRY_VERIFY_WITH_TIMEOUT(cycles().empty(), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(alerts().isEmpty(), 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(waiting->done, 10'000);
    }

    void aRecordingTellsConnectionsAndNoPassword() {
        hold(m_redis, "orders", kFirst);
        m_redis.ask({"CONFIG", "SET", "requirepass", "hunter2secret"});
        ConnectionUrl url = m_redis.url();
        url.password = QStringLiteral("hunter2secret");
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("fleet.lockscope"));
        {
            LiveSession session({plan("shop", url), plan("bank", postgresUrl())}, {});
            QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 20'000);
            QTRY_VERIFY_WITH_TIMEOUT(recordOf(session, "orders", QStringLiteral("shop")).endsWith(QLatin1String("57")),
                                     20'000);
            QVERIFY(trace::saveRecording(file, session.trace(), session.recordingMeta()));
        }
        const auto loaded = trace::loadRecording(file);
        QVERIFY(loaded && !loaded->damage);
        bool found = false;
        for (EntityId id = 1; id < loaded->trace->entityCount(); ++id) {
            const trace::Entity& entity = loaded->trace->entity(id);
            if (entity.kind != EntityKind::Lock || entity.name != "orders") continue;
            found = loaded->trace->displayName(trace::connectionOf(*loaded->trace, id)) == QLatin1String("shop");
        }
        QVERIFY(found);
        QFile raw(file);
        QVERIFY(raw.open(QIODevice::ReadOnly));
        QVERIFY(!raw.readAll().contains("hunter2secret"));
        QVERIFY(!loaded->meta.origin.contains(QLatin1String("hunter2secret")));
    }
};

QTEST_GUILESS_MAIN(TestLiveFleet)
#include "tst_live_fleet.moc"
