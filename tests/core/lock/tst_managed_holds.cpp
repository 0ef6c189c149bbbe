// SPDX-License-Identifier: Apache-2.0
// Managed locks beyond taking: asked about, freed, held by threads, shared, counted in permits.
#include "manager_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;
using recipes::Mode;

namespace {
LockRequest requestOf(Mode mode, Nanos wait = Nanos(0), const QByteArray& thread = "1", int permits = 1) {
    LockRequest request;
    request.mode = mode;
    request.wait = wait;
    request.thread = thread;
    request.permits = permits;
    return request;
}
} // namespace

class TestManagedHolds : public QObject {
    Q_OBJECT
    static bool takes(World& world, std::size_t i, ManagedLock& lock, const LockRequest& request) {
        const auto taken = world.soon<bool>(i, [&] { return lock.take(request); });
        return taken && *taken && **taken;
    }
    static Told<int> unlocks(World& world, std::size_t i, ManagedLock& lock, Mode mode = Mode::Exclusive) {
        return world.soon<int>(i, [&] { return lock.unlock("1", mode); });
    }
    static Told<bool> asks(World& world, std::size_t i) {
        return world.soon<bool>(i, [&] { return world.processes[i]->lock->isLocked(); });
    }
    static void switchTo(World& world, std::size_t i, int engine) {
        Process& process = *world.processes[i];
        process.runtime.spawn(
            [&process, engine]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", engine); });
    }

private Q_SLOTS:
    void theEngineInUseIsAsked() {
        World world("immediate");
        world.run(2s);
        QVERIFY(says(asks(world, 0), false));
        QVERIFY(takes(world, 1, *world.processes[1]->lock, requestOf(Mode::Exclusive)));
        QVERIFY(says(asks(world, 0), true));
        const auto freed = world.soon<bool>(0, [&] { return world.processes[0]->lock->forceUnlock(); });
        QVERIFY(says(freed, true));
        QVERIFY(says(asks(world, 0), false));
        QVERIFY(takes(world, 1, *world.processes[1]->lock, requestOf(Mode::Exclusive)));
        switchTo(world, 2, 1);
        world.run(5s);
        QVERIFY(world.allUse("two"));
        QVERIFY(says(asks(world, 0), false)); // whatever is left on the one before
    }

    void nobodySaysWhoHoldsItWhileNoEngineIsInUse() {
        World world("drain");
        world.run(2s);
        for (const char* host : {"two", "three"})
            world.backends.cut.insert({"A", QLatin1String(host)});
        world.run(1200ms);
        QVERIFY(!world.status(0).usable);
        const auto locked = asks(world, 0);
        QVERIFY(fails(locked, LockError::Kind::Unreachable));
        QVERIFY2(locked->error().message.contains(QStringLiteral("shop")), qPrintable(locked->error().message));
        const auto freed = world.soon<bool>(0, [&] { return world.processes[0]->lock->forceUnlock(); });
        QVERIFY(fails(freed, LockError::Kind::Unreachable));
    }

    void anAnswerOfAnEngineThatIsLeftMeanwhileIsNone() {
        World world("immediate");
        world.run(2s);
        Process& process = *world.processes[0];
        world.backends.servers[QStringLiteral("one")].locks.answerTakes = 3s;
        Told<bool> locked;
        process.runtime.spawn([&]() -> QCoro::Task<> { locked = co_await process.lock->isLocked(); });
        switchTo(world, 1, 1);
        world.run(2900ms);
        QVERIFY(world.allUse("two") && !locked);
        world.run(1s);
        QVERIFY(fails(locked, LockError::Kind::Unreachable));
    }

    void aThreadUnlocksWhatItTook() {
        World world("drain");
        world.run(2s);
        ManagedLock& lock = *world.processes[0]->lock;
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        QCOMPARE(lock.holdCount(), 2);
        QVERIFY(lock.stillMine() && lock.isHeld() && lock.view("1")->token >> 48 == 1);
        QVERIFY(!takes(world, 0, lock, requestOf(Mode::Exclusive, Nanos(0), "2")));
        QVERIFY(!lock.stillMine("2"));
        QVERIFY(says(unlocks(world, 0, lock), 1));
        QVERIFY(says(unlocks(world, 0, lock), 0));
        const auto again = unlocks(world, 0, lock);
        QVERIFY(fails(again, LockError::Kind::NotOwner));
        QVERIFY(!lock.isHeld());
    }

    void aHoldThatASwitchEndedSaysSo() {
        World world("immediate");
        world.run(2s);
        ManagedLock& lock = *world.processes[0]->lock;
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        switchTo(world, 1, 1);
        world.run(5s);
        QVERIFY(world.allUse("two") && !lock.isHeld());
        const auto late = unlocks(world, 0, lock);
        QVERIFY(fails(late, LockError::Kind::NotOwner));
        QVERIFY2(late->error().message.contains(u"another engine"), qPrintable(late->error().message));
        const auto extended = world.soon<void>(0, [&] { return lock.extend("1", Mode::Exclusive, 1s); });
        QVERIFY(extended && !*extended && extended->error().message.contains(u"another engine"));
        const auto never = world.soon<int>(0, [&] { return lock.unlock("2", Mode::Exclusive); });
        QVERIFY(fails(never, LockError::Kind::NotOwner) && !never->error().message.contains(u"another engine"));
    }

    /// A hold that an immediate switch ends is not handed on: a process that has not heard of the switch yet would let
    /// its waiter in on the engine that is being left, only to take the lock away again.
    void aSwitchLetsNobodyInOnTheEngineThatIsLeft() {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            World world("immediate", seed * 10);
            world.run(2s);
            QVERIFY(takes(world, 0, *world.processes[0]->lock, requestOf(Mode::Exclusive)));
            std::vector<std::int64_t> epochs; // of the grants, in their order
            const auto wait = [&](Process* process, QByteArray thread) {
                process->runtime.spawn([&epochs, process, thread]() -> QCoro::Task<> {
                    const auto guard = co_await process->lock->lock(thread);
                    if (guard && *guard) epochs.push_back(guard->token() >> 48);
                    co_await process->runtime.sleep(10ms);
                });
            };
            for (const auto& process : world.processes)
                wait(process.get(), "2");
            world.run(100ms);
            QVERIFY(epochs.empty());
            switchTo(world, 0, 1);
            world.run(10s);
            QVERIFY(world.allUse("two"));
            QCOMPARE(epochs, std::vector<std::int64_t>(3, 2));
            QVERIFY(!world.backends.servers[QStringLiteral("one")].locks.writer); // given back in the end
        }
    }

