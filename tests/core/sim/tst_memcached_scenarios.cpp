// SPDX-License-Identifier: Apache-2.0
// Scenarios on a simulated memcached: the paths that their texts promise are really walked.
#include "scenario_runs.h"

using namespace lockscope;
using namespace lockscope::tests;
using sim::Probe;
using trace::Event;
using trace::EventKind;

namespace {

/// How the holder's record ended when the server dropped it.
std::optional<Event> freedAfter(const trace::Trace& trace, Nanos at) {
    for (const Event& event : rows(trace, EventKind::RecordFreed))
        if (event.time() >= at) return event;
    return std::nullopt;
}

} // namespace

class TestMemcachedScenarios : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aRestartForgetsTheLock() {
        const auto scenario = builtin("memcached-restart");
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QCOMPARE(reachedSoFar(Probe::MemcachedForgot), std::uint64_t(1));
            const Event killed = rows(*report.trace, EventKind::NodeKilled).at(0);
            const auto freed = freedAfter(*report.trace, killed.time());
            QVERIFY(freed && freed->time() == killed.time());
            QCOMPARE(reasonOf(*freed), trace::FreedBy::NodeLoss);
            // The holder asks when it is connected again, and hears that its item is gone.
            const auto lost = rows(*report.trace, EventKind::Lost);
            QVERIFY(!lost.empty() && lost.front().time() > killed.time());
            QCOMPARE(lost.front().actor, freed->aux);
        }
    }

    /// No connection breaks: the holder hears of the loss when it renews, or, if it never does, when it releases.
    void dataThatAreDroppedAreHeardOfLate_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("probe");
        QTest::addColumn<int>("why");
        QTest::addColumn<int>("hears");
        QTest::newRow("evict") << QByteArray("memcached-evict") << int(Probe::MemcachedEvicted)
                               << int(trace::FreedBy::Evicted) << int(EventKind::RenewRefused);
        QTest::newRow("flush") << QByteArray("memcached-flush") << int(Probe::MemcachedFlushed)
                               << int(trace::FreedBy::NodeLoss) << int(EventKind::ReleaseRefused);
    }
    void dataThatAreDroppedAreHeardOfLate() {
        QFETCH(QByteArray, id);
        QFETCH(int, probe);
        QFETCH(int, why);
        QFETCH(int, hears);
        const auto scenario = builtin(id.constData());
        for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
            sim::resetProbes();
            const auto report = experiment::run(scenario, seed);
            QCOMPARE(sim::probeCounts()[std::size_t(probe)], std::uint64_t(1));
            const Event dropped = rows(*report.trace, EventKind::SettingChanged).at(0);
            QCOMPARE(report.trace->entity(dropped.actor).name, QByteArray("memcached-1"));
            const auto freed = freedAfter(*report.trace, dropped.time());
            QVERIFY(freed && freed->time() == dropped.time());
            QCOMPARE(int(freed->flags & trace::kFreedByMask), why);
            const auto heard = rows(*report.trace, EventKind(hears));
            QCOMPARE(heard.size(), std::size_t(1));
            QCOMPARE(heard.front().actor, freed->aux);
            QVERIFY(heard.front().time() > dropped.time() + 1s);
            QVERIFY(rows(*report.trace, EventKind::ConnectionLost).empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestMemcachedScenarios)
#include "tst_memcached_scenarios.moc"
