// SPDX-License-Identifier: Apache-2.0
#include "pretend_etcd.h"
#include "recipes/etcd/etcd_lease.h"
#include "runtime/virtual_runtime.h"
#include "support/live.h"

using namespace lockscope;
using namespace lockscope::test;
using etcd::Transaction;
using recipes::EtcdLease;
using recipes::EtcdLeases;
using recipes::Grant;
using recipes::Request;
using tests::PretendEtcd;

namespace {

constexpr Nanos kLease = 2s;

/// One process with locks that share a lease, and its etcd, in virtual time.
struct World {
    VirtualScheduler scheduler;
    VirtualRuntime runtime{scheduler, 7};
    PretendEtcd server{runtime};
    std::shared_ptr<EtcdLeases> leases = std::make_shared<EtcdLeases>(server);
    std::vector<std::unique_ptr<EtcdLease>> recipes;

    World() = default;
    ~World() {
        leases->end();
        runtime.kill(); // while all that its coroutines use is there
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    EtcdLease& ours(const QByteArray& name) {
        return *recipes.emplace_back(std::make_unique<EtcdLease>(recipes::EtcdLock{server, name, leases}));
    }
    /// Somebody else's, under a lease of its own.
    EtcdLease& strangers(const QByteArray& name) {
        return *recipes.emplace_back(std::make_unique<EtcdLease>(recipes::EtcdLock{server, name}));
    }
    void pass(Nanos time) { scheduler.runUntil(scheduler.now() + time); }
    /// True when it is so by then.
    template <typename Condition>
    bool comesTrue(Condition condition, Nanos within) {
        const Nanos end = scheduler.now() + within;
        while (!condition() && scheduler.now() < end)
            pass(10ms);
        return condition();
    }
    /// Lets it run to its end.
    template <typename T>
    T ended(QCoro::Task<T> task) {
        const auto ending = beside(std::move(task));
        if (!comesTrue([&] { return ending->done; }, 100s)) qFatal("it does not end");
        return *ending->result;
    }
    Grant taken(EtcdLease& recipe, bool kept = true, Nanos lease = kLease) {
        const auto grant = ended(recipe.acquire(asked(kept, 0s, lease), {}));
        if (!grant || !*grant) qFatal("not taken");
        return **grant;
    }
    static Request asked(bool kept, Nanos wait, Nanos lease = kLease) {
        Request request;
        request.wait = wait;
        request.lease = lease;
        request.kept = kept;
        return request;
    }
    /// Renews it from now on.
    void keep(EtcdLease& recipe, const Grant& grant) {
        runtime.spawn([this, &recipe, grant] { return renewing(this, &recipe, grant); });
    }
    /// Takes and releases one from now on, and renews nothing.
    void takeAndRelease(EtcdLease& recipe) {
        runtime.spawn([this, &recipe] { return taking(this, &recipe); });
    }
    std::size_t count(const QByteArray& prefix) { return server.keysUnder(prefix).size(); }
    int renewals = 0, losses = 0, turns = 0;

private:
    static QCoro::Task<> renewing(World* world, EtcdLease* recipe, Grant grant) {
        for (;;) {
            co_await world->runtime.sleep(200ms);
            const auto kept = co_await recipe->renew(grant, {});
            ++(kept && *kept ? world->renewals : world->losses);
        }
    }
    static QCoro::Task<> taking(World* world, EtcdLease* recipe) {
        const Request request = asked(true, 0s);
        for (;;) {
            const auto grant = co_await recipe->acquire(request, {});
            if (grant && *grant) {
                ++world->turns;
                co_await recipe->release(**grant, {});
            }
            co_await world->runtime.sleep(200ms);
        }
    }
};

/// A transaction that can put a key of this lock.
bool takes(const Transaction& transaction, const QByteArray& prefix) {
    return std::ranges::any_of(transaction.then, [&](const etcd::Operation& one) {
        return one.kind == etcd::Operation::Kind::Put && one.range.key.startsWith(prefix);
    });
}

} // namespace

/// Keys under a shared lease when answers are slow or strange and owners are gone, over more time than a test with a
/// real server has.
class TestEtcdLeaseTime : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // --- one that nobody keeps any more, of a process that renews nothing, and keeps its lease all the same ---
    void abandonedBesideAWaiter() {
        World world;
        world.taken(world.strangers("busy"), false, 1000s);
        world.taken(world.ours("one")); // and its owner is never heard of again
        const auto waiting = beside(world.ours("busy").acquire(World::asked(true, kNever), {}));
        world.pass(1900ms);
        QCOMPARE(world.count("one/"), 1U);
        world.pass(3s);
        QCOMPARE(world.count("one/"), 0U);
        QCOMPARE(world.count("busy/"), 2U); // who waits is heard of
        QVERIFY(!waiting->done);
    }
    void abandonedBesideShortOnes() {
        World world;
        world.taken(world.ours("one"));
        world.takeAndRelease(world.ours("short"));
        world.pass(1900ms);
        QCOMPARE(world.count("one/"), 1U);
        world.pass(3s);
        QCOMPARE(world.count("one/"), 0U);
        QVERIFY(world.turns > 10);
        QCOMPARE(world.server.leaseCount(), 1U); // and that is kept
    }

