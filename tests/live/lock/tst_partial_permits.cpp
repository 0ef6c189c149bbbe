// SPDX-License-Identifier: Apache-2.0
// Some permits of several given back, and how many contenders wait for permits, on each kind of server that has them.
#include "every_recipe/grounds.h"

#include <atomic>
#include <future>
#include <lockscope/blocking.h>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;

class TestPartialPermits : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    Grounds m_grounds{m_runtime};

    std::string urlOf(const QByteArray& kind) { return m_grounds.urlOf(kind).toStdString(); }
    void eachGround() {
        QTest::addColumn<QByteArray>("ground");
        for (const char* ground : {"redis", "zookeeper"})
            QTest::newRow(ground) << QByteArray(ground);
    }

private Q_SLOTS:
    void cleanupTestCase() { m_grounds.endAll(); }

    void someAreGivenBackAndTheOthersKept_data() { eachGround(); }
    void someAreGivenBackAndTheOthersKept() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url);
        blocking::Semaphore seats(first, "some-seats", 5), theirs(second, "some-seats", 5);
        blocking::Permit four = seats.acquire(4);
        QCOMPARE(four.permits(), 4);
        QVERIFY(!theirs.tryAcquire(2));
        four.release(1);
        QVERIFY(four && four.stillMine());
        QCOMPARE(four.permits(), 3);
        QCOMPARE(theirs.availablePermits(), std::optional(2));
        QCOMPARE(theirs.holders().size(), std::size_t(3));
        blocking::Permit two = theirs.tryAcquire(2);
        QVERIFY(two);
        QVERIFY(!theirs.tryAcquire());

        QVERIFY_THROWS_EXCEPTION(RefusedException, four.release(0));
        QVERIFY_THROWS_EXCEPTION(RefusedException, four.release(4));
        QCOMPARE(four.permits(), 3);
        QVERIFY(four.stillMine());
        four.release(3); // all that it has
        QVERIFY(!four);
        QCOMPARE(four.permits(), 0);
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, four.release(1));
        QCOMPARE(theirs.availablePermits(), std::optional(3));
        two.unlock();
        QCOMPARE(theirs.availablePermits(), std::optional(5));
    }

    void whatIsKeptLastsAndIsLostAsAWhole_data() { eachGround(); }
    void whatIsKeptLastsAndIsLostAsAWhole() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url);
        LockOptions options;
        options.lease = 3s;
        options.watchdog = 200ms;
        blocking::Semaphore seats(first, "kept-seats", 3, options), theirs(second, "kept-seats", 3, options);
        std::atomic<int> renewed = 0;
        seats.onEvent([&](HoldEvent event, const std::string&) { renewed += event == HoldEvent::Renewed; });
        blocking::Permit three = seats.acquire(3);
        three.release(1);
        if (ground == "redis") { // by a lease, which renewals of what is kept prolong
            const int before = renewed;
            QTRY_VERIFY_WITH_TIMEOUT(renewed >= before + 20, 30'000);
        }
        three.extend(5s);
        QVERIFY(three.stillMine());
        QCOMPARE(theirs.availablePermits(), std::optional(1));
        const std::stop_token lost = three.lost();
        QVERIFY(theirs.forceUnlock());
        QTRY_VERIFY_WITH_TIMEOUT(lost.stop_requested(), 20'000);
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, three.release(1));
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, three.unlock());
        QCOMPARE(theirs.availablePermits(), std::optional(3));
    }

    /// Renewals of all permits are under way while some of them are given back.
    void nobodyLosesPermitsByARelease() {
        const std::string url = urlOf("redis");
        QVERIFY(!url.empty());
        constexpr int kPermits = 6;
        blocking::Client first(url), second(url);
        LockOptions options;
        options.watchdog = 1ms;
        std::atomic<int> inside = 0, most = 0, lost = 0;
        std::atomic<int> rounds = 0;
        {
            std::vector<std::jthread> threads;
            for (int i = 0; i < 6; ++i) {
                threads.emplace_back([&, i] {
                    blocking::Semaphore seats(i % 2 == 0 ? first : second, "busy-seats", kPermits, options);
                    seats.onLost([&](const std::string&) { ++lost; });
                    for (int round = 0; round < 30; ++round) {
                        blocking::Permit some = seats.acquire(3);
                        const int now = inside += 3;
                        for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
                        }
                        first.ping();
                        --inside;
                        some.release(1);
                        first.ping();
                        inside -= 2;
                        some.release(2);
                        ++rounds;
                    }
                });
            }
        }
        QCOMPARE(rounds.load(), 6 * 30);
        QCOMPARE(lost.load(), 0);
        QVERIFY2(most <= kPermits && most > 3, qPrintable(QString::number(most)));
        QCOMPARE(blocking::Semaphore(first, "busy-seats", kPermits, options).availablePermits(),
                 std::optional(kPermits));
    }

    void thoseGivenBackStayTakenForTheShortestTime_data() { eachGround(); }
    void thoseGivenBackStayTakenForTheShortestTime() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url);
        LockOptions options;
        options.minHold = 700ms;
        blocking::Semaphore seats(first, "slow-seats", 3, options), theirs(second, "slow-seats", 3, options);
        const auto begun = std::chrono::steady_clock::now();
        blocking::Permit three = seats.acquire(3);
        three.release(2);
        QCOMPARE(three.permits(), 1);
        const blocking::Permit two = theirs.acquire(2);
        QVERIFY(std::chrono::steady_clock::now() - begun >= 700ms);
        QVERIFY(three.stillMine());
        QVERIFY(!theirs.tryAcquire());
    }

    void theServerCountsThoseWhoWaitOrSaysNothing() {
        const std::string url = urlOf("zookeeper"), redis = urlOf("redis");
        QVERIFY(!url.empty() && !redis.empty());
        blocking::Client first(url), second(url);
        blocking::Semaphore seats(first, "few-seats", 2), theirs(second, "few-seats", 2);
        QCOMPARE(theirs.queueLength(), std::optional(0));
        {
            blocking::Permit both = seats.acquire(2);
            QCOMPARE(theirs.queueLength(), std::optional(0));
            std::vector<std::future<bool>> waiting;
            for (int i = 0; i < 3; ++i)
                waiting.push_back(std::async(std::launch::async, [&] { return bool(theirs.tryAcquireFor(20s)); }));
            QTRY_COMPARE_WITH_TIMEOUT(theirs.queueLength(), std::optional(3), 10'000);
            QVERIFY(!theirs.tryAcquireFor(50ms)); // nor does one count that has given up
            QTRY_COMPARE_WITH_TIMEOUT(theirs.queueLength(), std::optional(3), 10'000);
            both.release(1); // they take their turns with one of the two
            for (std::future<bool>& one : waiting)
                QVERIFY(one.get());
            QVERIFY(both.stillMine());
        }
        QCOMPARE(theirs.queueLength(), std::optional(0));
        blocking::Client silent(redis);
        QVERIFY(!blocking::Semaphore(silent, "few-seats", 2).queueLength());
    }
};

QTEST_GUILESS_MAIN(TestPartialPermits)
#include "tst_partial_permits.moc"
