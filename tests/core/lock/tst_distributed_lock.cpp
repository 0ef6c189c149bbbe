// SPDX-License-Identifier: Apache-2.0
#include "lock_bench_world.h"
#include "sim/fitting_recipes.h"

#include <QTest>

using namespace lockscope;
using tests::LockWorld;
using trace::EventKind;

namespace {
const QByteArray kName = "orders";

void everyRecipe() {
    QTest::addColumn<QByteArray>("recipe");
    for (const auto& recipe : sim::recipesFor({}))
        QTest::newRow(recipe.id.constData()) << recipe.id;
}
void everySafeRecipe() {
    QTest::addColumn<QByteArray>("recipe");
    for (const auto& recipe : sim::recipesFor({})) {
        if (!recipe.naive) QTest::newRow(recipe.id.constData()) << recipe.id;
    }
}
} // namespace

class TestDistributedLock : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void oneHoldsAndTheOtherWaits_data() { everyRecipe(); }
    void oneHoldsAndTheOtherWaits() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto first = world.lock(a, recipe, kName), second = world.lock(b, recipe, kName);
        bool got = false;
        std::expected<bool, LockError> tried = true, waited = true;
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->lock(); });
        world.run(1s);
        b.runtime.spawn([&]() -> QCoro::Task<> {
            tried = co_await second->tryLock();
            waited = co_await second->tryLockFor(2s);
            got = (co_await second->lock()).value();
        });
        world.run(1s);
        QVERIFY(first->holdCount() == 1 && first->stillMine());
        QVERIFY(tried.has_value() && !*tried);
        QVERIFY(waited.has_value());
        world.run(3s);
        QVERIFY(!*waited);
        QVERIFY(!got);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->unlock(); });
        world.run(300ms);
        QVERIFY(got);
        QCOMPARE(first->holdCount(), 0);
        QCOMPARE(second->holdCount(), 1);
    }

    void aReleaseWakesTheWaiterWithoutPolling() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto first = world.lock(a, "redis-reentrant", kName), second = world.lock(b, "redis-reentrant", kName);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->lock(); });
        world.run(100ms);
        b.runtime.spawn([&]() -> QCoro::Task<> { co_await second->lock(); });
        world.run(100ms);
        const int requests = world.count(EventKind::Request);
        world.run(9s);
        QCOMPARE(world.count(EventKind::Request), requests); // nobody polls; the watchdog comes after 10 s
        QCOMPARE(world.ask({"PUBSUB", "NUMSUB", "redisson_lock__channel:{orders}"}).items.at(1).integer, 1);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->unlock(); });
        world.run(2ms); // three flights: release, message, attempt and its reply
        QCOMPARE(second->holdCount(), 1);
        world.run(1s);
        QCOMPARE(world.ask({"PUBSUB", "NUMSUB", "redisson_lock__channel:{orders}"}).items.at(1).integer, 0);
    }

    void aLostMessageCostsAtMostTheRestOfTheLease() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        HoldOptions options;
        options.lease = 4s;
        options.watchdog = Nanos(0);
        const auto first = world.lock(a, "redis-reentrant", kName, options);
        const auto second = world.lock(b, "redis-reentrant", kName, options);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->lock(); });
        world.run(100ms);
        b.runtime.spawn([&]() -> QCoro::Task<> { co_await second->lock(); });
        world.run(100ms);
        b.link.setCut(true); // the message finds nobody
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await first->unlock(); });
        world.run(100ms);
        b.link.setCut(false);
        world.run(3s);
        QCOMPARE(second->holdCount(), 0);
        world.run(1s);
        QCOMPARE(second->holdCount(), 1);
    }

    void aThreadReentersAndOthersDoNot() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName);
        std::expected<bool, LockError> other = true;
        int left = -1;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->lock();
            other = co_await lock->tryLock("2");
            left = (co_await lock->unlock()).value();
        });
        world.run(1s);
        QVERIFY(other.has_value() && !*other);
        QCOMPARE(left, 1);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
        a.runtime.spawn([&]() -> QCoro::Task<> { left = (co_await lock->unlock()).value(); });
        world.run(1s);
        QCOMPARE(left, 0);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        QCOMPARE(world.count(EventKind::Reentered), 1);
    }

    void releasingWhatIsNotOursIsRefused_data() { everySafeRecipe(); }
    void releasingWhatIsNotOursIsRefused() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        HoldOptions careless;
        careless.lease = 1s;
        careless.watchdog = Nanos(0);
        careless.honourDeadline = false; // believes on
        const auto first = world.lock(a, recipe, kName, careless), second = world.lock(b, recipe, kName);
        std::expected<int, LockError> released = 7, never = 7;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await first->lock();
            co_await a.runtime.sleep(3s);
            released = co_await first->unlock();
        });
        b.runtime.spawn([&]() -> QCoro::Task<> {
            never = co_await second->unlock();
            co_await b.runtime.sleep(500ms);
            co_await second->lock();
        });
        world.run(4s);
        QVERIFY(!released.has_value() && released.error().kind == LockError::Kind::NotOwner);
        QVERIFY(!never.has_value() && never.error().kind == LockError::Kind::NotOwner);
        QCOMPARE(second->holdCount(), 1);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 1); // B's hold was not touched
        QCOMPARE(world.count(EventKind::ReleaseRefused), 1);
    }

    void theWatchdogKeepsALockAlive_data() { everySafeRecipe(); }
    void theWatchdogKeepsALockAlive() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        HoldOptions options;
        options.lease = 3s;
        options.watchdog = 1s;
        const auto lock = world.lock(a, recipe, kName, options);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(30s);
        QVERIFY(lock->stillMine());
        QVERIFY(world.count(EventKind::Renewed) >= 28);
        QVERIFY(lock->remaining() > 1900ms);
        QCOMPARE(world.count(EventKind::RecordFreed), 0);
    }

    void aRefusedRenewalIsALossAtOnce_data() { everySafeRecipe(); }
    void aRefusedRenewalIsALossAtOnce() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        HoldOptions options;
        options.lease = 3s;
        options.watchdog = 1s;
        const auto lock = world.lock(a, recipe, kName, options);
        QString reason;
        lock->listen([&](DistributedLock::Event event, const QByteArray&, const QString& why) {
            if (event == DistributedLock::Event::Lost) reason = why;
        });
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(500ms);
        world.ask({"DEL", kName});
        world.run(400ms);
        QVERIFY(lock->stillMine()); // it cannot know yet
        world.run(200ms);
        QVERIFY(!lock->stillMine());
        QCOMPARE(lock->holdCount(), 0);
        QVERIFY(!reason.isEmpty());
        world.run(10s);
        QCOMPARE(world.count(EventKind::Lost), 1);
    }

    void theOwnClockEndsAHoldThatCannotBeRenewed_data() { everySafeRecipe(); }
    void theOwnClockEndsAHoldThatCannotBeRenewed() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        HoldOptions options;
        options.lease = 3s;
        options.watchdog = 1s;
        const auto lock = world.lock(a, recipe, kName, options);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(1500ms);
        const Nanos left = lock->remaining();
        a.link.setCut(true);
        world.run(left - 1ms);
        QVERIFY(lock->stillMine());
        QCOMPARE(world.count(EventKind::Lost), 0);
        world.run(2ms);
        QVERIFY(!lock->stillMine());
        QCOMPARE(world.count(EventKind::Lost), 1);
        QVERIFY(world.count(EventKind::RenewFailed) >= 1);
    }

    void aStopLeavesNothingBehindWheneverItComes_data() { everySafeRecipe(); }
    void aStopLeavesNothingBehindWheneverItComes() {
        QFETCH(QByteArray, recipe);
        int interrupted = 0, granted = 0;
        // Every suspension point of an uncontended and of a contended acquisition lies within these instants.
        for (const bool contended : {false, true}) {
            for (Nanos when{}; when < 2ms; when += 20us) {
                LockWorld world(kName);
                LockWorld::Process a(world, "A"), b(world, "B");
                const auto other = world.lock(b, recipe, kName);
                if (contended) {
                    b.runtime.spawn([&]() -> QCoro::Task<> { co_await other->lock(); });
                    world.run(1s);
                }
                const auto lock = world.lock(a, recipe, kName);
                std::stop_source source;
                a.runtime.spawn([&]() -> QCoro::Task<> {
                    co_await lock->lock("1", source.get_token());
                    ++granted;
                    co_await lock->unlock();
                });
                world.scheduler.at(world.scheduler.now() + when, [&] { source.request_stop(); });
                world.run(1s);
                interrupted += world.count(EventKind::Interrupted);
                if (contended) b.runtime.spawn([&]() -> QCoro::Task<> { co_await other->unlock(); });
                world.run(1s);
                QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
                QCOMPARE(world.ask({"PUBSUB", "CHANNELS"}).items.size(), std::size_t(0));
            }
        }
        QVERIFY(interrupted > 20);
        QVERIFY(granted > 20);
    }

    void aLostReplyIsReportedAndLeavesNoOrphan_data() { everySafeRecipe(); }
    void aLostReplyIsReportedAndLeavesNoOrphan() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, recipe, kName);
        std::expected<bool, LockError> taken = true;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock(); // so that the scripts are known to the server
            co_await lock->unlock();
            a.link.loseNextReply = true;
            taken = co_await lock->tryLock();
        });
        world.run(5s);
        QVERIFY(!taken.has_value() && taken.error().kind == LockError::Kind::OutcomeUnknown);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
    }

    void anotherFormatOnTheKeyIsLeftAlone() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        world.ask({"SET", kName, "somebody else's"});
        const auto lock = world.lock(a, "redis-reentrant", kName);
        std::expected<bool, LockError> taken = true;
        a.runtime.spawn([&]() -> QCoro::Task<> { taken = co_await lock->tryLockFor(1s); });
        world.run(2s);
        QVERIFY(!taken.has_value() && taken.error().kind == LockError::Kind::ForeignFormat);
        QVERIFY(taken.error().message.contains(QStringLiteral("orders")));
        QCOMPARE(world.ask({"GET", kName}).text, QByteArray("somebody else's"));
    }

    void tokensGrowWithEveryGrant_data() {
        QTest::addColumn<QByteArray>("recipe");
        for (const auto& recipe : sim::recipesFor({})) {
            if (recipe.token) QTest::newRow(recipe.id.constData()) << recipe.id;
        }
    }
    void tokensGrowWithEveryGrant() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        HoldOptions options;
        options.token = true;
        std::vector<std::int64_t> tokens;
        const auto rounds = [&](LockWorld::Process& process) {
            return [&]() -> QCoro::Task<> {
                const auto lock = world.lock(process, recipe, kName, options);
                for (int i = 0; i < 5; ++i) {
                    co_await lock->lock();
                    tokens.push_back(lock->token());
                    co_await process.runtime.sleep(10ms);
                    co_await lock->unlock();
                }
            };
        };
        a.runtime.spawn(rounds(a));
        b.runtime.spawn(rounds(b));
        world.run(20s);
        QCOMPARE(tokens.size(), std::size_t(10));
        QVERIFY(std::ranges::adjacent_find(tokens, std::greater_equal<>()) == tokens.end());
        QVERIFY(tokens.front() > 0);
    }

    void aForcedReleaseFreesItAndTheHolderLearns() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        HoldOptions options;
        options.watchdog = 2s;
        const auto holder = world.lock(a, "redis-reentrant", kName, options);
        const auto force = world.lock(b, "redis-reentrant", kName, options);
        std::expected<bool, LockError> freed = false, again = true, before = false, after = true;
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await holder->lock(); });
        world.run(1s);
        b.runtime.spawn([&]() -> QCoro::Task<> {
            before = co_await force->isLocked();
            freed = co_await force->forceUnlock();
            after = co_await force->isLocked();
            again = co_await force->forceUnlock();
        });
        world.run(500ms);
        QVERIFY(before.has_value() && *before);
        QVERIFY(after.has_value() && !*after);
        QVERIFY(freed.has_value() && *freed);
        QVERIFY(again.has_value() && !*again);
        world.run(1s);
        QVERIFY(!holder->stillMine());
    }

    void aKilledHolderLeavesItsLockUntilTheLeaseEnds_data() { everyRecipe(); }
    void aKilledHolderLeavesItsLockUntilTheLeaseEnds() {
        QFETCH(QByteArray, recipe);
        LockWorld world(kName);
        HoldOptions options;
        options.lease = 5s;
        options.watchdog = 1s;
        auto a = std::make_unique<LockWorld::Process>(world, "A");
        LockWorld::Process b(world, "B");
        const auto second = world.lock(b, recipe, kName, options);
        {
            const auto first = world.lock(*a, recipe, kName, options);
            a->runtime.spawn([&]() -> QCoro::Task<> { co_await first->lock(); });
            world.run(500ms);
            a->runtime.kill();
        }
        a.reset();
        b.runtime.spawn([&]() -> QCoro::Task<> { co_await second->lock(); });
        world.run(4s);
        QCOMPARE(second->holdCount(), 0);
        world.run(1500ms);
        QCOMPARE(second->holdCount(), 1);
    }
};

QTEST_GUILESS_MAIN(TestDistributedLock)
#include "tst_distributed_lock.moc"
