// SPDX-License-Identifier: Apache-2.0
#include "hand_written.h"
#include "trace/deadline.h"
#include "verdict/why.h"
#include "verdict/words.h"

using namespace lockscope;
using namespace lockscope::verdict;
using Kind = trace::EventKind;
using FreedBy = trace::FreedBy;

/// The words that a student reads: each explanation names who, what, how long and why.
class TestVerdictExplain : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// A lock that lets clients in without a lock on its server: only what was seen there is told.
    void believersWithoutARecordAreToldSo() {
        const auto told = [](bool looked, bool held) {
            HandWritten s;
            s.started();
            if (looked) s.add(10, trace::EventKind::RecordWaiters, 0, s.lock);
            for (const trace::EntityId each : {s.a, s.b}) {
                s.request(90, each);
                s.granted(100, each);
            }
            if (held) s.held(150, s.a, -1);
            s.released(300, s.a);
            s.released(300, s.b);
            const Verdict judged = s.judge();
            const auto both = std::ranges::find(judged.violations, Invariant::MutualExclusion, &Violation::invariant);
            return both == judged.violations.end() ? QString() : explain(*both, *s.trace);
        };
        const QString none = QStringLiteral("On the server none of them was seen to hold it.");
        QVERIFY2(told(true, false).endsWith(none), qPrintable(told(true, false)));
        QVERIFY(!told(false, false).isEmpty() && !told(false, false).contains(none)); // nobody has looked
        QVERIFY(!told(true, true).isEmpty() && !told(true, true).contains(none));
    }

    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void pauseThatOutlivesTheLease();
    void partition();
    void watchdogStopped();
    void whatWasOverIsNotToBlame();
    void releaseByAnother();
    void ownDeadline();
    void stillGoingOn();
    void staleWriteWithAndWithoutTokens();
    void ownershipSaysWhoseLockItWas();
    void progressSaysWhatIsInTheWay();
    void progressNamesADeadWaiterThatIsStillQueued();
    void progressClaimsNoEndThatIsNotKnown();
    void stoppedServerAndWhatItsClockDid();
    void theClocksOfAMajorityAreNamed();
    void progressFindsAnOwnerOfLongAgo();
    void reentrancySaysTheCounts();
    void headlines();
    void aFailoverThatLosesTheOnlyCopy();
    void aFormerMasterThatIsCutOff();
    void manyActorsAreCounted();
    void oddTracesDoNotCrash();

private:
    static QString first(const HandWritten& w, Invariant invariant, Bounds bounds = {}) {
        const auto found = w.violations(invariant, bounds);
        return found.empty() ? QStringLiteral("no violation") : explain(found[0], *w.trace);
    }
};

namespace {
/// A holds from 1 s with a lease of 3 s, is in trouble from 3 s, B gets the lock at 6 s; A learns of it at 7.2 s.
void story(HandWritten& w, const std::function<void()>& trouble, const std::function<void()>& end = {}) {
    w.started();
    w.take(1000, w.a, 5800);
    w.request(2000, w.b);
    trouble();
    w.freed(5800, FreedBy::Expiry, 0, w.a);
    w.held(6000, w.b, 9000);
    w.granted(6000, w.b);
    if (end)
        end();
    else
        w.add(7200, Kind::Lost, w.a, w.lock);
    w.trace->reach(ms(8000));
}
} // namespace

void TestVerdictExplain::pauseThatOutlivesTheLease() {
    HandWritten w;
    story(
        w, [&] { w.add(3000, Kind::ClientPaused, w.clientA); },
        [&] {
            w.add(7000, Kind::ClientResumed, w.clientA);
            w.add(7200, Kind::Lost, w.a, w.lock);
        });
    QCOMPARE(
        first(w, Invariant::MutualExclusion),
        QStringLiteral("A and B believed at the same time that they held orders, for 1.2 s: from 6.0 s to 7.2 s. "
                       "A was paused from 3.0 s to 7.0 s. The lease of A ended at 5.8 s, so the server gave the lock "
                       "to B at 6.0 s. A still believed it held the lock until 7.2 s, when it learned of the "
                       "loss."));
}

