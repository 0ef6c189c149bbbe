// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_etcd.h"
#include "lock/distributed_lock.h"
#include "recipes/etcd/etcd_lease.h"
#include "record_race.h"

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using recipes::Grant;
using recipes::Request;
using sandbox::EtcdServer;
using ErrorKind = LockError::Kind;

namespace {

Request asked(Nanos wait, Nanos lease = 30s) {
    Request request;
    request.wait = wait;
    request.lease = lease;
    return request;
}

std::optional<Grant> taken(EtcdLease& recipe, Nanos wait = 10s, Nanos lease = 30s) {
    auto grant = run(recipe.acquire(asked(wait, lease), {}));
    if (!grant) qWarning("%s", qPrintable(grant.error().message));
    return grant ? *grant : std::nullopt;
}

/// Passes everything on, and stops whoever asks at the call of that number.
class StoppingPort final : public Port {
public:
    StoppingPort(Port& port, std::stop_source& source, int at) : m_port(port), m_source(source), m_at(at) {}
    int calls() const { return m_calls; }

    Runtime& runtime() override { return m_port.runtime(); }
    Result<LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop) override {
        strike();
        return m_port.grantLease(id, ttl, std::move(stop));
    }
    Result<LeaseState> keepAlive(std::int64_t id, std::stop_token stop) override {
        strike();
        return m_port.keepAlive(id, std::move(stop));
    }
    Result<bool> revokeLease(std::int64_t id, std::stop_token stop) override {
        return m_port.revokeLease(id, std::move(stop));
    }
    Result<LeaseState> timeToLive(std::int64_t id, std::stop_token stop) override {
        return m_port.timeToLive(id, std::move(stop));
    }
    Result<RangeResult> range(Range range, std::stop_token stop) override {
        strike();
        return m_port.range(std::move(range), std::move(stop));
    }
    Result<TransactionResult> run(Transaction transaction, std::stop_token stop) override {
        strike();
        return m_port.run(std::move(transaction), std::move(stop));
    }
    Result<Removal> remove(QByteArray key, std::stop_token stop) override {
        strike();
        return m_port.remove(std::move(key), std::move(stop));
    }
    Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop) override {
        return m_port.deleteRange(std::move(key), std::move(end), std::move(stop));
    }
    Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease, std::stop_token stop) override {
        return m_port.put(std::move(key), std::move(value), lease, std::move(stop));
    }
    Result<OwnedWatch> watch(QByteArray key, bool deletionsOnly, std::stop_token stop) override {
        strike();
        return m_port.watch(std::move(key), deletionsOnly, std::move(stop));
    }

private:
    // After the call has been sent, before its answer can have come.
    void strike() {
        if (++m_calls == m_at) m_port.runtime().post([source = m_source]() mutable { source.request_stop(); });
    }
    Port& m_port;
    std::stop_source m_source;
    int m_at;
    int m_calls = 0;
};

} // namespace

