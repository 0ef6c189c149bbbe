// SPDX-License-Identifier: Apache-2.0
// Waiting for a condition while engines change.
#include "manager_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;

namespace {
/// The data under the lock: things that one process puts in, and others wait for.
struct Box {
    int put = 0, taken = 0;
    int untold = 0; ///< signals that whoever gave them was told to have failed
};

/// Takes things out for ever, whatever happens to the lock meanwhile.
QCoro::Task<> consume(Process* process, ManagedCondition* filled, QByteArray thread, Box* box) {
    for (;;) {
        auto taken = co_await process->lock->lock(thread);
        if (!taken || !*taken) {
            co_await process->runtime.sleep(10ms);
            continue;
        }
        LockGuard guard = *std::move(taken);
        bool woken = true;
        while (woken && guard.stillMine() && box->put == box->taken) {
            const auto waited = co_await filled->await(kNever, thread);
            woken = waited.has_value();
        }
        if (guard.stillMine() && box->put > box->taken) ++box->taken;
        co_await guard.unlock();
    }
}

/// Puts so many in, and signals each once; again only when told that the signal has failed.
QCoro::Task<> produce(Process* process, ManagedCondition* filled, Box* box, int count) {
    bool owed = false;
    while (count > 0 || owed) {
        LockRequest request;
        const auto taken = co_await process->lock->take(request);
        if (taken && *taken && process->lock->stillMine()) {
            if (!owed) {
                ++box->put;
                --count;
            }
            const auto signalling = owed ? filled->signalAll() : filled->signal();
            const auto signalled = co_await signalling;
            owed = !signalled;
            box->untold += int(owed);
            co_await process->lock->unlock();
        }
        const Nanos pause = process->runtime.random(Nanos(1ms), Nanos(400ms));
        co_await process->runtime.sleep(pause);
    }
}
} // namespace

