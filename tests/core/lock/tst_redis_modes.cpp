// SPDX-License-Identifier: Apache-2.0
// Readers, writers and permits by the very scripts that run on a real Redis, with times to the microsecond.
#include "lock_bench_world.h"

#include <QTest>

using namespace lockscope;
using recipes::Mode;
using tests::LockWorld;
using trace::EventKind;

namespace {
const QByteArray kName = "orders";

LockRequest requestOf(Mode mode, std::optional<Nanos> lease, Nanos wait = kNever) {
    LockRequest request;
    request.mode = mode;
    request.lease = lease;
    request.wait = wait;
    return request;
}
} // namespace

class TestRedisModes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsLeftAfterAnInnerReleaseLivesAsLongAsTheReaderBelieves_data() {
        QTest::addColumn<int>("firstLease");
        QTest::newRow("the first hold has run out") << 1;
        QTest::newRow("the first hold lives, but not as long") << 3;
    }
    void whatIsLeftAfterAnInnerReleaseLivesAsLongAsTheReaderBelieves() {
        QFETCH(int, firstLease);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B"), c(world, "C");
        const auto reader = world.lock(a, "redis-rw", kName), other = world.lock(b, "redis-rw", kName),
                   writer = world.lock(c, "redis-rw", kName);
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const LockRequest first = requestOf(Mode::Shared, Nanos(std::chrono::seconds(firstLease)));
            co_await reader->take(first, {});
            co_await a.runtime.sleep(500ms);
            const LockRequest longer = requestOf(Mode::Shared, 10s);
            co_await reader->take(longer, {}); // until 10.5 s
            co_await a.runtime.sleep(1500ms);
            co_await reader->unlock("1", Mode::Shared); // the inner one
        });
        b.runtime.spawn([&]() -> QCoro::Task<> {
            co_await b.runtime.sleep(600ms);
            const LockRequest asked = requestOf(Mode::Shared, 30s);
            co_await other->take(asked, {});
            co_await b.runtime.sleep(2400ms);
            co_await other->unlock("1", Mode::Shared);
        });
        bool early = true, late = false;
        c.runtime.spawn([&]() -> QCoro::Task<> {
            co_await c.runtime.sleep(4s);
            const LockRequest asked = requestOf(Mode::Exclusive, 1s, 0s);
            const auto first = co_await writer->take(asked, {});
            early = first.value();
            co_await c.runtime.sleep(6600ms);
            const auto second = co_await writer->take(asked, {});
            late = second.value();
        });
        world.run(4500ms);
        QCOMPARE(reader->holdCount("1", Mode::Shared), 1);
        QVERIFY(reader->stillMine("1", Mode::Shared));
        QVERIFY2(!early, "a writer came in beside a reader");
        world.run(10s);
        QVERIFY(late);
    }

    void whatAWriterLeavesLivesAsLongAsItsReads_data() {
        QTest::addColumn<bool>("dead");
        QTest::newRow("its read lives") << false;
        QTest::newRow("its read has run out") << true;
    }
    void whatAWriterLeavesLivesAsLongAsItsReads() {
        QFETCH(bool, dead);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto lock = world.lock(a, "redis-rw", kName), other = world.lock(b, "redis-rw", kName);
        Nanos taken{};
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const LockRequest write = requestOf(Mode::Exclusive, 20s), read = requestOf(Mode::Shared, 5s);
            co_await lock->take(write, {});
            co_await lock->take(read, {});
            co_await a.runtime.sleep(500ms);
            if (dead) world.ask({"DEL", "{orders}:" + a.uuid + ":1:rwlock_timeout:1"});
            co_await lock->unlock("1", Mode::Exclusive);
        });
        b.runtime.spawn([&]() -> QCoro::Task<> {
            co_await b.runtime.sleep(100ms);
            const LockRequest write = requestOf(Mode::Exclusive, 1s);
            co_await other->take(write, {});
            taken = b.runtime.traceTimeOf(b.runtime.monotonic());
        });
        world.run(600ms);
        if (!dead) {
            QCOMPARE(world.ask({"HGET", kName, "mode"}).text, QByteArray("read"));
            const std::int64_t left = world.ask({"PTTL", kName}).integer;
            QVERIFY2(left > 4300 && left <= 4500, qPrintable(QString::number(left)));
        }
        world.run(10s);
        QVERIFY2(dead ? taken > 0ms && taken < 600ms : taken > 4900ms && taken < 5100ms,
                 qPrintable(QString::number(taken.count())));
    }

    void aWriterThatIsLostDoesNotLiveOnByItsReads_data() {
        QTest::addColumn<bool>("kept");
        QTest::newRow("a watchdog renews them") << true;
        QTest::newRow("they are given up") << false;
    }
    void aWriterThatIsLostDoesNotLiveOnByItsReads() {
        QFETCH(bool, kept);
        LockWorld world(kName);
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto lock = world.lock(a, "redis-rw", kName, tests::leaseOf(30s, kept ? Nanos(1s) : Nanos(0))),
                   other = world.lock(b, "redis-rw", kName);
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const LockRequest write = requestOf(Mode::Exclusive, 2s), read = requestOf(Mode::Shared, std::nullopt);
            co_await lock->take(write, {});
            co_await lock->take(read, {});
        });
        world.run(3500ms);
        QCOMPARE(world.count(EventKind::Lost), 1);
        QVERIFY(lock->stillMine("1", Mode::Shared));
        bool beside = false;
        if (kept) { // readers come in beside the one that it still is
            b.runtime.spawn([&]() -> QCoro::Task<> {
                const LockRequest read = requestOf(Mode::Shared, 1s, 0s);
                const auto tried = co_await other->take(read, {});
                beside = tried.value();
                co_await other->unlock("1", Mode::Shared);
            });
            world.run(100ms);
            QVERIFY(beside);
            QVERIFY(lock->stillMine("1", Mode::Shared));
        }
        int left = -1;
        a.runtime.spawn([&]() -> QCoro::Task<> {
            const auto given = co_await lock->unlock("1", Mode::Shared);
            left = given.value_or(-2);
        });
        world.run(100ms);
        QCOMPARE(left, 0);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
    }

    void aPermitOutlivesItsHoldersBelief_data() {
        QTest::addColumn<int>("asked");
        for (const int microseconds : {0, 1, 500, 900, 999})
            QTest::addRow("%d us past the millisecond", microseconds) << microseconds;
    }
    void aPermitOutlivesItsHoldersBelief() {
        QFETCH(int, asked);
        LockWorld world(kName, {{0us, 0us}, 0});
        LockWorld::Process a(world, "A"), b(world, "B");
        const auto first = world.lock(a, "redis-semaphore", kName), second = world.lock(b, "redis-semaphore", kName);
        const LockRequest permit = requestOf(Mode::Permit, 1s);
        Nanos until{}, granted{};
        a.runtime.spawn([&]() -> QCoro::Task<> {
            co_await a.runtime.sleep(std::chrono::microseconds(asked));
            co_await first->take(permit, {});
            until = a.runtime.traceTimeOf(a.runtime.monotonic()) + first->remaining("1", Mode::Permit);
        });
        b.runtime.spawn([&]() -> QCoro::Task<> {
            co_await b.runtime.sleep(2ms);
            co_await second->take(permit, {});
            granted = b.runtime.traceTimeOf(b.runtime.monotonic());
        });
        world.run(3s);
        QVERIFY(until >= 1s);
        QVERIFY(granted > 0s);
        QVERIFY2(granted >= until, qPrintable(QStringLiteral("%1 ns too early").arg((until - granted).count())));
    }
};

QTEST_GUILESS_MAIN(TestRedisModes)
#include "tst_redis_modes.moc"
