// SPDX-License-Identifier: Apache-2.0
// Causes that an explanation names: old entries, other engines, clocks of others, lost permits, forgetful servers.
#include "hand_written.h"
#include "trace/deadline.h"
#include "trace/death.h"
#include "trace/decider.h"
#include "trace/state.h"
#include "verdict/why_unknown.h"

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using FreedBy = trace::FreedBy;

class TestVerdictCauses : public QObject {
    Q_OBJECT
    static QString first(const HandWritten& w, Invariant invariant, Bounds bounds = {}) {
        const auto found = w.violations(invariant, bounds);
        return found.empty() ? QStringLiteral("no violation") : explain(found[0], *w.trace);
    }
    static bool says(const QString& text, const char* words) {
        if (!text.contains(QLatin1String(words))) qWarning("%s", qPrintable(text));
        return text.contains(QLatin1String(words));
    }

private Q_SLOTS:
    /// A replica that takes over may know of a hold, and not that its thread has taken the lock once more.
    void aTakingThatDidNotReachTheNextServerIsTold() {
        HandWritten w;
        w.started();
        const auto other = w.trace->intern(trace::EntityKind::Node, "redis-2");
        w.lock = w.trace->intern(trace::EntityKind::Lock, "jobs"); // kept by several servers
        w.add(500, Kind::RecordDecider, w.node, w.lock, 1);
        w.take(1000, w.a, 9000);
        w.renewed(2000, w.a, 9000, 2);
        w.add(2000, Kind::Reentered, w.a, w.lock, 0, 2);
        w.add(3000, Kind::RecordDecider, other, w.lock, 1);
        w.renewed(3000, w.a, 9000, 1);
        w.give(4000, w.a);
        const QString told = first(w, Invariant::Reentrancy, {.reentrant = true});
        QVERIFY(says(told, "left with a hold count of 0"));
        QVERIFY(says(told, "redis-2 took the place of redis-1 at 3.000 s, and did not know that A had taken the lock"));
    }

    /// The server that gave an old token did not know the newer one: how it lost that is told.
    void aServerThatLostItsTokensIsNamed_data() {
        QTest::addColumn<qint64>("how"); // of its death; -1: deleted by hand
        QTest::addColumn<QString>("told");
        QTest::newRow("died") << qint64(0)
                              << QStringLiteral("redis-1 died at 2.500 s, and when it was back it did not know of the "
                                                "newest tokens.");
        QTest::newRow("its machine died")
            << qint64(trace::kPowerLost)
            << QStringLiteral("The machine of redis-1 went off at 2.500 s, and the newest tokens were not on its disk "
                              "yet.");
        QTest::newRow("deleted") << qint64(-1)
                                 << QStringLiteral("All data of redis-1 were deleted at 2.500 s, and with them the "
                                                   "newest tokens.");
    }
    void aServerThatLostItsTokensIsNamed() {
        QFETCH(qint64, how);
        QFETCH(QString, told);
        HandWritten w;
        w.started();
        w.take(1000, w.a, 9000, 34);
        w.give(2000, w.a);
        if (how < 0) {
            w.add(2500, HandWritten::Kind::SettingChanged, w.node, 0, 0,
                  w.trace->text(trace::kAllDeleted.toByteArray()));
        } else {
            w.add(2500, HandWritten::Kind::NodeKilled, w.node, 0, how);
            w.add(2600, HandWritten::Kind::NodeStarted, w.node);
        }
        w.take(3000, w.b, 9000, 12);
        const auto found = w.violations(Invariant::TokenOrder);
        QCOMPARE(found.size(), 1u);
        const QString words = explain(found.front(), *w.trace);
        QVERIFY2(words.contains(told), qPrintable(words));
    }

