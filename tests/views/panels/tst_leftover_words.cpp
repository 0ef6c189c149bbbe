// SPDX-License-Identifier: GPL-3.0-or-later
// A lock that stands on a server though its client gave it up, and servers that are dead, are told as that.
#include "faults/fault_targets.h"
#include "locks/lock_detail_panel.h"
#include "locks/seen_lines.h"
#include "models/lock_facts.h"
#include "models/locks_model.h"
#include "models/story.h"
#include "session/shared_run.h"
#include "session/simulated_session.h"
#include "timeline/words.h"
#include "trace/client_name.h"
#include "trace/leftover.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::views;

namespace {

/// A run, looked at from one instant.
struct Look {
    session::SimulatedSession session;
    ViewContext context;

    Look(const QString& text, Nanos at) : session(runOf(text)) {
        context.setSession(&session);
        session.advanceTo(at);
        if (!QTest::qWaitFor([&] { return context.trace()->reached() >= at; }, 20'000)) qFatal("too slow");
        context.setPlayhead(at);
    }
    ~Look() { context.setSession(nullptr); }
    static session::SharedRun runOf(const QString& text) {
        auto run = session::readSharedText(QStringLiteral("lockscope:") + text);
        if (!run) qFatal("%s", qPrintable(run.error()));
        return *std::move(run);
    }
    LockFacts facts() const { return lockFacts(context.focusedLock(), context); }
    QString now() const { return locksAtPlayhead(context); }
    /// The lane of the lock's record, in words.
    QString lane() const {
        TimelineData data(context.trace());
        data.consume();
        const auto lane = std::ranges::find_if(data.lanes(), [this](const auto& each) {
            return each->kind == LaneKind::Record && each->entity == context.focusedLock();
        });
        return lane == data.lanes().end() ? QString() : laneState(data, **lane, context.playhead().count());
    }
    QStringList queue(bool dead = false) const {
        QStringList names;
        for (const Waiter& waiter : facts().waiters)
            if (waiter.dead == dead) names += context.trace()->displayName(context.trace()->clientOf(waiter.thread));
        return names;
    }
};

} // namespace

class LeftoverWords : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void anOldLockThatCameBackIsNotOnItsWayToItsClient() {
        const Look look(u"replicas?recipe=redis-set&seed=42&do=15.090636838s,crash-node,redis-1"_qs, 18700ms);
        const LockFacts facts = look.facts();
        QCOMPARE(facts.condition, LockCondition::StaleBelief); // A's, which is the worse news
        QVERIFY(look.queue().contains(u"C"_qs));
        QVERIFY2(look.now().contains(u"a lock of C is left over"_qs), qPrintable(look.now()));
        QVERIFY2(!look.now().contains(u"not heard"_qs), qPrintable(look.now()));
        const FaultTargets target = targetsOfLock(look.context, look.context.focusedLock());
        QCOMPARE(target.why, FaultTargets::Why::Holder); // by its own belief
        QCOMPARE(look.context.trace()->displayName(target.client), u"A"_qs);
    }

    void anEndedSessionsNodeIsNoHolder() {
        const Look look(u"zk-leader-loss?recipe=zk-mutex&seed=42"_qs, 22136ms);
        const LockFacts facts = look.facts();
        QCOMPARE(facts.condition, LockCondition::Orphan);
        QCOMPARE(conditionText(facts), u"left over"_qs);
        // The places that three have left stand before them, until their sessions end; they wait behind.
        QCOMPARE(look.queue(true), (QStringList{u"B"_qs, u"A"_qs, u"D"_qs}));
        QCOMPARE(look.queue(), (QStringList{u"C"_qs, u"B"_qs, u"A"_qs, u"D"_qs}));
        QVERIFY(targetsOfLock(look.context, look.context.focusedLock()).why == FaultTargets::Why::Waiter);
        QVERIFY2(look.now().contains(u"a lock of C is left over, which C no longer has"_qs), qPrintable(look.now()));
    }

    void aDeadOnlyServerIsNotFree() {
        const Look look(u"contention?recipe=redis-set&seed=42&do=9s,kill-node,redis-1"_qs, 14s);
        QCOMPARE(look.facts().condition, LockCondition::Undecided);
        QVERIFY2(look.now().contains(u"its server is dead, so nobody can get it"_qs), qPrintable(look.now()));
        QVERIFY(!look.now().contains(u"free"_qs));
        QVERIFY(holdersText(look.facts(), *look.context.trace()) != u"free"_qs);
        QCOMPARE(serverText(look.facts(), *look.context.trace()), u"redis-1"_qs); // no other will ever decide
        QCOMPARE(look.lane(), u"its server is dead: nobody gets in"_qs);
    }

    /// Table, sentence and lane say the same of servers that name several clients.
    void dividedServersAreToldAsThat() {
        const Look look(
            u"redlock-minority-down?recipe=redis-redlock&seed=7&do=8s,flush-node,redis-1&do=8s,flush-node,redis-2&do="
            u"8s,flush-node,redis-3&do=20s,pause-client,holder,for=6s&do=30s,jump-clock,redis-4,value=-60s&do=36s,"
            u"cut-link,A%7Credis-1%2Credis-2%2Credis-3,for=6s"_qs,
            12500ms);
        QCOMPARE(look.facts().cannotDecide, trace::CannotDecide::Divided);
        QCOMPARE(serverText(look.facts(), *look.context.trace()), u"nobody decides"_qs);
        QVERIFY2(look.now().contains(u"its servers name several clients, so nobody has a majority"_qs),
                 qPrintable(look.now()));
        QCOMPARE(look.lane(), u"nobody decides"_qs);
    }

