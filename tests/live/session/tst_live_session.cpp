// SPDX-License-Identifier: Apache-2.0
#include "live/forced_releases.h"
#include "live/live_session.h"
#include "live/release_log.h"
#include "own_redis.h"
#include "scenario/scenario_file.h"
#include "trace/state.h"

#include <QJsonDocument>
#include <QSignalSpy>
#include <QStandardPaths>

using namespace lockscope;
using namespace lockscope::test;
using live::LiveSession;
using scenario::Action;
using session::Health;
using trace::EventKind;

namespace {

bool violated(const session::Session& session, verdict::Invariant invariant) {
    return std::ranges::any_of(session.verdict()->violations,
                               [invariant](const verdict::Violation& v) { return v.invariant == invariant; });
}

/// Quick rounds, so that a test sees many hand-overs.
scenario::Scenario quick(const char* recipe) {
    scenario::Scenario settings;
    settings.recipe = QString::fromLatin1(recipe);
    settings.lock.name = QStringLiteral("lockscope:test");
    settings.lock.lease = 3s;
    settings.lock.watchdog = 1s;
    settings.workload.hold = {50ms, 120ms};
    settings.workload.think = {10ms, 50ms};
    settings.workload.writeEvery = {10ms, 20ms};
    return settings;
}

scenario::Fault fault(Action action, const char* target) {
    scenario::Fault f;
    f.action = action;
    f.target = QString::fromLatin1(target);
    return f;
}

scenario::Fault setting(const char* name, const char* value) {
    scenario::Fault f;
    f.action = Action::Set;
    f.setting = QString::fromLatin1(name);
    f.text = QString::fromLatin1(value);
    return f;
}

/// Waits until the session has seen the lock held and says how it would be taken away; the commands, empty: never.
QStringList plannedRelease(LiveSession& session, const QByteArray& lock) {
    QSignalSpy planned(&session, &LiveSession::releasePlanned);
    const bool told = QTest::qWaitFor(
        [&] {
            session.planRelease(lock);
            return !planned.isEmpty();
        },
        10'000);
    return told && planned.front().at(0) == lock ? planned.front().at(1).toStringList() : QStringList();
}

} // namespace

class TestLiveSession : public QObject {
    Q_OBJECT

    OwnRedis m_redis;

    /// The last line of the file of forced releases.
    static QJsonObject lastNoted() {
        QFile file(live::releaseLogPath());
        if (!file.open(QIODevice::ReadOnly)) return {};
        return QJsonDocument::fromJson(file.readAll().trimmed().split('\n').back()).object();
    }

private Q_SLOTS:
    void initTestCase() {
        QStandardPaths::setTestModeEnabled(true);
        QFile::remove(live::releaseLogPath());
    }
    void init() { VERIFY_EMPTY(m_redis.startAnew()); }
    void cleanup() { m_redis.end(); }

    void locksOfOthersAreSeenWithoutTouchingThem() {
        m_redis.ask({"HSET", "orders", "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", "2"});
        m_redis.ask({"PEXPIRE", "orders", "30000"});
        const QByteArray before = m_redis.ask({"INFO", "keyspace"}).text;
        LiveSession session(m_redis.url(), false, quick("redis-set"));
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::RecordHeld) == 1, 10'000);
        const auto trace = session.trace();
        const trace::State state = trace::StateIndex(trace).at(trace->reached());
        bool found = false;
        for (const auto& [lock, record] : state.records) {
            if (trace->entity(lock).name != "orders") continue;
            found = true;
            QCOMPARE(trace->entity(trace->entity(lock).other).name, QByteArray("redisson"));
            QCOMPARE(record.holds, 2u);
            QCOMPARE(trace->entity(record.owner).name, QByteArray("57"));
            QVERIFY(record.deadline > record.since + Nanos(20s).count());
        }
        QVERIFY(found);
        QSignalSpy complained(&session, &LiveSession::complained);
        session.apply(setting("clients", "3"), Nanos(0));
        session.forceRelease("orders");
        QCOMPARE(complained.count(), 2);
        QCOMPARE(m_redis.ask({"EXISTS", "orders"}).integer, 1);
        QVERIFY(!before.isEmpty());
    }