    /// A reading of the record that takes long tells what was: a switch that was seen meanwhile stays seen.
    void anOldReadingBringsNoEngineBack() {
        World world("immediate", 1, 1);
        world.run(2s);
        Process& process = *world.processes[0];
        // Each of its readings takes long, except those that the switch itself needs.
        bool switching = false;
        world.backends.answerTakes = [&](const QString& host) {
            return !switching && host == QStringLiteral("three") ? Nanos(240ms) : Nanos(0);
        };
        for (int tries = 0; tries < 40; ++tries) {
            process.heard.clear();
            const std::int64_t before = world.status(0).epoch;
            world.run(Nanos(7ms) * tries);
            switching = true;
            switchTo(world, 0, tries % 2 == 0 ? 1 : 0);
            world.run(30ms);
            switching = false;
            world.run(4s);
            QCOMPARE(world.status(0).epoch, before + 1);
            for (const ManagerEvent& event : process.heard)
                QVERIFY(event.kind != ManagerEvent::Kind::InUse || event.epoch > before);
        }
    }

    void whatASwitchHasEndedIsNotUnlocked() {
        World world("immediate");
        world.run(2s);
        ManagedLock& lock = *world.processes[0]->lock;
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        switchTo(world, 1, 1);
        world.run(5s);
        QVERIFY(world.allUse("two"));
        QVERIFY(!lock.stillMine() && !lock.isHeld());
        const auto left = unlocks(world, 0, lock);
        QVERIFY(fails(left, LockError::Kind::NotOwner));
    }

