// SPDX-License-Identifier: Apache-2.0
// Acquisitions that count only when replicas have them: WAIT, against a real master and a real replica.
#include "recipe_bench.h"
#include "redis_relay.h"
#include "stopping_port.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
const QByteArray kName = "orders";
} // namespace

class TestRedisConfirmed : public QObject {
    Q_OBJECT

    std::unique_ptr<recipes::Recipe> recipe(const QByteArray& id, redis::Port& port, int replicas,
                                            const QByteArray& name = kName) {
        recipes::RedisLock spec{port, name, m_a->uuid, {}, m_a->doubts};
        spec.replicas = replicas;
        return recipes::makeRedisRecipe(id, std::move(spec));
    }

    static sandbox::RedisServerOptions masterOptions() {
        sandbox::RedisServerOptions options;
        options.extraLines = {QStringLiteral("repl-diskless-sync-delay 0")};
        return options;
    }

    /// The replica confirms again what the master writes. "online" in the master's INFO does not say so: a replica that
    /// has only loaded the data is not listened to before its next sign of life, up to a second later.
    bool replicaConfirms() {
        redis::RedisDriver driver(m_runtime, urlOf(m_master));
        return comesTrue(
            [&] {
                const redis::Result written = call(driver, {"SET", "in-step", "1", "PX", "1"});
                const redis::Result confirmed = call(driver, {"WAIT", "1", "200"});
                return written && confirmed && confirmed->integer == 1;
            },
            20s);
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_master);
        sandbox::RedisServerOptions options;
        options.extraLines = {QStringLiteral("replicaof 127.0.0.1 %1").arg(m_master.port()),
                              QStringLiteral("replica-read-only yes")};
        m_replica = std::make_unique<sandbox::RedisServer>(m_runtime, options);
        VERIFY_STARTED(*m_replica);
        m_a = std::make_unique<Process>(m_runtime, m_master);
        QVERIFY(replicaConfirms());
    }
    void cleanup() {
        m_replica->resume();
        QVERIFY(replicaConfirms());
        QVERIFY(call(m_a->driver, {"FLUSHALL"}));
    }

    void aReplicaThatConfirmsMakesItCount_data() { everyRecipe(); }
    void aReplicaThatConfirmsMakesItCount() {
        QFETCH(QByteArray, id);
        const auto confirmed = recipe(id, m_a->driver, 1);
        QCOMPARE(confirmed->info().id, id);
        const auto grant = run(confirmed->acquire(requestFor(*confirmed, 0s), {}));
        QVERIFY2(grant && *grant, grant ? "not taken" : qPrintable(grant.error().message));
        redis::RedisDriver replica(m_runtime, urlOf(*m_replica));
        QCOMPARE(call(replica, {"EXISTS", kName}).value().integer, 1); // it is there already
        QCOMPARE(run(confirmed->isLocked({})).value_or(false), true);
        QCOMPARE(run(confirmed->release(**grant, {})).value_or(-1), 0);
    }

    void tooFewReplicasGiveItBack() {
        const auto confirmed = recipe("redis-reentrant", m_a->driver, 2);
        const Nanos begun = m_runtime.monotonic();
        const auto grant = run(confirmed->acquire(requestFor(*confirmed, 0s), {}));
        QVERIFY(!grant && grant.error().kind == LockError::Kind::Refused);
        QVERIFY2(grant.error().message.contains(QStringLiteral("1 of 2")), qPrintable(grant.error().message));
        QVERIFY(m_runtime.monotonic() - begun < 4s);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void aReplicaThatStandsStillGivesItBack() {
        const auto confirmed = recipe("redis-set", m_a->driver, 1);
        m_replica->pause();
        const auto grant = run(confirmed->acquire(requestFor(*confirmed, 0s), {}));
        QVERIFY(!grant && grant.error().kind == LockError::Kind::Refused);
        QVERIFY(grant.error().message.contains(QStringLiteral("0 of 1")));
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void whoWaitsGoesOnUntilAReplicaConfirms_data() { everySafeRecipe(); }
    void whoWaitsGoesOnUntilAReplicaConfirms() {
        QFETCH(QByteArray, id);
        const auto confirmed = recipe(id, m_a->driver, 1);
        redis::RedisDriver observer(m_runtime, urlOf(m_master)); // a connection that no WAIT holds up
        VERIFY_OK(run(observer.open()));
        const auto isThere = [&] { return call(observer, {"EXISTS", kName}).value().integer == 1; };
        m_replica->pause();
        const auto waiting = beside(confirmed->acquire(requestFor(*confirmed, 60s), {}));
        QVERIFY(comesTrue(isThere));
        if (id != "redis-semaphore") // its counter stays
            QVERIFY2(comesTrue([&] { return !isThere(); }), "it was not given back");
        QVERIFY(comesTrue(isThere)); // taken once more
        QVERIFY2(!waiting->done, "gave up with nearly all of its time left");
        m_replica->resume();
        QVERIFY(ends(waiting, 20s));
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        QCOMPARE(run(confirmed->release(***waiting->result, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void aWaitThatIsOverSaysWhatWasMissing() {
        const auto confirmed = recipe("redis-reentrant", m_a->driver, 1);
        m_replica->pause();
        const Nanos begun = m_runtime.monotonic();
        const auto grant = run(confirmed->acquire(requestFor(*confirmed, 2500ms), {}));
        QVERIFY(!grant && grant.error().kind == LockError::Kind::Refused);
        QVERIFY2(grant.error().message.contains(QStringLiteral("0 of 1")), qPrintable(grant.error().message));
        QVERIFY(m_runtime.monotonic() - begun >= 2500ms);
        QVERIFY(m_runtime.monotonic() - begun < 10s);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void aStopBetweenTwoTriesIsHeardAtOnce() {
        const auto confirmed = recipe("redis-set", m_a->driver, 2);
        std::stop_source source;
        const auto waiting = beside(confirmed->acquire(requestFor(*confirmed), source.get_token()));
        redis::RedisDriver observer(m_runtime, urlOf(m_master));
        const auto isThere = [&] { return call(observer, {"EXISTS", kName}).value().integer == 1; };
        QVERIFY(comesTrue(isThere));
        QVERIFY(comesTrue([&] { return !isThere(); }));
        source.request_stop();
        QVERIFY(ends(waiting, 5s));
        QVERIFY(waiting->cancelled == Cancelled::Why::Stopped);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    /// Five seconds of WAIT over the connection on which holds are renewed.
    void replicasThatAreAwaitedDoNotKeepHoldsFromBeingRenewed() {
        const auto held = recipe("redis-reentrant", m_a->driver, 0, "held");
        const auto grant = run(held->acquire(requestFor(*held, 0s), {}));
        QVERIFY(grant && *grant);
        redis::RedisDriver observer(m_runtime, urlOf(m_master)); // a connection that no WAIT holds up
        VERIFY_OK(run(observer.open()));
        m_replica->pause();
        using Granted = std::expected<std::optional<Grant>, LockError>;
        std::vector<std::unique_ptr<recipes::Recipe>> locks;
        std::vector<std::shared_ptr<Ending<Granted>>> attempts;
        for (int i = 0; i < 5; ++i) {
            locks.push_back(recipe("redis-set", m_a->driver, 1, "lock-" + QByteArray::number(i)));
            attempts.push_back(beside(locks.back()->acquire(requestFor(*locks.back(), 0s), {})));
        }
        // All of them have written, and renewals are asked for while replicas are awaited.
        QVERIFY(QTest::qWaitFor([&] {
            return call(observer, {"EXISTS", "lock-0", "lock-1", "lock-2", "lock-3", "lock-4"}).value().integer == 5;
        }));
        for (int i = 0; i < 2; ++i) {
            const auto renewed = run(held->renew(**grant, {}));
            QVERIFY2(renewed.has_value(), renewed ? "" : qPrintable(renewed.error().message));
            QVERIFY(*renewed);
        }
        for (const auto& attempt : attempts) {
            QVERIFY(ends(attempt, 10s));
            QVERIFY(!*attempt->result);
            QVERIFY2(attempt->result->error().kind == LockError::Kind::Refused,
                     qPrintable(attempt->result->error().message));
            QVERIFY2(attempt->at < 3s, qPrintable(QString::number(attempt->at / 1ms)));
        }
        QCOMPARE(run(held->release(**grant, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    /// The write is answered, and its connection ends before anybody asks what the replicas have. The next one is to a
    /// server that lost everything; what its replicas have is all of it.
    void aConnectionThatEndsBeforeItsWaitConfirmsNothing_data() { everyRecipe(); }
    void aConnectionThatEndsBeforeItsWaitConfirmsNothing() {
        QFETCH(QByteArray, id);
        RedisRelay relay(m_runtime, m_master.port());
        EventLoopRuntime clientRuntime;
        redis::RedisDriver driver(clientRuntime, urlOf(relay.url()));
        recipes::RedisLock spec{driver, kName, m_a->uuid};
        spec.replicas = 1;
        const auto confirmed = recipes::makeRedisRecipe(id, std::move(spec));
        VERIFY_OK(run(driver.open()));
        bool cut = false;
        relay.answered = [&](const QByteArray& asked, const QByteArray& answer) {
            const QByteArray lastCommand = id == "redis-setnx-expire" ? "PEXPIRE" : kName;
            if (cut || !asked.contains(lastCommand) || answer.startsWith('-')) return false; // "-NOSCRIPT"
            cut = true;
            clientRuntime.pause(); // it is slow to go on; its sockets are not
            return true;
        };
        const auto attempt = beside(confirmed->acquire(requestFor(*confirmed, 0s), {}));
        QVERIFY(comesTrue([&] { return cut && relay.connections > 1 && driver.connection() != 0; }));
        QVERIFY(call(m_a->driver, {"FLUSHALL"}));
        clientRuntime.resume();
        QVERIFY(ends(attempt, 5s));
        QVERIFY(attempt->result);
        QVERIFY2(!*attempt->result, "confirmed, and nobody has it");
        QCOMPARE(keysLeft(m_a->driver), QStringList());
        // The connection that is there now serves as well as the first one.
        const auto grant = run(confirmed->acquire(requestFor(*confirmed, 0s), {}));
        QVERIFY2(grant && *grant, grant ? "not taken" : qPrintable(grant.error().message));
        VERIFY_OK(run(confirmed->release(**grant, {})));
    }

    void aStopWhileReplicasAreAwaitedGivesItBack() {
        StoppingPort port(m_a->driver);
        const auto confirmed = recipe("redis-set", port, 2);
        std::stop_source source;
        port.stopAt(2, StoppingPort::When::Sent, source); // the SET, then the WAIT
        const auto ended = run(howCancelled(confirmed->acquire(requestFor(*confirmed, 0s), source.get_token())));
        QCOMPARE(ended, std::optional(Cancelled::Why::Stopped));
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_master{m_runtime, masterOptions()};
    std::unique_ptr<sandbox::RedisServer> m_replica;
    std::unique_ptr<Process> m_a;
};

QTEST_GUILESS_MAIN(TestRedisConfirmed)
#include "tst_redis_confirmed.moc"
