// SPDX-License-Identifier: Apache-2.0
#include "fake_etcd.h"
#include "recipes/etcd/etcd_lease.h"

#include <QTimer>

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using sandbox::EtcdCluster;
using sandbox::EtcdServer;
using ErrorKind = LockError::Kind;

class TestEtcdFaults : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() {
        m_server.resume();
        for (int i = 0; m_cluster && i < m_cluster->size(); ++i)
            m_cluster->member(i).resume();
        if (!m_server.running()) VERIFY_STARTED(m_server);
        EtcdDriver driver(m_runtime, urlOf(m_server));
        QTRY_COMPARE(keysUnder(driver, "").size(), 0U);
        QTRY_COMPARE_WITH_TIMEOUT(leaseCount(m_server), 0, 15'000);
    }

    // --- one server ---
    void killedAndStartedAgainWhileSomebodyWaits() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        EtcdLease one({driver, "jobs"});
        EtcdDriver otherDriver(m_runtime, urlOf(m_server));
        EtcdLease other({otherDriver, "jobs"});
        const auto held = run(one.acquire(asked(0s, 30s), {})).value();
        auto waiting = beside(other.acquire(asked(30s, 30s), {}));
        QTRY_COMPARE(watchCount(m_server), 1);
        m_server.kill();
        QTRY_VERIFY(!m_server.running());
        const auto refused = run(one.renew(*held, {}));
        QVERIFY(!refused && refused.error().kind == ErrorKind::Unreachable);
        VERIFY_STARTED(m_server); // with its data: locks outlive it
        QVERIFY(!waiting->done);
        QCOMPARE(run(one.renew(*held, {})).value(), true);
        QTRY_COMPARE(watchCount(m_server), 1); // it watches again
        QCOMPARE(run(one.release(*held, {})).value(), 0);
        QTRY_VERIFY(waiting->done);
        QVERIFY(waiting->result->has_value() && **waiting->result);
        QVERIFY(run(other.release(***waiting->result, {})));
    }
    void startedOnlyAfterTheWaitHasBegun_data() {
        QTest::addColumn<bool>("kept");
        QTest::newRow("with a lease of its own") << false;
        QTest::newRow("with a lease of the connection") << true;
    }
    void startedOnlyAfterTheWaitHasBegun() {
        QFETCH(bool, kept);
        EtcdDriver driver(m_runtime, urlOf(m_server));
        const auto leases = std::make_shared<recipes::EtcdLeases>(driver);
        EtcdLease recipe({driver, "jobs", leases});
        const auto request = [kept](Nanos wait) {
            recipes::Request all = asked(wait, 30s);
            all.kept = kept;
            return all;
        };
        m_server.kill();
        QTRY_VERIFY(!m_server.running());
        const Nanos begun = m_runtime.monotonic();
        const auto tried = run(recipe.acquire(request(0s), {}));
        QVERIFY(!tried && tried.error().kind == ErrorKind::Unreachable);
        QVERIFY(m_runtime.monotonic() - begun < 2s);
        auto waiting = beside(recipe.acquire(request(60s), {}));
        std::stop_source stop;
        auto stopped = beside(recipe.acquire(request(kNever), stop.get_token()));
        const auto late = run(recipe.acquire(request(400ms), {}));
        QVERIFY(!late && late.error().kind == ErrorKind::Unreachable); // and not: somebody else has it
        QVERIFY2(!waiting->done, "gave up with nearly all of its time left");
        QVERIFY(!stopped->done);
        stop.request_stop();
        QVERIFY(ends(stopped, 5s));
        QVERIFY(stopped->cancelled == Cancelled::Why::Stopped);
        VERIFY_STARTED(m_server);
        QVERIFY(ends(waiting, 20s));
        VERIFY_OK(*waiting->result);
        QVERIFY(**waiting->result);
        QCOMPARE(run(recipe.release(***waiting->result, {})).value(), 0);
        VERIFY_OK(run(leases->close()));
        leases->end();
    }
    void aWrongLoginIsNotWaitedFor() {
        sandbox::EtcdServerOptions options;
        options.rootPassword = QStringLiteral("secret");
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        ConnectionUrl wrong = urlOf(server);
        wrong.password = QStringLiteral("wr0ng");
        EtcdDriver driver(m_runtime, wrong);
        EtcdLease recipe({driver, "jobs"});
        const auto refused = beside(recipe.acquire(asked(60s, 30s), {}));
        QVERIFY(ends(refused, 10s));
        QVERIFY(!*refused->result && refused->result->error().kind == ErrorKind::Refused);
    }
    void pausedServer() {
        EtcdDriver driver(m_runtime, urlOf(m_server), impatient());
        EtcdLease recipe({driver, "jobs"});
        const auto held = run(recipe.acquire(asked(0s), {})).value();
        pause(m_server);
        const Nanos begun = m_runtime.monotonic();
        const auto unknown = run(recipe.release(*held, {}));
        QVERIFY(!unknown);
        QVERIFY2(unknown.error().kind == ErrorKind::OutcomeUnknown, qPrintable(unknown.error().message));
        const auto none = run(recipe.acquire(asked(5s), {}));
        QVERIFY(!none);
        QVERIFY(m_runtime.monotonic() - begun < 8s);
        m_server.resume();
        // The second release tells whether the first one ran, and nothing is left.
        const auto second = run(recipe.release(*held, {}));
        QVERIFY(second || second.error().kind == ErrorKind::NotOwner);
    }
    void shortPauseIsNoError() {
        EtcdDriver driver(m_runtime, urlOf(m_server));
        EtcdLease recipe({driver, "jobs"});
        pause(m_server);
        QTimer::singleShot(300, this, [this] { m_server.resume(); });
        const auto held = run(recipe.acquire(asked(0s), {})).value();
        QVERIFY(held);
        QCOMPARE(run(recipe.release(*held, {})).value(), 0);
    }

    // --- a cluster ---
    void silentMemberIsLeft() {
        startCluster();
        EtcdCluster& cluster = *m_cluster;
        EtcdDriver driver(m_runtime, parseConnectionUrl(cluster.url(0)).value());
        EtcdLease recipe({driver, "jobs"});
        QVERIFY(run(driver.open()));
        pause(cluster.member(0));
        const auto held = run(recipe.acquire(asked(0s, 20s), {}));
        QVERIFY2(held && *held, held ? "" : qPrintable(held.error().message));
        QVERIFY(driver.where() != urlOf(cluster).endpoints[0].display());
        QCOMPARE(run(recipe.release(**held, {})).value(), 0);
        cluster.member(0).resume();
    }
    void memberOfAClusterFails() {
        startCluster();
        EtcdCluster& cluster = *m_cluster;
        EtcdDriver oneDriver(m_runtime, parseConnectionUrl(cluster.url(0)).value());
        EtcdDriver otherDriver(m_runtime, parseConnectionUrl(cluster.url(0)).value());
        EtcdLease one({oneDriver, "jobs"}), other({otherDriver, "jobs"});

        // Killed under a holder and a waiter.
        auto held = run(one.acquire(asked(0s, 20s), {})).value();
        QVERIFY(held);
        auto waiting = beside(other.acquire(asked(30s, 20s), {}));
        QTRY_COMPARE(watchCount(cluster.member(0)), 1);
        cluster.member(0).kill();
        // Goes on at one of the others.
        QTRY_COMPARE_WITH_TIMEOUT(watchCount(cluster.member(1)) + watchCount(cluster.member(2)), 1, 15'000);
        QVERIFY(!waiting->done);
        QCOMPARE(run(one.renew(*held, {})).value(), true);
        QCOMPARE(run(one.release(*held, {})).value(), 0);
        QTRY_VERIFY(waiting->done);
        held = waiting->result->value();
        QVERIFY(held);

        // Without a quorum nothing is granted, and nobody is lied to.
        pause(cluster.member(1));
        EtcdDriver hasty(m_runtime, parseConnectionUrl(cluster.url(1)).value(), impatient());
        EtcdLease third({hasty, "jobs"});
        const auto none = run(third.acquire(asked(0s), {}));
        QVERIFY(!none);
        QVERIFY2(none.error().kind == ErrorKind::OutcomeUnknown || none.error().kind == ErrorKind::Unreachable,
                 qPrintable(none.error().message));
        cluster.member(1).resume();
        const auto back = [&] { return run(other.renew(*held, {})).value_or(false); };
        QTRY_VERIFY_WITH_TIMEOUT(back(), 15'000);
        QCOMPARE(run(other.release(*held, {})).value(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(keysUnder(oneDriver, "jobs").size(), 0U, 15'000);
    }

    /// It answers by itself when its time for a request is over, seven seconds; what it has proposed may come later.
    void aMemberWithoutAQuorumSaysNothingOfItsWrites() {
        startCluster();
        EtcdCluster& cluster = *m_cluster;
        if (!cluster.member(0).running()) VERIFY_STARTED(cluster.member(0));
        DriverOptions patient;
        patient.requestTimeout = 12s;
        EtcdDriver driver(m_runtime, urlOf(cluster.member(2).url()), patient);
        QVERIFY(comesTrue([&] { return run(driver.put("before", "v", 0)).has_value(); }, 15s));
        pause(cluster.member(0));
        pause(cluster.member(1));
        const auto put = run(driver.put("late", "v", 0));
        cluster.member(0).resume();
        cluster.member(1).resume();
        QVERIFY(!put);
        QVERIFY2(put.error().outcomeUnknown(), qPrintable(put.error().message));
    }

private:
    /// One for all that strike it, those who leave it in pieces last.
    void startCluster() {
        if (m_cluster) return;
        m_cluster.emplace(m_runtime);
        VERIFY_STARTED(*m_cluster);
    }
    void pause(EtcdServer& server) {
        server.pause();
        run(m_runtime.sleep(20ms)); // until all its threads stand still
    }
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
    std::optional<EtcdCluster> m_cluster;
};

QTEST_GUILESS_MAIN(TestEtcdFaults)
#include "tst_etcd_faults.moc"