    /// It reads the agreement no more: others may lock elsewhere, and would not be heard of.
    void whatAManagerHeldIsLostWithIt_data() {
        QTest::addColumn<bool>("goodbye");
        QTest::newRow("closed") << true;
        QTest::newRow("gone") << false;
    }
    void whatAManagerHeldIsLostWithIt() {
        QFETCH(bool, goodbye);
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        ManagedLock& lock = *process.lock;
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        QStringList lost;
        lock.listen([&](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            if (event == DistributedLock::Event::Lost) lost += reason;
        });
        if (goodbye)
            process.runtime.spawn([&process]() -> QCoro::Task<> { co_await process.manager->close(); });
        else
            process.manager.reset();
        world.run(100ms);
        QCOMPARE(lost.size(), 1);
        QVERIFY(!lock.stillMine() && !lock.isHeld());
        QVERIFY(takes(world, 1, *world.processes[1]->lock, requestOf(Mode::Exclusive))); // and was given back
    }

    /// Nothing of it runs yet, so that nobody has told it anything; but its threads may look already.
    void whoWasStoppedSeesByItsClockWhatItHasLost() {
        World world("immediate", 1, 0);
        world.config.namespaces[0].options.lease = 60s; // which says nothing of a switch
        for (const char* name : {"A", "B"}) {
            world.processes.push_back(
                std::make_unique<Process>(world.scheduler, world.backends, name, *name, world.config));
            world.processes.back()->start();
        }
        world.run(2s);
        Process& stopped = *world.processes[0];
        Process& other = *world.processes[1];
        stopped.runtime.spawn([&]() -> QCoro::Task<> { stopped.guard = (co_await stopped.lock->lock()).value(); });
        world.run(1s);
        QVERIFY(stopped.guard.stillMine());
        const auto view = stopped.lock->view();
        stopped.runtime.pause();
        other.runtime.spawn([&]() -> QCoro::Task<> {
            co_await other.manager->switchTo("shop", 1);
            other.guard = (co_await other.lock->lock()).value();
        });
        world.run(5s);
        QVERIFY(other.guard.stillMine());
        QVERIFY(!stopped.guard.stillMine() && !stopped.lock->stillMine());
        QVERIFY(!view->stillMineAt(stopped.runtime.monotonic()));
        QVERIFY(!stopped.guard.lost().stop_requested());
        stopped.runtime.resume();
        world.run(1s);
        QVERIFY(stopped.guard.lost().stop_requested());
    }

    void whoIsInsideGoesInDeeperWhileItDrains() {
        World world("drain"); // for 2 s
        world.run(2s);
        ManagedLock& lock = *world.processes[0]->lock;
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        switchTo(world, 1, 1);
        for (int i = 0; i < 100 && world.status(0).usable; ++i)
            world.run(10ms);
        QVERIFY(!world.status(0).usable && lock.stillMine());
        QVERIFY(!takes(world, 0, lock, requestOf(Mode::Exclusive, Nanos(0), "2"))); // not who is outside; takes 1 s
        QVERIFY(lock.stillMine());
        Told<bool> deeper;
        world.processes[0]->runtime.spawn(
            [&]() -> QCoro::Task<> { deeper = co_await lock.take(requestOf(Mode::Exclusive, kNever)); });
        world.run(100ms);
        QVERIFY(says(deeper, true));
        QCOMPARE(lock.holdCount(), 2);
        QVERIFY(lock.view("1")->token >> 48 == 1);
        world.run(2s); // all are out by now
        QVERIFY(!lock.isHeld());
        QVERIFY(!takes(world, 0, lock, requestOf(Mode::Exclusive)));
        world.run(5s);
        QVERIFY(world.allUse("two"));
        QVERIFY(takes(world, 0, lock, requestOf(Mode::Exclusive)));
        QVERIFY(lock.view("1")->token >> 48 == 2);
    }

    void noLeaseOutlastsASwitch() {
        World world("drain"); // leases of 3 s
        world.run(2s);
        ManagedLock& lock = *world.processes[0]->lock;
        LockRequest request = requestOf(Mode::Exclusive);
        request.lease = 3001ms;
        QVERIFY(fails(world.soon<bool>(0, [&] { return lock.take(request); }), LockError::Kind::Refused));
        request.lease = 3s;
        QVERIFY(takes(world, 0, lock, request));
    }

