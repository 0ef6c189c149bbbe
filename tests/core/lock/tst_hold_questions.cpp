// SPDX-License-Identifier: Apache-2.0
// Holds by a lease that are asked about between two renewals: their connection was lost and is there again, or somebody
// has freed the lock by force.
#include "pretend_recipe.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;
using recipes::HeldBy;
using recipes::Mode;
using Event = DistributedLock::Event;

namespace {
HoldOptions seldom() {
    HoldOptions options;
    options.lease = 180s;
    options.watchdog = 60s;
    return options;
}
LockRequest withLease(Nanos lease) {
    LockRequest request;
    request.wait = Nanos(0);
    request.lease = lease;
    return request;
}
} // namespace

class TestHoldQuestions : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aServerThatForgotIsToldAtOnce() {
        PretendWorld world(HeldBy::Lease, seldom());
        QVERIFY(world.take(Mode::Exclusive, "1"));
        QVERIFY(world.take(Mode::Shared, "1"));
        world.run(5s);
        QCOMPARE(world.server.renewals, 0);
        world.server.counts.clear(); // it has lost all data
        world.server.reconnects.callSoon(world.runtime);
        world.run(Nanos(0));
        QCOMPARE(world.server.renewals, 2);
        QCOMPARE(world.told(Event::Lost), 2);
        QVERIFY(!world.lock->stillMine("1", Mode::Exclusive));
    }

    void aServerThatRemembersHasRenewedIt() {
        PretendWorld world(HeldBy::Lease, seldom());
        QVERIFY(world.take(Mode::Exclusive));
        world.run(5s);
        world.server.reconnects.callSoon(world.runtime);
        world.run(Nanos(0));
        QCOMPARE(world.told(Event::Renewed), 1);
        QVERIFY(world.lock->remaining() == 180s);
        QCOMPARE(world.told(Event::Lost), 0);
        world.run(61s); // and the renewals go on, counted from this one
        QCOMPARE(world.server.renewals, 2);
    }

    void aHoldThatNobodyRenewsIsAskedAboutAndNoLonger() {
        PretendWorld world(HeldBy::Lease, seldom());
        QVERIFY(world.take(withLease(30s)));
        world.run(10s);
        world.server.reconnects.callSoon(world.runtime);
        world.run(Nanos(0));
        QCOMPARE(world.server.leasesAsked, std::vector<Nanos>{20s}); // no more than what is left of it
        QVERIFY(world.lock->stillMine());
        world.server.counts.clear();
        world.server.reconnects.callSoon(world.runtime);
        world.run(Nanos(0));
        QCOMPARE(world.told(Event::Lost), 1);
    }

    void nobodyAsksAboutWhatWasGivenBack() {
        PretendWorld world(HeldBy::Lease, seldom());
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(world.unlock(Mode::Exclusive));
        world.server.reconnects.callSoon(world.runtime);
        world.run(1s);
        QCOMPARE(world.server.renewals, 0);
        world.lock.reset();
        QVERIFY(world.server.reconnects.empty());
    }

    void aForcedReleaseIsToldToTheHolder() {
        PretendWorld world(HeldBy::Lease, seldom());
        world.server.tellsOfForce = true;
        QVERIFY(world.take(Mode::Exclusive));
        world.run(1s);
        QCOMPARE(world.server.listeners.size(), std::size_t(1));
        world.server.counts.clear();
        world.server.listeners.front()();
        world.run(Nanos(0));
        QCOMPARE(world.told(Event::Lost), 1);
        world.server.listeners.front()(); // late
        world.run(1s);
        QCOMPARE(world.server.renewals, 1);
    }

    void shortHoldsAndQuickRenewalsNeedNoListener() {
        PretendWorld brief(HeldBy::Lease, seldom());
        brief.server.tellsOfForce = true;
        QVERIFY(brief.take(Mode::Exclusive));
        brief.run(200ms);
        QVERIFY(brief.unlock(Mode::Exclusive));
        brief.run(5s);
        QVERIFY(brief.server.listeners.empty());

        HoldOptions often;
        often.lease = 1s;
        often.watchdog = 300ms;
        PretendWorld quick(HeldBy::Lease, often);
        quick.server.tellsOfForce = true;
        QVERIFY(quick.take(Mode::Exclusive));
        quick.run(5s);
        QVERIFY(quick.server.renewals > 10);
        QVERIFY(quick.server.listeners.empty());
    }
};

QTEST_GUILESS_MAIN(TestHoldQuestions)
#include "tst_hold_questions.moc"
