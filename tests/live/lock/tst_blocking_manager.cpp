// SPDX-License-Identifier: Apache-2.0
#include "client/blocking/access.h"
#include "managed_servers.h"
#include "sandbox/zookeeper_server.h"
#include "sum_under_lock.h"
#include <lockscope/condition.h>
#include <lockscope/manager.h>
#include <lockscope/semaphore.h>
#include <lockscope/shared_mutex.h>

#include <QScopeGuard>
#include <atomic>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using blocking::detail::Access;
using namespace std::chrono_literals;

namespace {
/// How much slower than an idle machine this one may be.
constexpr int kSlack = 8;

constexpr int kThreads = 8;
} // namespace

/// Threads that block, the standard's guards, and engines that change under them.
class TestBlockingManager : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    ManagedServers m_servers{m_runtime};

    static bool uses(blocking::Manager& manager, const sandbox::RedisServer& server) {
        const auto status = manager.status("shop");
        return status.usable && status.engine.contains(server.url().toUtf8());
    }
    /// Both in use by all of them, within what a switch may take.
    bool allUseSecond(std::initializer_list<blocking::Manager*> managers) const {
        return soon(
            [&] { return std::ranges::all_of(managers, [&](auto* one) { return uses(*one, m_servers.second); }); },
            60'000);
    }

private Q_SLOTS:
    void init() { VERIFY_EMPTY(m_servers.begin()); }

    void itsHistoryStandsInTheTrace() {
        const ManagerConfig config = m_servers.config(SwitchMode::Drain, kSlack / 2);
        const auto trace = std::make_shared<trace::Trace>();
        {
            auto manager = Access::manager(config, {.history = Access::history(trace)});
            blocking::Mutex orders(manager, "shop", "orders");
            orders.lock();
            orders.unlock();
            manager.switchTo("shop", 1);
            QVERIFY(allUseSecond({&manager}));
            m_servers.first.kill();
            // Any thread may read it while it is written.
            QVERIFY(soon(
                [&] { return historyIn(*trace).contains(lineOf("unhealthy", 2, config.namespaces[0].engines[0])); }));
            orders.lock();
            orders.unlock();
        }
        const auto& engines = config.namespaces[0].engines;
        const QByteArray missing = missingFrom(
            historyIn(*trace), {lineOf("in-use", 1, engines[0], "start"), lineOf("leaving", 1, engines[0], "hand"),
                                lineOf("in-use", 2, engines[1], "hand"), lineOf("unhealthy", 2, engines[0])});
        QVERIFY2(missing.isEmpty(), missing);
        int grants = 0, releases = 0;
        for (std::size_t i = 0; i < trace->size(); ++i) {
            const bool ours = trace->entity(trace->at(i).subject).name == "shop:orders";
            grants += ours && trace->kindAt(i) == trace::EventKind::Granted ? 1 : 0;
            releases += ours && trace->kindAt(i) == trace::EventKind::Released ? 1 : 0;
        }
        QCOMPARE(grants, 2);
        QCOMPARE(releases, 2);
        QVERIFY(std::abs(trace->originWallMs() + trace->reached() / 1ms - QDateTime::currentMSecsSinceEpoch()) <
                60'000);
    }

    void eightThreadsAddWhileEnginesChange_data() {
        QTest::addColumn<int>("mode");
        QTest::newRow("drain") << int(SwitchMode::Drain);
        QTest::newRow("immediate") << int(SwitchMode::Immediate);
    }
    void eightThreadsAddWhileEnginesChange() {
        QFETCH(int, mode);
        const bool immediate = SwitchMode(mode) == SwitchMode::Immediate;
        ManagerConfig config = m_servers.config(SwitchMode(mode), kSlack);
        config.namespaces[0].engines[0].recipe = "redis-fenced"; // tokens that grow with each holder, on both
        auto first = Access::manager(config), second = Access::manager(config); // as two processes have them
        Sum sum;
        std::atomic<int> told = 0, refusedUnlocks = 0;
        std::atomic<bool> holdOn = immediate, ends = false;
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                blocking::Mutex mutex(i % 2 == 0 ? first : second, "shop", "counter");
                if (i < 2) mutex.onLost([&](const std::string&) { ++told; }); // one for each manager's lock
                mutex.onUnlockFailed([&](const LockException& problem) {
                    refusedUnlocks += int(problem.kind() == ErrorKind::NotOwner);
                });
                const auto work = [&] {
                    std::this_thread::yield();
                    // One is inside for certain when an immediate switch comes, and stays until it is told.
                    if (i != 1 || sum.additions < 100 || !holdOn.exchange(false)) return;
                    while (mutex.stillMine() && !ends)
                        std::this_thread::yield();
                };
                while (!ends) {
                    if (i % 3 == 0) {
                        const std::unique_lock lock(mutex, 10min);
                        if (lock) sum.add(i, mutex, work);
                        continue;
                    }
                    const std::lock_guard lock(mutex);
                    sum.add(i, mutex, work);
                }
            });
        }
        const auto endAll = qScopeGuard([&] { ends = true; }); // before the threads are waited for
        QVERIFY(soon([&] { return sum.additions >= 100 && !holdOn; }, 60'000));
        first.switchTo("shop", 1);
        QVERIFY(allUseSecond({&first, &second}));
        QVERIFY(second.status("shop").epoch == 2);
        const int before = sum.additions;
        QVERIFY(soon([&] { return sum.additions > before + 100; }, 60'000));
        ends = true;
        threads.clear();
        QCOMPARE(sum.lastToken >> 48, std::int64_t(2));
        QCOMPARE(sum.clashes.load(), 0);
        QCOMPARE(refusedUnlocks.load(), told.load()); // whoever has lost it is told once more
        if (immediate) {
            QVERIFY(told >= 1);
            QVERIFY2(sum.toldClashes <= told, QByteArray::number(sum.toldClashes).constData());
            if (sum.toldClashes > 0) return; // what those have written over is not there
        } else {
            QCOMPARE(told.load(), 0);
            QCOMPARE(sum.tokensBack.load(), 0);
        }
        QCOMPARE(sum.value.load(), sum.additions.load());
    }

    void nestedGuardsComeInAndOutWhileItDrains() {
        auto manager = Access::manager(m_servers.config(SwitchMode::Drain, kSlack));
        blocking::Mutex orders(manager, "shop", "orders");
        {
            const std::lock_guard outer(orders);
            manager.switchTo("shop", 1);
            QVERIFY(soon([&] { return !manager.status("shop").usable; }));
            const std::lock_guard inner(orders);
            QCOMPARE(orders.holdCount(), 2);
            QCOMPARE(orders.token() >> 48, std::int64_t(1));
            QVERIFY(orders.stillMine());
            QVERIFY(!std::async(std::launch::async, [&] { return orders.try_lock_for(50ms); }).get());
            QVERIFY_THROWS_EXCEPTION(UnreachableException, orders.isLocked()); // no engine could say
            QVERIFY_THROWS_EXCEPTION(UnreachableException, orders.forceUnlock());
        }
        QVERIFY(!orders.stillMine());
        orders.lock(); // waits for the next one
        QCOMPARE(orders.token() >> 48, std::int64_t(2));
        QVERIFY(orders.isLocked());
        QCOMPARE(orders.unlockOrThrow(), 0);
        QVERIFY(!orders.isLocked());
    }

    void aWaitForAnEngineIsInterrupted() {
        auto manager = Access::manager(m_servers.config(SwitchMode::Drain, kSlack));
        blocking::Mutex orders(manager, "shop", "orders");
        manager.switchTo("shop", 1);
        QVERIFY(soon([&] { return !manager.status("shop").usable; }));
        std::stop_source stop;
        auto waiting = std::async(std::launch::async, [&] { orders.lock(stop.get_token()); });
        QVERIFY(waiting.wait_for(20ms) == std::future_status::timeout);
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(InterruptedException, waiting.get());
        auto another = std::async(std::launch::async, [&] { orders.lock(); });
        QVERIFY(another.wait_for(20ms) == std::future_status::timeout);
        manager.close();
        QVERIFY_THROWS_EXCEPTION(InterruptedException, another.get());
        QVERIFY_THROWS_EXCEPTION(UnreachableException, orders.lock());
        QVERIFY(manager.status("shop").closed);
    }

    void aClosedManagerSaysSo() {
        const ManagerConfig config = m_servers.config(SwitchMode::Drain, kSlack);
        auto manager = Access::manager(config);
        const std::string identity = manager.identity();
        QVERIFY(!manager.status("shop").closed && manager.status("shop").usable);
        // A thread that watches its state meanwhile hears of the end, and of nothing worse.
        std::atomic<int> looks = 0;
        auto watching = std::async(std::launch::async, [&] {
            while (!manager.status("shop").closed)
                ++looks;
        });
        QVERIFY(soon([&] { return looks > 10; }));
        manager.close();
        QCOMPARE(watching.wait_for(20s), std::future_status::ready);
        watching.get();
        const blocking::ManagerStatus status = manager.status("shop");
        QVERIFY(status.closed && !status.usable && status.epoch == 0 && status.engine.empty());
        QCOMPARE(manager.identity(), identity);
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.prepare());
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.switchTo("shop", 1));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.switchTo("shop", 1, SwitchMode::Drain));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.failBack("shop"));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, Access::reload(manager, config));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.watchFile("nowhere.json"));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.onEvent(nullptr));
        QVERIFY_THROWS_EXCEPTION(UnreachableException, blocking::Mutex(manager, "shop", "orders"));
        try {
            manager.failBack("shop");
        } catch (const UnreachableException& closed) {
            QVERIFY2(QByteArray(closed.what()).contains("has been closed"), closed.what());
        }
        manager.close(); // again, with nothing left to do
    }

    void readersAndPermits() {
        ManagerConfig config = m_servers.config(SwitchMode::Immediate, kSlack);
        NamespaceConfig prices = config.namespaces[0], seats = prices;
        prices.name = "prices";
        seats.name = "seats";
        for (auto& engine : prices.engines)
            engine.recipe = "redis-rw";
        for (auto& engine : seats.engines)
            engine.recipe = "redis-semaphore";
        config.namespaces.push_back(prices);
        config.namespaces.push_back(seats);
        auto manager = Access::manager(config), another = Access::manager(config);
        blocking::SharedMutex mine(manager, "prices", "all"), theirs(another, "prices", "all");
        {
            const std::shared_lock reader(mine), beside(theirs);
            QVERIFY(mine.stillShared() && theirs.stillShared());
            QVERIFY(!mine.try_lock());
        }
        QVERIFY(mine.try_lock() && !theirs.try_lock_shared());
        mine.unlock();

        blocking::Semaphore few(manager, "seats", "row", 3), same(another, "seats", "row", 3);
        QCOMPARE(few.availablePermits(), 3);
        blocking::Permit two = few.acquire(2);
        QVERIFY(two && !same.tryAcquire(2));
        QVERIFY(same.tryAcquire(1));
        two.unlock();
        const blocking::Permit all = same.tryAcquireFor(10s, 3);
        QVERIFY(all.stillMine() && !few.tryAcquire());

        // Whichever was made first of that name.
        const blocking::Mutex usual(manager, "shop", "orders");
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, blocking::SharedMutex(manager, "shop", "orders"));
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, blocking::Semaphore(manager, "shop", "orders", 2));
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, blocking::Mutex(manager, "seats", "row"));
        QVERIFY_THROWS_EXCEPTION(RefusedException, blocking::Mutex(manager, "shoe", "orders"));
    }

    void conditionsGoOverToAnotherKindOfServer() {
        sandbox::ZooKeeperServer zookeeper(m_runtime);
        VERIFY_STARTED(zookeeper);
        ManagerConfig config = m_servers.config(SwitchMode::Immediate, kSlack);
        config.namespaces[0].engines[1] = {urlOf(zookeeper), "zk-mutex"};
        auto first = Access::manager(config), second = Access::manager(config);
        constexpr int kThings = 40;
        int put = 0, taken = 0; // between the threads there is only the lock
        std::atomic<int> takenThere = 0;
        std::mutex guard;
        QByteArrayList troubles; // of takers
        const auto takeAll = [&](blocking::Mutex& mutex, blocking::Condition& filled, std::stop_token stop) {
            std::unique_lock lock(mutex);
            for (;;) {
                const bool woken = filled.wait(lock, stop, [&] { return put > taken || taken == kThings; });
                if (!woken || taken == kThings) return;
                ++taken;
                takenThere += int(mutex.token() >> 48 == 2);
                if (taken == kThings) filled.notify_all();
            }
        };
        std::vector<std::jthread> takers;
        for (int i = 0; i < 4; ++i) {
            takers.emplace_back([&, i](std::stop_token stop) {
                blocking::Mutex mutex(i % 2 == 0 ? first : second, "shop", "box");
                mutex.onUnlockFailed([](const LockException&) {}); // told before, by NotOwnerException
                blocking::Condition filled(mutex);
                for (bool again = true; again;) {
                    again = false;
                    try {
                        takeAll(mutex, filled, stop);
                    } catch (const NotOwnerException&) {
                        again = true; // it was on its way into a wait when the switch ended its hold
                    } catch (const std::exception& trouble) {
                        const std::lock_guard mine(guard);
                        troubles += trouble.what();
                    }
                }
            });
        }
        const auto trouble = [&] {
            const std::lock_guard mine(guard);
            return troubles.join('\n');
        };
        blocking::Mutex mutex(second, "shop", "box");
        blocking::Condition filled(mutex);
        const auto putOne = [&] {
            const std::lock_guard lock(mutex);
            ++put;
            filled.notify_one();
        };
        for (int i = 0; i < kThings / 2; ++i)
            putOne();
        const auto takenNow = [&] {
            const std::lock_guard lock(mutex);
            return taken;
        };
        QVERIFY2(soon([&] { return takenNow() == kThings / 2; }, 60'000), trouble().constData()); // on the Redis
        first.switchTo("shop", 1);
        QVERIFY(soon([&] { return second.status("shop").usable && second.status("shop").epoch == 2; }, 60'000));
        for (int i = kThings / 2; i < kThings; ++i)
            putOne();
        QVERIFY2(soon([&] { return takenNow() == kThings; }, 60'000), trouble().constData());
        takers.clear();
        QCOMPARE(trouble(), QByteArray());
        QCOMPARE(takenThere.load(), kThings / 2);
    }

    /// Not only when its session is over.
    void aManagerThatClosesSaysGoodbye() {
        sandbox::ZooKeeperServer zookeeper(m_runtime);
        VERIFY_STARTED(zookeeper);
        ManagerConfig config = m_servers.config(SwitchMode::Drain, kSlack);
        ConnectionUrl url = urlOf(zookeeper);
        url.options[QStringLiteral("session")] = QStringLiteral("30s");
        config.namespaces[0].engines[0] = {url, "zk-mutex"};
        auto leaving = std::make_unique<blocking::Manager>(Access::manager(config));
        auto staying = Access::manager(config);
        blocking::Mutex held(*leaving, "shop", "box"), wanted(staying, "shop", "box");
        held.lock();
        QVERIFY(!wanted.try_lock());
        leaving.reset();
        QVERIFY(wanted.try_lock_for(10s));
        wanted.unlock();
    }

    void aManagerIsToldWhatItCannotDo() {
        ManagerConfig config = m_servers.config(SwitchMode::Drain, kSlack);
        auto manager = Access::manager(config);
        std::atomic<int> refused = 0;
        manager.onEvent([&](const blocking::ManagerEvent& event) {
            refused += int(event.kind == blocking::ManagerEvent::Kind::Refused);
        });
        QVERIFY_THROWS_EXCEPTION(RefusedException, manager.switchTo("shop", 7));
        QVERIFY_THROWS_EXCEPTION(RefusedException, manager.switchTo("no such space", 0));
        Access::reload(manager, config);
        config.namespaces[0].mode = SwitchMode::Immediate;
        QVERIFY_THROWS_EXCEPTION(InvalidArgumentException, Access::reload(manager, config));
        QVERIFY_THROWS_EXCEPTION(InvalidArgumentException, manager.watchFile("/nowhere/locks.json"));
        config.namespaces[0].engines.clear();
        QVERIFY_THROWS_EXCEPTION(InvalidArgumentException, Access::manager(config));
        m_servers.second.kill();
        m_servers.witness.kill();
        QVERIFY_THROWS_EXCEPTION(UnreachableException, manager.switchTo("shop", 1));
        QCOMPARE(refused.load(), 1);
        blocking::ManagerOptions hasty;
        hasty.patience = 50ms;
        QVERIFY_THROWS_EXCEPTION(UnreachableException, Access::manager(m_servers.config(SwitchMode::Drain), hasty));
    }
};

QTEST_GUILESS_MAIN(TestBlockingManager)
#include "tst_blocking_manager.moc"
