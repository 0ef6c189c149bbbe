// SPDX-License-Identifier: Apache-2.0
// The record of servers that are dead: their copies stop, and a record that nobody decides is not told.
#include "scenario_runs.h"
#include "session/shared_run.h"
#include "trace/state.h"

using namespace lockscope;
using namespace lockscope::tests;
using trace::EntityId;
using trace::Event;
using trace::EventKind;
using verdict::Invariant;
using verdict::Outcome;

namespace {

experiment::RunReport runOf(const QString& text) {
    const auto shared = session::readSharedText(QStringLiteral("lockscope:") + text);
    if (!shared) qFatal("%s", qPrintable(shared.error()));
    return experiment::run(shared->whole(), shared->seed);
}

EntityId nodeOf(const trace::Trace& trace, const QByteArray& id) {
    for (EntityId entity = 1; entity < trace.entityCount(); ++entity)
        if (trace.entity(entity).kind == trace::EntityKind::Node && trace.entity(entity).name == id) return entity;
    return trace::kNoEntity;
}

/// The rows that tell of the content of that server's copies, between its death and its next start.
std::size_t rowsAfterDeath(const trace::Trace& trace, EntityId node) {
    Nanos died = kNever, back = kNever;
    for (const Event& e : rows(trace, EventKind::NodeKilled))
        if (e.actor == node) died = std::min(died, e.time());
    for (const Event& e : rows(trace, EventKind::NodeStarted))
        if (e.actor == node && e.time() > died) back = std::min(back, e.time());
    std::size_t count = 0;
    for (std::size_t i = 0; i < trace.size(); ++i) {
        const Event e = trace.at(i);
        const bool isDead = e.time() >= died && e.time() < back;
        const bool tells = isRecord(e.kind) && e.kind != EventKind::RecordUnobserved;
        count += isDead && tells && trace.entity(e.subject).parent == node;
    }
    return count;
}

trace::State stateAt(const trace::Trace& trace, Nanos t) {
    trace::State state;
    for (std::size_t i = 0; i < trace.upperBound(t); ++i)
        state.apply(trace.at(i), trace);
    return state;
}

/// Whether the record of the lock itself is told at that instant.
bool isToldAt(const trace::Trace& trace, Nanos t) {
    const trace::State state = stateAt(trace, t);
    for (const auto& [lock, record] : state.records)
        if (trace.copyOf(lock) == trace::kNoEntity) return record.observed;
    return false;
}

QByteArray roleAt(const trace::Trace& trace, EntityId node, Nanos t) {
    const trace::State state = stateAt(trace, t);
    return trace.entity(state.nodes.at(node).role).name;
}

} // namespace