    void stoppedAtEachCallItLeavesNothing_data() {
        QTest::addColumn<bool>("contended");
        QTest::addColumn<int>("fewest");
        QTest::newRow("alone") << false << 1;
        QTest::newRow("waiting") << true << 6;
    }
    void stoppedAtEachCallItLeavesNothing() {
        // Under a lease that another lock keeps, so that no end of it helps.
        QFETCH(bool, contended);
        QFETCH(int, fewest);
        int struck = 0;
        for (bool through = false; !through; struck += !through) {
            World world;
            EtcdLease& other = world.ours("other");
            world.keep(other, world.taken(other));
            if (contended) world.taken(world.strangers("jobs"), false, 1000s);
            std::stop_source stop;
            int calls = 0;
            const auto strike = [&] { // after the call was sent, before its answer can have come
                if (++calls == struck + 1) world.runtime.post([&] { stop.request_stop(); });
            };
            // Not at the other lock's renewals: all of this is over before the first.
            world.server.onCall = strike;
            EtcdLease& recipe = world.ours("jobs");
            const auto taking = beside(recipe.acquire(World::asked(true, 100ms), stop.get_token()));
            QVERIFY(world.comesTrue([&] { return taking->done; }, 1s));
            world.server.onCall = nullptr;
            through = calls < struck + 1;
            if (!taking->cancelled) { // it was through before the stop arrived
                QVERIFY(taking->result && *taking->result);
                if (**taking->result) QVERIFY(world.ended(recipe.release(***taking->result, {})));
            }
            world.pass(20s); // whatever of it is seen to in the background
            QCOMPARE(world.count("jobs/"), contended ? 1U : 0U);
            QCOMPARE(world.server.leaseCount(), contended ? 2U : 1U);
            QCOMPARE(world.losses, 0);
        }
        QVERIFY2(struck >= fewest, qPrintable(QString::number(struck)));
    }