    void permitsAreCountedInAllAndTakenTogether() {
        World world("drain", 1, 2, "redis-semaphore");
        world.run(2s);
        std::array<std::unique_ptr<ManagedLock>, 2> seats;
        for (std::size_t i = 0; i < 2; ++i)
            seats[i] = world.processes[i]->manager->lockAs("shop", "seats", Mode::Permit, 5).value();
        for (const int engine : {0, 1}) { // the same after a switch
            QVERIFY(takes(world, 0, *seats[0], requestOf(Mode::Permit, Nanos(0), "1", 3)));
            QVERIFY(!takes(world, 1, *seats[1], requestOf(Mode::Permit, Nanos(0), "1", 3)));
            QVERIFY(takes(world, 1, *seats[1], requestOf(Mode::Permit, Nanos(0), "1", 2)));
            QVERIFY(!takes(world, 1, *seats[1], requestOf(Mode::Permit)));
            if (engine == 1) break;
            switchTo(world, 0, 1);
            world.run(15s);
            QVERIFY(world.allUse("two"));
            QVERIFY(!seats[0]->isHeld() && !seats[1]->isHeld());
        }
        QVERIFY(says(unlocks(world, 0, *seats[0], Mode::Permit), 0));
        QVERIFY(takes(world, 1, *seats[1], requestOf(Mode::Permit, Nanos(0), "1", 3)));
    }

    void whatOneEngineDoesNotOfferIsRefusedBeforeTheSwitchToIt() {
        World world("drain");
        ManagerConfig mixed = world.config;
        mixed.namespaces[0].engines[1].recipe = "redis-semaphore";
        Process process(world.scheduler, world.backends, "M", 7, mixed);
        const auto permits = process.manager->lockAs("shop", "seats", Mode::Permit, 5);
        QVERIFY(!permits && permits.error().kind == LockError::Kind::NotSupported);
        for (const char* word : {"redis-reentrant", "take redis-semaphore", "shop", "redis://one"})
            QVERIFY2(permits.error().message.contains(QLatin1String(word)), qPrintable(permits.error().message));
        const auto alone = process.manager->lockAs("shop", "seats", Mode::Exclusive);
        QVERIFY(!alone && alone.error().message.contains(QStringLiteral("redis://two")));
        const auto shared = process.manager->lockAs("shop", "seats", Mode::Shared);
        QVERIFY(!shared && shared.error().message.contains(QStringLiteral("redis-rw")));
        const auto nowhere = process.manager->lockAs("shoe", "seats", Mode::Permit, 5);
        QVERIFY(!nowhere && nowhere.error().kind == LockError::Kind::Refused);
        QVERIFY(!World("drain", 1, 1, "redis-semaphore").processes[0]->manager->lockAs("shop", "s", Mode::Permit, 0));
    }

    void readersHoldItTogether() {
        World world("drain", 1, 3, "redis-rw");
        world.run(2s);
        std::vector<std::unique_ptr<ManagedLock>> prices;
        for (const auto& process : world.processes)
            prices.push_back(process->manager->lockAs("shop", "prices", Mode::Shared).value());
        QVERIFY(takes(world, 0, *prices[0], requestOf(Mode::Shared)));
        QVERIFY(takes(world, 1, *prices[1], requestOf(Mode::Shared)));
        QVERIFY(!takes(world, 2, *prices[2], requestOf(Mode::Exclusive)));
        QVERIFY(prices[0]->stillMine("1", Mode::Shared) && !prices[0]->stillMine());
        QVERIFY(says(unlocks(world, 0, *prices[0], Mode::Shared), 0));
        QVERIFY(unlocks(world, 1, *prices[1], Mode::Shared).has_value());
        QVERIFY(takes(world, 2, *prices[2], requestOf(Mode::Exclusive)));
    }
};

QTEST_GUILESS_MAIN(TestManagedHolds)
#include "tst_managed_holds.moc"
