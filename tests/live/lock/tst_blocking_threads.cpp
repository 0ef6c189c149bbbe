// SPDX-License-Identifier: Apache-2.0
#include "operated_redis.h"
#include <lockscope/mutex.h>
#include <lockscope/shared_mutex.h>

#include <atomic>
#include <barrier>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using namespace std::chrono_literals;

namespace {

constexpr int kThreads = 8;

/// Eight threads of this process, begun together; returns when all have ended.
template <typename Work>
void eight(Work work) {
    std::barrier together(kThreads);
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            together.arrive_and_wait();
            work(i);
        });
    }
}

/// The data under the lock: two numbers that are equal whenever nobody writes. They are plain memory: the thread
/// checker reports a data race should two threads ever get in.
struct Ledger {
    int left = 0, right = 0;
    void write() {
        ++left;
        std::this_thread::yield();
        ++right;
    }
    bool balanced() const { return left == right; }
};

} // namespace

/// Real threads, the standard's guards, and one blocking client between them and a real Redis.
class TestBlockingThreads : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    OperatedRedis m_redis{m_runtime};

    std::string url() const { return m_redis.url().toStdString(); }
    /// But for the counters of fencing tokens, which outlive their holds.
    std::ptrdiff_t keysThere() {
        const redis::Reply keys = m_redis.ask({"KEYS", "*"});
        return std::ranges::count_if(keys.items, [](const auto& key) { return !key.text.contains("token:"); });
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.start()); }
    void cleanup() { QCOMPARE(keysThere(), 0); } // whatever was fought over, nothing is left
    void cleanupTestCase() { m_redis.stop(); }

    void writersAndReadersOfOneClient() {
        constexpr int kRounds = 40;
        blocking::Client client(url());
        blocking::SharedMutex mutex(client, "prices");
        Ledger ledger;
        std::atomic<int> written = 0, readBalanced = 0, readTorn = 0, readers = 0, mostReaders = 0;
        eight([&](int number) {
            std::minstd_rand random(unsigned(number + 1));
            for (int round = 0; round < kRounds; ++round) {
                if (random() % 3 == 0) {
                    const std::unique_lock writer(mutex);
                    ledger.write();
                    ++written;
                    continue;
                }
                const std::shared_lock reader(mutex);
                const int now = ++readers;
                for (int known = mostReaders; known < now && !mostReaders.compare_exchange_weak(known, now);) {
                }
                client.ping(); // stays for a while
                ++(ledger.balanced() ? readBalanced : readTorn);
                --readers;
            }
        });
        QCOMPARE(readTorn.load(), 0);
        QCOMPARE(written + readBalanced, kThreads * kRounds);
        QCOMPARE(ledger.left, written.load());
        QCOMPARE(ledger.right, written.load());
        QVERIFY2(mostReaders > 1, "no two readers were ever inside together");
    }

    void tryingInTimeInterruptedAndAgain() {
        constexpr int kRounds = 40;
        blocking::Client client(url());
        blocking::Mutex mutex(client, "orders");
        Ledger ledger;
        std::atomic<int> taken = 0, outOfTime = 0, interrupted = 0;
        eight([&](int number) {
            std::minstd_rand random(unsigned(number + 100));
            for (int round = 0; round < kRounds; ++round) {
                std::unique_lock<blocking::Mutex> guard(mutex, std::defer_lock);
                std::stop_source stop;
                std::jthread stopper; // from a third thread, as a rule while it waits
                try {
                    switch (random() % 4) {
                    case 0:
                        (void)guard.try_lock();
                        break;
                    case 1:
                        (void)guard.try_lock_for(std::chrono::milliseconds(random() % 8));
                        break;
                    case 2:
                        stopper = std::jthread([&stop] { stop.request_stop(); });
                        mutex.lock(stop.get_token());
                        guard = std::unique_lock(mutex, std::adopt_lock);
                        break;
                    default:
                        guard.lock();
                    }
                } catch (const InterruptedException&) {
                    ++interrupted;
                    continue;
                }
                if (!guard.owns_lock()) {
                    ++outOfTime;
                    continue;
                }
                if (random() % 4 == 0) { // Redisson's locks count a thread's holds
                    const std::lock_guard again(mutex);
                    ledger.write();
                } else {
                    ledger.write();
                }
                ++taken;
            }
        });
        QCOMPARE(taken + outOfTime + interrupted, kThreads * kRounds);
        QCOMPARE(ledger.left, taken.load());
        QCOMPARE(ledger.right, taken.load());
        QVERIFY2(taken >= kThreads, "hardly anybody got it");
    }

    void severalAtOnceInAnyOrder() {
        constexpr int kRounds = 15;
        blocking::Client client(url());
        blocking::Mutex first(client, "first"), second(client, "second");
        Ledger one, other;
        eight([&](int number) {
            for (int round = 0; round < kRounds; ++round) {
                // The standard's way around a deadlock needs try_lock and unlock to mean what they say.
                if (number % 2 == 0) {
                    const std::scoped_lock both(first, second);
                    one.write();
                    other.write();
                } else {
                    const std::scoped_lock both(second, first);
                    one.write();
                    other.write();
                }
            }
        });
        QCOMPARE(one.left, kThreads * kRounds);
        QCOMPARE(other.right, kThreads * kRounds);
    }
};

QTEST_GUILESS_MAIN(TestBlockingThreads)
#include "tst_blocking_threads.moc"