    /// With two of five dead, one server that the release did not reach keeps all others from a majority.
    void aReleaseThatDidNotReachOneServerIsToldOfThatServer() {
        const Look look(u"redlock-minority-down?recipe=redis-redlock&seed=1&do=2s,kill-node,redis-1&do=2s,kill-node,"
                        u"redis-2&do=3s,cut-link,C%7Credis-3"_qs,
                        8s);
        const trace::Trace& trace = *look.context.trace();
        const auto kept = trace::leftoverCopies(look.context.focusedLock(), look.context.state(), trace, 8'000'000'000);
        QCOMPARE(kept.size(), 1u);
        QCOMPARE(trace.displayName(trace.entity(kept.front()).parent), u"redis-3"_qs);
        const QString owner = trace.displayName(trace.clientOf(look.context.state().records.at(kept.front()).owner));
        QVERIFY2(look.now().contains(u"redis-3 keeps a lock of %1 for another "_qs.arg(owner)), qPrintable(look.now()));
        QVERIFY2(look.now().contains(u", which %1 no longer has"_qs.arg(owner)), qPrintable(look.now()));
    }

    /// A database keeps such a hold in its memory, and in no row: the simulator knows of it all the same.
    void aHoldThatIsInNoRowIsDescribed_data() {
        QTest::addColumn<QString>("recipe");
        QTest::addColumn<QString>("words");
        QTest::newRow("transaction") << u"sql-for-update"_qs
                                     << u"the transaction of %1 has locked its row, until it ends"_qs;
        QTest::newRow("session") << u"sql-advisory"_qs << u"the session of %1 has it, in the server's memory"_qs;
    }
    void aHoldThatIsInNoRowIsDescribed() {
        QFETCH(const QString, recipe);
        QFETCH(const QString, words);
        const Look look(u"contention?recipe=%1&seed=42"_qs.arg(recipe), 15s);
        const LockFacts facts = look.facts();
        QVERIFY(facts.held());
        QCOMPARE(unwrittenWords(facts, look.context), words.arg(namesOf({facts.owner}, *look.context.trace())));
    }

    /// A server may tell that a lock is held, and not by whom.
    void aClientWithoutANameHasOneWord() {
        trace::Trace trace;
        const auto named = trace.intern(trace::EntityKind::Client, "A");
        const auto unnamed = trace.intern(trace::EntityKind::Client, "");
        const auto thread = [&](trace::EntityId client, const char* number) {
            return trace.intern(trace::EntityKind::Thread, number, client);
        };
        QCOMPARE(trace::clientName(trace, unnamed), u"somebody"_qs);
        QCOMPARE(trace::clientName(trace, thread(unnamed, "")), u"somebody"_qs);
        QCOMPARE(trace::clientName(trace, trace::kNoEntity), u"somebody"_qs);
        QCOMPARE(namesOf({thread(named, "1"), thread(unnamed, "")}, trace), u"A and somebody"_qs);
        QCOMPARE(namesOf({thread(named, "2")}, trace), u"A · 2"_qs);
    }

    void aDeadEngineDecidesNothing() {
        const Look look(u"engine-switch?seed=42&do=12.264s,kill-node,redis-2"_qs, 19260ms);
        QCOMPARE(look.facts().condition, LockCondition::Undecided);
        QCOMPARE(serverText(look.facts(), *look.context.trace()), u"nobody decides"_qs);
        QVERIFY2(!look.now().contains(u"free"_qs), qPrintable(look.now()));
    }

    void aHoldThatOutlivedItsServerGoesOn() {
        const Look look(u"replicas?recipe=redis-set&seed=42&do=16.687s,kill-node,redis-1"_qs, 19100ms);
        const LockFacts facts = look.facts();
        QCOMPARE(facts.condition, LockCondition::Held);
        QVERIFY(facts.heldFor > 5s && facts.heldFor < 6s);
        QCOMPARE(roundDuration(std::chrono::round<std::chrono::milliseconds>(facts.lease)), u"20 s"_qs);
    }

    /// A dead server's last count of waiters is no queue of now, and one that stands still decides nothing.
    void aServerThatIsAwayDecidesNothing() {
        const QString text =
            u"contention?recipe=sql-for-update&seed=2&do=6s,pause-node,sql-1,for=3s&do=14s,kill-node,sql-1,for=3s"_qs;
        Look up(text, 5s), still(text, 7s), dead(text, 15s);
        QVERIFY(up.facts().serverWaiters > 0);
        QVERIFY2(!up.now().contains(u"nobody can get it"), qPrintable(up.now()));
        QVERIFY2(still.now().contains(u"sql-1 stands still, so nobody can get it"), qPrintable(still.now()));
        QCOMPARE(LockDetailPanel(&up.context).fact(LockDetailPanel::WhoDecides), QString());
        QCOMPARE(LockDetailPanel(&still.context).fact(LockDetailPanel::WhoDecides), u"sql-1, paused"_qs);
        QVERIFY2(dead.now().contains(u"its server is dead, so nobody can get it"), qPrintable(dead.now()));
        QCOMPARE(dead.facts().serverWaiters, -1);
        QVERIFY(!dead.facts().waiters.empty()); // as clients asked
    }

    /// An ensemble without a leader that answers: nobody gets its locks, held or not.
    void anEnsembleThatCannotDecideSaysSo() {
        Look look(u"contention?recipe=zk-mutex&seed=7&do=5s,kill-node,zk-3&do=6s,restart-node,zk-3&do=6.2s,pause-node,"
                  "zk-2,for=4s&do=9s,kill-node,zk-1,for=5s"_qs,
                  9500ms);
        QVERIFY2(look.now().contains(u"no server can decide, so nobody can get it or give it back"),
                 qPrintable(look.now()));
    }
};

QTEST_MAIN(LeftoverWords)
#include "tst_leftover_words.moc"
