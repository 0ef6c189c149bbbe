// SPDX-License-Identifier: Apache-2.0
// Locks in doubt: answers that are lost, late, or come after the fact.
#include "lock_bench_world.h"
#include "sim/fitting_recipes.h"

#include <QTest>

using namespace lockscope;
using tests::leaseOf;
using tests::LockWorld;
using trace::EventKind;

namespace {
const QByteArray kName = "orders";

void everySafeRecipe() {
    QTest::addColumn<QByteArray>("recipe");
    for (const auto& recipe : sim::recipesFor({})) {
        if (!recipe.naive) QTest::newRow(recipe.id.constData()) << recipe.id;
    }
}
} // namespace

class TestLockDoubts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aReentryThatNeverArrivedCostsNoHold() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName);
        std::expected<bool, LockError> again = true;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            a.link.setCut(true);
            again = co_await lock->tryLock();
        });
        world.run(1050ms); // the request is lost, and given up after a second
        a.link.setCut(false);
        world.run(3s);
        QVERIFY(!again.has_value() && again.error().kind == LockError::Kind::OutcomeUnknown);
        QCOMPARE(lock->holdCount(), 1);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
        QVERIFY(lock->stillMine());
    }

    void aReleaseThatNeverArrivedIsMadeGoodBeforeTheNextHold() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto lock = world.lock(a, "redis-reentrant", kName, leaseOf(30s));
        const auto other = world.lock(b, "redis-reentrant", kName);
        std::expected<int, LockError> released = 7;
        int left = -1;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            a.link.setCut(true);
            released = co_await lock->unlock();
            a.link.setCut(false);
            co_await lock->lock();
            left = (co_await lock->unlock()).value();
        });
        world.run(5s);
        QVERIFY(!released.has_value());
        QCOMPARE(left, 0);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        b.runtime.spawn([&]() -> QCoro::Task<> { co_await other->lock(); });
        world.run(1s);
        QCOMPARE(other->holdCount(), 1);
    }

    void aReleaseWhoseReplyWasLostDoesNotFreeTheNextHold() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto lock = world.lock(a, "redis-reentrant", kName, leaseOf(30s));
        const auto other = world.lock(b, "redis-reentrant", kName, leaseOf(30s));
        std::expected<int, LockError> released = 7;
        std::expected<bool, LockError> tried = true;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->lock();
            co_await lock->unlock(); // so that the script is known to the server
            a.link.loseNextReply = true;
            released = co_await lock->unlock();
            co_await a.runtime.sleep(500ms);
            tried = co_await lock->tryLock();
        });
        b.runtime.spawn([&]() -> QCoro::Task<> {
            co_await b.runtime.sleep(200ms);
            co_await other->lock();
        });
        world.run(5s);
        QVERIFY(!released.has_value() && released.error().kind == LockError::Kind::OutcomeUnknown);
        QVERIFY(tried.has_value() && !*tried); // B has it
        QCOMPARE(other->holdCount(), 1);
        QCOMPARE(world.ask({"HGET", kName, b.uuid + ":1"}).text, QByteArray("1"));
    }

    void countsAgreeAgainAfterAnInnerReleaseWithoutAnswer_data() {
        QTest::addColumn<bool>("ran");
        QTest::newRow("the request was lost") << false;
        QTest::newRow("the reply was lost") << true;
    }
    void countsAgreeAgainAfterAnInnerReleaseWithoutAnswer() {
        QFETCH(bool, ran);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        std::expected<int, LockError> inner = 7, outer = 7;
        int held = -1;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->lock();
            co_await lock->lock();
            co_await lock->unlock(); // so that the script is known to the server
            if (ran)
                a.link.loseNextReply = true;
            else
                a.link.setCut(true);
            inner = co_await lock->unlock();
            a.link.setCut(false);
            held = lock->holdCount();
            outer = co_await lock->unlock();
        });
        world.run(5s);
        QVERIFY(!inner.has_value());
        QCOMPARE(held, 1);
        QVERIFY(outer.has_value() && *outer == 0);
        QCOMPARE(lock->holdCount(), 0);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        world.run(60s);
        QCOMPARE(world.count(EventKind::Lost), 0); // no watch was left behind
    }

    void whatIsGrantedToALockThatIsGoneIsGivenBack_data() { everySafeRecipe(); }
    void whatIsGrantedToALockThatIsGoneIsGivenBack() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto first = world.lock(a, recipe, kName, leaseOf(30s, 10s));
        auto second = world.lock(b, recipe, kName, leaseOf(30s, 10s));
        std::expected<bool, LockError> taken = true;
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->lock(); });
        world.run(1s);
        b.runtime.spawn([&]() -> QCoro::Task<> { taken = co_await second->lock(); });
        world.run(1s);
        second.reset();
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->unlock(); });
        world.run(2s);
        QVERIFY(taken.has_value() && !*taken);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        world.run(60s);
        QCOMPARE(world.count(EventKind::Renewed), 0);
    }

    void aThreadThatLocksAgainAfterItsLeaseHasANewHold_data() { everySafeRecipe(); }
    void aThreadThatLocksAgainAfterItsLeaseHasANewHold() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        HoldOptions careless = leaseOf(1s);
        careless.honourDeadline = false; // believes on
        const auto lock = world.lock(a, recipe, kName, careless);
        int left = -1;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await a.runtime.sleep(2s);
            co_await lock->lock();
            left = (co_await lock->unlock()).value();
        });
        world.run(5s);
        QCOMPARE(world.count(EventKind::Granted), 2);
        QCOMPARE(world.count(EventKind::Reentered), 0);
        QCOMPARE(world.count(EventKind::Lost), 1); // that is how it learned
        QCOMPARE(left, 0);
        QCOMPARE(lock->holdCount(), 0);
    }

    void aHoldLostByTheOwnClockIsNoHoldOfTheNextRound() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        a.link.extraLatency = 5ms; // the server's lease ends as much later than the client thinks
        const auto lock = world.lock(a, "redis-reentrant", kName, leaseOf(1s));
        int held = -1;
        lock->listen([&](DistributedLock::Event event, const QByteArray&, const QString&) {
            if (event != DistributedLock::Event::Lost || held >= 0) return;
            a.runtime.spawn([&]() -> QCoro::Task<> {
                co_await lock->lock();
                held = lock->holdCount();
            });
        });
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(1500ms);
        QCOMPARE(held, 1);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
    }

    void aDoubtThatAGrantHasOvertakenEndsNothing() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName, leaseOf(1s));
        int lost = 0, held = -1, vanished = 0;
        lock->listen([&](DistributedLock::Event event, const QByteArray&, const QString&) {
            lost += event == DistributedLock::Event::Lost ? 1 : 0;
        });
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await a.runtime.sleep(900ms);
            a.link.extraLatency = 400ms; // asked before its own deadline, answered after it
            co_await lock->lock();
            a.link.extraLatency = 0ms;
            co_await lock->lock();
            held = lock->holdCount();
        });
        world.run(1300ms);
        for (int i = 0; i < 10'000 && held < 0; ++i) {
            world.run(100us);
            if (lock->holdCount() > 0 && world.ask({"EXISTS", kName}).integer == 0) ++vanished;
        }
        QCOMPARE(held, 2);
        QCOMPARE(lost, 1); // of the first hold, by its own clock
        QCOMPARE(vanished, 0);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("2"));
    }

    void aServerThatDoesNotAnswerIsToldBeforeTheLoss() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName, leaseOf(9s, 2s));
        using Event = DistributedLock::Event;
        std::vector<Event> heard;
        lock->listen([&](Event event, const QByteArray&, const QString&) {
            if (heard.empty() || heard.back() != event) heard.push_back(event);
        });
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(1s);
        a.link.setCut(true);
        world.run(4s);
        a.link.setCut(false);
        world.run(4s);
        QVERIFY((heard == std::vector{Event::Acquired, Event::Suspended, Event::Renewed}));
        a.link.setCut(true);
        world.run(20s);
        QVERIFY(
            (heard == std::vector{Event::Acquired, Event::Suspended, Event::Renewed, Event::Suspended, Event::Lost}));
    }

    void whatMakesNoSenseIsRefused() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName);
        std::expected<bool, LockError> taken = true;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            LockRequest request;
            request.lease = Nanos(0);
            taken = co_await lock->take(request);
        });
        world.run(1s);
        QVERIFY(!taken.has_value() && taken.error().kind == LockError::Kind::Refused);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
    }

    void aGrantSlowerThanItsLeaseEndsATryInTime_data() { everySafeRecipe(); }
    void aGrantSlowerThanItsLeaseEndsATryInTime() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        a.link.extraLatency = 200ms;
        const auto lock = world.lock(a, recipe, kName, leaseOf(100ms));
        std::optional<std::expected<bool, LockError>> tried;
        a.runtime.spawn([&]() -> QCoro::Task<> { tried = co_await lock->tryLock(); });
        world.run(10s);
        QVERIFY2(tried.has_value(), "it tries for ever");
        QVERIFY(tried->has_value() && !**tried);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
    }

    /// The reply to a renewal, and the end of the hold, at every distance from each other.
    void nothingIsRenewedAfterItsRelease_data() { everySafeRecipe(); }
    void nothingIsRenewedAfterItsRelease() {
        QFETCH(QByteArray, recipe);
        for (Nanos when = 900us; when < 2ms; when += 10us) {
            LockWorld world(kName);
            LockWorld::Process a(world, "A");
            const auto lock = world.lock(a, recipe, kName, leaseOf(3s, 1s));
            a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
            world.run(1s);
            // From the scheduler, not from a coroutine: between a reply's arrival and its waiter's turn, too.
            world.scheduler.at(world.scheduler.now() + when - 1ms,
                               [&] { a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->unlock(); }); });
            world.run(10s);
            bool given = false;
            for (std::size_t i = 0; i < world.trace->size(); ++i) {
                given = given || world.trace->kindAt(i) == EventKind::ReleaseSent;
                QVERIFY(!given || world.trace->kindAt(i) != EventKind::Renewed);
            }
            QVERIFY(given);
            QCOMPARE(world.count(EventKind::Lost), 0);
        }
    }

    void aRenewalHeardOfWhileAsleepDoesNotReviveALostHold() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-set", kName, leaseOf(3s, 1s));
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(500ms);
        a.link.extraLatency = 400ms;
        world.run(600ms); // the renewal is on its way
        a.runtime.pause();
        world.run(10s); // its answer, and the end of the lease, wait for the process to wake
        a.link.extraLatency = Nanos(0);
        a.runtime.resume();
        world.run(5s);
        QVERIFY(!lock->stillMine());
        QCOMPARE(lock->holdCount(), 0);
        QCOMPARE(world.count(EventKind::Lost), 1);
        bool lost = false;
        for (std::size_t i = 0; i < world.trace->size(); ++i) {
            lost = lost || world.trace->kindAt(i) == EventKind::Lost;
            QVERIFY(!lost || world.trace->kindAt(i) != EventKind::Renewed);
        }
    }

    void aWaiterThatIsCutOffForAWhileGoesOnWaiting_data() { everySafeRecipe(); }
    void aWaiterThatIsCutOffForAWhileGoesOnWaiting() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto first = world.lock(a, recipe, kName, leaseOf(3s));
        const auto second = world.lock(b, recipe, kName, leaseOf(60s));
        std::expected<bool, LockError> tried = true, waited = false, late = true;
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->lock(); });
        world.run(50ms);
        b.runtime.spawn([&]() -> QCoro::Task<> { waited = co_await second->tryLockFor(20s); });
        world.run(50ms);
        b.link.setCut(true);
        b.runtime.spawn([&]() -> QCoro::Task<> { tried = co_await second->tryLockFor(Nanos(0), "2"); });
        b.runtime.spawn([&]() -> QCoro::Task<> { late = co_await second->tryLockFor(5s, "3"); });
        world.run(10s);
        QVERIFY(!tried.has_value() && !late.has_value()); // and not: somebody else has it
        QVERIFY(waited.has_value() && !*waited);
        b.link.setCut(false);
        world.run(3s);
        QVERIFY2(waited.has_value() && *waited, "gave up with half of its time left");
        QCOMPARE(second->holdCount(), 1);
    }

    void whatATryLeftBehindIsNotInTheWayOfTheNext_data() { everySafeRecipe(); }
    void whatATryLeftBehindIsNotInTheWayOfTheNext() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, recipe, kName, leaseOf(60s));
        std::expected<bool, LockError> waited = false;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->unlock(); // so that the scripts are known to the server
            a.link.loseNextReply = true;
            waited = co_await lock->tryLockFor(30s);
        });
        world.run(50ms);
        a.link.setCut(true); // nor does the command arrive that undoes it
        world.run(5s);
        a.link.setCut(false);
        world.run(5s); // long before the lease ends
        QVERIFY(waited.has_value() && *waited);
        QCOMPARE(lock->holdCount(), 1);
    }

    void aStopGivesBackWhatATryLeftBehind_data() { everySafeRecipe(); }
    void aStopGivesBackWhatATryLeftBehind() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto lock = world.lock(a, recipe, kName, leaseOf(60s));
        const auto other = world.lock(b, recipe, kName, leaseOf(60s));
        std::stop_source stop;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->unlock(); // so that the scripts are known to the server
            a.link.loseNextReply = true;
            co_await lock->lock("1", stop.get_token());
        });
        world.run(50ms);
        a.link.setCut(true);
        world.run(2050ms); // a second for the try, a second for its undoing: now it pauses
        a.link.setCut(false);
        stop.request_stop();
        world.run(3s);
        b.runtime.spawn([&]() -> QCoro::Task<> { co_await other->lock(); });
        world.run(1s);
        QCOMPARE(lock->holdCount(), 0);
        QCOMPARE(other->holdCount(), 1);
    }

    void aLockWithoutAnEndIsLookedAtNowAndThen_data() {
        QTest::addColumn<QByteArray>("recipe");
        for (const char* recipe : {"redis-reentrant", "redis-fenced", "redis-fair"})
            QTest::newRow(recipe) << QByteArray(recipe);
    }
    void aLockWithoutAnEndIsLookedAtNowAndThen() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, recipe, kName);
        world.ask({"HSET", kName, "0b5f6f0e-6d0a-4b0e-9d5c-0a8c8e1f2a3b:1", "1"});
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(20s);
        QCOMPARE(lock->holdCount(), 0);
        QVERIFY(world.count(EventKind::Request) < 20);
        world.ask({"DEL", kName}); // by hand: nobody is told
        world.run(7s);
        QCOMPARE(lock->holdCount(), 1);
    }

    void lessThanAMillisecondOfTtlIsWaitedForNotAskedFor() {
        LockWorld world(kName, {{Nanos(0), Nanos(0)}, 0});
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto first = world.lock(a, "redis-reentrant", kName, leaseOf(1s));
        const auto second = world.lock(b, "redis-reentrant", kName, leaseOf(1s));
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await a.runtime.sleep(300us); // off the millisecond
            co_await first->lock();
        });
        b.runtime.spawn([&]() -> QCoro::Task<> {
            co_await b.runtime.sleep(1ms);
            co_await second->lock();
        });
        for (int steps = 0; steps < 10'000 && world.scheduler.runNext(1500ms); ++steps) {
        }
        QCOMPARE(second->holdCount(), 1);
        QCOMPARE(world.count(EventKind::Granted), 2);
        QVERIFY(world.count(EventKind::Request) < 40);
    }
};

QTEST_GUILESS_MAIN(TestLockDoubts)
#include "tst_lock_doubts.moc"
