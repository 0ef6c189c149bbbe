// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "live_etcd.h"
#include "lock/distributed_lock.h"
#include "recipes/etcd/etcd_lease.h"

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using recipes::EtcdLeases;
using recipes::Grant;
using recipes::Request;
using sandbox::EtcdServer;
using ErrorKind = LockError::Kind;

namespace {

Request kept(Nanos wait = 10s, Nanos lease = 30s) {
    Request request;
    request.wait = wait;
    request.lease = lease;
    request.kept = true;
    return request;
}

/// Passes everything on; its answers to transactions can be lost.
class LossyPort final : public Port {
public:
    explicit LossyPort(Port& port) : m_port(port) {}
    std::vector<Transaction> lost; ///< those whose answers were
    bool loseAnswers = false;      ///< and the driver asks again
    bool cut = false;              ///< nothing gets through
    int silent = 0;                ///< so many transactions run, and nobody hears of it

    Runtime& runtime() override { return m_port.runtime(); }
    Result<LeaseState> grantLease(std::int64_t id, std::chrono::seconds ttl, std::stop_token stop) override {
        return m_port.grantLease(id, ttl, std::move(stop));
    }
    Result<LeaseState> keepAlive(std::int64_t id, std::stop_token stop) override {
        return m_port.keepAlive(id, std::move(stop));
    }
    Result<bool> revokeLease(std::int64_t id, std::stop_token stop) override {
        return m_port.revokeLease(id, std::move(stop));
    }
    Result<LeaseState> timeToLive(std::int64_t id, std::stop_token stop) override {
        return m_port.timeToLive(id, std::move(stop));
    }
    Result<RangeResult> range(Range range, std::stop_token stop) override {
        return m_port.range(std::move(range), std::move(stop));
    }
    Result<TransactionResult> run(Transaction transaction, std::stop_token stop) override {
        if (cut) co_return std::unexpected(noAnswer());
        const Transaction copy = transaction;
        auto result = co_await m_port.run(std::move(transaction), stop);
        if (silent > 0) {
            --silent;
            co_return std::unexpected(noAnswer());
        }
        if (!loseAnswers || !result) co_return result;
        lost.push_back(copy);
        result = co_await m_port.run(copy, stop);
        if (result) result->repeated = true;
        co_return result;
    }
    Result<Removal> remove(QByteArray key, std::stop_token stop) override {
        if (cut) co_return std::unexpected(noAnswer());
        auto removed = co_await m_port.remove(key, stop);
        if (!loseAnswers || !removed) co_return removed;
        removed = co_await m_port.remove(key, stop);
        if (removed) removed->repeated = true;
        co_return removed;
    }
    Result<std::int64_t> deleteRange(QByteArray key, QByteArray end, std::stop_token stop) override {
        if (cut) co_return std::unexpected(noAnswer());
        const auto deleted = co_await m_port.deleteRange(std::move(key), std::move(end), std::move(stop));
        co_return deleted;
    }
    Result<std::int64_t> put(QByteArray key, QByteArray value, std::int64_t lease, std::stop_token stop) override {
        return m_port.put(std::move(key), std::move(value), lease, std::move(stop));
    }
    Result<OwnedWatch> watch(QByteArray key, bool deletionsOnly, std::stop_token stop) override {
        return m_port.watch(std::move(key), deletionsOnly, std::move(stop));
    }

private:
    static Error noAnswer() { return {Error::Kind::Disconnected, 0, QStringLiteral("cut")}; }
    Port& m_port;
};

} // namespace