void TestVerdictExplain::partition() {
    HandWritten w;
    story(w, [&] { w.add(3000, Kind::LinkCut, 0, w.linkA); });
    const QString text = first(w, Invariant::MutualExclusion);
    QVERIFY2(text.contains(QStringLiteral("A has been cut off from redis-1 since 3.0 s.")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("The lease of A ended at 5.8 s")), qPrintable(text));
}

void TestVerdictExplain::watchdogStopped() {
    HandWritten w;
    story(w, [&] { w.add(3000, Kind::WatchdogStopped, w.clientA); });
    const QString text = first(w, Invariant::MutualExclusion);
    QVERIFY2(text.contains(QStringLiteral("The watchdog of A stopped at 3.0 s, so nothing renewed its lease.")),
             qPrintable(text));

    HandWritten earlier; // stopped before this hold
    earlier.add(100, Kind::WatchdogStopped, earlier.clientA);
    earlier.take(1000, earlier.a, 4000);
    earlier.freed(4000, FreedBy::Expiry, 0, earlier.a);
    earlier.take(4100, earlier.b, 8000);
    earlier.trace->reach(ms(5000));
    QVERIFY(first(earlier, Invariant::MutualExclusion).contains(QStringLiteral("The watchdog of A stopped at 0.1")));

    HandWritten none;
    story(none, [] {});
    QVERIFY(first(none, Invariant::MutualExclusion).contains(QStringLiteral("A worked for longer than its lease")));
}

void TestVerdictExplain::whatWasOverIsNotToBlame() {
    const QString stopped = QStringLiteral("The watchdog of A stopped at 3.0 s");
    HandWritten renewedAfter; // a pause that a renewal followed
    story(renewedAfter, [&] {
        renewedAfter.add(1100, Kind::ClientPaused, renewedAfter.clientA);
        renewedAfter.add(1200, Kind::ClientResumed, renewedAfter.clientA);
        renewedAfter.renewed(2100, renewedAfter.a, 5800);
        renewedAfter.add(3000, Kind::WatchdogStopped, renewedAfter.clientA);
    });
    QString text = first(renewedAfter, Invariant::MutualExclusion);
    QVERIFY2(text.contains(stopped) && !text.contains(QStringLiteral("paused")), qPrintable(text));

    HandWritten shortly; // a cut that left time enough to renew
    story(shortly, [&] {
        shortly.add(2100, Kind::LinkCut, 0, shortly.linkA);
        shortly.add(2200, Kind::LinkMended, 0, shortly.linkA);
        shortly.add(3000, Kind::WatchdogStopped, shortly.clientA);
    });
    text = first(shortly, Invariant::MutualExclusion);
    QVERIFY2(text.contains(stopped) && !text.contains(QStringLiteral("cut off")), qPrintable(text));

    HandWritten healed; // a watchdog that ran again
    story(healed, [&] {
        healed.add(2100, Kind::WatchdogStopped, healed.clientA);
        healed.add(2200, Kind::Healed, 0);
        healed.renewed(2500, healed.a, 5800);
        healed.add(3000, Kind::ClockJumped, healed.clientA, 0, HandWritten::ns(9000));
    });
    text = first(healed, Invariant::MutualExclusion);
    QVERIFY2(text.contains(QStringLiteral("The clock of A jumped at 3.0 s")), qPrintable(text));
}

void TestVerdictExplain::releaseByAnother() {
    HandWritten w; // C deletes A's lock, B gets it
    w.take(1000, w.a, 9000);
    w.freed(3000, FreedBy::Release, w.c, w.a);
    w.held(3500, w.b, 9500);
    w.granted(3500, w.b);
    w.released(5000, w.a);
    const QString text = first(w, Invariant::MutualExclusion);
    QVERIFY2(text.contains(QStringLiteral("C released the lock of A at 3.0 s, so the server gave it to B at 3.5 s.")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("until it gave it up at 5.0 s")), qPrintable(text));
}

void TestVerdictExplain::ownDeadline() {
    HandWritten w;
    story(
        w, [&] { w.add(3000, Kind::BelievedUntil, w.a, w.lock, HandWritten::ns(7500)); },
        [&] { w.add(7900, Kind::Step, w.b, w.lock); });
    const QString text = first(w, Invariant::MutualExclusion);
    QVERIFY2(text.contains(QStringLiteral("until its own deadline at 7.5 s")), qPrintable(text));
}

