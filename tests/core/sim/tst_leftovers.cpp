// SPDX-License-Identifier: Apache-2.0
// Holds that outlive their owners on servers, and holds that outlive their servers.
#include "scenario_runs.h"
#include "session/shared_run.h"
#include "trace/death.h"
#include "trace/decider.h"
#include "trace/leftover.h"
#include "trace/state.h"
#include "verdict/why_safe.h"

using namespace lockscope;
using namespace lockscope::tests;
using trace::EntityId;
using trace::EntityKind;
using trace::Event;
using trace::EventKind;

namespace {

experiment::RunReport runOf(const QString& text) {
    const auto shared = session::readSharedText(QStringLiteral("lockscope:") + text);
    if (!shared) qFatal("%s", qPrintable(shared.error()));
    return experiment::run(shared->whole(), shared->seed);
}

/// A run at one instant.
struct Moment {
    const trace::Trace& trace;
    Nanos at;
    trace::State state;
    EntityId lock = trace::kNoEntity;

    Moment(const trace::Trace& whole, Nanos t) : trace(whole), at(t) {
        for (std::size_t i = 0; i < trace.upperBound(t); ++i)
            state.apply(trace.at(i), trace);
        state.passTime(t.count());
        for (const auto& [id, record] : state.records)
            if (record.copyOf == trace::kNoEntity) lock = id;
    }
    const trace::Record& record() const { return state.records.at(lock); }
    /// As it was granted, in whole milliseconds.
    Nanos lease() const {
        return std::chrono::round<std::chrono::milliseconds>(Nanos(record().deadline - record().leaseFrom));
    }
    QString owner() const { return trace.displayName(trace.clientOf(record().owner)); }
    EntityId thread(const QByteArray& client) const {
        for (const auto& [key, belief] : state.beliefs)
            if (trace.entity(trace.clientOf(key.second)).name == client) return key.second;
        return trace::kNoEntity;
    }
    const trace::Belief& belief(const QByteArray& client) const { return state.beliefs.at({lock, thread(client)}); }
    bool leftover() const { return trace::isLeftover(lock, state, at.count()); }
    bool unheard(const QByteArray& client) const { return trace::isUnheard(record(), belief(client), thread(client)); }
    const trace::Record& copy(const QByteArray& server) const {
        for (const auto& [id, record] : state.records)
            if (record.copyOf == lock && trace.entity(trace.entity(id).parent).name == server) return record;
        qFatal("no copy");
    }
    QStringList servers() const {
        QStringList names;
        for (const auto& [id, record] : state.records)
            if (record.copyOf == lock) names += trace.displayName(trace.entity(id).parent);
        names.sort();
        return names;
    }
};

QStringList explanations(const experiment::RunReport& report) {
    QStringList all;
    for (const verdict::Violation& violation : report.verdict.violations)
        all += verdict::explain(violation, *report.trace);
    return all;
}

} // namespace

