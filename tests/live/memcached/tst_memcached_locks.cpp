// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "connections/memcached/ring_port.h"
#include "drivers/dial.h"
#include "live_memcached.h"
#include "lock/distributed_lock.h"

using namespace lockscope;
using namespace lockscope::memcached;
using namespace lockscope::test;
using recipes::Grant;
using recipes::Recipe;
using sandbox::MemcachedServer;
using ErrorKind = LockError::Kind;

namespace {

std::optional<Grant> taken(Recipe& recipe, Nanos wait = 10s, Nanos lease = 30s) {
    auto grant = run(recipe.acquire(asked(wait, lease), {}));
    if (!grant) qWarning("%s", qPrintable(grant.error().message));
    return grant ? *grant : std::nullopt;
}

/// The counter that all clients write to in two steps, between which another client could come.
struct Counter {
    int value = 0, inside = 0, most = 0;
    std::vector<std::int64_t> tokens;
};

QCoro::Task<QString> work(Runtime& runtime, std::shared_ptr<Recipe> recipe, int rounds, Counter& counter) {
    for (int round = 0; round < rounds; ++round) {
        const auto grant = co_await recipe->acquire(asked(kNever), {});
        if (!grant) co_return grant.error().message;
        counter.most = std::max(counter.most, ++counter.inside);
        counter.tokens.push_back((*grant)->token);
        const int seen = counter.value;
        co_await runtime.sleep(300us);
        counter.value = seen + 1;
        --counter.inside;
        const auto left = co_await recipe->release(**grant, {});
        if (!left) co_return left.error().message;
    }
    co_return QString();
}

/// One client takes the lock and is never heard of again; another waits for it. Returns an error if the waiter gets it
/// too early or too late.
QCoro::Task<QString> deadHolder(Runtime& runtime, std::shared_ptr<Recipe> one, std::shared_ptr<Recipe> other,
                                Nanos phase) {
    co_await runtime.sleep(phase);
    const auto first = co_await one->acquire(asked(0s, 500ms), {});
    if (!first || !*first) co_return QStringLiteral("not taken");
    const auto second = co_await other->acquire(asked(10s), {});
    const Nanos took = runtime.monotonic() - (*first)->askedAt;
    if (!second || !*second) co_return QStringLiteral("not taken after the lease");
    const auto left = co_await other->release(**second, {});
    if (!left) co_return left.error().message;
    if (took >= (*first)->lease && took < 5s) co_return QString();
    co_return QStringLiteral("a lease of 500 ms ended after %1 ms").arg(took / 1ms);
}

} // namespace