    // --- answers ---
    void aTakingWhoseAnswerIsNotAnEtcds() {
        World world;
        EtcdLease& other = world.ours("other");
        world.keep(other, world.taken(other));
        world.server.garbles = true;
        const auto taken = world.ended(world.ours("jobs").acquire(World::asked(true, 0s), {}));
        world.server.garbles = false;
        QVERIFY(!taken && taken.error().kind == LockError::Kind::OutcomeUnknown);
        world.pass(1s);
        QCOMPARE(world.count("jobs/"), 0U);
        QCOMPARE(world.losses, 0);
    }
    void aTakingThatIsSlowTwice() {
        // Each answer comes in time, both together take longer than a key is kept that nobody wants.
        World world;
        EtcdLease& other = world.ours("other");
        world.keep(other, world.taken(other));
        EtcdLease& before = world.strangers("jobs");
        const Grant held = world.taken(before, false, 60s);
        world.server.answersAfter = [](const Transaction& one) { return takes(one, "jobs/") ? Nanos(1900ms) : 1ms; };
        const auto taking = beside(world.ours("jobs").acquire(World::asked(true, 10s), {}));
        world.pass(100ms);
        world.ended(before.release(held, {})); // between the first, which finds it taken, and the second
        QVERIFY(world.comesTrue([&] { return taking->done; }, 10s));
        QVERIFY(taking->result && *taking->result && **taking->result);
        QCOMPARE(world.count("jobs/"), 1U);
        QCOMPARE(world.server.keysUnder("jobs/").at(0).createRevision, (**taking->result)->token);
    }
    void aTakingThatIsSlowerThanItsKeyLives() {
        World world;
        EtcdLease& other = world.ours("other");
        world.keep(other, world.taken(other));
        int asked = 0;
        world.server.answersAfter = [&](const Transaction& one) {
            return takes(one, "jobs/") && ++asked == 1 ? Nanos(3900ms) : 1ms;
        };
        const auto taking = beside(world.ours("jobs").acquire(World::asked(true, 10s), {}));
        QVERIFY(world.comesTrue([&] { return taking->done; }, 10s));
        QVERIFY(taking->result && *taking->result && **taking->result);
        QVERIFY(asked > 1); // the first came when its key was gone again
        QCOMPARE(world.count("jobs/"), 1U);
        QCOMPARE(world.server.keysUnder("jobs/").at(0).createRevision, (**taking->result)->token);
        QCOMPARE(world.losses, 0);
    }
    void aCopyThatComesWhenNobodyLooksForItAnyMore() {
        World world;
        EtcdLease& other = world.ours("other");
        world.keep(other, world.taken(other));
        EtcdLease& recipe = world.ours("jobs");
        world.server.repeats = true;
        const Grant grant = world.taken(recipe);
        world.server.repeats = false;
        const Transaction first = world.server.sentTwice.at(0);
        QVERIFY(world.ended(recipe.release(grant, {})));
        for (const Nanos later : {60s, 1000s}) {
            world.pass(later);
            QVERIFY(world.server.apply(first)->succeeded); // a member that stood still goes on
            QCOMPARE(world.count("jobs/"), 1U);
            world.pass(kLease + 1s);
            QCOMPARE(world.count("jobs/"), 0U);
        }
        QCOMPARE(world.losses, 0);
        QVERIFY(world.renewals > 4000);
    }
    void aWatchThatIsToldLateIsNotTrustedAlone() {
        World world;
        world.server.overtakesWatches = true;
        EtcdLease& holder = world.strangers("busy");
        const Grant grant = world.taken(holder, false, 1000s);
        const auto waiting = beside(world.ours("busy").acquire(World::asked(true, kNever), {}));
        world.pass(10ms);
        const Nanos begun = world.scheduler.now();
        const auto released = beside(holder.release(grant, {}));
        while (!waiting->done && world.scheduler.now() < begun + 90ms)
            world.pass(1ms);
        QVERIFY(released->done && waiting->done);
        QVERIFY(world.scheduler.now() - begun < 30ms);
    }
    void asksOnlyForAsLongAsAWatchCanBeLate() {
        int calls[2] = {};
        for (const bool overtaken : {false, true}) {
            World world;
            world.server.overtakesWatches = overtaken;
            world.server.onCall = [&] { ++calls[overtaken]; };
            world.taken(world.strangers("busy"), false, 1000s);
            const auto waiting = beside(world.ours("busy").acquire(World::asked(true, kNever), {}));
            world.pass(20s);
            QVERIFY(!waiting->done);
        }
        QVERIFY(calls[1] > calls[0] && calls[1] <= calls[0] + 7);
    }
    void closingInVainIsTold() {
        World world;
        world.taken(world.ours("short"));
        world.taken(world.ours("long"), true, 30s);
        world.server.away = true;
        const auto closed = world.ended(world.leases->close());
        QVERIFY(!closed && closed.error().kind == LockError::Kind::Unreachable);
        QCOMPARE(world.server.leaseCount(), 2U);
        world.pass(31s); // nobody keeps them any more
        QCOMPARE(world.server.leaseCount(), 0U);
    }
};

QTEST_GUILESS_MAIN(TestEtcdLeaseTime)
#include "tst_etcd_lease_time.moc"