class TestDeadServers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Nobody gives back what a database loses with its data, or what its clock makes old.
    void whatADatabaseLosesIsNoRelease() {
        const auto report =
            runOf(QStringLiteral("sql-connection-lost?recipe=sql-lease&seed=61&do=20.5s,restart-node-empty,"
                                 "sql-1&do=24.5s,jump-clock,sql-1,value=40s"));
        const auto freedAt = [&](Nanos at) {
            std::optional<trace::FreedBy> by;
            for (const Event& e : rows(*report.trace, EventKind::RecordFreed))
                if (e.time() == at) by = trace::FreedBy(e.flags & trace::kFreedByMask);
            return by;
        };
        QCOMPARE(freedAt(20'500ms), trace::FreedBy::NodeLoss);
        QCOMPARE(freedAt(24'500ms), trace::FreedBy::Expiry);
    }

    void theCopiesOfADeadServerStop_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QByteArray>("dead");
        QTest::newRow("etcd") << QStringLiteral("contention?recipe=etcd-lease&seed=42&do=7.458s,kill-node,etcd-1&do="
                                                "7.458s,kill-node,etcd-2")
                              << QByteArray("etcd-1");
        QTest::newRow("zookeeper") << QStringLiteral("contention?recipe=zk-mutex&seed=42&do=7.458s,kill-node,zk-3")
                                   << QByteArray("zk-3");
        QTest::newRow("sql") << QStringLiteral("sql-failover-async?seed=7") << QByteArray("sql-1");
    }
    void theCopiesOfADeadServerStop() {
        QFETCH(QString, text);
        QFETCH(QByteArray, dead);
        const auto report = runOf(text);
        const EntityId node = nodeOf(*report.trace, dead);
        QCOMPARE(rowsAfterDeath(*report.trace, node), std::size_t(0));
        const Nanos killed = rows(*report.trace, EventKind::NodeKilled).front().time();
        const trace::State state = stateAt(*report.trace, killed);
        bool hasCopy = false;
        for (const auto& [lock, record] : state.records) {
            if (report.trace->entity(lock).parent != node) continue;
            hasCopy = true;
            QVERIFY(!record.observed);
        }
        QVERIFY(hasCopy);
    }

    void withoutAQuorumNobodyDecides_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("etcd") << QStringLiteral(
            "contention?recipe=etcd-lease&seed=1&do=7s,kill-node,etcd-1&do=7s,kill-node,etcd-2");
        QTest::newRow("zookeeper") << QStringLiteral(
            "contention?recipe=zk-mutex&seed=1&do=7s,kill-node,zk-1&do=7s,kill-node,zk-2");
        QTest::newRow("sql") << QStringLiteral("contention?recipe=sql-row&seed=1&do=7s,kill-node,sql-1");
        QTest::newRow("redis") << QStringLiteral("contention?recipe=redis-set&seed=1&do=7s,kill-node,redis-1");
        QTest::newRow("replicas") << QStringLiteral("replicas?recipe=redis-set&seed=1&do=7s,kill-node,redis-1&do=7.1s,"
                                                    "kill-node,sentinel-1&do=7.1s,kill-node,sentinel-2");
    }
    /// No grant is owed meanwhile, whatever the kind of the servers.
    void withoutAQuorumNobodyDecides() {
        QFETCH(QString, text);
        const auto report = runOf(text);
        QCOMPARE(outcome(report, Invariant::Progress), Outcome::Holds);
        const auto grants = rows(*report.trace, EventKind::Granted);
        QVERIFY(grants.back().time() < 8s); // nobody gets in for the rest of the run
    }

    void aRecordThatNobodyDecidesIsToldAgainWithTheNextLeader_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("etcd") << QStringLiteral("contention?recipe=etcd-lease&seed=1&do=7s,kill-node,etcd-1&do=7s,kill-"
                                                "node,etcd-2&do=12s,restart-node,etcd-1");
        QTest::newRow("zookeeper") << QStringLiteral("contention?recipe=zk-mutex&seed=1&do=7s,kill-node,zk-1&do=7s,"
                                                     "kill-node,zk-2&do=12s,restart-node,zk-1");
        QTest::newRow("sql") << QStringLiteral(
            "contention?recipe=sql-lease&seed=1&do=7s,kill-node,sql-1&do=12s,restart-node,sql-1");
    }
    void aRecordThatNobodyDecidesIsToldAgainWithTheNextLeader() {
        QFETCH(QString, text);
        const auto report = runOf(text);
        QVERIFY(isToldAt(*report.trace, 6999ms));
        QVERIFY(!isToldAt(*report.trace, 7s));
        QVERIFY(!isToldAt(*report.trace, 11900ms));
        const auto deciders = rows(*report.trace, EventKind::RecordDecider);
        const bool ofOneServer = QTest::currentDataTag() == QByteArray("sql"); // whose death says it
        QCOMPARE(deciders.size(), std::size_t(ofOneServer ? 0 : 2));
        if (!ofOneServer) QCOMPARE(deciders.front().value, 0); // nobody
        QVERIFY(isToldAt(*report.trace, 30s));
        QVERIFY(rows(*report.trace, EventKind::Granted).back().time() > 30s);
    }

    void withoutALeaderNobodyDecides_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("etcd") << QStringLiteral("etcd-leader-loss?recipe=etcd-lease&seed=42");
        QTest::newRow("zookeeper") << QStringLiteral("zk-leader-loss?recipe=zk-mutex&seed=42");
    }
    /// Two of three servers run, but until one of them leads, no lease or session ends and none is renewed. Copies on
    /// servers that run are told all the while.
    void withoutALeaderNobodyDecides() {
        QFETCH(QString, text);
        const auto report = runOf(text);
        const trace::Trace& trace = *report.trace;
        const Event killed = rows(trace, EventKind::NodeKilled).front();
        const auto roles = rows(trace, EventKind::NodeRole);
        const auto next = std::ranges::find_if(
            roles, [&](const Event& e) { return e.time() > killed.time() && trace.entity(e.aux).name == "leader"; });
        QVERIFY(next != roles.end() && next->time() - killed.time() > 200ms);
        QVERIFY(isToldAt(trace, killed.time() - 1ms));
        for (const Nanos t : {killed.time(), killed.time() + 150ms, next->time() - 1ns}) {
            const trace::State state = stateAt(trace, t);
            int copies = 0;
            for (const auto& [lock, record] : state.records) {
                if (trace.copyOf(lock) == trace::kNoEntity)
                    QCOMPARE(record.deciders, 0);
                else
                    copies += record.observed && record.owner != trace::kNoEntity;
            }
            QCOMPARE(copies, 2);
            QVERIFY(!isToldAt(trace, t));
        }
        const Nanos known = next->time() + 10ms; // the other member has heard of it
        QVERIFY(isToldAt(trace, known));
        const trace::State after = stateAt(trace, known), before = stateAt(trace, killed.time() - 1ms);
        for (const auto& [lock, record] : after.records) {
            if (trace.copyOf(lock) != trace::kNoEntity) continue;
            QCOMPARE(record.owner, before.records.at(lock).owner);
            QVERIFY(record.owner != trace::kNoEntity);
            // Its whole time again; a session has no end of its own in the record.
            QVERIFY(record.deadline < 0 || Nanos(record.deadline) - next->time() >= 6s);
        }
    }

    void aLeaderAloneDecidesNothing_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("etcd") << QStringLiteral("etcd-quorum-loss?recipe=etcd-lease&seed=42");
        QTest::newRow("zookeeper") << QStringLiteral(
            "contention?recipe=zk-mutex&seed=42&do=7s,cut-link,zk-3&do=25s,heal-all");
    }
    /// A leader that others cannot hear leads nobody.
    void aLeaderAloneDecidesNothing() {
        QFETCH(QString, text);
        const auto report = runOf(text);
        const auto deciders = rows(*report.trace, EventKind::RecordDecider);
        QVERIFY(deciders.size() >= 2);
        QCOMPARE(deciders.front().value, 0);
        QVERIFY(!isToldAt(*report.trace, deciders.front().time()));
        QVERIFY(isToldAt(*report.trace, deciders.at(1).time()));
    }

    void nobodyDecidesWhileAMasterIsDead() {
        const auto report = runOf(QStringLiteral("sql-failover-async?seed=7"));
        const trace::State state = stateAt(*report.trace, 1500ms);
        for (const auto& [lock, record] : state.records) {
            if (report.trace->copyOf(lock) != trace::kNoEntity) continue;
            QVERIFY(!record.observed);
            QCOMPARE(record.deciders, 0);
        }
    }

    void aServerThatStartsLooksForALeader() {
        const auto report = runOf(QStringLiteral("contention?recipe=zk-mutex&seed=42&do=7.458s,kill-node,zk-3&do=9s,"
                                                 "kill-node,zk-2&do=11s,restart-node,zk-2"));
        const EntityId node = nodeOf(*report.trace, "zk-2");
        QCOMPARE(roleAt(*report.trace, node, 8900ms), QByteArray("leader"));
        QCOMPARE(roleAt(*report.trace, node, 11s), QByteArray("looking"));
    }

    /// Clients gave their leases up while nothing could be carried out, and had left by the time that it was.
    void requestsOfClientsThatLeftAreStillTheirs() {
        const auto report = runOf(QStringLiteral("contention?recipe=etcd-lease&seed=7&do=5s,kill-node,etcd-1&do=6.5s,"
                                                 "pause-node,etcd-2,for=7s&do=18s,restart-node,etcd-1"));
        int late = 0;
        for (const Event& e : rows(*report.trace, EventKind::RecordFreed)) {
            if (e.at < Nanos(15400ms).count() || e.at > Nanos(15500ms).count()) continue;
            QCOMPARE(trace::FreedBy(e.flags), trace::FreedBy::Release);
            QCOMPARE(e.actor, e.aux);
            ++late;
        }
        QVERIFY2(late >= 3, qPrintable(QString::number(late)));
    }

    /// The other two have the lock all the while: the leader's memory was not the record.
    void oneMemberThatForgetsLosesNothing_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("at once") << u"contention?recipe=etcd-lease&seed=6&do=2.28s,restart-node-empty,etcd-3"_qs;
        QTest::newRow("seed 9") << u"contention?recipe=etcd-lease&seed=9&do=2.28s,restart-node-empty,etcd-3"_qs;
        QTest::newRow("with cuts") << u"contention?recipe=etcd-lease&seed=222&do=2.28s,restart-node-empty,etcd-3&"
                                      "do=5.94s,cut-link,B%7Cetcd-2,for=8.7s&do=8.49s,pause-node,etcd-2,for=7.2s&"
                                      "do=11.63s,pause-client,waiter,for=4.5s"_qs;
    }
    void oneMemberThatForgetsLosesNothing() {
        QFETCH(QString, text);
        const auto report = runOf(text);
        QCOMPARE(report.verdict.overall(), Outcome::Holds);
        for (const Event& e : rows(*report.trace, EventKind::RecordFreed))
            if (report.trace->copyOf(e.subject) == trace::kNoEntity)
                QVERIFY(trace::FreedBy(e.flags) != trace::FreedBy::NodeLoss);
    }
    /// Two of three that forget have a majority, and what the third one knows counts for nothing.
    void twoMembersThatForgetLoseTheLock() {
        const auto report = runOf(QStringLiteral("contention?recipe=etcd-lease&seed=6&do=2.28s,restart-node-empty,"
                                                 "etcd-3&do=2.29s,restart-node-empty,etcd-2"));
        const auto freed = rows(*report.trace, EventKind::RecordFreed);
        QVERIFY(std::ranges::any_of(freed, [&](const Event& e) {
            return report.trace->copyOf(e.subject) == trace::kNoEntity &&
                   trace::FreedBy(e.flags) == trace::FreedBy::NodeLoss;
        }));
    }
};

QTEST_GUILESS_MAIN(TestDeadServers)
#include "tst_dead_servers.moc"