/// Locks that a watchdog keeps share a lease; nothing that each alone would promise may get lost by that.
class TestEtcdSharedLeases : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_driver = std::make_unique<EtcdDriver>(m_runtime, urlOf(m_server));
        m_leases = std::make_shared<EtcdLeases>(*m_driver);
    }
    void cleanup() {
        // After each test only the leases are left, and they go with the connection.
        QVERIFY(comesTrue([&] { return keysUnder(*m_driver, "").empty(); }, 15s));
        run(m_leases->close());
        m_leases->end();
        QVERIFY(comesTrue([&] { return leaseCount(m_server) == 0; }, 15s));
        QVERIFY(comesTrue([&] { return watchCount(m_server) == 0; }));
    }

    void whatAnUnansweredTryHasPutIsFound_data() {
        QTest::addColumn<bool>("kept");
        QTest::newRow("with a lease of its own") << false;
        QTest::newRow("with a shared one") << true;
    }
    void whatAnUnansweredTryHasPutIsFound() {
        QFETCH(bool, kept);
        LossyPort port(*m_driver);
        EtcdLease recipe({port, "jobs", m_leases});
        Request request = ::kept(30s, 30s);
        request.kept = kept;
        port.silent = 1;
        const auto grant = run(recipe.acquire(request, {}));
        VERIFY_OK(grant);
        QVERIFY(*grant);
        QCOMPARE(port.silent, 0);
        const auto keys = keysUnder(*m_driver, "jobs/");
        QCOMPARE(keys.size(), 1U);
        QCOMPARE(keys[0].createRevision, (*grant)->token);
        QCOMPARE(run(recipe.release(**grant, {})).value(), 0);

        request.wait = Nanos(0); // who only tries is told
        port.silent = 1;
        QVERIFY(!run(recipe.acquire(request, {})));
    }
    void manyHoldsOneLeaseAndFewMessages() {
        constexpr int kLocks = 250;
        std::vector<std::unique_ptr<DistributedLock>> locks;
        int renewed = 0, lost = 0;
        for (int i = 0; i < kLocks; ++i) {
            locks.push_back(lockOf("many-" + QByteArray::number(i), 5s, 300ms));
            locks.back()->listen([&](DistributedLock::Event event, const QByteArray&, const QString&) {
                renewed += event == DistributedLock::Event::Renewed;
                lost += event == DistributedLock::Event::Lost;
            });
            QVERIFY(run(locks.back()->lock()).value());
        }
        QCOMPARE(leaseCount(m_server), 1);
        const auto keys = keysUnder(*m_driver, "many-");
        QCOMPARE(keys.size(), std::size_t(kLocks));
        for (const KeyValue& key : keys) // each as etcd's own would have made it
            QVERIFY(key.key.endsWith('/' + QByteArray::number(qlonglong(key.lease), 16)) && key.value.isEmpty());
        // Two periods long: one renewal after the other, and none costs a message of its own.
        const std::uint64_t before = m_driver->requestsSent();
        QTRY_VERIFY_WITH_TIMEOUT(renewed >= 2 * kLocks, 15'000);
        const auto sent = m_driver->requestsSent() - before;
        QVERIFY2(sent < std::uint64_t(renewed) / 2, qPrintable(QString::number(sent)));
        QCOMPARE(lost, 0);
        for (const auto& lock : locks) {
            QVERIFY(lock->stillMine());
            QCOMPARE(run(lock->unlock()).value(), 0);
        }
        QCOMPARE(keysUnder(*m_driver, "many-").size(), 0U);
    }
    void takingOneTakesOneMessage() {
        EtcdLease recipe({*m_driver, "jobs", m_leases});
        QVERIFY(run(recipe.release(*taken(recipe), {}))); // the lease is there now
        const std::uint64_t before = m_driver->requestsSent();
        const Grant grant = *taken(recipe);
        QCOMPARE(m_driver->requestsSent() - before, 1U);
        QCOMPARE(grant.token, keysUnder(*m_driver, "jobs/").at(0).createRevision);
        const std::uint64_t held = m_driver->requestsSent();
        QVERIFY(run(recipe.release(grant, {})));
        QCOMPARE(m_driver->requestsSent() - held, 1U);
    }
    void whoHasItsOwnLeaseSharesItWithNobody() {
        EtcdLease one({*m_driver, "one", m_leases}), other({*m_driver, "other", m_leases});
        Request alone = kept(0s, 1s);
        alone.kept = false;
        const Grant first = *run(one.acquire(alone, {})).value(), second = *taken(other, 0s, 1s);
        QVERIFY(first.value.mid(4) != second.value.mid(6));
        QCOMPARE(leaseCount(m_server), 2);
        // Nobody renews it: gone at its time, whatever else of this process is kept.
        QTRY_COMPARE_WITH_TIMEOUT(othersBeside(other, second, "one/"), 0U, 10'000);
        QCOMPARE(run(other.release(second, {})).value(), 0);
    }
    void aTryInVainWritesNothing() {
        EtcdLease one({*m_driver, "jobs", m_leases}), other({*m_driver, "jobs", m_leases});
        const Grant first = *taken(one);
        QVERIFY(!taken(other, 0s)); // now there are two leases: a name that is taken is none to share
        const auto revision = run(m_driver->put("jobs-revision", "", 0)).value();
        QVERIFY(!taken(other, 0s));
        QCOMPARE(run(m_driver->deleteRange("jobs-revision", {})).value(), 1);
        QCOMPARE(run(m_driver->put("jobs-revision", "", 0)).value(), revision + 2);
        QVERIFY(run(m_driver->deleteRange("jobs-revision", {})));
        QVERIFY(run(one.release(first, {})));
    }
    void twoOfOneNameQueueUp() {
        EtcdLease one({*m_driver, "jobs", m_leases}), other({*m_driver, "jobs", m_leases});
        const Grant first = *taken(one);
        auto waiting = beside(other.acquire(kept(), {}));
        QTRY_COMPARE(watchCount(m_server), 1);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 2U);
        QVERIFY(run(one.release(first, {})));
        QTRY_VERIFY(waiting->done);
        const Grant second = **waiting->result.value();
        QVERIFY(second.token > first.token);
        QVERIFY(run(one.release(first, {})).error().kind == ErrorKind::NotOwner);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U); // the other's
        QVERIFY(run(other.release(second, {})));
    }
    void interruptedAndTimedOutWaitsLeaveNothing() {
        EtcdLease one({*m_driver, "jobs", m_leases}), other({*m_driver, "jobs", m_leases});
        const Grant first = *taken(one);
        QVERIFY(!taken(other, 30ms));
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        std::stop_source stop;
        auto waiting = beside(other.acquire(kept(kNever), stop.get_token()));
        QTRY_COMPARE(watchCount(m_server), 1);
        stop.request_stop();
        QTRY_VERIFY(waiting->done);
        QVERIFY(waiting->cancelled == Cancelled::Why::Stopped);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        QVERIFY(run(one.release(first, {})));
    }
    void foreignDataIsRefused() {
        QVERIFY(run(m_driver->put("jobs/config", "precious", 0)));
        EtcdLease recipe({*m_driver, "jobs", m_leases});
        const auto refused = run(recipe.acquire(kept(0s), {}));
        QVERIFY(!refused && refused.error().kind == ErrorKind::ForeignFormat);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        QVERIFY(run(m_driver->deleteRange("jobs/config", {})));
    }

    // --- losses ---
    void oneFreedByForceIsLostAlone() {
        const auto one = lockOf("one", 2s, 200ms), other = lockOf("other", 2s, 200ms);
        QVERIFY(run(one->lock()).value() && run(other->lock()).value());
        EtcdLease stranger({*m_driver, "one"});
        QVERIFY(run(stranger.forceRelease({})).value());
        QTRY_VERIFY(!one->stillMine());
        QTest::qWait(300); // nothing is to happen: another renewal goes by, and it is still ours
        QVERIFY(other->stillMine());
        QVERIFY(run(one->lock()).value()); // its name is free again
        QCOMPARE(run(one->unlock()).value(), 0);
        QCOMPARE(run(other->unlock()).value(), 0);
    }
    void theLeaseRevokedByHandIsToldToAll() {
        const auto one = lockOf("one", 2s, 200ms), other = lockOf("other", 2s, 200ms);
        QVERIFY(run(one->lock()).value() && run(other->lock()).value());
        QVERIFY(run(m_driver->revokeLease(keysUnder(*m_driver, "one/").at(0).lease)).value());
        QTRY_VERIFY(!one->stillMine() && !other->stillMine());
        QVERIFY(run(one->lock()).value()); // by a new one
        QCOMPARE(run(one->unlock()).value(), 0);
    }
    void oneThatIsNoLongerKeptEndsByItself() {
        auto one = lockOf("one", 1s, 100ms);
        const auto stopped = lockOf("stopped", 1s, 100ms), other = lockOf("other", 1s, 100ms);
        QVERIFY(run(one->lock()).value() && run(stopped->lock()).value() && run(other->lock()).value());
        QCOMPARE(leaseCount(m_server), 1);
        one.reset(); // nobody renews it any more, and nobody will ever release it
        stopped->stopWatchdog();
        const Nanos begun = m_runtime.monotonic();
        QCOMPARE(keysUnder(*m_driver, "one/").size(), 1U);
        QVERIFY(comesTrue([&] { return !stopped->stillMine(); }));
        for (const char* prefix : {"one/", "stopped/"})
            QVERIFY(comesTrue([&] { return keysUnder(*m_driver, prefix).empty(); }));
        QVERIFY(m_runtime.monotonic() - begun < 6s);
        QVERIFY(other->stillMine());
        QCOMPARE(run(other->unlock()).value(), 0);
    }
    void aDeadProcessFreesAll() {
        {
            EventLoopRuntime process;
            EtcdDriver driver(process, urlOf(m_server));
            const auto leases = std::make_shared<EtcdLeases>(driver);
            EtcdLease one({driver, "one", leases}), other({driver, "other", leases});
            QVERIFY(run(one.acquire(kept(0s, 1s), {})).value());
            QVERIFY(run(other.acquire(kept(0s, 1s), {})).value());
            process.kill();
            leases->end();
        }
        QCOMPARE(keysUnder(*m_driver, "").size(), 2U);
        QTRY_COMPARE_WITH_TIMEOUT(keysUnder(*m_driver, "").size(), 0U, 10'000);
    }

    // --- answers that do not come ---
    void aPutThatComesLateIsTakenBack() {
        LossyPort port(*m_driver);
        const auto leases = std::make_shared<EtcdLeases>(port);
        EtcdLease recipe({port, "jobs", leases}), keeper({port, "other", leases});
        const Grant other = *taken(keeper, 0s, 2s); // so that the lease goes on
        port.loseAnswers = true;
        const Grant first = *taken(recipe, 0s, 2s);
        port.loseAnswers = false;
        QCOMPARE(port.lost.size(), 1U);
        QVERIFY(first.token > 0);
        QVERIFY(run(recipe.release(first, {})));
        // The first copy of the request arrives now, after its lock was given back.
        QVERIFY(run(m_driver->run(port.lost[0])).value().succeeded);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        const auto next = taken(recipe, 10s, 2s); // and does not keep anybody out for long
        QVERIFY(next);
        QVERIFY2(next->value != first.value, "a key of that name may be deleted at any moment");
        QVERIFY(run(recipe.release(*next, {})));
        QVERIFY(run(keeper.renew(other, {})).value());
        QVERIFY(run(keeper.release(other, {})));
        run(leases->close());
        leases->end();
    }
    void aReleaseWithoutAnAnswerIsMadeUpFor() {
        LossyPort port(*m_driver);
        const auto leases = std::make_shared<EtcdLeases>(port);
        EtcdLease recipe({port, "jobs", leases}), keeper({port, "other", leases});
        const Grant other = *taken(keeper, 0s, 2s), first = *taken(recipe, 0s, 2s);
        port.cut = true;
        QVERIFY(run(recipe.release(first, {})).error().kind == ErrorKind::OutcomeUnknown);
        QCOMPARE(keysUnder(*m_driver, "jobs/").size(), 1U);
        port.cut = false;
        // Its lease goes on with the other lock, and it ends all the same.
        QTRY_COMPARE_WITH_TIMEOUT(othersBeside(keeper, other, "jobs/"), 0U, 10'000);
        QVERIFY(run(keeper.release(other, {})));
        run(leases->close());
        leases->end();
    }

    void aReleaseWhoseAnswerWasLost() {
        LossyPort port(*m_driver);
        const auto leases = std::make_shared<EtcdLeases>(port);
        EtcdLease recipe({port, "jobs", leases});
        const Grant first = *taken(recipe);
        port.loseAnswers = true;
        QCOMPARE(run(recipe.release(first, {})).value(),
                 0); // the second copy found nothing, and it was ours all the same
        port.loseAnswers = false;
        const Grant second = *taken(recipe);
        // The first copy may come late: it must not find a key of ours.
        QVERIFY(second.value != first.value);
        QCOMPARE(run(recipe.release(second, {})).value(), 0);
        QVERIFY(run(recipe.release(second, {})).error().kind == ErrorKind::NotOwner);
        run(leases->close());
        leases->end();
    }
    void closingGoesOnWhenTheConnectionGoes() {
        auto connection = makeConnection(m_runtime, urlOf(m_server));
        std::vector<std::unique_ptr<recipes::Recipe>> made; // two TTLs, two leases to give back
        for (const Nanos lease : {20s, 30s}) {
            made.push_back(*connection->makeRecipe("etcd-lease", {"jobs-" + QByteArray::number(lease / 1s)}));
            QVERIFY(run(made.back()->acquire(kept(0s, lease), {})).value());
        }
        QCOMPARE(leaseCount(m_server), 2);
        made.clear();
        m_server.pause();
        run(m_runtime.sleep(20ms)); // until all its threads stand still
        const auto closed = beside(connection->close());
        QVERIFY(!closed->done);
        connection.reset();
        m_server.resume();
        QVERIFY(ends(closed, 10s));
        QVERIFY(closed->result && *closed->result);
        QCOMPARE(leaseCount(m_server), 0);
    }
    void closingTheConnectionGivesTheLeaseBack() {
        const auto connection = makeConnection(m_runtime, urlOf(m_server));
        QVERIFY(run(connection->open()));
        LockOptions options;
        DistributedLock lock({m_runtime, connection->client()}, *connection->makeRecipe("etcd-lease", {"jobs"}),
                             options);
        QVERIFY(run(lock.lock()).value());
        QCOMPARE(run(lock.unlock()).value(), 0);
        QCOMPARE(leaseCount(m_server), 1);
        QVERIFY(run(connection->close()));
        QCOMPARE(leaseCount(m_server), 0);
    }

private:
    static std::optional<Grant> taken(EtcdLease& recipe, Nanos wait = 10s, Nanos lease = 30s) {
        auto grant = run(recipe.acquire(kept(wait, lease), {}));
        if (!grant) qWarning("%s", qPrintable(grant.error().message));
        return grant ? *grant : std::nullopt;
    }
    std::unique_ptr<DistributedLock> lockOf(const QByteArray& name, Nanos lease, Nanos watchdog) {
        LockOptions options;
        options.lease = lease;
        options.watchdog = watchdog;
        return std::make_unique<DistributedLock>(
            LockClient{m_runtime, "c"}, std::make_unique<EtcdLease>(recipes::EtcdLock{*m_driver, name, m_leases}),
            options);
    }
    /// How many keys are there while this hold is kept.
    std::size_t othersBeside(EtcdLease& recipe, const Grant& grant, const QByteArray& prefix) {
        const auto renewed = run(recipe.renew(grant, {}));
        if (!renewed || !*renewed) return 1000; // it was lost itself
        return keysUnder(*m_driver, prefix).size();
    }
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
    std::unique_ptr<EtcdDriver> m_driver;
    std::shared_ptr<EtcdLeases> m_leases;
};

QTEST_GUILESS_MAIN(TestEtcdSharedLeases)
#include "tst_etcd_shared_leases.moc"
