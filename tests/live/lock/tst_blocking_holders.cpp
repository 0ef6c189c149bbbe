// SPDX-License-Identifier: Apache-2.0
// Holders of a lock, extended holds, and losses as stop tokens, on every kind of server that can.
#include "every_recipe/grounds.h"

#include <atomic>
#include <lockscope/blocking.h>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;

namespace {
/// The facts about its holder that a lock's format tells.
struct Tells {
    bool client = true, left = false, since = false, token = false;
};

LockOptions leaseOf(Nanos lease, Nanos watchdog, const char* recipe = "") {
    LockOptions options;
    options.recipe = recipe;
    options.lease = lease;
    options.watchdog = watchdog;
    return options;
}
} // namespace
Q_DECLARE_METATYPE(Tells)

class TestBlockingHolders : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    Grounds m_grounds{m_runtime};

    std::string urlOf(const QByteArray& kind) { return m_grounds.urlOf(kind).toStdString(); }

private Q_SLOTS:
    void cleanupTestCase() { m_grounds.endAll(); }

    void theServerTellsWhoHolds_data() {
        QTest::addColumn<QByteArray>("ground");
        QTest::addColumn<QByteArray>("recipe");
        QTest::addColumn<Tells>("tells");
        const auto row = [](const char* ground, const char* recipe, Tells tells) {
            QTest::addRow("%s, %s", recipe, ground) << QByteArray(ground) << QByteArray(recipe) << tells;
        };
        row("redis", "redis-set", {.left = true, .token = true});
        row("redis", "redis-reentrant", {.left = true, .token = true});
        row("redis", "redis-fenced", {.left = true, .token = true});
        row("redis", "redis-fair", {.left = true});
        row("redis", "redis-rw", {.left = true});
        row("zookeeper", "zk-mutex", {.since = true, .token = true});
        row("zookeeper", "zk-sequential", {.since = true, .token = true});
        row("zookeeper", "zk-rw", {.since = true, .token = true});
        row("etcd", "etcd-lease", {.client = false, .token = true});
        row("zookeeper", "zk-ephemeral", {.since = true, .token = true});
        for (const char* database : {"sqlite", "postgresql", "mariadb"}) {
            row(database, "sql-lease", {.left = true, .since = true, .token = true});
            row(database, "sql-row", {.since = true});
        }
        row("memcached", "memcached-lease", {});
    }
    void theServerTellsWhoHolds() {
        QFETCH(QByteArray, ground);
        QFETCH(QByteArray, recipe);
        QFETCH(Tells, tells);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client client(url), other(url);
        LockOptions options = leaseOf(20s, 5s, recipe.constData());
        options.allowNaive = true;
        blocking::Mutex mine(client, "held-" + recipe.toStdString(), options);
        blocking::Mutex theirs(other, "held-" + recipe.toStdString(), options);
        QVERIFY(!theirs.holder());
        const auto before = std::chrono::system_clock::now();
        mine.lock();
        const auto holder = theirs.holder();
        QVERIFY(holder);
        if (tells.client)
            QCOMPARE(holder->client, client.identity());
        else
            QVERIFY(!holder->client.empty());
        QCOMPARE(holder->mode, LockMode::Exclusive);
        QCOMPARE(holder->left.has_value(), tells.left);
        if (tells.left) QVERIFY(*holder->left > 5s && *holder->left <= 21s);
        QCOMPARE(holder->since.has_value(), tells.since);
        if (tells.since) QVERIFY(std::chrono::abs(*holder->since - before) < 5s);
        QVERIFY(holder->permit.empty());
        QCOMPARE(holder->token.has_value(), tells.token);
        if (tells.token) QCOMPARE(*holder->token, mine.token());
        QCOMPARE(theirs.holders().size(), std::size_t(1));
        QVERIFY(!theirs.try_lock()); // the question changed nothing
        mine.unlock();
        QVERIFY(!theirs.holder());
    }

    void readersAreToldOneByOne_data() {
        QTest::addColumn<QByteArray>("ground");
        for (const char* ground : {"redis", "zookeeper"})
            QTest::newRow(ground) << QByteArray(ground);
    }
    void readersAreToldOneByOne() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url);
        blocking::SharedMutex mine(first, "prices"), theirs(second, "prices");
        mine.lock_shared();
        theirs.lock_shared();
        std::set<std::string> readers;
        for (const Holder& holder : mine.holders()) {
            QCOMPARE(holder.mode, LockMode::Shared);
            readers.insert(holder.client);
        }
        QCOMPARE(readers, (std::set{first.identity(), second.identity()}));
        mine.unlock_shared();
        theirs.unlock_shared();
        mine.lock();
        QCOMPARE(theirs.holder()->mode, LockMode::Exclusive);
        mine.unlock();
    }

    void renewalsLeaveSinceAlone_data() {
        QTest::addColumn<QByteArray>("ground");
        for (const char* ground : {"sqlite", "postgresql", "mariadb"})
            QTest::newRow(ground) << QByteArray(ground);
    }
    void renewalsLeaveSinceAlone() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client client(url);
        blocking::Mutex orders(client, "since", leaseOf(2s, 100ms, "sql-lease"));
        orders.lock();
        const auto first = orders.holder();
        QVERIFY(first && first->since);
        const std::uint64_t before = client.totals().renewed;
        QVERIFY(soon([&] { return client.totals().renewed > before + 4; }));
        orders.lock(); // once more by this thread: it has held it since then all the same
        const auto later = orders.holder();
        QVERIFY(later && later->since);
        QCOMPARE((*later->since - *first->since).count(), 0);
        orders.unlock();
        orders.unlock();
        orders.lock();
        QVERIFY(*orders.holder()->since > *first->since);
        orders.unlock();
    }

    void aSemaphoreNamesItsHolders_data() {
        QTest::addColumn<QByteArray>("ground");
        QTest::addColumn<bool>("namesClients");
        QTest::newRow("redis-semaphore") << QByteArray("redis") << false;
        QTest::newRow("zk-semaphore") << QByteArray("zookeeper") << true;
    }
    void aSemaphoreNamesItsHolders() {
        QFETCH(QByteArray, ground);
        QFETCH(bool, namesClients);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url), third(url);
        const LockOptions options = leaseOf(20s, 5s);
        blocking::Semaphore mine(first, "places", 3, options), theirs(second, "places", 3, options);
        blocking::Semaphore waiting(third, "places", 3, options);
        QVERIFY(waiting.holders().empty());
        blocking::Permit two = mine.acquire(2);
        blocking::Permit one = theirs.acquire();
        // Full: whoever waits now has nodes on a ZooKeeper, but no permit. Looked at from before its wait until after
        // it.
        std::atomic<bool> waited = false;
        std::jthread contender([&] {
            QVERIFY(!waiting.tryAcquireFor(1s, 2));
            waited = true;
        });
        std::vector<Holder> all = theirs.holders();
        for (int looks = 0; !waited || looks < 2; ++looks) {
            all = theirs.holders();
            QCOMPARE(all.size(), std::size_t(3));
        }
        QCOMPARE(all.size(), std::size_t(3));
        std::multiset<std::string> clients;
        std::set<std::string> permits;
        for (const Holder& holder : all) {
            QCOMPARE(holder.mode, LockMode::Permit);
            QVERIFY(!holder.permit.empty() && !holder.token);
            permits.insert(holder.permit);
            clients.insert(holder.client);
            QCOMPARE(holder.left.has_value(), !namesClients);
            if (holder.left) QVERIFY(*holder.left > 5s && *holder.left <= 21s);
        }
        QCOMPARE(permits.size(), std::size_t(3));
        if (namesClients)
            QCOMPARE(clients, (std::multiset{first.identity(), first.identity(), second.identity()}));
        else
            QCOMPARE(clients, (std::multiset<std::string>{"", "", ""}));
        contender.join();
        two.unlock();
        const std::vector<Holder> left = mine.holders();
        QCOMPARE(left.size(), std::size_t(1));
        QVERIFY(permits.contains(left.front().permit));
        if (namesClients) QCOMPARE(left.front().client, second.identity());
        one.unlock();
        QVERIFY(theirs.holders().empty());
    }

    void aSemaphoreTellsItsFreePermits_data() { aSemaphoreNamesItsHolders_data(); }
    void aSemaphoreTellsItsFreePermits() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url), third(url);
        const LockOptions options = leaseOf(20s, 5s);
        blocking::Semaphore mine(first, "free", 3, options), theirs(second, "free", 3, options);
        blocking::Semaphore waiting(third, "free", 3, options);
        QCOMPARE(mine.availablePermits(), 3); // nobody has used it yet
        blocking::Permit one = theirs.acquire();
        QCOMPARE(mine.availablePermits(), 2);
        // A client that waits for more than are free takes none of them, though a ZooKeeper has nodes of it.
        std::atomic<bool> waited = false;
        std::jthread contender([&] {
            QVERIFY(!waiting.tryAcquireFor(1s, 3));
            waited = true;
        });
        for (int looks = 0; !waited || looks < 2; ++looks)
            QCOMPARE(mine.availablePermits(), 2);
        contender.join();
        blocking::Permit two = mine.acquire(2);
        QCOMPARE(theirs.availablePermits(), 0);
        QVERIFY(!waiting.tryAcquire());
        two.unlock();
        QCOMPARE(theirs.availablePermits(), 2);
        // Others who say a smaller number cannot tell what is left.
        blocking::Permit most = mine.acquire(2);
        blocking::Client fourth(url);
        QCOMPARE(blocking::Semaphore(fourth, "free", 2, options).availablePermits(), std::nullopt);
        most.unlock();
        QVERIFY(theirs.forceUnlock());
        QCOMPARE(mine.availablePermits(), 3);
    }

    /// Many threads take and give back: never fewer than none are free, nor more than all, and in the end all.
    void freePermitsUnderContention_data() { aSemaphoreNamesItsHolders_data(); }
    void freePermitsUnderContention() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url), looker(url);
        const LockOptions options = leaseOf(20s, 5s);
        blocking::Semaphore seen(looker, "busy", 3, options);
        std::atomic<int> running = 4, looks = 0;
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&, i] {
                blocking::Semaphore places(i % 2 == 0 ? first : second, "busy", 3, options);
                for (int turn = 0; turn < 5; ++turn) {
                    blocking::Permit some = places.acquire(1 + (i + turn) % 3);
                    const int before = looks; // one of the next two looks begins and ends while it is held
                    while (looks < before + 2)
                        std::this_thread::yield();
                    some.unlock();
                }
                --running;
            });
        }
        std::set<int> told;
        while (running > 0) {
            if (const auto free = seen.availablePermits()) told.insert(*free);
            ++looks;
        }
        threads.clear();
        QVERIFY(!told.empty() && *told.begin() >= 0 && *told.rbegin() <= 3);
        QVERIFY2(*told.begin() < 3, "nobody was seen with a permit");
        QCOMPARE(seen.availablePermits(), 3);
    }

    void permitsThatHaveEndedAreFree() {
        const std::string url = urlOf("redis");
        QVERIFY(!url.empty());
        blocking::Client first(url), second(url);
        blocking::Semaphore mine(first, "ending", 3), theirs(second, "ending", 3);
        const blocking::Permit brief = mine.tryAcquireWithLease(0s, 300ms, 2);
        QVERIFY(brief);
        QVERIFY(soon([&] { return theirs.availablePermits() == 3; }));
        QVERIFY(!brief.stillMine());
    }

    void whereTheFormatDoesNotSayThatIsSaid() {
        const std::string url = urlOf("postgresql");
        QVERIFY(!url.empty());
        blocking::Client client(url);
        blocking::Mutex orders(client, "advised", leaseOf(20s, 5s, "sql-advisory"));
        orders.lock();
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, orders.holder());
        orders.unlock();
    }

    void aHoldIsExtended_data() {
        QTest::addColumn<QByteArray>("ground");
        QTest::addColumn<QByteArray>("recipe");
        for (const char* recipe : {"redis-set", "redis-reentrant", "redis-fair", "redis-rw"})
            QTest::newRow(recipe) << QByteArray("redis") << QByteArray(recipe);
        QTest::newRow("sql-lease") << QByteArray("sqlite") << QByteArray("sql-lease");
        QTest::newRow("memcached-lease") << QByteArray("memcached") << QByteArray("memcached-lease");
    }
    void aHoldIsExtended() {
        QFETCH(QByteArray, ground);
        QFETCH(QByteArray, recipe);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client client(url), another(url);
        const LockOptions options = leaseOf(20s, 0s, recipe.constData());
        blocking::Mutex orders(client, "extended-" + recipe.toStdString(), options);
        blocking::Mutex same(another, "extended-" + recipe.toStdString(), options);
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, orders.extend(5s));
        QVERIFY(orders.tryLockWithLease(0s, 1500ms));
        orders.extend(15s);
        QVERIFY(orders.remaining() > 10s);
        orders.extend(1s); // never sooner
        QVERIFY(orders.remaining() > 10s);
        QTest::qWait(2500); // longer than its first lease, and memcached's tick
        QVERIFY(orders.stillMine() && !same.try_lock());
        QVERIFY_THROWS_EXCEPTION(RefusedException, orders.extend(0s));
        QVERIFY(same.forceUnlock());
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, orders.extend(15s));
        QVERIFY(!orders.stillMine());
    }

    void anExtendedHoldKeepsItsLengthWhenItIsRenewed() {
        const std::string url = urlOf("redis");
        QVERIFY(!url.empty());
        blocking::Client client(url);
        blocking::Mutex orders(client, "renewed", leaseOf(1s, 200ms));
        blocking::Hold hold = orders.acquire();
        const std::uint64_t before = client.totals().renewed;
        hold.extend(30s);
        QVERIFY(soon([&] { return client.totals().renewed > before + 3; }));
        QVERIFY(hold.remaining() > 25s);
        hold.unlock();
        QVERIFY_THROWS_EXCEPTION(NotOwnerException, hold.extend(1s));
    }

    void whatCannotBeProlongedSaysSo() {
        const std::string url = urlOf("etcd");
        QVERIFY(!url.empty());
        blocking::Client client(url);
        blocking::Mutex orders(client, "fixed", leaseOf(5s, 1s));
        orders.lock();
        orders.extend(2s); // what it has is enough
        QVERIFY_THROWS_EXCEPTION(NotSupportedException, orders.extend(60s));
        QVERIFY(orders.stillMine());
        orders.unlock();
    }

    void aSessionsOwnEndIsMoved() {
        const std::string url = urlOf("zookeeper");
        QVERIFY(!url.empty());
        blocking::Client client(url), another(url);
        blocking::Mutex orders(client, "session"), same(another, "session");
        QVERIFY(orders.tryLockWithLease(0s, 1s));
        orders.extend(20s);
        QVERIFY(orders.remaining() > 4s); // or its session's time-out
        QTest::qWait(1500);
        QVERIFY(orders.stillMine() && !same.try_lock());
        orders.unlock();
    }

    void aLossStopsItsToken_data() {
        QTest::addColumn<QByteArray>("ground");
        for (const char* ground : {"redis", "zookeeper", "etcd", "sqlite", "memcached"})
            QTest::newRow(ground) << QByteArray(ground);
    }
    void aLossStopsItsToken() {
        QFETCH(QByteArray, ground);
        const std::string url = urlOf(ground);
        QVERIFY(!url.empty());
        blocking::Client client(url), another(url);
        const LockOptions options = leaseOf(3s, 500ms);
        blocking::Mutex orders(client, "lost", options), stock(client, "lost-too", options);
        blocking::Mutex theirs(another, "lost", options), theirStock(another, "lost-too", options);
        QVERIFY(!orders.lost().stop_possible());
        orders.lock();
        blocking::Hold hold = stock.acquire();
        const std::stop_token first = orders.lost(), second = hold.lost();
        std::atomic<int> called = 0;
        const std::stop_callback one(first, [&] { ++called; });
        const std::stop_callback two(second, [&] { ++called; });
        QVERIFY(first.stop_possible() && !first.stop_requested() && !second.stop_requested());
        QVERIFY(theirs.forceUnlock() && theirStock.forceUnlock());
        QVERIFY(soon([&] { return first.stop_requested() && second.stop_requested(); }));
        QCOMPARE(called.load(), 2);
        QVERIFY(orders.lost().stop_requested() && hold.lost().stop_requested());
        orders.onUnlockFailed([](const LockException&) {});
        orders.unlock();
        orders.lock(); // a new hold, a new token
        QVERIFY(!orders.lost().stop_requested());
        const std::stop_token third = orders.lost();
        orders.unlock();
        QVERIFY(!third.stop_requested()); // given back, not lost
    }

    void closingStopsTheTokens() {
        const std::string url = urlOf("redis");
        QVERIFY(!url.empty());
        blocking::Client client(url);
        blocking::Mutex orders(client, "closed"), stock(client, "closed-too");
        orders.lock();
        const blocking::Hold hold = stock.acquire();
        const std::stop_token first = orders.lost(), second = hold.lost();
        client.close();
        QVERIFY(first.stop_requested() && second.stop_requested());
        QCOMPARE(client.totals().lost, std::uint64_t(2));
    }
};

QTEST_GUILESS_MAIN(TestBlockingHolders)
#include "tst_blocking_holders.moc"