void TestVerdictExplain::stillGoingOn() {
    HandWritten w;
    story(
        w, [&] { w.add(3000, Kind::ClientPaused, w.clientA); }, [] {});
    const QString text = first(w, Invariant::MutualExclusion);
    QVERIFY2(text.startsWith(QStringLiteral(
                 "A and B have believed at the same time that they hold orders, since 6.0 s, for 2.0 s so far.")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("A has been paused since 3.0 s.")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("A does not know, and still believes")), qPrintable(text));
}

void TestVerdictExplain::staleWriteWithAndWithoutTokens() {
    HandWritten w;
    story(
        w, [&] { w.add(3000, Kind::ClientPaused, w.clientA); }, [&] { w.write(6500, w.a); });
    QString text = first(w, Invariant::StaleWrite);
    QVERIFY2(
        text.startsWith(QStringLiteral("stock accepted a write of A at 6.500 s, when orders was already held by B.")),
        qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("paused since 3.000 s")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("Without a fencing token")), qPrintable(text));

    HandWritten t;
    t.granted(1000, t.a, 33);
    t.granted(2000, t.b, 34);
    t.write(2500, t.b, 34);
    t.write(2600, t.a, 33);
    text = first(t, Invariant::StaleWrite);
    QVERIFY2(text.contains(QStringLiteral("token 33 after token 34")), qPrintable(text));
}

void TestVerdictExplain::ownershipSaysWhoseLockItWas() {
    HandWritten w;
    story(
        w, [] {}, [&] { w.freed(6600, FreedBy::Release, w.a, w.b); });
    const QString text = first(w, Invariant::Ownership);
    QVERIFY2(text.startsWith(QStringLiteral("A released orders at 6.600 s, but it was B that held it.")),
             qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("The lease of A ended at 5.800 s")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("did not check whose lock it was")), qPrintable(text));
}

void TestVerdictExplain::progressSaysWhatIsInTheWay() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, -1);
    w.request(1500, w.b);
    w.add(3000, Kind::ClientKilled, w.clientA);
    w.trace->reach(ms(12000));
    const QString text = first(w, Invariant::Progress, {5s});
    QVERIFY2(text.contains(QStringLiteral("A waiter (B) should have got it")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("by 8.0 s: 4.0 s late so far")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("A died at 3.0 s, and its entry on the server has no expiry")),
             qPrintable(text));
    w.freed(13000, FreedBy::Force, 0, w.a);
    w.held(13000, w.b, -1);
    w.granted(13000, w.b);
    const QString over = first(w, Invariant::Progress, {5s});
    QVERIFY2(over.contains(QStringLiteral("A died at 3.0 s, and its entry on the server had no expiry. The entry of A "
                                          "stayed on the server until 13.0 s.")),
             qPrintable(over));
}

void TestVerdictExplain::progressNamesADeadWaiterThatIsStillQueued() {
    for (const int queued : {1, 2}) {
        HandWritten w;
        w.started();
        w.take(1000, w.a, 9000);
        w.request(1500, w.b);
        w.request(1600, w.c);
        w.add(2000, Kind::ClientKilled, w.clientB);
        w.give(3000, w.a);
        w.add(3000, Kind::RecordWaiters, 0, w.lock, queued);
        w.trace->reach(ms(12000));
        const QString text = first(w, Invariant::Progress, {5s});
        const QString dead =
            QStringLiteral("but B, which died at 2.0 s while it waited, still has a place in the queue");
        QVERIFY2(text.contains(dead) == (queued == 2), qPrintable(text)); // else C alone is queued
    }
}

void TestVerdictExplain::progressClaimsNoEndThatIsNotKnown() {
    HandWritten w;
    w.started();
    w.request(1000, w.a);
    w.add(1000, Kind::RecordHeld, w.a, w.lock, trace::kEndNotKnown, 1);
    w.granted(1000, w.a);
    w.request(1500, w.b);
    w.add(3000, Kind::ClientKilled, w.clientA);
    w.trace->reach(ms(12000));
    const QString text = first(w, Invariant::Progress, {5s});
    QVERIFY2(text.contains(QStringLiteral("A died at 3.0 s. The entry of A is still on the server; until when is not "
                                          "known.")),
             qPrintable(text));
    w.freed(13000, FreedBy::Expiry, 0, w.a);
    w.held(13000, w.b, -1);
    w.granted(13000, w.b);
    const QString over = first(w, Invariant::Progress, {5s}); // what is over is told as such
    QVERIFY2(over.contains(QStringLiteral("A died at 3.0 s. The entry of A stayed on the server until 13.0 s.")),
             qPrintable(over));
}

