// SPDX-License-Identifier: Apache-2.0
// Scenarios about a rare path of a server take it in every run. A promise that holds because nothing happened is none.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using sim::Probe;

class TestScenarioPaths : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyRunTakesThePath_data() {
        QTest::addColumn<QByteArray>("scenario");
        QTest::addColumn<int>("probe");
        const auto takes = [](const char* scenario, Probe probe) {
            QTest::addRow("%s: %s", scenario, sim::probeName(probe)) << QByteArray(scenario) << int(probe);
        };
        takes("zk-leader-loss", Probe::ZkSessionKept);
        takes("zk-leader-loss", Probe::ZkSessionsAnew);
        takes("zk-session-expiry", Probe::ZkSessionEnded);
        takes("zk-suspended", Probe::ZkSessionKept);
        takes("etcd-leader-loss", Probe::EtcdLeasesAnew);
        takes("etcd-lease-lost", Probe::EtcdLeaseEnded);
        takes("etcd-lost-reply", Probe::EtcdAskedAgain);
        takes("etcd-quorum-loss", Probe::EtcdSteppedDown);
        takes("memcached-evict", Probe::MemcachedEvicted);
        takes("memcached-flush", Probe::MemcachedFlushed);
        takes("memcached-restart", Probe::MemcachedForgot);
        takes("sql-half-open", Probe::SqlHalfOpen);
        takes("sql-failover-async", Probe::SqlOldPrimaryFollows);
        takes("sql-failover-async", Probe::SqlCopiedAnew);
        takes("sql-failover-connection", Probe::SqlOldPrimaryFollows);
        takes("museum-named-locks", Probe::SqlOldPrimaryFollows);
        takes("sql-semi-sync-gives-up", Probe::SqlSemiSyncOff);
        takes("sql-pool-exhausted", Probe::SqlPoolEmpty);
    }
    void everyRunTakesThePath() {
        QFETCH(QByteArray, scenario);
        QFETCH(int, probe);
        const auto story = builtin(scenario.constData());
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            (void)experiment::run(story, seed);
            QVERIFY2(reachedSoFar(Probe(probe)) > 0, "seed " + QByteArray::number(qulonglong(seed)));
        }
    }
};

QTEST_GUILESS_MAIN(TestScenarioPaths)
#include "tst_scenario_paths.moc"
