// SPDX-License-Identifier: Apache-2.0
// Effects of an inner taking on the hold around it, and of its failure on the outer hold.
#include "pretend_recipe.h"

#include <QTest>
#include <array>

using namespace lockscope;
using recipes::HeldBy;
using recipes::Mode;
using tests::PretendWorld;
using trace::EventKind;
using Event = DistributedLock::Event;

namespace {
LockOptions leaseOf(Nanos lease, Nanos watchdog) {
    LockOptions options;
    options.lease = lease;
    options.watchdog = watchdog;
    return options;
}

LockRequest leasedFor(Nanos lease) {
    LockRequest request;
    request.lease = lease;
    return request;
}
} // namespace

class TestReentry : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aShorterLeaseInsideOfALongerOneEndsItNoSooner() {
        PretendWorld world(HeldBy::Lease, leaseOf(3s, Nanos(0)));
        world.server.expires = true;
        QVERIFY(world.take(leasedFor(30s)));
        world.run(10s);
        QVERIFY(world.take(leasedFor(2s)));
        world.run(19'999ms);
        QVERIFY(world.lock->stillMine());
        QVERIFY(!world.take(Mode::Exclusive, "2"));
        world.run(2ms);
        QVERIFY(!world.lock->stillMine());
        QCOMPARE(world.told(Event::Lost), 1);
        QVERIFY(world.take(Mode::Exclusive, "2"));
    }

    void whoAsksForNoLeaseIsKeptAlsoInsideOfOne() {
        PretendWorld world(HeldBy::Lease, leaseOf(3s, 1s));
        world.server.expires = true;
        QVERIFY(world.take(leasedFor(5s)));
        world.run(4s);
        QVERIFY(world.take(Mode::Exclusive));
        world.run(60s);
        QVERIFY(world.lock->stillMine());
        QVERIFY(world.told(Event::Renewed) >= 60);
        QCOMPARE(world.told(Event::Lost), 0);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 1);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        QVERIFY(!world.server.writer);
    }

    void aLeaseInsideOfAKeptHoldDoesNotEndIt() {
        PretendWorld world(HeldBy::Lease, leaseOf(3s, 1s));
        world.server.expires = true;
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(world.take(leasedFor(500ms)));
        world.run(10s);
        QVERIFY(world.lock->stillMine());
        QCOMPARE(world.told(Event::Lost), 0);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 1);
        world.run(10s);
        QVERIFY(world.lock->stillMine());
        QVERIFY(world.server.writer);
    }

    void aLongerLeaseInsideOfAKeptHoldIsGiven() {
        PretendWorld world(HeldBy::Lease, leaseOf(3s, 1s));
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(world.take(leasedFor(60s)));
        QCOMPARE(world.lock->remaining(), Nanos(60s));
    }

    void morePermitsHaveTheLeaseThatTheyWereTakenFor() {
        PretendWorld world(HeldBy::Lease, leaseOf(3s, 1s));
        QVERIFY(world.take(Mode::Permit));
        LockRequest request = leasedFor(2s);
        request.mode = Mode::Permit;
        QVERIFY(world.take(request));
        world.run(1999ms);
        QCOMPARE(world.lock->holdCount("1", Mode::Permit), 2);
        world.run(2ms);
        QCOMPARE(world.lock->holdCount("1", Mode::Permit), 1);
        QCOMPARE(world.told(Event::Lost), 1);
        world.run(60s);
        QVERIFY(world.lock->stillMine("1", Mode::Permit));
    }

    void anInnerReleaseThatIsRefusedIsALossOfTheOuterHold() {
        PretendWorld world(HeldBy::Lease);
        LockGuard outer;
        world.runtime.spawn([&]() -> QCoro::Task<> { outer = (co_await world.lock->acquire(LockRequest())).value(); });
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(outer.stillMine());
        world.server.counts.clear(); // somebody freed it by force
        world.server.writer = false;
        QCOMPARE(world.unlock(Mode::Exclusive).error().kind, LockError::Kind::NotOwner);
        QVERIFY(!outer.stillMine());
        QVERIFY(outer.lost().stop_requested());
        QVERIFY(outer.view()->lost);
        QCOMPARE(world.told(Event::Lost), 1);
        QVERIFY(!world.heard.back().second.isEmpty());
        QCOMPARE(world.events(EventKind::ReleaseRefused).size(), std::size_t(1));
        QCOMPARE(world.lock->holdCount(), 0);
    }

    void anOuterHoldThatTheServerDoesNotCountIsLost() {
        PretendWorld world(HeldBy::Lease);
        LockGuard outer;
        world.runtime.spawn([&]() -> QCoro::Task<> { outer = (co_await world.lock->acquire(LockRequest())).value(); });
        QVERIFY(world.take(Mode::Exclusive));
        world.server.counts[{"1", Mode::Exclusive}] = 1;
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        QVERIFY(!outer.stillMine());
        QVERIFY(outer.lost().stop_requested());
        QCOMPARE(world.told(Event::Released), 1);
        QCOMPARE(world.told(Event::Lost), 1);
        QCOMPARE(world.lock->holdCount(), 0);
        world.run(60s);
        QCOMPARE(world.told(Event::Renewed), 0);
    }

    void guardsThatGoTogetherGiveBothHoldsBack() {
        PretendWorld world(HeldBy::Lease);
        world.server.releaseTakes = 10ms;
        {
            std::array<LockGuard, 2> guards;
            for (LockGuard& guard : guards) {
                world.runtime.spawn(
                    [&]() -> QCoro::Task<> { guard = (co_await world.lock->acquire(LockRequest())).value(); });
            }
            QCOMPARE(world.lock->holdCount(), 2);
        }
        QVERIFY(!world.lock->stillMine()); // nobody is left who could act on it
        world.run(1s);
        QCOMPARE(world.told(Event::Lost), 0);
        QCOMPARE(world.told(Event::Released), 2);
        const auto released = world.events(EventKind::Released);
        QCOMPARE(released.size(), std::size_t(2));
        QCOMPARE(released[0].aux, 1u);
        QCOMPARE(released[1].aux, 0u);
        QCOMPARE(world.server.released[0].holds, 2); // each knows what the other one leaves
        QCOMPARE(world.server.released[1].holds, 1);
        QVERIFY(!world.server.writer);
        QCOMPARE(world.lock->holdCount(), 0);
    }

    void theLastReleaseThatIsRefusedIsToldToItsCallerAlone() {
        PretendWorld world(HeldBy::Lease);
        QVERIFY(world.take(Mode::Exclusive));
        world.server.counts.clear();
        world.server.writer = false;
        QCOMPARE(world.unlock(Mode::Exclusive).error().kind, LockError::Kind::NotOwner);
        QCOMPARE(world.told(Event::Lost), 0);
    }
};

QTEST_GUILESS_MAIN(TestReentry)
#include "tst_reentry.moc"