void TestVerdictExplain::stoppedServerAndWhatItsClockDid() {
    HandWritten stopped;
    story(stopped, [&] {
        stopped.add(3000, Kind::ClockJumped, stopped.node, 0, -2'000'000'000);
        stopped.add(3500, Kind::NodePaused, stopped.node);
        stopped.add(5700, Kind::NodeResumed, stopped.node);
    });
    const QString text = first(stopped, Invariant::MutualExclusion);
    QVERIFY2(text.contains(QStringLiteral("redis-1 was stopped from 3.5 s to 5.7 s")), qPrintable(text));
    HandWritten back; // a clock that is put back ends no lease early
    story(back, [&] { back.add(3000, Kind::ClockJumped, back.node, 0, -2'000'000'000); });
    QVERIFY2(!first(back, Invariant::MutualExclusion).contains(QStringLiteral("jumped")),
             qPrintable(first(back, Invariant::MutualExclusion)));
    HandWritten ahead;
    story(ahead, [&] { ahead.add(3000, Kind::ClockJumped, ahead.node, 0, 2'000'000'000); });
    QVERIFY2(first(ahead, Invariant::MutualExclusion).contains(QStringLiteral("The clock of redis-1 jumped at 3.0 s")),
             qPrintable(first(ahead, Invariant::MutualExclusion)));
}

void TestVerdictExplain::theClocksOfAMajorityAreNamed() {
    const auto tell = [](int between) {
        HandWritten w;
        // A lock of three servers has no server of its own, but copies.
        const auto lock = w.trace->intern(trace::EntityKind::Lock, "stock");
        std::vector<trace::EntityId> nodes;
        for (const char* name : {"redis-1", "redis-2", "redis-3"}) {
            nodes.push_back(w.trace->intern(trace::EntityKind::Node, name));
            w.trace->intern(trace::EntityKind::Lock, "stock", nodes.back(), lock);
        }
        w.started();
        w.add(1000, Kind::Requested, w.a, lock, -1);
        w.add(1000, Kind::RecordHeld, w.a, lock, HandWritten::ns(9000), 1);
        w.add(1000, Kind::Granted, w.a, lock, 0, 1);
        w.add(2000, Kind::Requested, w.b, lock, -1);
        w.add(2500, Kind::ClockJumped, nodes[2], 0, -1'000'000'000); // brings no end nearer
        w.add(3000, Kind::ClockJumped, nodes[0], 0, 11'000'000'000);
        w.add(3000 + between, Kind::ClockJumped, nodes[1], 0, 11'000'000'000);
        w.add(3000 + between, Kind::RecordFreed, 0, lock, 0, w.a, std::uint8_t(FreedBy::Expiry));
        w.add(4500, Kind::RecordHeld, w.b, lock, HandWritten::ns(15000), 1);
        w.add(4500, Kind::Granted, w.b, lock, 0, 1);
        w.add(6000, Kind::Released, w.a, lock);
        w.trace->reach(ms(7000));
        return first(w, Invariant::MutualExclusion);
    };
    const QString together = tell(0), apart = tell(1000);
    QVERIFY2(together.contains(QStringLiteral("The clocks of redis-1 and redis-2 jumped at 3.0 s.")),
             qPrintable(together));
    QVERIFY2(apart.contains(QStringLiteral("The clocks of redis-1 and redis-2 jumped, the last one at 4.0 s.")),
             qPrintable(apart));
}

void TestVerdictExplain::progressFindsAnOwnerOfLongAgo() {
    HandWritten w;
    w.started();
    w.take(1000, w.a, -1);
    w.request(1500, w.b);
    w.add(3000, Kind::ClientKilled, w.clientA);
    for (int i = 0; i < 520'000; ++i) // B polls
        w.add(3000 + i / 200, Kind::Step, w.b, w.lock);
    w.trace->reach(ms(12000));
    const QString text = first(w, Invariant::Progress, {5s});
    QVERIFY2(text.contains(QStringLiteral("A died at 3.0 s, and its entry on the server has no expiry")),
             qPrintable(text));
}

void TestVerdictExplain::reentrancySaysTheCounts() {
    HandWritten w;
    w.take(1000, w.a, 4000);
    w.add(2000, Kind::Reentered, w.a, w.lock, 0, 3);
    const QString text = first(w, Invariant::Reentrancy);
    QVERIFY2(text.contains(QStringLiteral("its hold count became 3")), qPrintable(text));
}

void TestVerdictExplain::aFailoverThatLosesTheOnlyCopy() {
    const auto tell = [](bool kill, bool otherCopy, bool ends, QString* reason = nullptr, int behindMs = 0) {
        HandWritten w;
        const auto third = w.trace->intern(trace::EntityKind::Node, "redis-3");
        const auto next = w.trace->intern(trace::EntityKind::Node, "redis-2");
        const auto own = w.trace->intern(trace::EntityKind::Lock, "orders", w.node, w.lock);
        const auto other = w.trace->intern(trace::EntityKind::Lock, "orders", third, w.lock);
        const auto nodeLoss = std::uint8_t(FreedBy::NodeLoss);
        w.started();
        w.add(0, Kind::RecordDecider, w.node, w.lock, 1);
        w.request(1000, w.a);
        w.add(1000, Kind::RecordHeld, w.a, own, HandWritten::ns(9000), 1);
        w.held(1000, w.a, 9000);
        w.granted(1000, w.a);
        if (otherCopy) w.add(1200, Kind::RecordHeld, w.a, other, HandWritten::ns(9000), 1);
        w.request(2000, w.b);
        if (behindMs > 0) w.add(2900, Kind::ReplicationLag, next, w.node, HandWritten::ns(behindMs));
        if (kill) w.add(3000, Kind::NodeKilled, w.node, 0, 0, 0, trace::kFault);
        w.add(3000, Kind::RecordFreed, 0, own, 0, w.a, nodeLoss);
        w.freed(3000, FreedBy::NodeLoss, 0, w.a);
        w.add(3000, Kind::RecordDecider, 0, w.lock, 0);
        w.add(3000, Kind::RecordUnobserved, 0, w.lock);
        w.add(4300, Kind::RecordDecider, next, w.lock, 1);
        w.add(4300, Kind::RecordObserved, 0, w.lock);
        w.held(4600, w.b, 9600);
        w.granted(4600, w.b);
        if (ends) w.add(5900, Kind::Lost, w.a, w.lock);
        w.trace->reach(ms(8000));
        if (reason) *reason = why(w.violations(Invariant::MutualExclusion).front(), *w.trace);
        return first(w, Invariant::MutualExclusion);
    };
    QString reason;
    const QString whole = tell(true, false, true, &reason);
    QCOMPARE(reason,
             QStringLiteral("redis-1 was killed at 3.0 s before the lock of A had reached a replica, so redis-2 "
                            "became master at 4.3 s without it and gave B the lock at 4.6 s.")); // one sentence
    QVERIFY2(whole.endsWith(QLatin1String("redis-1 was killed at 3.0 s before the lock of A had reached a replica. "
                                          "redis-2 became master at 4.3 s without it and gave B the lock at 4.6 s. "
                                          "A still believed it held the lock until 5.9 s.")),
             qPrintable(whole));
    QVERIFY(tell(true, true, true).contains(QLatin1String("before the lock of A had reached redis-2.")));
    QVERIFY(tell(true, false, false).endsWith(QLatin1String("A still believes it holds the lock.")));
    QVERIFY(tell(false, false, true, &reason)
                .contains(QLatin1String("redis-2 took the place of redis-1 at 4.3 s, without the lock of A. It gave B "
                                        "the lock at 4.6 s.")));
    QCOMPARE(reason, QStringLiteral("redis-2 took the place of redis-1 at 4.3 s, without the lock of A, so it gave B "
                                    "the lock at 4.6 s."));
    tell(false, false, true, &reason, 1500);
    QCOMPARE(reason, QStringLiteral("redis-2, 1.5 s behind, took the place of redis-1 at 4.3 s, without the lock of A, "
                                    "so it gave B the lock at 4.6 s."));
}

void TestVerdictExplain::aFormerMasterThatIsCutOff() {
    const auto tell = [](bool mended) {
        HandWritten w;
        const auto next = w.trace->intern(trace::EntityKind::Node, "redis-2");
        const auto own = w.trace->intern(trace::EntityKind::Lock, "orders", w.node, w.lock);
        const auto link = w.trace->intern(trace::EntityKind::Link, {}, w.node, next);
        w.started();
        w.add(0, Kind::RecordDecider, w.node, w.lock, 1);
        w.add(2000, Kind::LinkCut, 0, link);
        w.add(5000, Kind::RecordDecider, next, w.lock, 1);
        if (mended) w.add(5500, Kind::LinkMended, 0, link);
        w.request(6000, w.a);
        w.take(6100, w.b, 12000);
        w.add(6200, Kind::RecordHeld, w.a, own, HandWritten::ns(12000), 1); // the copy, not the record
        w.granted(6200, w.a);
        w.add(8000, Kind::Lost, w.a, w.lock);
        return first(w, Invariant::MutualExclusion);
    };
    const QString text = tell(false);
    QVERIFY2(text.endsWith(QLatin1String("A got the lock at 6.2 s from redis-1, whose place redis-2 had taken at 5.0 "
                                         "s. redis-1 has been cut off from redis-2 since 2.0 s. A still believed "
                                         "it held the lock until 8.0 s.")),
             qPrintable(text));
    QVERIFY(!tell(true).contains(QLatin1String("cut off")));
}

void TestVerdictExplain::headlines() {
    HandWritten w;
    w.granted(6000, w.a);
    w.granted(6000, w.b);
    w.trace->reach(ms(7200));
    const auto open = w.violations(Invariant::MutualExclusion);
    QCOMPARE(headline(open.at(0), *w.trace), QStringLiteral("mutual exclusion violated for 1.2 s so far, since 6.0 s"));
    QCOMPARE(shortHeadline(open.at(0), *w.trace), QStringLiteral("mutual exclusion violated for 1.2 s so far"));
    const QString plain = QStringLiteral("A and B have believed at the same time that they hold orders, since 6.0 s, "
                                         "for 1.2 s so far.");
    QCOMPARE(whatHappened(open.at(0), *w.trace), plain);
    QVERIFY(explain(open.at(0), *w.trace).startsWith(plain));
    w.released(7200, w.a);
    const auto closed = w.violations(Invariant::MutualExclusion);
    QCOMPARE(headline(closed.at(0), *w.trace), QStringLiteral("mutual exclusion violated for 1.2 s, from 6.0 s"));
    QCOMPARE(shortHeadline(closed.at(0), *w.trace), QStringLiteral("mutual exclusion violated for 1.2 s"));
    Violation instant = closed.at(0);
    instant.invariant = Invariant::StaleWrite;
    instant.to = instant.from;
    QCOMPARE(headline(instant, *w.trace), QStringLiteral("stale write at 6.000 s"));
    QCOMPARE(shortHeadline(instant, *w.trace), QStringLiteral("stale write at 6.000 s"));
    instant.from = 3min + 12s;
    instant.to = instant.from + 100min;
    QCOMPARE(headline(instant, *w.trace), QStringLiteral("stale write for 1 h 40 m, from 3:12.0"));
}

void TestVerdictExplain::manyActorsAreCounted() {
    HandWritten w;
    for (int i = 0; i < 30; ++i)
        w.granted(1000 + i, w.thread(w.client("C" + QByteArray::number(i))));
    w.trace->reach(ms(3000));
    const QString text = first(w, Invariant::MutualExclusion);
    QVERIFY2(text.startsWith(QStringLiteral("C0, C1, C2, C3 and 26 others")), qPrintable(text));
}

void TestVerdictExplain::oddTracesDoNotCrash() {
    const trace::Trace empty;
    for (const Invariant i : kInvariants) {
        Violation v;
        v.invariant = i;
        v.actors = {4, 99};
        v.row = 1'000'000;
        v.to = kNever;
        QVERIFY(!explain(v, empty).isEmpty());
        HandWritten w;
        w.started();
        QVERIFY(!explain(v, *w.trace).isEmpty());
        v.actors.clear();
        QVERIFY(!explain(v, *w.trace).isEmpty());
    }
}

QTEST_GUILESS_MAIN(TestVerdictExplain)
#include "tst_verdict_explain.moc"