class TestManagedCondition : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whoWaitsWakesOnTheNextEngine_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("drain") << QByteArray("drain");
        QTest::newRow("immediate") << QByteArray("immediate");
    }
    void whoWaitsWakesOnTheNextEngine() {
        QFETCH(QByteArray, mode);
        World world(mode.constData());
        world.run(2s);
        Process& process = *world.processes[0];
        ManagedCondition filled(*process.lock);
        LockGuard outer, inner;
        Told<bool> woken;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            outer = (co_await process.lock->lock()).value();
            inner = (co_await process.lock->lock()).value();
            woken = co_await filled.await();
        });
        world.run(1s);
        QVERIFY(!woken && !outer.stillMine() && !process.lock->isHeld());
        world.processes[1]->runtime.spawn(
            [&]() -> QCoro::Task<> { co_await world.processes[1]->manager->switchTo("shop", 1); });
        world.run(500ms);
        QVERIFY(!woken); // not before it can have the lock again
        world.run(15s);
        QVERIFY(world.allUse("two"));
        QVERIFY(says(woken, true));
        // Both guards know the hold again, and each gives one of it back, where it is now.
        QVERIFY(outer.stillMine() && inner.stillMine());
        QVERIFY(outer.token() >> 48 == 2);
        QCOMPARE(process.lock->holdCount(), 2);
        QVERIFY(says(world.soon<int>(0, [&] { return inner.unlock(); }), 1));
        outer = LockGuard(); // in the background
        world.run(100ms);
        QVERIFY(!process.lock->isHeld());
        QVERIFY(says(world.soon<bool>(1, [&] { return world.processes[1]->lock->isLocked(); }), false));
    }

    void whoWaitsWithoutASwitchIsWokenBySignalsOnly() {
        World world("drain");
        world.run(2s);
        Process& waiter = *world.processes[0];
        Process& other = *world.processes[1];
        ManagedCondition filled(*waiter.lock), same(*other.lock);
        Told<bool> woken, late;
        waiter.runtime.spawn([&]() -> QCoro::Task<> {
            waiter.guard = (co_await waiter.lock->lock()).value();
            late = co_await filled.await(500ms);
            woken = co_await filled.await();
        });
        world.run(10s);
        QVERIFY(says(late, false) && !woken);
        QVERIFY(!waiter.guard.stillMine());
        const auto without = world.soon<int>(1, [&] { return same.signal(); });
        QVERIFY(fails(without, LockError::Kind::NotOwner));
        other.runtime.spawn([&]() -> QCoro::Task<> {
            other.guard = (co_await other.lock->lock()).value();
            co_await same.signal();
            co_await other.guard.unlock();
        });
        world.run(1s);
        QVERIFY(says(woken, true) && waiter.guard.stillMine());
    }

    void aHolderWhoseEngineIsBeingLeftDoesNotWaitThere() {
        World world("drain"); // for 2 s
        world.run(2s);
        Process& process = *world.processes[0];
        ManagedCondition filled(*process.lock);
        process.runtime.spawn([&]() -> QCoro::Task<> { process.guard = (co_await process.lock->lock()).value(); });
        process.runtime.spawn([&]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", 1); });
        world.run(1s);
        QVERIFY(!world.status(0).usable && process.guard.stillMine());
        Told<bool> woken;
        process.runtime.spawn([&]() -> QCoro::Task<> { woken = co_await filled.await(); });
        world.run(100ms);
        QVERIFY(!woken && !process.lock->isHeld()); // others could come in
        world.run(15s);
        QVERIFY(says(woken, true) && process.guard.stillMine());
        QVERIFY(process.guard.token() >> 48 == 2);
    }

    /// The server that is left cannot be asked any more: that is no error of a waiter, who goes on at the next engine.
    void aWaiterHearsNothingOfAServerThatIsLeft_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("drain") << QByteArray("drain");
        QTest::newRow("immediate") << QByteArray("immediate");
    }
    void aWaiterHearsNothingOfAServerThatIsLeft() {
        QFETCH(QByteArray, mode);
        World world(mode.constData());
        world.run(2s);
        Process& process = *world.processes[0];
        ManagedCondition filled(*process.lock);
        world.backends.enlistingTakes = 1s;
        Told<bool> woken;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            process.guard = (co_await process.lock->lock()).value();
            woken = co_await filled.await();
        });
        world.run(100ms);
        QVERIFY(process.guard.stillMine() && !woken);
        world.backends.cut.insert({"A", QStringLiteral("one")});
        world.processes[1]->runtime.spawn(
            [&]() -> QCoro::Task<> { co_await world.processes[1]->manager->switchTo("shop", 1); });
        world.run(15s);
        QVERIFY(world.allUse("two"));
        if (mode == "immediate") { // which ended the hold before it could be given up
            QVERIFY(fails(woken, LockError::Kind::NotOwner));
            return;
        }
        QVERIFY(says(woken, true));
        QVERIFY(process.guard.stillMine() && process.guard.token() >> 48 == 2);
    }

    void aStopRequestEndsItWithTheLockHeld() {
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        ManagedCondition filled(*process.lock);
        std::stop_source stop;
        bool stopped = false;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            process.guard = (co_await process.lock->lock()).value();
            try {
                (void)co_await filled.await(kNever, "1", stop.get_token());
            } catch (const Cancelled& cancelled) {
                if (cancelled.why() == Cancelled::Why::Killed) throw;
                stopped = true;
            }
        });
        world.run(1s);
        QVERIFY(!stopped);
        stop.request_stop();
        world.run(1s);
        QVERIFY(stopped && process.guard.stillMine());
    }

    void oneEngineWithoutConditionsIsToldBeforeTheSwitchToIt() {
        World world("drain");
        ManagerConfig mixed = world.config;
        mixed.namespaces[0].engines[1].recipe = "redis-redlock"; // whatever it is called, for the first engine is asked
        Process process(world.scheduler, world.backends, "M", 7, mixed);
        process.start();
        world.run(2s);
        ManagedCondition filled(*process.lock);
        Told<bool> woken;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            process.guard = (co_await process.lock->lock()).value();
            woken = co_await filled.await();
        });
        world.run(1s);
        QVERIFY(fails(woken, LockError::Kind::NotSupported));
        QVERIFY2(woken->error().message.contains(QStringLiteral("redis://two")), qPrintable(woken->error().message));
        QVERIFY(process.guard.stillMine());
    }

    void whoHoldsTwiceDoesNotWaitWhereTheNextEngineWouldNotLetItIn() {
        World world("drain");
        ManagerConfig mixed = world.config;
        mixed.namespaces[0].engines[1].recipe = "redis-set"; // has conditions, and no re-entry
        Process process(world.scheduler, world.backends, "M", 7, mixed);
        process.start();
        world.run(2s);
        ManagedCondition filled(*process.lock);
        Told<bool> twice, once;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            process.guard = (co_await process.lock->lock()).value();
            LockGuard inner = (co_await process.lock->lock()).value();
            twice = co_await filled.await(1s);
            co_await inner.unlock();
            once = co_await filled.await(1s);
        });
        world.run(500ms);
        QVERIFY(fails(twice, LockError::Kind::NotSupported));
        QVERIFY2(twice->error().message.contains(QStringLiteral("redis-set")), qPrintable(twice->error().message));
        world.run(2s);
        QVERIFY(says(once, false) && process.guard.stillMine());
    }

    void whatAWaiterLeftBehindTakesNobodysSignal() {
        World world("immediate");
        world.run(2s);
        Process& a = *world.processes[0];
        Process& b = *world.processes[1];
        ManagedCondition filled(*a.lock), same(*b.lock);
        const auto waits = [&](const QByteArray& thread, Told<bool>& woken) {
            a.runtime.spawn([&, thread]() -> QCoro::Task<> {
                LockGuard guard = (co_await a.lock->lock(thread)).value();
                woken = co_await filled.await(kNever, thread);
                co_await guard.unlock();
            });
        };
        const auto switches = [&](int engine) {
            b.runtime.spawn([&, engine]() -> QCoro::Task<> { co_await b.manager->switchTo("shop", engine); });
            world.run(5s);
        };
        Told<bool> first, second;
        waits("1", first);
        world.run(1s);
        world.backends.cut.insert({"A", QStringLiteral("one")}); // it cannot take its entry away
        switches(1);
        QVERIFY(world.allUse("two") && says(first, true));
        world.backends.cut.clear();
        switches(0);
        QVERIFY(world.allUse("one"));
        waits("2", second);
        world.run(1s);
        QVERIFY(!second);
        b.runtime.spawn([&]() -> QCoro::Task<> {
            const LockGuard guard = (co_await b.lock->lock()).value();
            co_await same.signal();
        });
        world.run(1s);
        QVERIFY(says(second, true));
    }

    void noSignalIsLostWhateverIsSwitchedAndCut_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<bool>("cuts");
        QTest::newRow("drain, by hand") << QByteArray("drain") << false;
        QTest::newRow("immediate, by hand") << QByteArray("immediate") << false;
        QTest::newRow("drain, servers away") << QByteArray("drain") << true;
        QTest::newRow("immediate, servers away") << QByteArray("immediate") << true;
    }
    /// Three wait for what a fourth puts in, which signals once for each: all of it is taken out, without any other
    /// reason to look than those signals and the switches.
    void noSignalIsLostWhateverIsSwitchedAndCut() {
        QFETCH(QByteArray, mode);
        QFETCH(bool, cuts);
        constexpr int kCount = 60;
        int untold = 0;
        std::int64_t switches = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            World world(mode.constData(), seed * 10);
            world.run(2s);
            std::mt19937_64 random(seed);
            Box box;
            std::vector<std::unique_ptr<ManagedCondition>> filled;
            for (const auto& process : world.processes)
                filled.push_back(std::make_unique<ManagedCondition>(*process->lock));
            for (const auto& [i, thread] : {std::pair(0, "1"), std::pair(0, "2"), std::pair(1, "1")}) {
                Process* const process = world.processes[std::size_t(i)].get();
                ManagedCondition* const condition = filled[std::size_t(i)].get();
                process->runtime.spawn([=, &box] { return consume(process, condition, thread, &box); });
            }
            Process* const producer = world.processes[2].get();
            producer->runtime.spawn([&, producer] { return produce(producer, filled[2].get(), &box, kCount); });
            for (int step = 0; step < 40; ++step) {
                Process& process = *world.processes[random() % 3];
                const int engine = int(random() % 3);
                const QString host = QStringList{u"one"_qs, u"two"_qs, u"three"_qs}[engine];
                if (step % 3 == 0) {
                    process.runtime.spawn(
                        [&process, engine]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", engine); });
                } else if (cuts && random() % 2 == 0) {
                    world.backends.cut.insert({process.name, host});
                } else {
                    world.backends.cut.clear();
                }
                world.run(Nanos(1ms) * int(random() % 2500));
                QVERIFY2(world.holders() <= 1, qPrintable(QString::number(seed)));
            }
            world.backends.cut.clear();
            world.run(60s); // the producer ends, and the last switch is over
            QVERIFY2(box.put == kCount, qPrintable(u"seed %1: %2 put"_qs.arg(seed).arg(box.put)));
            QVERIFY2(box.taken == kCount, qPrintable(u"seed %1: %2 of %3"_qs.arg(seed).arg(box.taken).arg(kCount)));
            untold += box.untold;
            switches += world.status(0).epoch - 1;
        }
        QVERIFY2(switches > 20, QByteArray::number(qlonglong(switches)).constData());
        if (mode == "drain" && !cuts) QCOMPARE(untold, 0);
    }
};

QTEST_GUILESS_MAIN(TestManagedCondition)
#include "tst_managed_condition.moc"
