// SPDX-License-Identifier: Apache-2.0
#include "connections/connection.h"
#include "drivers/dial.h"
#include "restricted_redis.h"

using namespace lockscope;
using namespace lockscope::inspect;
using namespace lockscope::redis;
using namespace lockscope::test;

/// The connections of holders and waiters, as the server lists them.
class TestRedisWatcherClients : public WatchedRedis {
    Q_OBJECT
    /// A connection that its client has named.
    std::unique_ptr<RedisDriver> named(const char* name) {
        DriverOptions options;
        options.clientName = name;
        auto driver = std::make_unique<RedisDriver>(m_runtime, urlOf(m_server), options);
        (void)call(*driver, {"PING"});
        return driver;
    }
    /// Its address, as the server sees it.
    static QByteArray addressOf(RedisDriver& driver) {
        const auto info = call(driver, {"CLIENT", "INFO"});
        return clientsIn(info->text).at(0).address;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() { begin(); }
    void cleanup() { end(); }

    void holdersAndWaitersAreTied() {
        const auto worker = named("worker-7"), second = named("worker-8");
        QVERIFY(call(*m_client, {"SET", "lock:jobs", "worker-7", "PX", "60000"}));
        QVERIFY(call(*m_client, {"SET", "lock:other", "somebody", "PX", "60000"}));
        takeRedisson("orders", owner(kA, 1), 1, 60'000);
        QVERIFY(call(*m_client, {"RPUSH", "redisson_lock_queue:{orders}", "worker-8:1"}));
        QVERIFY(call(*m_client, {"ZADD", "redisson_lock_timeout:{orders}", kFarAway, "worker-8:1"}));
        const LockReport report = lookOnce();
        QVERIFY(!report.trouble);
        QCOMPARE(rowOf(report, "lock:jobs")->holders.at(0).about, addressOf(*worker));
        QCOMPARE(rowOf(report, "lock:other")->holders.at(0).about, QByteArray()); // nobody knows
        QCOMPARE(rowOf(report, "orders")->holders.at(0).about, QByteArray());     // a random identity
        QCOMPARE(rowOf(report, "orders")->waiters.value().at(0).about, addressOf(*second));
        QVERIFY(!rowOf(report, "lock:jobs")->holders.at(0).gone);
        QVERIFY(report.notes.empty());
    }

    /// CLIENT LIST tells that a connection waits at some list, and not at which: no lock has it for a waiter.
    void waitersThatTheServerDoesNotPlaceAreCounted() {
        using Kind = WatchNote::Kind;
        const auto noteOf = [](const LockReport& report, Kind kind) {
            const auto note = std::ranges::find(report.notes, kind, &WatchNote::kind);
            return note == report.notes.end() ? std::nullopt : std::optional(*note);
        };
        const auto blocked = named("job-1"), listening = named("app-1");
        const QByteArray waits = addressOf(*blocked), listens = addressOf(*listening);
        auto waiting = blocked->call(argsOf("BLPOP", "lock-signal:report", "0"), {});
        QVERIFY(call(*listening, {"PSUBSCRIBE", "registry-channel:*"}));
        const auto lists = [&] { return call(*m_client, {"CLIENT", "LIST"}).value().text.contains("cmd=blpop"); };
        QVERIFY(comesTrue(lists));
        // Nothing is told where no lock has such waiters.
        QVERIFY(call(*m_client, {"SET", "lock:other", "worker-9", "PX", "60000"}));
        const LockReport none = lookOnce();
        QVERIFY(!noteOf(none, Kind::BlockedClients) && !noteOf(none, Kind::PatternListeners));
        QVERIFY(call(*m_client, {"SET", "lock:report", "q83vEjRWeJCrze8SNFZ4kA90", "PX", "60000"}));
        QVERIFY(call(*m_client, {"SET", "registry:/orders", "0dd4b2a4-5b1e-4c39-9a39-0c9f2b3d7e11", "PX", "60000"}));
        const LockReport seen = lookOnce();
        QCOMPARE(rowOf(seen, "lock:report")->format, QByteArray("python-redis-lock"));
        QVERIFY(!rowOf(seen, "lock:report")->waiterCount); // not known
        QCOMPARE(noteOf(seen, Kind::BlockedClients), std::optional(WatchNote{Kind::BlockedClients, 1, {waits}}));
        QCOMPARE(noteOf(seen, Kind::PatternListeners), std::optional(WatchNote{Kind::PatternListeners, 1, {listens}}));
        QVERIFY(call(*m_client, {"LPUSH", "lock-signal:report", "1"}));
        QVERIFY(run(std::move(waiting)));
        QVERIFY(!noteOf(lookOnce(), Kind::BlockedClients));
    }

    void ourOwnClientsCanBeFound() {
        const auto connection = makeConnectionOver(m_runtime, realDiallers(), urlOf(m_server), kA);
        VERIFY_OK(run(connection->open({})));
        takeRedisson("orders", owner(kA, 1), 1, 60'000);
        const QByteArray about = rowOf(lookOnce(), "orders")->holders.at(0).about;
        QVERIFY2(about.startsWith("127.0.0.1"), about);
    }

    void aHolderThatIsGoneIsTold() {
        auto worker = named("worker-7");
        QVERIFY(call(*m_client, {"SET", "lock:for-ever", "worker-7"}));
        QVERIFY(call(*m_client, {"SET", "lock:for-a-while", "worker-7", "PX", "600000"}));
        QVERIFY(call(*m_client, {"SET", "lock:never-seen", "worker-9"}));
        Watch watch(*this);
        const auto about = [&](const char* lock) {
            const LockRow* row = rowOf(watch.last(), lock);
            return row && !row->holders.empty() ? row->holders.front() : Party();
        };
        QTRY_VERIFY_WITH_TIMEOUT(about("lock:for-ever").about.startsWith("127.0.0.1:"), 10'000);
        QVERIFY(!about("lock:for-ever").gone);
        worker.reset();
        QTRY_VERIFY_WITH_TIMEOUT(about("lock:for-ever").gone, 20'000);
        QVERIFY(about("lock:for-ever").about.startsWith("127.0.0.1:")); // as it was
        QVERIFY(!about("lock:for-a-while").gone);                       // its end will come
        QVERIFY(!about("lock:never-seen").gone);                        // nobody knows whether it was ever here
        worker = named("worker-7");
        QTRY_VERIFY_WITH_TIMEOUT(!about("lock:for-ever").gone, 20'000);
    }

    /// A hash with one field may be anything; a connection of that name says that it is a lock. One that was seen to be
    /// a lock stays one without its queue, from hand to hand.
    void anOwnerByANameIsKnownByItsConnection() {
        takeRedisson("cart", "apples:7", 1, 60'000);
        takeRedisson("invoices", "bill-1:7", 1, 60'000);
        const auto bill = named("lockscope:bill-1"), a = named("lockscope:A");
        takeRedisson("short", "A:1", 1, 60'000); // too short to be a name, but for one of our own clients
        const LockReport report = lookOnce();
        QCOMPARE(report.locks.size(), 2u);
        QVERIFY(rowOf(report, "invoices") && rowOf(report, "short"));
        QVERIFY(rowOf(report, "invoices")->certainty == Certainty::Likely);
        QCOMPARE(rowOf(report, "invoices")->holders.at(0).client, QByteArray("bill-1"));

        QVERIFY(call(*m_client, {"RPUSH", "redisson_lock_queue:{fair}", "bill-2:8"}));
        QVERIFY(call(*m_client, {"ZADD", "redisson_lock_timeout:{fair}", kFarAway, "bill-2:8"}));
        takeRedisson("fair", "bill-9:7", 1, 60'000); // nobody of that name is connected
        Watch watch(*this);
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "fair"), 10'000);
        QVERIFY(call(*m_client, {"MULTI"}));
        for (const QByteArray key : {"fair", "redisson_lock_queue:{fair}", "redisson_lock_timeout:{fair}"})
            QVERIFY(call(*m_client, {"DEL", key}));
        QVERIFY(call(*m_client, {"HSET", "fair", "bill-2:8", "1"}));
        QVERIFY(call(*m_client, {"PEXPIRE", "fair", "60000"}));
        QVERIFY(call(*m_client, {"EXEC"}));
        QTRY_VERIFY_WITH_TIMEOUT(rowOf(watch.last(), "fair")->holders.front().client == "bill-2", 10'000);
        QVERIFY(!watch.ended.contains("fair"));
    }

    void withoutTheRightItIsNotKnown() {
        RestrictedRedis server(m_runtime, "~* &* -@all +@read +ping +info +time +pubsub +config|get +client|setname "
                                          "+memory|usage");
        VERIFY_EMPTY(server.start());
        RedisDriver& writer = server.writer();
        QVERIFY(call(writer, {"CLIENT", "SETNAME", "worker-7"}));
        QVERIFY(call(writer, {"SET", "lock:jobs", "worker-7", "PX", "60000"}));
        const LockReport report = server.seenBy();
        QVERIFY(!report.trouble);
        QCOMPARE(rowOf(report, "lock:jobs")->holders.at(0).about, QByteArray());
        QCOMPARE(report.notes.size(), 1u);
        QVERIFY(report.notes.front() == (WatchNote{WatchNote::Kind::ClientsNotListed, 0, {}}));
    }
};

QTEST_GUILESS_MAIN(TestRedisWatcherClients)
#include "tst_redis_watcher_clients.moc"
