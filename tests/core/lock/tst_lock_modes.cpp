// SPDX-License-Identifier: Apache-2.0
#include "lock/named_lock.h"
#include "lock/recipe_choice.h"
#include "pretend_backend.h"

#include <QTest>

using namespace lockscope;
using recipes::HeldBy;
using recipes::Mode;
using tests::PretendBackends;
using tests::PretendConnection;
using tests::PretendWorld;
using trace::EventKind;
using Event = DistributedLock::Event;

/// Holds in several modes, their guards, and how long they may and must last.
class TestLockModes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readersShareAndAWriterDoesNot() {
        PretendWorld world(HeldBy::Lease);
        QVERIFY(world.take(Mode::Shared, "1"));
        QVERIFY(world.take(Mode::Shared, "2"));
        QVERIFY(!world.take(Mode::Exclusive, "3"));
        QVERIFY(world.lock->stillMine("1", Mode::Shared) && !world.lock->stillMine("1", Mode::Exclusive));
        QCOMPARE(world.unlock(Mode::Exclusive, "1").error().kind, LockError::Kind::NotOwner);
        QCOMPARE(world.unlock(Mode::Shared, "1").value(), 0);
        QCOMPARE(world.unlock(Mode::Shared, "2").value(), 0);
        QVERIFY(world.take(Mode::Exclusive, "3"));
    }

    void nobodyIsSentToARecipeThatFails() {
        const LockError error = notOffered(*recipes::findRecipe("redis-semaphore"), Mode::Exclusive);
        QCOMPARE(error.kind, LockError::Kind::NotSupported);
        QVERIFY2(error.message.contains(QStringLiteral("redis-reentrant")), qPrintable(error.message));
        for (const recipes::RecipeInfo& recipe : recipes::allRecipes()) {
            const bool named = error.message.contains(QLatin1String(recipe.id) + u',');
            QVERIFY2(!named || !recipe.naive, qPrintable(error.message));
        }
    }

    void theTraceHearsTheModeBeforeTheGrant() {
        PretendWorld world(HeldBy::Lease);
        QVERIFY(world.take(Mode::Shared));
        for (std::size_t i = 0; i < world.trace->size(); ++i) {
            const bool granted = world.trace->kindAt(i) == EventKind::Granted;
            if (granted) QVERIFY(i > 0 && world.trace->kindAt(i - 1) == EventKind::GrantedAs);
        }
        const auto as = world.events(EventKind::GrantedAs);
        QCOMPARE(as.size(), std::size_t(1));
        QCOMPARE(as[0].value, std::int64_t(1));
        QCOMPARE(as[0].aux, 1u);
        QVERIFY(world.take(Mode::Exclusive, "2") == false);
        QCOMPARE(world.events(EventKind::GrantedAs).size(), std::size_t(1));
    }

    void aWriterThatReadsTooKeepsTheReadAfterTheWrite() {
        PretendWorld world(HeldBy::Lease);
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(world.take(Mode::Shared));
        const auto again = world.events(EventKind::Reentered);
        QCOMPARE(again.size(), std::size_t(1)); // one thread, one belief, two holds
        QCOMPARE(again[0].aux, 2u);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        QCOMPARE(world.events(EventKind::Released).back().aux, 1u);
        QVERIFY(!world.lock->stillMine("1", Mode::Exclusive) && world.lock->stillMine("1", Mode::Shared));
        QCOMPARE(world.unlock(Mode::Shared).value(), 0);
        QCOMPARE(world.events(EventKind::Released).back().aux, 0u);
    }

    void permitsAreCountedAndTheLatestGoesFirst() {
        HoldOptions options;
        options.capacity = 3;
        PretendWorld world(HeldBy::Lease, options);
        QVERIFY(world.take(Mode::Permit, "1", 2));
        QVERIFY(!world.take(Mode::Permit, "1", 2));
        QVERIFY(world.take(Mode::Permit, "1", 1));
        QCOMPARE(world.lock->holdCount("1", Mode::Permit), 2);
        QCOMPARE(world.told(Event::Lost), 0);
        const auto capacity = world.events(EventKind::LockCapacity);
        QCOMPARE(capacity.size(), std::size_t(1));
        QCOMPARE(capacity[0].value, std::int64_t(3));
        QCOMPARE(world.events(EventKind::GrantedAs).at(0).aux, 2u);
        QCOMPARE(world.unlock(Mode::Permit).value(), 1);
        QCOMPARE(world.server.released.back().permits, 1);
        QCOMPARE(world.unlock(Mode::Permit).value(), 0);
        QCOMPARE(world.server.released.back().permits, 2);
        QCOMPARE(world.server.inUse, 0);
    }

    void aModeThatTheRecipeDoesNotOfferIsRefusedBeforeAsking() {
        PretendWorld world(HeldBy::Lease);
        world.server.info.shared = false;
        std::optional<std::expected<bool, LockError>> taken;
        LockRequest request;
        request.mode = Mode::Shared;
        world.runtime.spawn([&]() -> QCoro::Task<> { taken = co_await world.lock->take(request); });
        world.run(1s);
        QVERIFY(taken && !taken->has_value());
        QCOMPARE(taken->error().kind, LockError::Kind::NotSupported);
        QVERIFY(taken->error().message.contains(QStringLiteral("pretend")));
        QCOMPARE(world.server.readers, 0);
    }

    void aLeaseOfItsOwnIsNotRenewed() {
        PretendWorld world(HeldBy::Lease);
        LockRequest request;
        request.lease = 5s;
        QVERIFY(world.take(request));
        world.run(4999ms);
        QVERIFY(world.lock->stillMine());
        world.run(2ms);
        QVERIFY(!world.lock->stillMine());
        QCOMPARE(world.told(Event::Lost), 1);
        QCOMPARE(world.told(Event::Renewed), 0);
    }

    void aLeaseIsBelievedInForTheMillisecondsThatAreSent() {
        PretendWorld world(HeldBy::Lease);
        LockRequest request;
        request.lease = 2900us;
        QVERIFY(world.take(request));
        QCOMPARE(world.lock->remaining(), Nanos(2ms));
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        request.lease = 10us; // less than can be said
        QVERIFY(!world.take(request));
        QCOMPARE(world.lock->holdCount(), 0);
    }

    void aGuardKnowsItsOwnHoldFromALaterOne() {
        PretendWorld world(HeldBy::Session);
        LockGuard first, second;
        world.runtime.spawn([&]() -> QCoro::Task<> { first = (co_await world.lock->acquire(LockRequest())).value(); });
        world.run(1ms);
        QVERIFY(first && first.stillMine() && !first.lost().stop_requested());
        world.server.counts.clear();
        world.server.writer = false; // another session would be let in
        world.server.say(recipes::HoldNews::Kind::Lost, kNever, "the session has ended");
        world.run(1ms);
        QVERIFY(first && !first.stillMine() && first.lost().stop_requested());
        world.runtime.spawn([&]() -> QCoro::Task<> { second = (co_await world.lock->acquire(LockRequest())).value(); });
        world.run(1ms);
        QVERIFY(second.stillMine() && !first.stillMine());
        std::expected<int, LockError> left = 7;
        world.runtime.spawn([&]() -> QCoro::Task<> { left = co_await first.unlock(); });
        world.run(1ms);
        QVERIFY(!left && left.error().kind == LockError::Kind::NotOwner);
        QVERIFY(!first && second.stillMine()); // the new hold was not touched
        QVERIFY(world.server.released.empty());
        second = LockGuard();
        world.run(1ms);
        QCOMPARE(world.server.released.size(), std::size_t(1)); // given back when it went
        QVERIFY(!world.server.writer);
    }

    void theMaximumHoldTimeEndsAHoldThatIsStillRenewed() {
        HoldOptions options;
        options.maxHold = 60s;
        PretendWorld world(HeldBy::Lease, options);
        QVERIFY(world.take(Mode::Exclusive));
        QVERIFY(world.take(Mode::Exclusive)); // re-entering does not make it longer
        world.run(59s);
        QVERIFY(world.lock->stillMine());
        QVERIFY(world.told(Event::Renewed) >= 5);
        world.run(2s);
        QCOMPARE(world.lock->holdCount(), 0);
        QCOMPARE(world.told(Event::Lost), 1);
        QVERIFY(world.heard.back().second.contains(QStringLiteral("maximum hold time")));
        QVERIFY(!world.server.writer); // both holds were given back
        QVERIFY(world.take(Mode::Exclusive, "2"));
    }

    void aLeaseOfItsOwnEndsWhatASessionOrAConnectionHolds_data() {
        QTest::addColumn<bool>("session");
        QTest::newRow("session") << true;
        QTest::newRow("connection") << false;
    }
    void aLeaseOfItsOwnEndsWhatASessionOrAConnectionHolds() {
        QFETCH(bool, session);
        PretendWorld world(session ? HeldBy::Session : HeldBy::Connection);
        world.server.lease = 1h; // that is heard of
        const auto takeFor = [&](const char* thread, Nanos lease) {
            LockRequest request;
            request.thread = thread;
            request.wait = Nanos(0);
            request.lease = lease;
            return world.take(request);
        };
        QVERIFY(takeFor("1", 3s));
        QVERIFY(takeFor("1", 5s)); // the longest counts
        QVERIFY(world.lock->remaining() <= 5s);
        world.run(4s);
        QVERIFY(world.lock->stillMine());
        world.run(2s);
        QVERIFY(!world.lock->stillMine());
        QCOMPARE(world.told(Event::Lost), 1);
        QVERIFY(!world.server.writer); // both holds were given back
        QVERIFY(takeFor("2", 3s));
        QVERIFY(world.take(Mode::Exclusive, "2")); // to be kept
        world.run(10s);
        QVERIFY(world.lock->stillMine("2"));
        QCOMPARE(world.unlock(Mode::Exclusive, "2").value(), 1);
        world.run(10s);
        QVERIFY(world.lock->stillMine("2"));
    }

    void theMinimumHoldTimeKeepsOthersOutAfterTheUnlock() {
        HoldOptions options;
        options.lease = 3s;
        options.watchdog = 1s;
        options.minHold = 10s;
        PretendWorld world(HeldBy::Lease, options);
        QVERIFY(world.take(Mode::Exclusive));
        world.run(1s);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        QVERIFY(!world.lock->stillMine() && world.lock->holdCount() == 0);
        const int renewals = world.told(Event::Renewed);
        world.run(8s);
        QVERIFY(world.server.writer);
        QCOMPARE(world.told(Event::Renewed), renewals); // kept, without a word to anybody
        QCOMPARE(world.told(Event::Lost), 0);
        QVERIFY(!world.take(Mode::Exclusive)); // the same thread neither
        QVERIFY(!world.take(Mode::Exclusive, "2"));
        bool taken = false;
        world.runtime.spawn([&]() -> QCoro::Task<> { taken = (co_await world.lock->lock()).value(); });
        world.run(500ms);
        QVERIFY(!taken);
        world.run(600ms);
        QVERIFY(taken);
        QCOMPARE(world.server.released.size(), std::size_t(1));
        QCOMPARE(world.events(EventKind::Released).size(), std::size_t(1));
    }

    void theMinimumHoldTimeEndsAlthoughTheLockIsGone() {
        HoldOptions options;
        options.lease = 3s;
        options.watchdog = 1s;
        options.minHold = 10s;
        PretendWorld world(HeldBy::Nothing, options); // no lease would free it
        QVERIFY(world.take(Mode::Exclusive));
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        world.lock.reset();
        world.run(9s);
        QVERIFY(world.server.writer);
        world.run(2s);
        QVERIFY(!world.server.writer);
        QCOMPARE(world.server.released.size(), std::size_t(1));
    }

    void whoUnlocksLaterThanTheMinimumIsNotHeldUp() {
        HoldOptions options;
        options.minHold = 2s;
        PretendWorld world(HeldBy::Lease, options);
        QVERIFY(world.take(Mode::Exclusive));
        world.run(3s);
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
        QVERIFY(!world.server.writer);
    }

    void aPermitThatRestsKeepsNobodyFromTheOthers() {
        HoldOptions options;
        options.minHold = 10s;
        PretendWorld world(HeldBy::Lease, options);
        world.server.permits = 2;
        QVERIFY(world.take(Mode::Permit));
        QCOMPARE(world.unlock(Mode::Permit).value(), 0);
        QVERIFY(world.take(Mode::Permit)); // the second one
        QVERIFY(!world.take(Mode::Permit));
        QCOMPARE(world.server.inUse, 2);
        world.run(11s);
        QCOMPARE(world.server.inUse, 1);
    }

    void allAreToldBeforeAnythingIsGivenBack() {
        PretendWorld world(HeldBy::Lease);
        QVERIFY(world.take(Mode::Shared, "1"));
        QVERIFY(world.take(Mode::Shared, "2"));
        int givenBackWhenTold = -1;
        world.lock->listen([&](Event event, const QByteArray&, const QString&) {
            if (event == Event::Lost)
                givenBackWhenTold = std::max(givenBackWhenTold, int(world.server.released.size()));
        });
        world.runtime.spawn([&]() -> QCoro::Task<> { co_await world.lock->loseAll("switched"); });
        world.run(1ms);
        QCOMPARE(givenBackWhenTold, 0);
        QCOMPARE(world.server.readers, 0);
        QCOMPARE(world.lock->holdCount("1", Mode::Shared), 0);
    }

    void anOwnClockThatIsNotLookedAtEndsNothingForOtherThreadsEither() {
        HoldOptions careless;
        careless.lease = 1s;
        careless.watchdog = Nanos(0);
        careless.honourDeadline = false;
        PretendWorld world(HeldBy::Lease, careless);
        QVERIFY(world.take(Mode::Exclusive));
        world.run(2s);
        QVERIFY(world.lock->stillMine());
        QVERIFY(world.lock->view()->stillMineAt(world.runtime.monotonic()));
        QCOMPARE(world.unlock(Mode::Exclusive).value(), 0);
    }

    void aLockByNameIsRenewedBeforeItsLeaseEnds() {
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        PretendBackends backends;
        PretendConnection connection(runtime, backends, parseConnectionUrl(QStringLiteral("redis://one")).value(), "A");
        HoldOptions options;
        options.lease = 5s; // and the usual watchdog, which would come too late
        const auto lock = makeLock(connection, "orders", Mode::Exclusive, options).value();
        bool taken = false;
        runtime.spawn([&]() -> QCoro::Task<> { taken = (co_await lock->lock()).value(); });
        scheduler.runUntil(60s);
        QVERIFY(taken);
        QVERIFY(lock->stillMine());
        runtime.kill();
    }
};

QTEST_GUILESS_MAIN(TestLockModes)
#include "tst_lock_modes.moc"