    /// Between the end of a hold and the overlap others had the lock, one of them the second believer itself.
    void theGrantOfTheOverlapIsTold() {
        HandWritten t;
        t.started();
        t.take(1000, t.a, 3000);
        t.add(1500, Kind::ClientPaused, t.clientA);
        t.freed(3000, FreedBy::Expiry, 0, t.a);
        t.take(3100, t.b, 9000);
        t.give(4000, t.b);
        t.take(4100, t.c, 9000);
        t.give(5000, t.c);
        t.take(5100, t.b, 9000);
        t.add(5600, Kind::ClientResumed, t.clientA);
        t.add(6000, Kind::Lost, t.a, t.lock);
        t.trace->reach(7s);
        const auto found = t.violations(Invariant::MutualExclusion);
        const auto last = std::ranges::find_if(found, [](const Violation& v) { return v.from >= 5s; });
        QVERIFY(last != found.end());
        const QString told = explain(*last, *t.trace);
        QVERIFY2(told.contains(QLatin1String("The lease of A ended at 3.000 s, so the server counts the lock as free. "
                                             "After others, B got it at 5.100 s.")),
                 qPrintable(told));
        QVERIFY2(explain(found.front(), *t.trace).contains(QLatin1String("so the server gave the lock to B at 3.")),
                 qPrintable(explain(found.front(), *t.trace)));
    }

    void anOldEntryThatComesBackIsNoGrant() {
        HandWritten w;
        const auto next = w.trace->intern(trace::EntityKind::Node, "redis-2");
        const auto own = w.trace->intern(trace::EntityKind::Lock, "orders", w.node, w.lock);
        const auto copy = w.trace->intern(trace::EntityKind::Lock, "orders", next, w.lock);
        w.started();
        w.add(0, Kind::RecordDecider, w.node, w.lock, 1);
        w.take(500, w.b, 6000);
        w.add(500, Kind::RecordHeld, w.b, own, HandWritten::ns(6000), 1);
        w.add(600, Kind::RecordHeld, w.b, copy, HandWritten::ns(6000), 1);
        w.released(1000, w.b);
        w.freed(1000, FreedBy::Release, w.b, w.b); // of which the replica does not hear
        w.take(1500, w.a, 9000);
        w.add(3000, Kind::NodeKilled, w.node, 0, 0, 0, trace::kFault);
        w.freed(3000, FreedBy::NodeLoss, 0, w.a);
        w.add(4300, Kind::RecordDecider, next, w.lock, 1);
        w.held(4300, w.b, 6000);
        w.write(4500, w.a);
        w.trace->reach(ms(5000));
        QVERIFY(says(first(w, Invariant::StaleWrite),
                     "redis-2 became master at 4.300 s with an old lock of B, whose end had not reached it."));
        trace::State state;
        for (std::size_t i = 0; i < w.trace->size(); ++i)
            state.apply(w.trace->at(i), *w.trace);
        QCOMPARE(state.records.at(w.lock).grants, 2u); // B's and A's
    }

    /// One fault cuts and mends a client's links to all servers, in a row each.
    void allServersOfACutAreNamed() {
        HandWritten w;
        w.lock = w.trace->intern(trace::EntityKind::Lock, "orders"); // of three servers
        std::vector<trace::EntityId> links;
        for (const char* name : {"etcd-1", "etcd-2", "etcd-3"}) {
            const auto server = w.trace->intern(trace::EntityKind::Node, name);
            w.trace->intern(trace::EntityKind::Lock, "orders", server, w.lock);
            links.push_back(w.trace->intern(trace::EntityKind::Link, {}, w.clientA, server));
        }
        w.started();
        w.take(1000, w.a, 4000);
        for (const auto link : links)
            w.add(2000, Kind::LinkCut, w.clientA, link);
        w.freed(4000, FreedBy::Expiry, 0, w.a);
        w.take(4100, w.b, 9000);
        for (const auto link : links)
            w.add(6000, Kind::LinkMended, w.clientA, link);
        w.add(7000, Kind::Lost, w.a, w.lock);
        w.trace->reach(ms(8000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "A was cut off from etcd-1, etcd-2 and etcd-3 from 2.0 s to 6.0 s."));
    }