class TestLeftovers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A replica is promoted that has not heard of the end of C's hold. C asks anew, and waits for A's end, as it
    /// seems.
    void anOldLockThatCameBackIsNobodysGrant() {
        const auto report = runOf(u"replicas?recipe=redis-set&seed=42&do=15.090636838s,crash-node,redis-1"_qs);
        const Moment before(*report.trace, 15s), after(*report.trace, 18700ms);
        QCOMPARE(before.owner(), u"A"_qs);
        QVERIFY(!before.leftover());
        QCOMPARE(after.owner(), u"C"_qs);
        QVERIFY(after.leftover());
        QVERIFY(after.belief("C").waiting());
        QVERIFY(!after.unheard("C"));
        QCOMPARE(after.belief("C").grant, 0U);
        QCOMPARE(after.record().grants, before.record().grants); // nobody was granted anything
        QVERIFY(after.record().since < Nanos(10s).count());      // as old as it is
        QCOMPARE(after.lease(), Nanos(20s));
    }

    void aHoldThatOutlivesItsServerIsTheSameOne() {
        const auto report = runOf(u"replicas?recipe=redis-set&seed=42&do=16.687s,kill-node,redis-1"_qs);
        const Moment before(*report.trace, 16s), after(*report.trace, 19100ms);
        QCOMPARE(before.owner(), u"A"_qs);
        QCOMPARE(after.owner(), u"A"_qs);
        QVERIFY(!after.leftover());
        QVERIFY(std::abs(after.record().since - before.record().since) < Nanos(1ms).count());
        QCOMPARE(after.record().grants, before.record().grants);
        QCOMPARE(after.lease(), Nanos(20s));
        // The holder's question when it is connected again renews nothing.
        QCOMPARE(Moment(*report.trace, 20038ms).lease(), Nanos(20s));
    }

    /// Two of five servers are dead, and the others name two clients: nobody can have three.
    void serversThatNameSeveralClientsGrantNothing() {
        const auto report = runOf(
            u"redlock-minority-down?recipe=redis-redlock&seed=7&do=8s,flush-node,redis-1&do=8s,flush-node,redis-2&do="
            u"8s,"
            "flush-node,redis-3&do=20s,pause-client,holder,for=6s&do=30s,jump-clock,redis-4,value=-60s&do=36s,cut-link,"
            "A%7Credis-1%2Credis-2%2Credis-3,for=6s"_qs);
        const Moment held(*report.trace, 10s), divided(*report.trace, 12500ms), again(*report.trace, 40500ms);
        QCOMPARE(trace::whoCannotDecide(held.lock, *report.trace, held.state), trace::CannotDecide::None);
        for (const Moment* moment : {&divided, &again}) {
            QCOMPARE(moment->record().owner, trace::kNoEntity);
            QCOMPARE(trace::whoCannotDecide(moment->lock, *report.trace, moment->state), trace::CannotDecide::Divided);
        }
        const auto healthy = runOf(u"contention?recipe=redis-redlock&seed=7"_qs);
        const Moment free(*healthy.trace, 1us);
        QCOMPARE(trace::whoCannotDecide(free.lock, *healthy.trace, free.state), trace::CannotDecide::None);
    }

    /// C's release does not arrive, its session is given up, and it queues anew with another one.
    void aNodeOfAnEndedSessionIsALeftover() {
        const auto report = runOf(u"zk-leader-loss?recipe=zk-mutex&seed=42"_qs);
        const Moment then(*report.trace, 22136ms);
        QCOMPARE(then.owner(), u"C"_qs);
        QVERIFY(then.leftover());
        QVERIFY(then.belief("C").waiting());
        // The places that others have left stand before the one that waits, until their sessions end.
        QStringList queue, left;
        for (const trace::QueuedWaiter& waiter : then.record().queue)
            (waiter.dead ? left : queue) += then.trace.displayName(then.trace.clientOf(waiter.thread));
        QCOMPARE(left, (QStringList{u"B"_qs, u"A"_qs, u"D"_qs}));
        QCOMPARE(queue, QStringList{u"C"_qs});
        // Nobody got in, as nobody could: no safety by a server that knew the holder.
        QCOMPARE(verdict::whySafe(*report.trace, 22136ms), QString());
        QVERIFY(!verdict::whySafe(*report.trace, 10500ms).isEmpty()); // C held it still
    }

    void aDeadClientsLeaseIsNoSafety() {
        const auto report =
            runOf(u"etcd-leader-loss?recipe=etcd-lease&seed=42&do=3s,cut-link,etcd-3%7Cetcd-1%2Cetcd-2,for=9s"_qs);
        const Moment then(*report.trace, 5s);
        QCOMPARE(then.owner(), u"A"_qs);
        QVERIFY(!then.leftover());
        QCOMPARE(verdict::whySafe(*report.trace, 5s),
                 u"etcd-1 took over from etcd-3 at 3.873 s while A held orders, and knew the holder, so nobody else "
                 u"got in."_qs);
        QCOMPARE(verdict::whySafe(*report.trace, 15s), QString()); // D, killed at 5.7 s, held it for the servers
    }

    /// A database's row of a client that could not release it.
    void aRowThatNobodyFreedIsALeftover() {
        const auto report = runOf(u"sql-failover-async?recipe=sql-lease&seed=7&do=30s,pause-client,A,for=5s&do=40s,"
                                  u"cut-link,sql-1%7Csql-2,for=10s&do=62s,failover,master&do=80s,kill-node,master,"
                                  u"for=6s&do=95s,jump-clock,sql-2,value=70s"_qs);
        const Moment then(*report.trace, 89s);
        QVERIFY(then.leftover());
        QVERIFY(then.state.beliefs.at({then.lock, then.record().owner}).waiting());
        QCOMPARE(verdict::whySafe(*report.trace, 89s), QString());
        // Where a clock makes a lease end, nobody released it.
        for (const Event& freed : rows(*report.trace, EventKind::RecordFreed))
            if (freed.time() == 95s) QCOMPARE(reasonOf(freed), trace::FreedBy::Expiry);
    }

    /// One of five Redlock masters alone takes no lock away.
    void allServersThatWereEmptiedAreNamed() {
        const auto report = runOf(u"redlock-minority-down?recipe=redis-redlock&seed=7&do=8s,flush-node,redis-1&do=8s,"
                                  u"flush-node,redis-2&do=8s,flush-node,redis-3"_qs);
        const QStringList told = explanations(report);
        QVERIFY2(told.join(u'|').contains(u"All data of redis-1, redis-2 and redis-3 were deleted at 8.0"_qs),
                 qPrintable(told.join(u'|')));
        const auto late = runOf(u"redlock-minority-down?recipe=redis-redlock&seed=9&do=24.0s,pause-client,holder,for=8s"
                                u"&do=8.3s,restart-node-empty,redis-1&do=15.9s,flush-node,redis-5"_qs);
        const QString why = explanations(late).join(u'|');
        QVERIFY2(!why.contains(u"with them the lock"_qs), qPrintable(why));
        QVERIFY2(why.contains(u"All data of redis-5 were deleted at 15.900 s. Too few servers were left"_qs),
                 qPrintable(why));
    }

    /// The lock went through several hands after A's lease was over: told is the hold that overlaps.
    void theHoldThatOverlapsIsTold() {
        const auto report = runOf(u"contention?recipe=redis-set&seed=42&do=2.927437826s,pause-client,A"_qs);
        int told = 0;
        for (const verdict::Violation& violation : report.verdict.violations) {
            if (violation.invariant != verdict::Invariant::MutualExclusion) continue;
            const QString words = verdict::explain(violation, *report.trace);
            QVERIFY2(!words.contains(u"6.814 s"_qs) || violation.from < 7s, qPrintable(words));
            ++told;
        }
        QVERIFY(told > 1);
    }

    void aMemberThatIsCutOffHearsOfNoRenewal() {
        const auto report =
            runOf(u"etcd-leader-loss?recipe=etcd-lease&seed=42&do=3s,cut-link,etcd-3%7Cetcd-1%2Cetcd-2,for=9s"_qs);
        const Moment cut(*report.trace, 3100ms), later(*report.trace, 6s);
        QCOMPARE(later.copy("etcd-3").deadline, cut.copy("etcd-3").deadline);
        QCOMPARE(later.copy("etcd-3").owner, cut.copy("etcd-3").owner);
        QVERIFY(later.copy("etcd-1").deadline > cut.copy("etcd-1").deadline);
    }

    void aClustersLockHasCopiesOnServersOfItsSlotOnly() {
        scenario::Scenario scenario = builtin("contention");
        scenario::ServiceSpec service = scenario::defaultService(u"redis"_qs);
        service.shape = scenario::ServiceSpec::Shape::Cluster;
        service.nodes = 6;
        scenario.setServices({service});
        scenario.until = 8s;
        const auto report = experiment::run(scenario, 5);
        const Moment then(*report.trace, 7s);
        QCOMPARE(then.servers().size(), 2); // its slot's master and that one's replica
        QVERIFY(then.servers().contains(then.trace.displayName(then.record().decider)));
    }

    void aDeadServerDecidesNothing() {
        const auto single = runOf(u"contention?recipe=redis-set&seed=42&do=9s,kill-node,redis-1"_qs);
        const Moment before(*single.trace, 8s), after(*single.trace, 14s);
        QCOMPARE(trace::whoCannotDecide(before.lock, before.trace, before.state), trace::CannotDecide::None);
        QCOMPARE(trace::whoCannotDecide(after.lock, after.trace, after.state), trace::CannotDecide::DeciderDead);
        const auto engine = runOf(u"engine-switch?seed=42&do=12.264s,kill-node,redis-2"_qs);
        const Moment chosen(*engine.trace, 19260ms);
        QCOMPARE(chosen.trace.entity(chosen.record().decider).name, QByteArray("redis-2"));
        QCOMPARE(trace::whoCannotDecide(chosen.lock, chosen.trace, chosen.state), trace::CannotDecide::DeciderDead);
        QCOMPARE(trace::whoCannotDecide(chosen.lock, chosen.trace, chosen.state, true),
                 trace::CannotDecide::EnginesChange);
    }

    /// A machine whose process was killed refuses; one without power says nothing.
    void aDeadServerAnswersNothing_data() {
        QTest::addColumn<QString>("deed");
        QTest::addColumn<bool>("refuses");
        QTest::newRow("killed") << u"kill-node"_qs << true;
        QTest::newRow("crashed") << u"crash-node"_qs << false;
    }
    void aDeadServerAnswersNothing() {
        QFETCH(const QString, deed);
        QFETCH(const bool, refuses);
        const auto report = runOf(u"replicas?recipe=redis-set&seed=42&do=15.09s,%1,redis-1"_qs.arg(deed));
        const std::vector<Event> deaths = rows(*report.trace, EventKind::NodeKilled);
        QCOMPARE(deaths.size(), std::size_t(1));
        QCOMPARE(trace::isCrash(deaths.front()), !refuses);
        std::size_t refusals = 0, answers = 0, asked = 0;
        for (std::size_t i = 0; i < report.trace->size(); ++i) {
            const Event e = report.trace->at(i);
            const bool since = e.time() > deaths.front().time();
            asked += since && e.kind == EventKind::Request && e.subject == deaths.front().actor;
            if (!since || e.kind != EventKind::Reply || e.actor != deaths.front().actor) continue;
            trace::isRefusal(e) ? ++refusals : ++answers;
        }
        QVERIFY(asked > 0);
        QCOMPARE(answers, std::size_t(0));
        QCOMPARE(refusals > 0, refuses);
    }
};

QTEST_GUILESS_MAIN(TestLeftovers)
#include "tst_leftovers.moc"
