// SPDX-License-Identifier: Apache-2.0
// Runs that people broke by hand in odd ways: which cause is told, and that a verdict is no false one.
#include "scenario_runs.h"
#include "session/shared_run.h"
#include "verdict/why_safe.h"

#include <QRegularExpression>

using namespace lockscope;
using namespace lockscope::tests;

namespace {

experiment::RunReport runOf(const QString& text) {
    const auto shared = session::readSharedText(QStringLiteral("lockscope:") + text);
    if (!shared) qFatal("%s", qPrintable(shared.error()));
    return experiment::run(shared->whole(), shared->seed);
}

QString allTold(const experiment::RunReport& report) {
    QStringList all;
    for (const verdict::Violation& violation : report.verdict.violations)
        all += verdict::explain(violation, *report.trace);
    return all.join(u'\n');
}

} // namespace

class TestCausesByHand : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theCauseIsTold_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("told");    ///< a pattern that some violation's explanation matches
        QTest::addColumn<QString>("notTold"); ///< and one that none does
        QTest::newRow("work hung before it got the lock, without a watchdog")
            << u"replicas?recipe=redis-fair&seed=441&do=2.21s,hang-work,holder&do=5.59s,hang-work,C"_qs
            << u"The work of C had hung since 20\\.[0-9]+ s, and its lease lasted until"_qs << u"watchdog"_qs;
        QTest::newRow("a master died and came back empty")
            << u"replicas?recipe=redis-fair&seed=219&do=5.46s,restart-node-empty,redis-2&do=8.84s,evict-key,redis-2&"
               "do=9.93s,kill-node,redis-1,for=1.2s"_qs
            << u"redis-1 died at 9\\.93"_qs << u"too few servers"_qs;
        QTest::newRow("permits flushed")
            << u"contention-permits?recipe=redis-semaphore&seed=526&do=3.76s,flush-node,redis-1"_qs
            << u"All data of redis-1 were deleted at 3\\.7"_qs << u"died"_qs;
        QTest::newRow("permits lost with their server")
            << u"contention-permits?recipe=redis-semaphore&seed=151&do=3.73s,evict-key,redis-1&do=6.42s,restart-node,"
               "redis-1"_qs
            << u"redis-1 died at 6\\.42"_qs << u"deleted"_qs;
        QTest::newRow("permits over by a clock that jumped")
            << u"contention-permits?recipe=redis-semaphore&seed=159&do=11.801s,jump-clock,redis-1,value=20s"_qs
            << u"The clock of redis-1 jumped at 11\\.80"_qs << u"died"_qs;
        QTest::newRow("a server's clock that gains")
            << u"contention?recipe=sql-lease&seed=204&do=4.68s,cut-link,A%7Csql-1,for=1.7s&do=5.38s,jump-clock,sql-1,"
               "value=-10s&do=8.75s,drift-clock,sql-1,value=0.3s&do=9.99s,hang-work,B"_qs
            << u"From 8\\.7[0-9]* s on the clock of sql-1 was too fast: it gained 300 ms each second"_qs
            << u"jumped"_qs;
        QTest::newRow("a deciding server's clock that gains")
            << u"contention?recipe=redis-redlock&seed=59&do=4.82s,drift-clock,redis-1,value=0.3s&do=8.51s,kill-node,"
               "redis-3,for=3.0s&do=9.76s,hang-work,waiter&do=11.80s,repeat-request,waiter"_qs
            << u"on the clock of redis-1 was too fast"_qs << u"clock of redis-[23]"_qs;
        QTest::newRow("connections died with their machine")
            << u"contention?recipe=sql-for-update&seed=6&do=9.3s,crash-node,sql-1,for=4s"_qs
            << u"The machine of sql-1 was off from 9\\.3 s to 13\\.3 s\\. On the server the lock was free, but "
               u"connections "
               "had died"_qs
            << u"not told of that"_qs;
        QTest::newRow("a server stood still before its machine went off")
            << u"contention?recipe=sql-advisory&seed=954&do=6.01s,pause-node,sql-1,for=8.8s&do=8.91s,crash-node,sql-1,"
               "for=3.8s"_qs
            << u"sql-1 stood still from 6\\.0[0-9]* s to 8\\.9[0-9]* s\\. The machine of sql-1 was off"_qs
            << u"not told of that"_qs;
        QTest::newRow("a place in the queue lost by a clock that jumped")
            << u"contention?recipe=redis-fair&seed=1&do=4.3s,jump-clock,redis-1,value=20s"_qs
            << u"The clock of redis-1 jumped at 4\\.3 s\\. C lost its place in the server's queue at 4\\.[45]"_qs
            << u"died"_qs;
        QTest::newRow("too few servers, as another one stood still")
            << u"contention?recipe=redis-redlock&seed=359&do=3.81s,cut-link,A%7Credis-2,for=7.1s&do=7.13s,pause-node,"
               "redis-2,for=8.9s&do=11.82s,flush-node,redis-1&do=15.64s,evict-key,redis-3"_qs
            << u"redis-2 stood still since 7\\.13[0-9]* s, and did not have it"_qs << u"lost its memory"_qs;
        QTest::newRow("a take that was done twice")
            << u"contention?recipe=redis-reentrant&seed=2&do=5.3s,repeat-request,waiter"_qs
            << u"A request of D reached redis-1 twice, sent at 5\\.720"_qs << u"request of [ABC]"_qs;
        QTest::newRow("clients came and went while two hung")
            << u"contention?recipe=redis-set&seed=5&do=0s,set,deadline=ignored&do=2s,hang-work,B&do=10s,hang-work,D"_qs
            << u"Two or more of B, D, C and A believed at the same time that they held orders, for 48\\.6 s: from "
               u"11\\.4 s "
               "to 1:00\\.0\\. The work of B had hung since 2\\.0 s, [^\n]* After others, D got it at 11\\.4 s\\."_qs
            << u"\nB, D, C and A|worked for longer"_qs;
        QTest::newRow("work hung with a lease that was renewed once")
            << u"contention?recipe=sql-lease&seed=5&do=0s,set,deadline=ignored&do=2s,hang-work,B"_qs
            << u"The work of B had hung since 2\\.0 s, and nothing renewed its lease any more\\. The lease of B ended "
               u"at "
               "10\\.660 s"_qs
            << u"worked for longer"_qs;
        QTest::newRow("cut off from a server and from another client")
            << u"contention?recipe=sql-for-update&seed=5&do=5s,cut-link,A%2CB%2CC%7Csql-1%2CD"_qs
            << u"A was cut off from sql-1 at 5\\.0 s, and the server did not know that"_qs << u"cut off from D"_qs;
        QTest::newRow("a disk that stands still")
            << u"contention?recipe=sql-lease&seed=5&do=5s,stall-disk,sql-1"_qs
            << u"Nothing had reached the disk of sql-1 since 5\\.0 s: requests that write waited there"_qs
            << u"in vain"_qs;
        QTest::newRow("a disk that stands still for a while")
            << u"contention?recipe=sql-lease&seed=5&do=5s,stall-disk,sql-1,for=20s"_qs
            << u"Nothing reached the disk of sql-1 from 5\\.0 s to 25\\.0 s"_qs << u"in vain"_qs;
        QTest::newRow("the disks of all members stand still")
            << u"contention?recipe=etcd-lease&seed=5&do=5s,stall-disk,etcd-1&do=5s,stall-disk,etcd-2&"
               "do=5s,stall-disk,etcd-3"_qs
            << u"Nothing had reached the disks of etcd-1, etcd-2 and etcd-3 since 5\\.0 s"_qs << u"in vain"_qs;
        QTest::newRow("a disk stands still, and the machine was off meanwhile")
            << u"contention?recipe=sql-lease&seed=5&do=5s,stall-disk,sql-1&do=8s,crash-node,sql-1,for=3s"_qs
            << u"Nothing had reached the disk of sql-1 since 5\\.0 s"_qs << u"The machine of sql-1"_qs;
        QTest::newRow("a connection that was reset")
            << u"contention?recipe=sql-advisory&seed=2&do=0s,set,on_loss=carry-on&do=6s,reset-link,B%7Csql-1"_qs
            << u"The connections of B to sql-1 broke at 6\\.0[0-9]* s\\. So the server freed the lock of B at 6\\.0"_qs
            << u"cut off|released"_qs;
        QTest::newRow("a waiter that asks and hears nothing")
            << u"contention?recipe=redis-fair&seed=1&do=5s,cut-link,waiter<redis-1&do=6s,kill-client,holder"_qs
            << u"On the server the lock was free, but D, which had been cut off since 5\\.0 s, stood first in the queue"_qs
            << u"in vain"_qs;
        QTest::newRow("work hung, and its entry never ends")
            << u"contention?recipe=sql-row&seed=5&do=2s,hang-work,holder"_qs
            << u"The work of B had hung since 2\\.0 s, and its entry had no expiry\\."_qs << u"watchdog|lease"_qs;
        QTest::newRow("a release that did not arrive")
            << u"contention?recipe=sql-row&seed=5&do=5s,cut-link,A%2CB%2CC%7Csql-1,for=12s"_qs
            << u"B was cut off from sql-1 from 5\\.0 s to 17\\.0 s\\. B gave the lock back at [0-9.]+ s, but its "
               u"release did not get through\\. The entry of B was"_qs
            << u"stopped asking"_qs;
        QTest::newRow("a release to a server that was dead, before other requests")
            << u"contention?recipe=sql-row&seed=67&do=15.47s,kill-client,B&do=9.55s,kill-node,sql-1,for=14.4s"_qs
            << u"sql-1 was dead from 9\\.5 s to 23\\.9 s\\. A gave the lock back at 11\\.2 s, but its release did not get"_qs
            << u"stopped asking"_qs;
        QTest::newRow("a release to a promoted server that was dead")
            << u"sql-failover-async?recipe=sql-row&seed=810&do=6.6s,lose-reply,C&do=23.15s,kill-node,sql-2,for=8.9s"_qs
            << u"sql-2 was dead from 23\\.1 s to 32\\.0 s\\. B gave the lock back at 28\\.8 s, but its release did not get"_qs
            << u"did not carry that out"_qs;
        QTest::newRow("a release on a connection that had died with its machine")
            << u"sql-failover-async?recipe=sql-row&seed=415&do=21.96s,crash-node,sql-2,for=5.3s"_qs
            << u"The machine of sql-2 was off from 21\\.9 s to 27\\.2 s\\. B gave the lock back at 27\\.8 s, but its "
               u"connection had died with the machine"_qs
            << u"did not carry that out"_qs;
        QTest::newRow("an entry of a client that was started anew")
            << u"sql-failover-async?recipe=sql-row&seed=516&do=7.95s,kill-client,C,for=7.6s&do=18.27s,kill-node,sql-1,"
               "for=10.4s"_qs
            << u"C died at 7\\.9 s, and its entry on the server had no expiry"_qs << u"did not believe"_qs;
        QTest::newRow("members that were emptied, and one that kept its data")
            << u"contention?recipe=etcd-lease&seed=3&do=9.0s,kill-node,etcd-3,for=200ms&do=9.42s,restart-node-empty,"
               "etcd-1%2Cetcd-2"_qs
            << u"etcd-1 and etcd-2 died at 9\\.420 s, and when they were back they did not know of the newest tokens"_qs
            << u"etcd-3"_qs;
        QTest::newRow("members that were emptied, and one that died at that instant with its data")
            << u"contention?recipe=etcd-lease&seed=3&do=9.42s,kill-node,etcd-3,for=2s&do=9.42s,restart-node-empty,"
               "etcd-1%2Cetcd-2"_qs
            << u"etcd-1 and etcd-2 died at 9\\.420 s, and when they were back they did not know of the newest tokens"_qs
            << u"etcd-3"_qs;
        QTest::newRow("an ensemble that was emptied while it kept a lock")
            << u"contention?recipe=etcd-lease&seed=3&do=9.42s,restart-node-empty,etcd-1%2Cetcd-2%2Cetcd-3"_qs
            << u"etcd-1, etcd-2 and etcd-3 died at 9\\.420 s with the lock of A, and the lock went to B at 10\\.323 s"_qs
            << u"lost their memory"_qs;
        QTest::newRow("a lease that ended on the engine before")
            << u"engine-switch?seed=3&do=6s,pause-client,holder,for=12s"_qs
            << u"The lease of C ended at 8\\.8 s, so the server counts the lock as free\\. Since 14\\.7 s locks are "
               u"taken on redis-2: it gave the lock to B at 14\\.7 s"_qs
            << u"so the server gave"_qs;
        QTest::newRow("a waiter of the former engine got the newer token")
            << u"engine-switch-naive?seed=497&do=12.2s,kill-client,B,for=6.9s&do=16.25s,restart-node-empty,redis-1&"
               "do=4.86s,cut-link,waiter%7Credis-1%2Credis-2,for=12.5s"_qs
            << u"C had asked the former engine by then, and got the lock there at 20\\.0"_qs
            << u"nobody waited for the holders"_qs;
        QTest::newRow("a lease of etcd that was renewed once")
            << u"contention?recipe=etcd-lease&seed=1&do=0s,set,watchdog=off&do=0s,set,deadline=ignored&"
               "do=0s,set,hold=9s-14s"_qs
            << u"The lease of C was renewed for the last time at 1\\.1 s\\. The lease of C ended at 6\\.4 s"_qs
            << u"did not hear"_qs;
        QTest::newRow("an engine that counts its own tokens")
            << u"engine-switch-naive?recipe=redis-fenced&seed=3"_qs
            << u"with token 22391, although A had been given token 881733 before\\. Clients were told at 6\\.159 s to "
               u"take their locks on redis-2\\. B had asked the former engine by then, and got the lock there at 11\\.129 s"_qs
            << u"engine before"_qs;
        QTest::newRow("a client that wrote on after the news")
            << u"contention?recipe=redis-set&seed=5&do=0s,set,on_loss=carry-on&do=0s,set,watchdog=500ms&"
               "do=4s,evict-key,redis-1"_qs
            << u"B had learned of the loss at 4\\.[0-9]+ s, and wrote all the same\\."_qs << u"died"_qs;
        QTest::newRow("a late write after several holders")
            << u"zk-session-expiry?seed=7"_qs
            << u"accepted a write of C at 16\\.877 s, when orders was already held by A\\. C was paused from 4\\.877 s "
               u"to 16\\.877 s\\. The session of C ended at 9\\.670 s; after others, A got the lock at "_qs
            << u"16\\.877 s, when orders was already held by A\\. [^A]*gave the lock to B"_qs;
        QTest::newRow("a late release after several holders")
            << u"partition-holder?recipe=memcached-add&seed=7"_qs
            << u"A released orders at 11\\.715 s, but it was C that held it\\. A was cut off from memcached-1 from "
               u"1\\.573 s to 11\\.573 s\\. The lease of A ended at 5\\.173 s, so the server counts the lock as "
               u"free\\. After others, C got it at "_qs
            << u"but it was C that held it\\. [^C]*gave the lock to B"_qs;
        QTest::newRow("a permit that ended with its session")
            << u"permit-session-expiry?recipe=zk-semaphore&seed=7"_qs
            << u"The session of D ended at 9\\.6 s, and with it its permit\\."_qs << u"[Tt]he lease of the permit"_qs;
        QTest::newRow("got the lock while it was paused")
            << u"contention?recipe=sql-for-update&seed=2&do=5s,pause-client,B"_qs
            << u"B has been paused since 5\\.0 s\\. The entry of B stayed on the server"_qs << u"cut off"_qs;
    }
    void theCauseIsTold() {
        QFETCH(QString, text);
        QFETCH(QString, told);
        QFETCH(QString, notTold);
        const QString all = allTold(runOf(text));
        QVERIFY2(QRegularExpression(told).match(all).hasMatch(), qPrintable(all));
        QVERIFY2(!QRegularExpression(notTold).match(all).hasMatch(), qPrintable(all));
    }

    void whyItIsSafe_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("ms");
        QTest::addColumn<QString>("told");
        QTest::newRow("no other server is left")
            << u"sql-failover-semi-sync?seed=4&do=12s,kill-node,sql-2,for=5s"_qs << qint64(13000)
            << u"No other server runs that could take over: nobody can get in until one is back\\."_qs;
        QTest::newRow("the new leader stands still")
            << u"contention?recipe=zk-mutex&seed=7&do=5s,kill-node,zk-3&do=6s,restart-node,zk-3&do=6.2s,pause-node,"
               "zk-2,for=4s"_qs
            << qint64(6500) << u"zk-2 has stood still since 6\\.2[0-9]* s: nobody can get in"_qs;
    }
    void whyItIsSafe() {
        QFETCH(QString, text);
        QFETCH(qint64, ms);
        QFETCH(QString, told);
        const QString why = verdict::whySafe(*runOf(text).trace, std::chrono::milliseconds(ms));
        QVERIFY2(QRegularExpression(told).match(why).hasMatch(), qPrintable(why));
    }
    /// Neither a leader that stands still nor a majority that does gives anybody the lock, though what it is stays
    /// known.
    void anEnsembleWhoseLeaderStandsStillDecidesNothing_data() {
        QTest::addColumn<QString>("stands");
        QTest::newRow("the leader") << u"do=6.2s,pause-node,leader,for=3s"_qs;
        QTest::newRow("a majority") << u"do=6.2s,pause-node,zk-1,for=3s&do=6.2s,pause-node,zk-2,for=3s"_qs;
    }
    void anEnsembleWhoseLeaderStandsStillDecidesNothing() {
        QFETCH(QString, stands);
        const auto report = runOf(u"contention?recipe=zk-mutex&seed=7&"_qs + stands);
        std::map<Nanos, std::int64_t> told{{Nanos(0), -1}}; // a majority, as nobody has told otherwise
        for (const trace::Event& e : rows(*report.trace, trace::EventKind::RecordDecider))
            told[e.time()] = e.value;
        const auto at = [&](Nanos t) { return std::prev(told.upper_bound(t))->second; };
        QCOMPARE(at(6100ms), -1);
        QCOMPARE(at(7s), 0);
        QCOMPARE(at(10s), -1);
        QVERIFY(rows(*report.trace, trace::EventKind::RecordHeld).back().time() > 20s);
    }

    /// No grant is owed to clients that reach no server, or too few of them, whichever way nothing passes.
    void nobodyIsOwedALockThatItCannotReach_data() {
        QTest::addColumn<QString>("text");
        QTest::newRow("one server") << u"contention?recipe=redis-set&do=5s,cut-link,A%2CB%2CC%2CD%7Credis-1"_qs;
        QTest::newRow("a majority of Redlock's")
            << u"contention?recipe=redis-redlock&do=5s,cut-link,A%2CB%2CC%2CD%7Credis-1%2Credis-2"_qs;
        QTest::newRow("all replicas")
            << u"replicas?recipe=redis-set&do=5s,cut-link,A%2CB%2CC%7Credis-1%2Credis-2%2Credis-3"_qs;
        QTest::newRow("all of etcd")
            << u"contention?recipe=etcd-lease&do=5s,cut-link,A%2CB%2CC%2CD%7Cetcd-1%2Cetcd-2%2Cetcd-3"_qs;
        QTest::newRow("all of ZooKeeper, for 40 s")
            << u"contention?recipe=zk-mutex&do=5s,cut-link,A%2CB%2CC%2CD%7Czk-1%2Czk-2%2Czk-3,for=40s"_qs;
        QTest::newRow("two members that nobody hears")
            << u"contention?recipe=etcd-lease&do=5s,cut-link,etcd-2%2Cetcd-3>etcd-1%2CA%2CB%2CC%2CD"_qs;
        QTest::newRow("a master and its replica")
            << u"sql-failover-async?recipe=sql-lease&do=5s,cut-link,A%2CB%2CC%7Csql-1%2Csql-2"_qs;
        QTest::newRow("links to a majority that are too slow")
            << u"contention?recipe=redis-redlock&do=5s,delay-link,A%2CB%2CC%2CD%7Credis-1%2Credis-2,value=5s"_qs;
    }
    void nobodyIsOwedALockThatItCannotReach() {
        QFETCH(QString, text);
        const auto report = runOf(text + u"&seed=5"_qs);
        QVERIFY(!rows(*report.trace, trace::EventKind::LinkCut).empty() ||
                !rows(*report.trace, trace::EventKind::LinkDelayed).empty());
        QCOMPARE(report.verdict.outcomes[std::size_t(verdict::Invariant::Progress)], verdict::Outcome::Holds);
    }
    /// Clients that wait on connections which died with a machine keep them from the pool: it is empty for that reason.
    void aPoolOfDeadConnectionsIsTheMachinesDoing() {
        QString all;
        for (int seed = 1; seed <= 12; ++seed) {
            const auto shared = session::readSharedText(
                u"lockscope:contention?recipe=sql-for-update&seed=%1&do=10.99s,crash-node,sql-1,for=8.5s"_qs.arg(seed));
            QVERIFY(shared);
            scenario::Scenario pooled = shared->whole();
            pooled.services.front().pool = 3;
            all += allTold(experiment::run(pooled, shared->seed));
        }
        QVERIFY2(all.contains(u"The machine of sql-1 was off from 10.9"), qPrintable(all));
        QVERIFY2(!all.contains(u"were lent"), qPrintable(all));
    }
    /// A client that begins a new session has seen nothing of the former one: a server without its data lets it in. The
    /// record goes on, too, although transactions are numbered anew.
    void anEmptiedEnsembleIsUsedAgain() {
        for (const int members : {1, 3}) {
            const auto shared =
                session::readSharedText(u"lockscope:contention?recipe=zk-mutex&seed=3&do=9.42s,restart-node-empty,"_qs +
                                        (members == 1 ? u"zk-1"_qs : u"zk-1%2Czk-2%2Czk-3"_qs));
            QVERIFY(shared);
            scenario::Scenario emptied = shared->whole();
            emptied.services.front().nodes = members;
            const auto report = experiment::run(emptied, shared->seed);
            QCOMPARE(report.verdict.outcomes[std::size_t(verdict::Invariant::Progress)], verdict::Outcome::Holds);
            const auto records = rows(*report.trace, trace::EventKind::RecordHeld);
            for (const trace::Event& granted : rows(*report.trace, trace::EventKind::Granted))
                QVERIFY(std::ranges::any_of(records, [&](const trace::Event& held) {
                    return held.actor == granted.actor && held.time() <= granted.time() &&
                           granted.time() - held.time() < 1s;
                }));
            QVERIFY(records.back().time() > 40s);
        }
    }
    /// One member of an ensemble that can be reached is enough, if it has a majority.
    void aClientThatReachesOneMemberIsOwedTheLock() {
        const auto report = runOf(QStringLiteral("contention?recipe=etcd-lease&seed=5&do=5s,stall-disk,etcd-1&do=5s,"
                                                 "stall-disk,etcd-2&do=5s,stall-disk,etcd-3&do=5s,cut-link,A%2CB%2CC%"
                                                 "2CD%7Cetcd-1%2Cetcd-2"));
        QCOMPARE(report.verdict.outcomes[std::size_t(verdict::Invariant::Progress)], verdict::Outcome::Violated);
    }

    void permitsThatAClockEndsAreHeldByNobody() {
        const auto report =
            runOf(u"contention-permits?recipe=redis-semaphore&seed=7&do=6s,jump-clock,redis-1,value=20s"_qs);
        for (trace::EntityId id = 1; id < report.trace->entityCount(); ++id)
            QVERIFY(report.trace->entity(id).name != "?"); // a thread that nobody knows
        const auto ends = rows(*report.trace, trace::EventKind::RecordFreed);
        const auto jump = std::ranges::find(ends, Nanos(6s).count(), &trace::Event::at);
        QVERIFY(jump != ends.end());
        QVERIFY(reasonOf(*jump) == trace::FreedBy::Expiry);
    }

    /// The script that takes a permit sweeps those that are over, by the server's clock, which may be a fast one.
    void aPermitThatIsOverByAFastClockIsNobodysRelease() {
        const auto report = runOf(
            QStringLiteral("contention-permits?recipe=redis-semaphore&seed=654&do=3.16s,drift-clock,redis-1,value=0.3s&"
                           "do=4.47s,reset-link,A%7Credis-1&do=6.53s,kill-node,redis-1,for=0.7s&do=7.13s,lose-reply,"
                           "waiter&do=7.84s,lose-reply,B&do=8.09s,kill-client,A,for=6.5s"));
        for (const trace::Event& e : rows(*report.trace, trace::EventKind::RecordHolderGone))
            if (trace::FreedBy(e.flags & trace::kFreedByMask) == trace::FreedBy::Release) QCOMPARE(e.actor, e.aux);
        QCOMPARE(report.verdict.outcomes[std::size_t(verdict::Invariant::Ownership)], verdict::Outcome::Holds);
    }
    /// One that was replaced while it stood still decides nothing any more, whatever it thinks.
    void aFormerMastersDeathIsNoStory() {
        const auto report = runOf(QStringLiteral(
            "replicas?recipe=redis-fair&seed=12&do=6s,kill-client,waiter&do=9s,pause-node,redis-1,for=4s&"
            "do=15s,kill-node,redis-1&do=17.5s,pause-node,redis-3,for=8s"));
        const QString safe = verdict::whySafe(*report.trace, 16500ms);
        QVERIFY2(!safe.contains(u"redis-1 died"), qPrintable(safe));
    }
    /// By a drifting clock each look would find another end, which is nobody's write.
    void anEntrysEndByADriftingClockIsOneInstant() {
        for (const char* drift : {"0.3s", "-0.3s"}) {
            const auto report =
                runOf(u"contention?recipe=redis-redlock&seed=15&do=5.77s,drift-clock,redis-1,value=%1"_qs.arg(
                    QLatin1String(drift)));
            QCOMPARE(report.verdict.overall(), verdict::Outcome::Holds);
        }
    }
};

QTEST_GUILESS_MAIN(TestCausesByHand)
#include "tst_causes_by_hand.moc"