    /// A delay that ended is told with its end, and the violation that it caused as past.
    void aDelayThatIsOverIsToldAsPast() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 9000);
        w.request(1500, w.b);
        w.add(2000, Kind::LinkDelayed, 0, w.linkB, 700'000'000);
        w.give(3000, w.a);
        w.trace->reach(ms(12000));
        QVERIFY(says(first(w, Invariant::Progress, {5s}), "take up to 700 ms longer each way since 2.0 s"));
        w.add(13000, Kind::LinkDelayed, 0, w.linkB, 0);
        w.held(14000, w.b, 20000);
        w.granted(14000, w.b);
        QVERIFY(says(first(w, Invariant::Progress, {5s}), "took up to 700 ms longer each way from 2.0 s to 13.0 s"));
    }

    void aLockOfAConnectionIsInNoReplica() {
        HandWritten w;
        const auto next = w.trace->intern(trace::EntityKind::Node, "sql-2");
        w.started();
        w.add(0, Kind::RecordDecider, w.node, w.lock, 1);
        w.request(1000, w.a);
        w.held(1000, w.a, -1);
        w.add(1000, Kind::RecordDeadline, w.a, w.lock, trace::kEndNotKnown);
        w.granted(1000, w.a);
        w.add(3000, Kind::NodeKilled, w.node, 0, 0, 0, trace::kFault);
        w.freed(3000, FreedBy::NodeLoss, 0, w.a);
        w.add(4300, Kind::RecordDecider, next, w.lock, 1);
        w.take(4500, w.b, 9000);
        w.trace->reach(ms(5000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "redis-1 was killed at 3.000 s, and the lock of A with it: it belonged to a connection"));
    }

    void aMachineThatCrashedWasNotKilled() {
        HandWritten w;
        w.started();
        const auto next = w.trace->intern(trace::EntityKind::Node, "redis-2");
        w.add(0, Kind::RecordDecider, w.node, w.lock, 1);
        w.request(1000, w.a);
        w.held(1000, w.a, 9000);
        w.granted(1000, w.a);
        w.add(3000, Kind::NodeKilled, w.node, 0, trace::kPowerLost, 0, trace::kFault);
        w.freed(3000, FreedBy::NodeLoss, 0, w.a);
        w.add(4300, Kind::RecordDecider, next, w.lock, 1);
        w.take(4500, w.b, 9000);
        w.trace->reach(ms(5000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "redis-1 crashed at 3.000 s before the lock of A had reached a replica"));
    }

    void aBeliefThatEndsAfterTheOverlapIsOver() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 4000);
        w.freed(4000, FreedBy::Expiry, 0, w.a);
        w.take(4100, w.b, 9000);
        w.freed(6000, FreedBy::Release, w.b, w.b);
        w.released(6000, w.b); // the overlap ends with B
        QVERIFY(says(first(w, Invariant::MutualExclusion), "A does not know, and still believes"));
        w.add(8000, Kind::Lost, w.a, w.lock);
        w.trace->reach(ms(9000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "A still believed it held the lock until 8.0 s, when it learned of the loss."));
    }

    void anotherEngineIsTheCause() {
        HandWritten w;
        w.lock = w.trace->intern(trace::EntityKind::Lock, "orders"); // of no server: a lock manager's
        w.started();
        w.take(1000, w.a, 9000);
        w.add(2000, Kind::SettingChanged, 0, 0, 0, w.trace->text("engine=zookeeper"), trace::kFault);
        w.freed(2000, FreedBy::NodeLoss, 0, w.a);
        w.take(3000, w.b, 9000);
        w.trace->reach(ms(4000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "Since 2.0 s zookeeper decides, which knows nothing of the lock of A: it gave the lock to B at "
                     "3.0 s."));
    }

    /// The newest token may be one of the former engine, which a waiter got there after the change.
    void theTokenOfTheFormerEngineIsTold() {
        HandWritten w;
        w.lock = w.trace->intern(trace::EntityKind::Lock, "orders"); // of no server: of several engines
        w.started();
        w.request(1000, w.b);
        w.add(2000, Kind::SettingChanged, 0, 0, 0, w.trace->text("engine=redis-2"), trace::kFault);
        w.granted(3000, w.b, 34);
        w.released(4000, w.b);
        w.take(5000, w.a, 9000, 12);
        QVERIFY(
            says(first(w, Invariant::TokenOrder),
                 "Clients were told at 2.000 s to take their locks on redis-2. B had asked the former engine by then, "
                 "and got the lock there at 3.000 s: redis-2 knows nothing of that."));
    }

    /// The lease ended on the engine before; the one that gave the lock next is another.
    void theEngineOfTheNextHolderIsNamed() {
        HandWritten w;
        w.lock = w.trace->intern(trace::EntityKind::Lock, "orders"); // of no server: a lock manager's
        w.started();
        w.take(1000, w.a, 4000);
        w.add(2000, Kind::SettingChanged, 0, 0, 0, w.trace->text("engine=redis-2"), trace::kFault);
        w.add(2500, Kind::ClientPaused, w.clientA, 0, 0, 0, trace::kFault);
        w.freed(4000, FreedBy::Expiry, 0, w.a);
        w.add(9000, Kind::EngineChanged, w.clientB, 0, 2, w.trace->text("redis://redis-2:6379 redis-set\nhand"),
              std::uint8_t(trace::EngineNews::InUse));
        w.take(9100, w.b, 15000);
        w.trace->reach(ms(11000));
        QVERIFY(says(first(w, Invariant::MutualExclusion),
                     "The lease of A ended at 4.0 s, so the server counts the lock as free. Since 9.0 s locks are "
                     "taken on redis-2: it gave the lock to B at 9.1 s."));
    }

    void aHoldThatAnotherEngineNeverNamed() {
        const auto tell = [](bool agreed) {
            HandWritten w;
            w.lock = w.trace->intern(trace::EntityKind::Lock, "orders");
            w.started();
            w.add(2000, Kind::SettingChanged, 0, 0, 0, w.trace->text("engine=zookeeper"), trace::kFault);
            if (agreed)
                w.add(2500, Kind::EngineChanged, 0, 0, 1, w.trace->text("zk-1 zk-mutex"),
                      std::uint8_t(trace::EngineNews::InUse));
            w.request(2900, w.a);
            w.granted(3000, w.a); // by the engine that is in use no more
            w.take(3500, w.b, 9000);
            w.trace->reach(ms(4500));
            return first(w, Invariant::MutualExclusion);
        };
        QVERIFY(says(tell(false), "Clients were told at 2.0 s to take their locks on zookeeper"));
        QVERIFY(!tell(true).contains(QLatin1String("were told")));
    }

    void theClockOfTheOneThatWroteOverIt() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 9000);
        w.add(1500, Kind::ClockJumped, w.clientB, 0, HandWritten::ns(10000), 0, trace::kFault);
        w.request(1800, w.b);
        w.freed(2000, FreedBy::Overwrite, w.b, w.a);
        w.held(2000, w.b, 12000);
        w.granted(2000, w.b);
        w.trace->reach(ms(3000));
        QVERIFY(
            says(first(w, Invariant::MutualExclusion), "The clock of B jumped at 1.5 s. B wrote over the entry of A"));
    }

    void aLostRaceIsNoRenewal() {
        const auto tell = [](bool holds) {
            HandWritten w;
            w.started();
            w.take(1000, w.a, 9000);
            w.request(1200, w.b);
            if (holds) w.granted(1300, w.b);
            w.renewed(2000, w.b, 11000);
            w.trace->reach(ms(3000));
            return first(w, Invariant::Ownership);
        };
        QVERIFY(says(tell(false), "B asked for orders and did not get it, but its command wrote another end into the "
                                  "entry of A at 2.000 s."));
        QVERIFY(says(tell(true), "B renewed orders at 2.000 s, but it was A that held it."));
    }

    void aConnectionThatIsDeadIsNamed() {
        const auto tell = [](bool mended) {
            HandWritten w;
            w.started();
            w.request(1000, w.a);
            w.add(1000, Kind::RecordHeld, w.a, w.lock, trace::kEndNotKnown, 1);
            w.granted(1000, w.a);
            w.add(2000, Kind::LinkCut, 0, w.linkA, 0, 0, trace::kFault);
            if (mended) w.add(2500, Kind::LinkMended, 0, w.linkA, 0, 0, trace::kFault);
            w.add(3000, Kind::Lost, w.a, w.lock);
            w.request(3500, w.b);
            w.trace->reach(ms(60000));
            return first(w, Invariant::Progress);
        };
        QVERIFY(says(tell(false), "A was cut off from redis-1 at 2.0 s, and the server does not know that"));
        QVERIFY(!tell(true).contains(QLatin1String("cut off")));
    }

    /// The cut took the release away, whether it was there before or came while the release was on its way.
    void aCutThatTookAReleaseAwayIsNamed() {
        const auto tell = [](int cut, int mended, int failed) {
            HandWritten w;
            w.started();
            w.take(1000, w.a, -1);
            if (cut <= 2000) w.add(cut, Kind::LinkCut, 0, w.linkA, 0, 0, trace::kFault);
            w.add(2000, Kind::ReleaseSent, w.a, w.lock);
            if (failed < cut) w.add(failed, Kind::ReleaseFailed, w.a, w.lock);
            if (cut > 2000) w.add(cut, Kind::LinkCut, 0, w.linkA, 0, 0, trace::kFault);
            if (failed > cut) w.add(failed, Kind::ReleaseFailed, w.a, w.lock);
            w.request(3500, w.b);
            if (mended) w.add(mended, Kind::LinkMended, 0, w.linkA, 0, 0, trace::kFault);
            w.trace->reach(ms(60000));
            return first(w, Invariant::Progress);
        };
        const char* const lost = "A gave the lock back at 2.0 s, but its release did not get through.";
        QVERIFY(says(tell(1500, 0, 2600), "A has been cut off from redis-1 since 1.5 s."));
        QVERIFY(says(tell(1500, 0, 2600), lost));
        QVERIFY(says(tell(2001, 40000, 2600), "A was cut off from redis-1 from 2.0 s to 40.0 s."));
        QVERIFY(says(tell(2001, 40000, 2600), lost));
        // A cut after the release had failed is not why.
        QVERIFY(says(tell(3000, 0, 2600), "A gave the lock back at 2.0 s, but the server did not carry that out."));
    }

    /// Later requests of the owner that failed, too, did not put the entry there.
    void theReleaseBeforeOtherRequestsIsTold() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, -1);
        w.add(2000, Kind::NodeKilled, w.node, 0, 0, 0, trace::kFault);
        w.add(2500, Kind::ReleaseSent, w.a, w.lock);
        w.add(2600, Kind::ReleaseFailed, w.a, w.lock);
        w.request(3000, w.a);
        w.add(3100, Kind::AcquireFailed, w.a, w.lock);
        w.add(9000, Kind::NodeStarted, w.node);
        w.request(9500, w.b);
        w.trace->reach(ms(60000));
        QVERIFY(says(first(w, Invariant::Progress),
                     "redis-1 was dead from 2.0 s to 9.0 s. A gave the lock back at 2.5 s, "
                     "but its release did not get through."));
    }

    /// A client that was started anew holds nothing, whatever its former process left on the server.
    void anEntryOfAClientThatStartedAnewIsADeadOnes() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, -1);
        w.add(2000, Kind::ClientKilled, w.clientA, 0, 0, 0, trace::kFault);
        w.add(3000, Kind::ClientStarted, w.clientA);
        w.add(3100, Kind::WorkHung, w.clientA, 0, 0, 0, trace::kFault);
        w.request(3500, w.a);
        w.trace->reach(ms(60000));
        QVERIFY(says(first(w, Invariant::Progress), "A died at 2.0 s, and its entry on the server has no expiry"));
    }

    void aServerThatWasAwayAtTheReleaseIsNamed() {
        const auto tell = [](int killed, int failed, bool heard = false) {
            HandWritten w;
            w.started();
            w.take(1000, w.a, -1);
            if (killed < 2000) w.add(killed, Kind::NodeKilled, w.node, 0, trace::kPowerLost, 0, trace::kFault);
            if (killed < 1200) w.add(1800, Kind::NodeStarted, w.node);
            if (heard) w.add(1900, Kind::Reply, w.node, w.clientA, 1000);
            w.add(2000, Kind::ReleaseSent, w.a, w.lock);
            w.add(failed, Kind::ReleaseFailed, w.a, w.lock);
            if (killed > 2000) w.add(killed, Kind::NodeKilled, w.node, 0, trace::kPowerLost, 0, trace::kFault);
            w.add(9000, Kind::NodeStarted, w.node);
            w.request(9500, w.b);
            w.trace->reach(ms(60000));
            return first(w, Invariant::Progress);
        };
        QVERIFY(says(tell(1500, 3000), "The machine of redis-1 was off from 1.5 s to 9.0 s. A gave the lock back at "
                                       "2.0 s, but its release did not get through."));
        QVERIFY(says(tell(4000, 3000), "A gave the lock back at 2.0 s, but the server did not carry that out."));
        QVERIFY(says(tell(1100, 2100),
                     "The machine of redis-1 was off from 1.1 s to 1.8 s. A gave the lock back at 2.0 s, "
                     "but its connection had died with the machine, and the release did not get"));
        QVERIFY(says(tell(1100, 2100, true), "but the server did not carry that out."));
    }

    void anUnknownOutcomeHasAReason() {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 4000);
        w.add(2000, Kind::RecordUnobserved, 0, w.lock);
        w.write(4500, w.a); // after its deadline
        w.trace->reach(ms(5000));
        const Verdict verdict = w.judge();
        QVERIFY(says(whyUnknown(verdict, Invariant::StaleWrite, *w.trace), "The write at 4.500 s could not be judged"));
        QVERIFY(whyUnknown(verdict, Invariant::MutualExclusion, *w.trace).isEmpty());
        HandWritten nothing;
        nothing.trace->reach(ms(1000));
        QVERIFY(says(whyUnknown(nothing.judge(), Invariant::Progress, *nothing.trace), "what the clients believed"));
    }

    void thePermitThatEndedIsNamed() {
        HandWritten w;
        w.started();
        w.add(0, Kind::LockCapacity, 0, w.lock, 1);
        const auto takes = [&](int at, trace::EntityId thread, int deadline) {
            w.request(at, thread);
            w.held(at, thread, deadline);
            w.add(at, Kind::GrantedAs, thread, w.lock, std::int64_t(trace::HoldMode::Permit), 1);
            w.granted(at, thread);
        };
        takes(1000, w.a, 4000);
        w.add(2000, Kind::ClientPaused, w.clientA, 0, 0, 0, trace::kFault);
        w.freed(4000, FreedBy::Expiry, 0, w.a);
        takes(4100, w.b, 9000);
        w.trace->reach(ms(5000));
        const QString text = first(w, Invariant::MutualExclusion);
        QVERIFY(says(text, "A has been paused since 2.000 s."));
        QVERIFY(says(text, "The lease of the permit of A ended at 4.000 s, so the server counts the permit as free."));
    }
};

QTEST_GUILESS_MAIN(TestVerdictCauses)
#include "tst_verdict_causes.moc"