class TestMemcachedLocks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { m_client = std::make_unique<MemcachedClient>(m_runtime, urlOf(m_server)); }
    void cleanup() {
        QVERIFY(!run(m_client->driver.get("jobs")).value().has_value()); // whatever a test did, nothing is left of it
    }

    // --- the driver ---
    void commands() {
        MemcachedDriver& driver = m_client->driver;
        const QByteArray odd("a\r\nEND\r\n\0b", 10); // any bytes are a value
        QVERIFY(run(driver.add("k", odd, 60, false)).value().outcome == Change::Outcome::Stored);
        const auto again = run(driver.add("k", "other", 60, true));
        QVERIFY(again.has_value());
        QVERIFY(again->outcome == Change::Outcome::Taken);
        QCOMPARE(again->item->value, odd);
        const auto changed = run(driver.compareAndSet("k", "new", 60, again->item->mark, true));
        QVERIFY(changed.has_value());
        QVERIFY(changed->outcome == Change::Outcome::Stored);
        QVERIFY(changed->item->mark.unique > again->item->mark.unique);
        QVERIFY(run(driver.compareAndSet("k", "x", 60, again->item->mark, false)).value().outcome ==
                Change::Outcome::Taken);
        QCOMPARE(run(driver.get("k")).value()->value, QByteArray("new"));
        // An equal number that another connection read does not mean an equal state.
        MemcachedDriver other(m_runtime, urlOf(m_server));
        const Mark theirs = run(other.get("k")).value()->mark;
        QCOMPARE(theirs.unique, changed->item->mark.unique);
        QVERIFY(run(driver.compareAndSet("k", "x", 60, theirs, false)).value().outcome == Change::Outcome::Taken);
        QVERIFY(run(other.compareAndSet("k", "x", 60, changed->item->mark, true)).value().outcome ==
                Change::Outcome::Taken);
        QVERIFY(run(driver.compareAndSet("k", "x", 60, Mark{theirs.unique}, true)).value().outcome ==
                Change::Outcome::Taken);
        QVERIFY(run(driver.compareAndSet("k", "new", -1, changed->item->mark, false)).value().outcome ==
                Change::Outcome::Stored);
        QVERIFY(!run(driver.get("k")).value().has_value()); // gone at once
        QVERIFY(run(driver.compareAndSet("k", "x", 60, changed->item->mark, true)).value().outcome ==
                Change::Outcome::Gone);
        QCOMPARE(run(driver.remove("k")).value(), false);
        QVERIFY(run(driver.version()).value().text.startsWith("1."));
    }
    void manyCommandsAtOnce() {
        std::vector<QCoro::Task<std::expected<Change, Error>>> adds;
        for (int i = 0; i < 500; ++i)
            adds.push_back(m_client->driver.add("many" + QByteArray::number(i), QByteArray::number(i), 60, true));
        for (int i = 0; i < 500; ++i)
            QCOMPARE(run(std::move(adds[std::size_t(i)])).value().item->value, QByteArray::number(i));
    }
    void keysOverSeveralServers() {
        MemcachedServer other(m_runtime);
        VERIFY_STARTED(other);
        ConnectionUrl both = urlOf(m_server);
        both.endpoints.push_back(urlOf(other).endpoints.front());
        RingPort one(m_runtime, realDiallers().memcached, both),
            single(m_runtime, realDiallers().memcached, urlOf(other));
        std::swap(both.endpoints[0], both.endpoints[1]);
        RingPort swapped(m_runtime, realDiallers().memcached, both);
        int there = 0;
        for (int i = 0; i < 40; ++i) {
            const QByteArray key = "spread" + QByteArray::number(i);
            QCOMPARE(one.whereIs(key), swapped.whereIs(key)); // whatever the order in the URL
            QVERIFY(run(one.add(key, "v", 60, false)));
            const bool here = run(single.get(key)).value().has_value();
            QCOMPARE(here, one.whereIs(key) == both.endpoints[0].display());
            there += here;
        }
        QVERIFY(there > 5 && there < 35);
        // Each tells of itself.
        const auto all = run(one.statistics()), second = run(single.statistics());
        QVERIFY(all && all->size() == 2 && second && second->size() == 1);
        for (const auto& told : *all)
            QVERIFY2(told.worked && told.process > 0 && !told.version.isEmpty(), qPrintable(told.where));
        QVERIFY(all->at(0).process != all->at(1).process);
    }

    // --- memcached-lease ---
    void oneHolderAndTokensThatGrow() {
        const auto one = m_client->recipe("jobs"), other = m_client->recipe("jobs");
        const auto first = taken(*one);
        QVERIFY(first && first->token > 0);
        QVERIFY(!taken(*other, 0s));
        QVERIFY(!taken(*other, 30ms));
        QCOMPARE(run(one->release(*first, {})).value(), 0);
        const auto second = taken(*other, 0s);
        QVERIFY(second && second->token > first->token);
        QVERIFY(run(other->release(*second, {})));
    }
    void renewalKeepsTheToken() {
        const auto one = m_client->recipe("jobs");
        const auto grant = taken(*one, 0s, 2s);
        for (int i = 0; i < 3; ++i)
            QCOMPARE(run(one->renew(*grant, {})).value(), true);
        const Nanos end = m_runtime.monotonic() + 3s;
        const auto other = m_client->recipe("jobs");
        Nanos last = m_runtime.monotonic();
        while (last < end) { // longer than the lease
            const bool renewed = run(one->renew(*grant, {})).value();
            const Nanos now = m_runtime.monotonic();
            QVERIFY2(renewed, qPrintable(QStringLiteral("after %1 ms").arg((now - last) / 1ms)));
            last = now;
            QVERIFY(!taken(*other, 0s));
            run(m_runtime.sleep(200ms));
        }
        QCOMPARE(run(one->release(*grant, {})).value(), 0);
    }
    void onlyTheOwnerReleasesAndRenews() {
        const auto one = m_client->recipe("jobs"), other = m_client->recipe("jobs");
        QCOMPARE(run(other->isLocked({})).value(), false);
        const auto first = taken(*one);
        QCOMPARE(run(other->isLocked({})).value(), true);
        QCOMPARE(run(other->forceRelease({})).value(), true);
        QCOMPARE(run(other->isLocked({})).value(), false);
        QCOMPARE(run(other->forceRelease({})).value(), false);
        QCOMPARE(run(one->renew(*first, {})).value(), false);
        const auto second = taken(*other, 0s);
        QVERIFY(second);
        QCOMPARE(run(one->renew(*first, {})).value(), false);
        QVERIFY(run(one->release(*first, {})).error().kind == ErrorKind::NotOwner);
        QVERIFY(run(m_client->driver.get("jobs")).value().has_value()); // the other's
        QVERIFY(run(other->release(*second, {})));
        QVERIFY(run(other->release(*second, {})).error().kind == ErrorKind::NotOwner);
    }
    void othersDataIsLeftAlone_data() {
        QTest::addColumn<QByteArray>("value");
        QTest::newRow("text") << QByteArray("hello");
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("number") << QByteArray("12:");
        QTest::newRow("object") << QByteArray("{\"a\":1}");
        QTest::newRow("ShedLock") << QByteArray("ADDED:2026-01-01T10:00:00.000Z@host");
    }
    void othersDataIsLeftAlone() {
        QFETCH(QByteArray, value);
        QVERIFY(run(m_client->driver.add("jobs", value, 60, false)).value().outcome == Change::Outcome::Stored);
        const auto lease = m_client->recipe("jobs"), naive = m_client->recipe("jobs", "memcached-add");
        const auto none = run(lease->acquire(asked(kNever), {}));
        QVERIFY(!none && none.error().kind == ErrorKind::ForeignFormat);
        QVERIFY2(none.error().message.contains(QLatin1String("jobs")), qPrintable(none.error().message));
        QVERIFY(!taken(*naive, 0s)); // whatever it is, it keeps out
        for (const auto& recipe : {&lease, &naive}) {
            const auto kept = run((*recipe)->forceRelease({}));
            QVERIFY(!kept && kept.error().kind == ErrorKind::ForeignFormat);
        }
        QCOMPARE(run(m_client->driver.get("jobs")).value()->value, value);
        QVERIFY(run(m_client->driver.remove("jobs")));
    }
    void eachForceFreesItsOwnKind() {
        const auto lease = m_client->recipe("jobs"), naive = m_client->recipe("jobs", "memcached-add");
        QVERIFY(taken(*naive, 0s));
        QVERIFY(run(lease->forceRelease({})).error().kind == ErrorKind::ForeignFormat);
        QVERIFY(run(lease->acquire(asked(0s), {})).error().kind == ErrorKind::ForeignFormat);
        QCOMPARE(run(naive->forceRelease({})).value(), true);
        QCOMPARE(run(naive->forceRelease({})).value(), false);
        QVERIFY(taken(*lease, 0s));
        QVERIFY(!taken(*naive, 0s));
        QVERIFY(run(naive->forceRelease({})).error().kind == ErrorKind::ForeignFormat);
        QCOMPARE(run(lease->forceRelease({})).value(), true);
    }
    void leaseNeverEndsBeforeItsHolderBelieves() {
        // The server's clock ticks once a second; start at different points of its second.
        std::vector<std::shared_ptr<Ending<QString>>> endings;
        for (const auto phase : {0ms, 250ms, 500ms, 750ms}) {
            const QByteArray name = "lease-" + QByteArray::number(qlonglong(phase.count()));
            endings.push_back(beside(deadHolder(m_runtime, m_client->recipe(name), m_client->recipe(name), phase)));
        }
        for (const auto& ending : endings) {
            QTRY_VERIFY_WITH_TIMEOUT(ending->done, 20'000);
            QCOMPARE(ending->result.value(), QString());
        }
    }
    void stoppedWhileItWaits() {
        const auto one = m_client->recipe("jobs"), other = m_client->recipe("jobs");
        const auto first = taken(*one);
        std::stop_source stop;
        auto waiting = beside(other->acquire(asked(kNever), stop.get_token()));
        run(m_runtime.sleep(20ms));
        stop.request_stop();
        QTRY_VERIFY(waiting->done);
        QVERIFY(waiting->cancelled == Cancelled::Why::Stopped);
        QVERIFY(run(one->release(*first, {})));
    }
    void stoppedWhileTheServerAnswers_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::newRow("lease") << QByteArray("memcached-lease");
        QTest::newRow("add") << QByteArray("memcached-add");
    }
    void stoppedWhileTheServerAnswers() {
        QFETCH(QByteArray, id);
        QVERIFY(run(m_client->driver.version()));
        const auto recipe = m_client->recipe("jobs", id);
        m_server.pause();
        run(m_runtime.sleep(20ms)); // until all its threads stand still
        std::stop_source stop;
        auto asking = beside(recipe->acquire(asked(kNever), stop.get_token()));
        run(m_runtime.sleep(20ms));
        stop.request_stop();
        m_server.resume();
        QTRY_VERIFY(asking->done);
        QVERIFY(asking->cancelled == Cancelled::Why::Stopped);
    }
    void killedWhileItAsks() {
        EventLoopRuntime client;
        MemcachedClient other(client, urlOf(m_server));
        const auto recipe = other.recipe("jobs2");
        auto asking = beside(recipe->acquire(asked(kNever), {}));
        client.kill();
        QVERIFY(asking->cancelled == Cancelled::Why::Killed);
    }
    void namesThatAreNoKeys_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("space") << QByteArray("a b");
        QTest::newRow("line") << QByteArray("a\r\nflush_all\r\n");
        QTest::newRow("long") << QByteArray(251, 'x');
        QTest::newRow("del") << QByteArray("a\x7f");
    }
    void namesThatAreNoKeys() {
        QFETCH(QByteArray, name);
        const auto connection = makeConnection(m_runtime, urlOf(m_server));
        const auto made = connection->makeRecipe("memcached-lease", {name});
        QVERIFY(!made && made.error().kind == ErrorKind::Refused);
        QVERIFY(connection->makeRecipe("memcached-lease", {QByteArray(250, 'x')}));
    }
    void leaseThatWouldBeADate() {
        const auto recipe = m_client->recipe("jobs");
        const auto refused = run(recipe->acquire(asked(0s, std::chrono::hours(24 * 30)), {}));
        QVERIFY(refused.error().kind == ErrorKind::Refused);
        const auto grant = taken(*recipe, 0s, std::chrono::hours(24 * 29));
        QVERIFY(grant);
        QVERIFY(run(recipe->release(*grant, {})));
    }
    void counterIsExactUnderContention() {
        constexpr int kClients = 8, kRounds = 10;
        Counter counter;
        std::vector<std::unique_ptr<MemcachedClient>> clients;
        std::vector<std::shared_ptr<Ending<QString>>> endings;
        for (int i = 0; i < kClients; ++i) {
            clients.push_back(std::make_unique<MemcachedClient>(m_runtime, urlOf(m_server)));
            endings.push_back(beside(work(m_runtime, clients.back()->recipe("jobs"), kRounds, counter)));
        }
        for (const auto& ending : endings) {
            QTRY_VERIFY_WITH_TIMEOUT(ending->done, 60'000);
            QCOMPARE(ending->result.value(), QString());
        }
        QCOMPARE(counter.value, kClients * kRounds);
        QCOMPARE(counter.most, 1);
        QVERIFY(std::ranges::is_sorted(counter.tokens, std::ranges::less_equal()));
    }

    // --- memcached-add: as its text tells it, faults included ---
    void naiveOneDeletesOthersLocks() {
        const auto one = m_client->recipe("jobs", "memcached-add"), other = m_client->recipe("jobs", "memcached-add");
        const auto first = taken(*one, 0s, 200ms); // less than a second is one second, not for ever
        QVERIFY(first);
        QVERIFY(!taken(*other, 0s));
        const auto second = taken(*other, 10s);
        QVERIFY(second);
        QVERIFY(run(one->isLocked({})).value());
        QVERIFY(run(one->release(*first, {}))); // no complaint
        QVERIFY(!run(other->isLocked({})).value());
        QVERIFY(!run(m_client->driver.get("jobs")).value().has_value());
        QVERIFY(run(one->renew(*first, {})).error().kind == ErrorKind::NotSupported);
        QVERIFY(one->info().naive);
    }

private:
    EventLoopRuntime m_runtime;
    MemcachedServer m_server{m_runtime};
    std::unique_ptr<MemcachedClient> m_client;
};

QTEST_GUILESS_MAIN(TestMemcachedLocks)
#include "tst_memcached_locks.moc"