class TestEtcdLease : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() {
        m_server.resume();
        // After each test nothing is left on the server.
        QVERIFY(run(m_driver->deleteRange("other", endOfPrefix("other"))));
        QVERIFY(comesTrue([&] { return leaseCount(m_server) == 0; }));
        QCOMPARE(keysUnder(*m_driver, "").size(), 0U);
        QVERIFY(comesTrue([&] { return watchCount(m_server) == 0; }));
    }
    void init() {
        if (!m_driver) m_driver = std::make_unique<EtcdDriver>(m_runtime, urlOf(m_server));
    }

    void layoutIsEtcdsOwn() {
        EtcdLease recipe({*m_driver, "jobs"});
        const auto grant = taken(recipe, 0s, 2500ms);
        QVERIFY(grant);
        const auto keys = keysUnder(*m_driver, "jobs/");
        QCOMPARE(keys.size(), 1U);
        QVERIFY(keys[0].lease > 0);
        QCOMPARE(keys[0].key, "jobs/" + QByteArray::number(qlonglong(keys[0].lease), 16));
        QVERIFY(keys[0].value.isEmpty());
        QCOMPARE(grant->token, keys[0].createRevision);
        QVERIFY(grant->lease == 3s); // whole seconds, rounded up
        QVERIFY(run(m_driver->timeToLive(keys[0].lease)).value().granted == 3s);
        QCOMPARE(run(recipe.release(*grant, {})).value(), 0);
    }
    void oneHolderAndTokensThatGrow() {
        EtcdLease one({*m_driver, "jobs"}), other({*m_driver, "jobs"});
        const auto first = taken(one);
        QVERIFY(!taken(other, 0s));
        QVERIFY(!taken(other, 30ms));
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        QVERIFY(run(one.release(*first, {})));
        const auto second = taken(other, 0s);
        QVERIFY(second && second->token > first->token);
        QVERIFY(run(other.release(*second, {})));
    }
    void waiterIsWokenByTheRelease() {
        EtcdLease one({*m_driver, "jobs"}), other({*m_driver, "jobs"});
        const auto first = taken(one);
        auto waiting = beside(other.acquire(asked(kNever), {}));
        QTRY_COMPARE(watchCount(m_server), 1);
        QVERIFY(!waiting->done);
        QVERIFY(run(one.release(*first, {})));
        QTRY_VERIFY(waiting->done);
        QVERIFY(run(other.release(**waiting->result.value(), {})));
    }
    void keptAliveWhileItWaits() {
        EtcdLease one({*m_driver, "jobs"}), other({*m_driver, "jobs"});
        const auto first = taken(one, 0s, 30s);
        const Nanos begun = m_runtime.monotonic();
        auto waiting = beside(other.acquire(asked(kNever, 1s), {}));
        QTRY_VERIFY_WITH_TIMEOUT(m_runtime.monotonic() - begun > 1800ms, 10'000);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 2U);
        QVERIFY(run(one.release(*first, {})));
        QTRY_VERIFY(waiting->done);
        const Grant second = **waiting->result.value();
        QVERIFY(m_runtime.monotonic() - second.askedAt < second.lease); // a lease that is nearly full
        QVERIFY(run(other.release(second, {})));
    }
    void secondLockOfTheSameThreadWaitsForItself() {
        EtcdLease recipe({*m_driver, "jobs"});
        const auto first = taken(recipe);
        Request again = asked(50ms);
        again.held = 1;
        QVERIFY(!run(recipe.acquire(again, {})).value().has_value());
        QVERIFY(!recipe.info().reentrant);
        QVERIFY(run(recipe.release(*first, {})));
    }
    void namesNestAsEtcdsDo() {
        EtcdLease below({*m_driver, "jobs/sub"}), above({*m_driver, "jobs"});
        const auto first = taken(below);
        QVERIFY(!taken(above, 20ms)); // its prefix covers the older key
        QVERIFY(run(below.release(*first, {})));
        const auto second = taken(above);
        QVERIFY(second);
        const auto third = taken(below, 20ms);
        QVERIFY(third);
        QVERIFY(run(above.release(*second, {})));
        QVERIFY(!run(above.forceRelease({})).value()); // the one below is not this lock
        QVERIFY(run(below.isLocked({})).value() && !run(above.isLocked({})).value());
        QVERIFY(run(below.release(*third, {})));
        QVERIFY(!run(below.isLocked({})).value());
    }
    void releaseByWhoDoesNotHold() {
        EtcdLease one({*m_driver, "jobs"}), other({*m_driver, "jobs"});
        QCOMPARE(run(other.isLocked({})).value(), false);
        const auto first = taken(one);
        QCOMPARE(run(other.isLocked({})).value(), true);
        QCOMPARE(run(other.forceRelease({})).value(), true);
        QCOMPARE(run(other.isLocked({})).value(), false);
        QCOMPARE(run(other.forceRelease({})).value(), false);
        const auto second = taken(other, 0s);
        QVERIFY(second);
        QVERIFY(run(one.release(*first, {})).error().kind == ErrorKind::NotOwner);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U); // the other's
        QVERIFY(run(other.release(*second, {})));
        QVERIFY(run(other.release(*second, {})).error().kind == ErrorKind::NotOwner);
    }
    void renewal() {
        EtcdLease recipe({*m_driver, "jobs"});
        const auto grant = taken(recipe, 0s, 2s);
        QCOMPARE(run(recipe.renew(*grant, {})).value(), true);
        QVERIFY(run(m_driver->revokeLease(keysUnder(*m_driver, "jobs/").at(0).lease)));
        QCOMPARE(run(recipe.renew(*grant, {})).value(), false);
        // A key deleted by force is no longer held, though its lease is alive.
        const auto next = taken(recipe, 0s);
        QVERIFY(run(recipe.forceRelease({})).value());
        QCOMPARE(run(recipe.renew(*next, {})).value(), false);
    }
    void deadHolderFreesByItsLease() {
        EtcdLease one({*m_driver, "jobs"}), other({*m_driver, "jobs"});
        const auto first = taken(one, 0s, 1s);
        QVERIFY(first);
        qInfo("lease asked 1 s, granted %lld ms", (long long)(first->lease / 1ms));
        const Nanos begun = m_runtime.monotonic();
        const auto second = taken(other, 15s); // nobody renews the first
        QVERIFY(second);
        const Nanos took = m_runtime.monotonic() - first->askedAt;
        qInfo("freed after %lld ms", (long long)(took / 1ms));
        QVERIFY(took >= first->lease); // never sooner than the holder believes
        QVERIFY(m_runtime.monotonic() - begun < first->lease + 4s);
        QVERIFY(run(other.release(*second, {})));
    }
    void lostHoldsAreTold() {
        const auto connection = makeConnection(m_runtime, urlOf(m_server));
        QVERIFY(connection);
        QVERIFY(run(connection->open()));
        LockOptions options;
        options.lease = 2s;
        options.watchdog = 100ms;
        DistributedLock lock({m_runtime, connection->client()},
                             *connection->makeRecipe(connection->defaultRecipe(), {"jobs"}), options);
        QStringList lost;
        lock.listen([&](DistributedLock::Event event, const QByteArray&, const QString& reason) {
            if (event == DistributedLock::Event::Lost) lost += reason;
        });
        QVERIFY(run(lock.lock()).value());
        QVERIFY(lock.stillMine());
        EtcdLease other({*m_driver, "jobs"});
        QVERIFY(run(other.forceRelease({})).value());
        QTRY_COMPARE(lost.size(), 1);
        QVERIFY(!lock.stillMine());
        QVERIFY(run(lock.unlock()).error().kind == ErrorKind::NotOwner);
        QVERIFY(run(connection->close()));
    }
    void foreignKeysAreLeftAlone_data() {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<bool>("leased");
        QTest::newRow("an election") << QByteArray("other/%1") << QByteArray("candidate") << true;
        QTest::newRow("a read lock") << QByteArray("other/read/1699999999999999999") << QByteArray() << true;
        QTest::newRow("a write lock") << QByteArray("other/write/1699999999999999999") << QByteArray() << true;
        QTest::newRow("a file") << QByteArray("other/config") << QByteArray("x=1") << false;
        QTest::newRow("data below") << QByteArray("other/config/x") << QByteArray("1") << false;
        QTest::newRow("ShedLock") << QByteArray("other") << QByteArray("ADDED:2026-11-23T11:10:25.123Z@host") << true;
        QTest::newRow("a lock of that name") << QByteArray("other") << QByteArray("me") << true;
        QTest::newRow("data of that name") << QByteArray("other") << QByteArray() << false;
    }
    void foreignKeysAreLeftAlone() {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, value);
        QFETCH(bool, leased);
        const std::int64_t lease = leased ? 0x7777 : 0;
        if (leased) QVERIFY(run(m_driver->grantLease(lease, 60s)));
        key.replace("%1", QByteArray::number(qlonglong(lease), 16));
        QVERIFY(run(m_driver->put(key, value, lease)));
        const auto leases = std::make_shared<recipes::EtcdLeases>(*m_driver);
        EtcdLease recipe({*m_driver, "other", leases});
        for (const bool kept : {false, true}) {
            Request request = asked(1s);
            request.kept = kept; // by a watchdog: it does not look before it takes
            const auto refused = run(recipe.acquire(request, {}));
            QVERIFY(!refused && refused.error().kind == ErrorKind::ForeignFormat);
            const QString told = u'“' + QString::fromUtf8(key) + u'”';
            QVERIFY2(refused.error().message.contains(told), qPrintable(refused.error().message));
        }
        QVERIFY(run(recipe.forceRelease({})).error().kind == ErrorKind::ForeignFormat);
        QVERIFY(run(recipe.isLocked({})).error().kind == ErrorKind::ForeignFormat);
        const auto keys = keysUnder(*m_driver, "other");
        QCOMPARE(keys.size(), 1U);
        QCOMPARE(keys[0].version, 1);
        if (leased) QVERIFY(run(m_driver->revokeLease(lease)).value());
        QVERIFY(run(leases->close()));
    }
    // ShedLock's key has the lock's very name, and is made if there is none, whoever holds what below it.
    void shedLockThatCameWhileWeQueuedIsLeftAlone() {
        const QByteArray name = "other:default:orders";
        EtcdLease one({*m_driver, name}), other({*m_driver, name});
        const auto first = taken(one);
        auto waiting = beside(other.acquire(asked(kNever), {}));
        QTRY_COMPARE(watchCount(m_server), 1);
        QVERIFY(run(m_driver->grantLease(0x7777, 60s)));
        QVERIFY(run(m_driver->put(name, "ADDED:2026-11-23T11:10:25.123Z@host", 0x7777)));
        QVERIFY(run(one.release(*first, {})));
        QTRY_VERIFY(waiting->done);
        QVERIFY(waiting->result && !*waiting->result);
        QVERIFY(waiting->result->error().kind == ErrorKind::ForeignFormat);
        QVERIFY2(waiting->result->error().message.contains(u"ShedLock"), qPrintable(waiting->result->error().message));
        QCOMPARE(keysUnder(*m_driver, name).size(), 1U);
        QVERIFY(run(m_driver->revokeLease(0x7777)).value());
        const auto free = taken(other, 0s);
        QVERIFY(free);
        QVERIFY(run(other.release(*free, {})));
    }
    void whoMayUseTheLocksOwnKeysAloneMayLock() {
        sandbox::EtcdServerOptions options;
        options.rootPassword = QStringLiteral("root");
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        for (const char* line :
             {"user add bob:bobs", "role add jobs", "role grant-permission jobs --prefix=true readwrite jobs/",
              "user grant-role bob jobs"})
            QVERIFY2(etcdctl(server, QString::fromLatin1(line)), line);
        ConnectionUrl url = urlOf(server);
        url.user = QStringLiteral("bob");
        url.password = QStringLiteral("bobs");
        EtcdDriver driver(m_runtime, url);
        for (const bool kept : {false, true}) {
            EtcdLease one({driver, "jobs"}), other({driver, "jobs"});
            Request request = asked(10s);
            request.kept = kept;
            const auto first = run(one.acquire(request, {}));
            VERIFY_OK(first);
            auto waiting = beside(other.acquire(request, {}));
            QTRY_COMPARE(keysUnder(driver, "jobs/").size(), 2U);
            QVERIFY(run(one.release(**first, {})));
            QTRY_VERIFY(waiting->done);
            QVERIFY(run(other.release(**waiting->result.value(), {})));
            QVERIFY(run(EtcdLease({driver, "others"}).acquire(request, {})).error().kind == ErrorKind::Refused);
        }
    }
    void stoppedAtEachCallItLeavesNothing() {
        for (const bool contended : {false, true}) {
            EtcdLease holder({*m_driver, "jobs"});
            const auto held = contended ? taken(holder) : std::nullopt;
            int struck = 0;
            for (int at = 1; at < 20; ++at) {
                std::stop_source stop;
                StoppingPort port(*m_driver, stop, at);
                EtcdLease recipe({port, "jobs"});
                auto ending = beside(recipe.acquire(asked(contended ? 400ms : 1s, 1s), stop.get_token()));
                QVERIFY(ends(ending, 10s));
                if (port.calls() < at) {
                    if (ending->result && *ending->result && **ending->result)
                        QVERIFY(run(recipe.release(***ending->result, {})));
                    break;
                }
                ++struck;
                if (!ending->cancelled) { // it was through before the stop arrived
                    QVERIFY(ending->result && *ending->result);
                    if (**ending->result) QVERIFY(run(recipe.release(***ending->result, {})));
                }
                QVERIFY(comesTrue([&] { return leaseCount(m_server) == (contended ? 1 : 0); }));
                QCOMPARE(keysUnder(*m_driver, "jobs/").size(), contended ? 1U : 0U);
                QVERIFY(comesTrue([&] { return watchCount(m_server) == 0; }));
            }
            QVERIFY2(struck >= (contended ? 6 : 2), qPrintable(QString::number(struck)));
            if (held) QVERIFY(run(holder.release(*held, {})));
        }
    }
    void oneOfTwoWritersOfARecordWins() {
        const auto a = makeConnection(m_runtime, urlOf(m_server)), b = makeConnection(m_runtime, urlOf(m_server));
        VERIFY_EMPTY(raceOfWriters(m_runtime, *a->records(), *b->records(), "race/of writers 锁"));
        QCOMPARE(keysUnder(*m_driver, "lockscope-records/").size(), 1U); // old values go
        QCOMPARE(run(m_driver->deleteRange("lockscope-records/", endOfPrefix("lockscope-records/"))).value(), 1);
    }
    void stoppedWhileItWaits() {
        EtcdLease one({*m_driver, "jobs"}), other({*m_driver, "jobs"});
        const auto first = taken(one);
        std::stop_source stop;
        auto waiting = beside(other.acquire(asked(kNever), stop.get_token()));
        QTRY_COMPARE(watchCount(m_server), 1);
        stop.request_stop();
        QTRY_VERIFY(waiting->done);
        QVERIFY(waiting->cancelled == Cancelled::Why::Stopped);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        QVERIFY(run(one.release(*first, {})));
    }
    void killedWhileItWaits() {
        EtcdLease one({*m_driver, "jobs"});
        const auto first = taken(one);
        {
            EventLoopRuntime client;
            EtcdDriver driver(client, urlOf(m_server));
            EtcdLease other({driver, "jobs"});
            auto waiting = beside(other.acquire(asked(kNever, 1s), {}));
            QTRY_COMPARE(watchCount(m_server), 1);
            client.kill();
            QVERIFY(waiting->cancelled == Cancelled::Why::Killed);
        }
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 2U); // a dead process cleans nothing up
        QTRY_COMPARE_WITH_TIMEOUT(keysUnder(*m_driver, "jobs/").size(), 1U, 10'000);
        QVERIFY(run(one.release(*first, {})));
    }
    void waiterThatSleptTooLongQueuesAnew() {
        EtcdLease one({*m_driver, "jobs"});
        const auto first = taken(one);
        EventLoopRuntime client;
        EtcdDriver driver(client, urlOf(m_server));
        EtcdLease other({driver, "jobs"});
        auto waiting = beside(other.acquire(asked(kNever, 1s), {}));
        QTRY_COMPARE(keysUnder(*m_driver, "jobs/").size(), 2U);
        client.pause();
        QTRY_COMPARE_WITH_TIMEOUT(keysUnder(*m_driver, "jobs/").size(), 1U, 10'000); // its lease has ended
        client.resume();
        QTRY_COMPARE(keysUnder(*m_driver, "jobs/").size(), 2U);
        QVERIFY(!waiting->done);
        QVERIFY(run(one.release(*first, {})));
        QTRY_VERIFY(waiting->done);
        QVERIFY(run(other.release(**waiting->result.value(), {})));
    }

private:
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
    std::unique_ptr<EtcdDriver> m_driver;
};

QTEST_GUILESS_MAIN(TestEtcdLease)
#include "tst_etcd_lease.moc"