    /// The trace of a busy watch goes on in another one, which has its end: what is held, by whom and since when.
    void aLongTraceGoesOnWithoutItsBeginning() {
        constexpr std::size_t kMost = 400;
        m_redis.ask({"SET", "lock:long", "worker-1", "NX", "PX", "600000"});
        LiveSession session(m_redis.url(), false, quick("redis-set"));
        session.setMostRows(kMost);
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::RecordHeld) == 1, 10'000);
        m_redis.ask({"SET", "lock:seen", "worker-2", "NX", "PX", "600000"});
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::RecordHeld) == 2, 10'000);
        const auto recordOf = [&session](const char* name) {
            const auto trace = session.trace();
            const trace::State state = trace::StateIndex(trace).at(trace->reached());
            for (const auto& [lock, record] : state.records)
                if (trace->entity(lock).name == name) return record;
            return trace::Record();
        };
        const trace::Record seen = recordOf("lock:seen");
        int joints = 0;
        std::shared_ptr<const trace::Trace> before = session.trace();
        const std::weak_ptr<const trace::Trace> first = before;
        connect(&session, &LiveSession::traceReplaced, &session, [&] {
            ++joints;
            QVERIFY(session.traceJoint().isBefore(before));
            const std::size_t row = session.traceJoint().row;
            const auto now = session.trace();
            QVERIFY(row <= now->size() && row < before->size());
            QCOMPARE(now->at(row - 1).at, before->at(before->size() - 1).at);
            QCOMPARE(now->at(row - 1).kind, before->at(before->size() - 1).kind);
            before = now;
        });
        for (int turns = 0; joints < 3 && turns < 20'000; ++turns) {
            m_redis.ask({"SET", "lock:busy", "worker-" + QByteArray::number(turns), "PX", "60000"});
            QTest::qWait(5); // the pace of a busy client; the watch itself tells when it has had enough
        }
        QVERIFY(joints >= 3);
        QVERIFY(session.trace()->size() < 2 * kMost);
        QVERIFY(first.expired());
        QCOMPARE(recordOf("lock:seen").owner, seen.owner); // ids mean the same
        QCOMPARE(recordOf("lock:seen").deadline, seen.deadline);
        QCOMPARE(recordOf("lock:seen").toldSince, seen.since);
        QVERIFY(recordOf("lock:long").observed && recordOf("lock:long").owner != trace::kNoEntity);
        // Changes are told on.
        m_redis.ask({"DEL", "lock:seen"});
        QTRY_VERIFY_WITH_TIMEOUT(recordOf("lock:seen").owner == trace::kNoEntity, 10'000);
        QVERIFY(recordOf("lock:seen").observed);
    }

    void ourOwnClientsContendAndNothingIsViolated_data() {
        QTest::addColumn<QByteArray>("recipe");
        QTest::newRow("redis-set") << QByteArray("redis-set");
        QTest::newRow("redis-reentrant") << QByteArray("redis-reentrant");
    }
    void ourOwnClientsContendAndNothingIsViolated() {
        QFETCH(QByteArray, recipe);
        LiveSession session(m_redis.url(), true, quick(recipe.constData()));
        session.apply(setting("clients", "4"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Granted) >= 30, 30'000);
        QVERIFY(count(session, EventKind::WriteAccepted) >= 30);
        QVERIFY(count(session, EventKind::Request) >= 60); // their messages are there to be looked at
        QVERIFY(count(session, EventKind::Reply) >= 60);
        QTRY_VERIFY(session.verdict()->rows > 0);
        QVERIFY2(session.verdict()->violations.empty(), qPrintable(explainAll(session)));
        QCOMPARE(count(session, EventKind::ClientKilled), 0);
        session.apply(setting("clients", "0"), Nanos(0));
        QTRY_COMPARE(count(session, EventKind::ClientKilled), 4);
    }

    void pausingTheHolderForLongerThanItsLeaseIsSeenToHurt() {
        auto settings = quick("redis-set");
        settings.lock.lease = 400ms;
        settings.lock.watchdog = Nanos(0);
        settings.lock.honourDeadline = false;
        settings.workload.hold = {200ms, 300ms};
        LiveSession session(m_redis.url(), true, settings);
        session.apply(setting("clients", "3"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Granted) >= 3, 20'000);
        // The fault pauses the client that holds when it gets there. Between two holds there is none, so ask until one
        // is paused.
        QTRY_VERIFY_WITH_TIMEOUT((session.apply(fault(Action::PauseClient, "holder"), Nanos(0)),
                                  count(session, EventKind::ClientPaused) > 0),
                                 20'000);
        QTRY_VERIFY_WITH_TIMEOUT(violated(session, verdict::Invariant::MutualExclusion), 20'000);
        session.apply(fault(Action::HealAll, ""), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(violated(session, verdict::Invariant::StaleWrite), 20'000);
    }

    void aKilledClientsLockIsFreeAgainByItsLease() {
        auto settings = quick("redis-reentrant");
        settings.lock.lease = 1s;
        settings.lock.watchdog = 300ms;
        settings.workload.hold = {10s, 10s};
        LiveSession session(m_redis.url(), true, settings);
        session.apply(setting("clients", "2"), Nanos(0));
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::Granted), 1, 20'000);
        session.apply(fault(Action::KillClient, "holder"), Nanos(0));
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::Granted), 2, 10'000);
        QVERIFY2(!violated(session, verdict::Invariant::MutualExclusion), qPrintable(explainAll(session)));
    }

    void whatCannotBeDoneToAClientIsSaid() {
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        session.apply(setting("clients", "1"), Nanos(0));
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::ClientStarted), 1, 20'000);
        QSignalSpy complained(&session, &LiveSession::complained);
        session.apply(fault(Action::ResumeClient, "A"), Nanos(0)); // it runs
        QTRY_COMPARE(complained.count(), 1);
        session.apply(fault(Action::KillClient, "A"), Nanos(0));
        session.apply(fault(Action::KillClient, "A"), Nanos(0));
        QTRY_COMPARE(complained.count(), 2);
        QCOMPARE(count(session, EventKind::ClientKilled), 1);
    }

    void losingTheServerIsSaidInWordsAndMendsItself() {
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        session.apply(setting("clients", "2"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Granted) >= 3, 20'000);
        m_redis->kill();
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Bad, 10'000);
        QVERIFY(!session.health().text.isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::ConnectionLost) >= 1, 10'000);
        VERIFY_EMPTY(m_redis.startAgain());
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 20'000);
        const int granted = count(session, EventKind::Granted);
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Granted) >= granted + 5, 30'000);
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::ConnectionRestored) >= 1, 10'000);
    }

    void aServerThatStandsStillIsNotCalledWell() {
        const LiveSession session(m_redis.url(), true, quick("redis-set"));
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 10'000);
        m_redis->pause(); // its connections stay
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Bad, 20'000);
        const QString where = m_redis.url().endpoints.at(0).display();
        QVERIFY2(session.health().text.contains(where), qPrintable(session.health().text));
        m_redis->resume();
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Good, 20'000);
    }

    void aServerThatIsNotThereIsSaidInWords() {
        auto gone = m_redis.url();
        m_redis.end();
        scenario::Scenario impatient = quick("redis-set");
        impatient.lock.wait = 1s; // who waits for ever, waits until it is there
        LiveSession session(gone, true, impatient);
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Bad, 10'000);
        QVERIFY2(session.health().text.contains(gone.endpoints.at(0).display()), qPrintable(session.health().text));
        session.apply(setting("clients", "2"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::AcquireFailed) >= 1, 10'000);
        QCOMPARE(count(session, EventKind::Granted), 0);
    }

    void aWrongPasswordIsSaidWithoutRepeatingIt() {
        sandbox::RedisServerOptions options;
        options.password = QStringLiteral("right");
        VERIFY_EMPTY(m_redis.startAnew(options));
        auto wrong = m_redis.url();
        wrong.password = QStringLiteral("sesame-4711");
        LiveSession session(wrong, false, quick("redis-set"));
        QTRY_COMPARE_WITH_TIMEOUT(session.health().level, Health::Level::Bad, 10'000);
        QVERIFY2(session.health().text.contains(QLatin1String("password")), qPrintable(session.health().text));
        QVERIFY(!session.health().text.contains(wrong.password));
        QCOMPARE(session.title(), wrong.endpoints.at(0).display()); // a name; none of the login
        const auto trace = session.trace();
        for (std::size_t i = 1; i < trace->entityCount(); ++i)
            QVERIFY(!trace->entity(trace::EntityId(i)).name.contains("sesame"));
    }

    void thousandsOfLocksAreShownWithoutHurtingTheServer() {
        constexpr int kLocks = 3'000;
        m_redis.ask(
            {"EVAL",
             "for i = 1, tonumber(ARGV[1]) do redis.call('HSET', 'job:' .. i, '0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:' "
             ".. i, 1) "
             "redis.call('PEXPIRE', 'job:' .. i, 120000) end return 0",
             "0", QByteArray::number(kLocks)});
        QCOMPARE(m_redis.ask({"DBSIZE"}).integer, kLocks);
        m_redis.ask({"CONFIG", "RESETSTAT"});
        LiveSession session(m_redis.url(), false, quick("redis-set"));
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::RecordHeld), kLocks, 60'000);
        QCOMPARE(session.health().level, Health::Level::Good);
        const QByteArray commands = m_redis.ask({"INFO", "commandstats"}).text;
        QVERIFY(!commands.contains("cmdstat_keys:"));
        QVERIFY(commands.contains("cmdstat_scan:"));
        QCOMPARE(m_redis.ask({"DBSIZE"}).integer, kLocks);
    }

    void aRecipeOfAnotherBackendIsRefused() {
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        QSignalSpy complained(&session, &LiveSession::complained);
        session.apply(setting("recipe", "etcd-lease"), Nanos(0));
        QTRY_COMPARE_WITH_TIMEOUT(complained.count(), 1, 10'000);
    }

    void aLockIsFreedByForceAndItsHolderLearns() {
        auto settings = quick("redis-reentrant");
        settings.workload.hold = {60s, 60s};
        LiveSession session(m_redis.url(), true, settings);
        session.apply(setting("clients", "1"), Nanos(0));
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::Granted), 1, 20'000);
        const QStringList commands = plannedRelease(session, "lockscope:test");
        QVERIFY2(commands.value(0).startsWith(QLatin1String("EVAL ")), qPrintable(commands.join(QLatin1Char('\n'))));
        session.forceRelease("lockscope:test");
        QTRY_COMPARE_WITH_TIMEOUT(count(session, EventKind::Lost), 1, 10'000);
    }

    void aHolderThatCameSinceTheQuestionKeepsItsLock() {
        const QByteArray first = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57", second = first.chopped(2) + "58";
        m_redis.ask({"HSET", "orders", first, "1"});
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        QVERIFY(!plannedRelease(session, "orders").isEmpty());
        m_redis.ask({"DEL", "orders"});
        m_redis.ask({"HSET", "orders", second, "1"});
        QSignalSpy complained(&session, &LiveSession::complained);
        session.forceRelease("orders");
        QTRY_COMPARE_WITH_TIMEOUT(complained.count(), 1, 10'000);
        QVERIFY(complained.front().front().toString().contains(QLatin1String("another client")));
        QCOMPARE(m_redis.ask({"HGET", "orders", second}).text, QByteArray("1"));
        QCOMPARE(lastNoted()[u"result"], complained.front().front().toJsonValue());
        QVERIFY(!live::ForcedReleases(m_redis.url()).has("orders"));
    }

    void aForcedReleaseIsNotedWithItsCommands() {
        m_redis.ask({"SET", "lock:noted", "somebody", "PX", "60000"});
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        const QStringList commands = plannedRelease(session, "lock:noted");
        session.forceRelease("lock:noted");
        QTRY_COMPARE_WITH_TIMEOUT(m_redis.ask({"EXISTS", "lock:noted"}).integer, 0, 10'000);
        QTRY_COMPARE_WITH_TIMEOUT(lastNoted()[u"result"].toString(), QStringLiteral("freed"), 10'000);
        const QJsonObject noted = lastNoted();
        QCOMPARE(noted[u"lock"][u"name"].toString(), QStringLiteral("lock:noted"));
        // A watch beside it knows that by the file, under whichever user and options it has its URL.
        ConnectionUrl url = m_redis.url();
        url.options[u"timeout"_qs] = u"2s"_qs;
        live::ForcedReleases here(url);
        QVERIFY(here.has("lock:noted"));
        QVERIFY(!here.has("lock:another"));
        url.endpoints.front().port = url.endpoints.front().port + 1;
        QVERIFY(!live::ForcedReleases(url).has("lock:noted"));
        QCOMPARE(noted[u"server"].toString(), m_redis.url().display());
        QCOMPARE(noted[u"commands"].toVariant().toStringList(), commands);
        QVERIFY(QDateTime::fromString(noted[u"at"].toString(), Qt::ISODateWithMs).isValid());
    }

    void locksOfEveryLayoutAreFreedByForceAndNothingElse() {
        const QByteArray owner = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57";
        m_redis.ask({"SET", "lock:text", "somebody", "PX", "60000"});
        m_redis.ask({"SET", "lock:number", "4102444800000"});
        m_redis.ask({"HSET", "plain", owner, "2"});
        m_redis.ask({"HSET", "shared", "mode", "read", owner, "1"});
        m_redis.ask({"HSET", "colours", "sky", "blue"});
        m_redis.ask({"SET", "orders:count", "12"});
        m_redis.ask({"SET", "permits", "1"});
        m_redis.ask(
            {"ZADD", "{permits}:timeout", "4102444800000", "0123456789abcdef", "4102444800000", "fedcba9876543210"});
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        for (const char* name : {"lock:text", "lock:number", "plain", "shared"}) {
            QVERIFY2(!plannedRelease(session, name).isEmpty(), name);
            session.forceRelease(name);
            QTRY_COMPARE_WITH_TIMEOUT(m_redis.ask({"EXISTS", name}).integer, 0, 10'000);
        }
        QSignalSpy complained(&session, &LiveSession::complained);
        session.forceRelease("colours");
        QTRY_COMPARE_WITH_TIMEOUT(complained.count(), 1, 10'000);
        QCOMPARE(m_redis.ask({"EXISTS", "colours"}).integer, 1);
        // A number is a lock only as an instant; of permits only those that were taken come back.
        session.forceRelease("orders:count");
        QTRY_COMPARE_WITH_TIMEOUT(complained.count(), 2, 10'000);
        QCOMPARE(m_redis.ask({"GET", "orders:count"}).text, QByteArray("12"));
        QVERIFY(!plannedRelease(session, "permits").isEmpty());
        session.forceRelease("permits");
        QTRY_COMPARE_WITH_TIMEOUT(m_redis.ask({"GET", "permits"}).text, QByteArray("3"), 10'000);
    }

    void whoQueuesForALockThatIsFreedByForceIsWoken() {
        const QByteArray holder = "0f6ef1c2-2f2b-4f8e-9a53-1c7b7f0a1b2c:57",
                         waiter = "5b8ad3c1-8a7e-4b1d-b5a5-27f0f7f4a611:3";
        m_redis.ask({"HSET", "fair", holder, "1"});
        m_redis.ask({"PEXPIRE", "fair", "30000"});
        m_redis.ask({"RPUSH", "redisson_lock_queue:{fair}", waiter});
        m_redis.ask({"ZADD", "redisson_lock_timeout:{fair}", "4102444800000", waiter});
        redis::RedisDriver listening(m_redis.runtime(), m_redis.url());
        bool told = false, subscribed = false;
        m_redis.runtime().spawn([&]() -> QCoro::Task<> {
            auto subscription = co_await listening.subscribe("redisson_lock__channel:{fair}:" + waiter);
            subscribed = subscription.has_value();
            if (!subscription) co_return;
            const auto message = co_await (*subscription)->next(10s);
            told = message.has_value();
        });
        QTRY_VERIFY_WITH_TIMEOUT(subscribed, 10'000);
        LiveSession session(m_redis.url(), true, quick("redis-set"));
        QVERIFY(!plannedRelease(session, "fair").isEmpty());
        session.forceRelease("fair");
        QTRY_VERIFY_WITH_TIMEOUT(told, 10'000);
        QCOMPARE(m_redis.ask({"EXISTS", "fair"}).integer, 0);
    }

    void aHealedClientsWatchdogRunsAgain() {
        auto settings = quick("redis-reentrant");
        settings.lock.lease = 600ms;
        settings.lock.watchdog = 150ms;
        settings.lock.honourDeadline = true;
        settings.workload.hold = {1s, 1s};
        LiveSession session(m_redis.url(), true, settings);
        session.apply(setting("clients", "1"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Renewed) > 0, 20'000);
        session.apply(fault(Action::StopWatchdog, "A"), Nanos(0));
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Lost) > 0, 20'000);
        session.apply(fault(Action::HealAll, ""), Nanos(0));
        QTRY_VERIFY(count(session, EventKind::Healed) > 0);
        const int before = count(session, EventKind::Renewed);
        QTRY_VERIFY_WITH_TIMEOUT(count(session, EventKind::Renewed) > before, 20'000);
    }
};

QTEST_GUILESS_MAIN(TestLiveSession)
#include "tst_live_session.moc"
