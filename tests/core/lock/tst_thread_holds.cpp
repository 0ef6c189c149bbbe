// SPDX-License-Identifier: Apache-2.0
// Several requests, and several lock objects, of one thread: the server counts the thread's holds and cannot tell them
// apart.
#include "lock_bench_world.h"

#include <QTest>

using namespace lockscope;
using tests::leaseOf;
using tests::LockWorld;
using trace::EventKind;

namespace {
const QByteArray kName = "orders";
} // namespace

class TestThreadHolds : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// At every moment of the first one's way there and back.
    void aRequestThatIsStoppedTakesNothingFromAnotherOfItsThread() {
        for (Nanos when = Nanos(0); when < 30ms; when += 500us) {
            LockWorld world(kName);
            LockWorld::Process a(world, "A");
            a.link.extraLatency = 5ms;
            const auto lock = world.lock(a, "redis-reentrant", kName);
            std::expected<bool, LockError> first = false;
            std::stop_source stop;
            bool stopped = false;
            a.runtime.spawn([&]() -> QCoro::Task<> { first = co_await lock->lock(); });
            a.runtime.spawn([&]() -> QCoro::Task<> {
                try {
                    co_await lock->lock("1", stop.get_token());
                } catch (const Cancelled&) {
                    stopped = true;
                }
            });
            world.scheduler.at(when, [&] { stop.request_stop(); });
            world.run(1s);
            QVERIFY(first.has_value() && *first);
            const int holds = stopped ? 1 : 2;
            QCOMPARE(lock->holdCount(), holds);
            QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray::number(holds));
        }
    }

    void aReleaseUnderWayIsNotUndoneByARequestThatIsStopped() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        a.link.extraLatency = 5ms;
        const auto lock = world.lock(a, "redis-reentrant", kName);
        std::stop_source stop;
        bool stopped = false;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->lock();
            a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->unlock(); });
            a.runtime.spawn([&]() -> QCoro::Task<> {
                try {
                    co_await lock->lock("1", stop.get_token());
                } catch (const Cancelled&) {
                    stopped = true;
                }
            });
            co_await a.runtime.sleep(14ms); // the release is answered, the request is under way
            stop.request_stop();
        });
        world.run(1s);
        QVERIFY(stopped);
        QCOMPARE(lock->holdCount(), 1);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
    }

    void lockObjectsOfOneThreadCountEachItsOwn() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto one = world.lock(a, "redis-reentrant", kName, leaseOf(3s, 1s));
        const auto other = world.lock(a, "redis-reentrant", kName, leaseOf(3s, 1s));
        int left = -1, last = -1;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await one->lock();
            co_await other->lock();
            left = (co_await other->unlock()).value();
        });
        world.run(1s);
        QCOMPARE(left, 0);
        QVERIFY(!other->stillMine() && other->holdCount() == 0);
        QVERIFY(one->stillMine() && one->holdCount() == 1);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
        world.run(10s);
        QVERIFY(one->stillMine()); // its own watchdog keeps it
        a.runtime.spawn([&]() -> QCoro::Task<> { last = (co_await one->unlock()).value(); });
        world.run(1s);
        QCOMPARE(last, 0);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        QCOMPARE(world.count(EventKind::Lost), 0);
        QCOMPARE(world.count(EventKind::ReleaseRefused), 0);
    }

    void whatOneLockObjectLosesTheOtherKeeps() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto kept = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        const auto lapsing = world.lock(a, "redis-reentrant", kName, leaseOf(1s));
        const auto stranger = world.lock(b, "redis-reentrant", kName);
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await kept->lock();
            co_await lapsing->lock(); // a shorter lease ends nobody else's sooner
        });
        world.run(2s);
        QVERIFY(!lapsing->stillMine() && kept->stillMine());
        std::expected<bool, LockError> tried = true;
        int again = -1;
        b.runtime.spawn([&]() -> QCoro::Task<> { tried = co_await stranger->tryLock(); });
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lapsing->lock();
            again = lapsing->holdCount();
            co_await lapsing->unlock();
        });
        world.run(2s);
        QVERIFY(tried.has_value() && !*tried);
        QCOMPARE(again, 1);
        QVERIFY(kept->stillMine());
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
    }

    void aReleaseUnderWayIsNotGivenUpTwice() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        a.link.extraLatency = 5ms;
        const auto lapsing = world.lock(a, "redis-reentrant", kName, leaseOf(1s));
        const auto kept = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lapsing->lock();
            co_await lapsing->lock();
            co_await kept->lock();
        });
        world.run(500ms);
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("3"));
        const Nanos left = lapsing->remaining();
        world.run(left - 1ms);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lapsing->unlock(); });
        world.run(100ms); // the other hold lapses while the release of this one is under way
        QCOMPARE(lapsing->holdCount(), 0);
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lapsing->lock();
            co_await lapsing->unlock();
        });
        world.run(500ms);
        QVERIFY(kept->stillMine());
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
    }

    void anOldHoldOfOneLockObjectDoesNotFreeTheNewOneOfAnother() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto old = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        const auto later = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        std::expected<int, LockError> given = 7;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await old->lock();
            world.ask({"DEL", kName}); // by force
            co_await later->lock();
            given = co_await old->unlock();
        });
        world.run(1s);
        QVERIFY(!given.has_value() && given.error().kind == LockError::Kind::NotOwner);
        QVERIFY(later->stillMine());
        QCOMPARE(world.ask({"HGET", kName, a.uuid + ":1"}).text, QByteArray("1"));
    }

    void anOldHoldIsNotRenewedByTheNewOne() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto old = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        const auto later = world.lock(a, "redis-reentrant", kName, leaseOf(30s, 10s));
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await old->lock();
            world.ask({"DEL", kName});
            co_await later->lock();
        });
        world.run(11s);
        QVERIFY(!old->stillMine());
        QVERIFY(later->stillMine());
    }

    void whatALockObjectThatIsGoneHeldIsNotCountedOn() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto stranger = world.lock(b, "redis-reentrant", kName);
        auto lock = world.lock(a, "redis-reentrant", kName);
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
        world.run(1s);
        const auto view = lock->view();
        lock.reset();
        QVERIFY(!view->stillMineAt(a.runtime.monotonic()));
        lock = world.lock(a, "redis-reentrant", kName);
        std::expected<bool, LockError> tried = false;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await lock->lock();
            co_await lock->unlock();
        });
        world.run(1s);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        b.runtime.spawn([&]() -> QCoro::Task<> { tried = co_await stranger->tryLock(); });
        world.run(1s);
        QVERIFY(tried.has_value() && *tried);
    }

    void holdsThatLapsedAreForgotten() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        for (int i = 0; i < 3000; ++i) {
            const auto lock = world.lock(a, "redis-reentrant", "order-" + QByteArray::number(i), leaseOf(1s));
            a.runtime.spawn([&]() -> QCoro::Task<> { co_await lock->lock(); });
            world.run(20ms);
            QVERIFY(lock->stillMine());
        }
        QVERIFY2(a.doubts->accounts->size() < 2000, QByteArray::number(qulonglong(a.doubts->accounts->size())));
    }

    void aThreadDoesNotWaitForEverForItsOwnRequests() {
        LockWorld world(kName);
        LockWorld::Process a(world, "A");
        const auto lock = world.lock(a, "redis-reentrant", kName);
        a.link.setCut(true);
        int ended = 0;
        for (int i = 0; i < 6; ++i) {
            a.runtime.spawn([&]() -> QCoro::Task<> {
                const auto tried = co_await lock->tryLock();
                if (!tried) ++ended;
            });
        }
        world.run(8s);
        QCOMPARE(ended, 6);
    }
};

QTEST_GUILESS_MAIN(TestThreadHolds)
#include "tst_thread_holds.moc"
