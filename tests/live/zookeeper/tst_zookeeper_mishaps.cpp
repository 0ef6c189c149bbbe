// SPDX-License-Identifier: Apache-2.0
#include "fault_proxy.h"
#include "meddling_port.h"
#include "recipes/zookeeper/zk_condition.h"
#include "zookeeper_client.h"

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using zookeeper::NodeMode;
using Kind = LockError::Kind;
using Trouble = zookeeper::Error::Kind;

/// Mishaps between two steps of a recipe, each at its own moment.
class TestZooKeeperMishaps : public QObject {
    Q_OBJECT
private:
    QByteArray fresh() { return "lock" + QByteArray::number(++m_names); }
    static std::unique_ptr<Recipe> over(MeddlingPort& port, const QByteArray& id, const QByteArray& name) {
        return makeZooKeeperRecipe(id, {port, lockPath(name).value(), "m", 1});
    }
    static Mode modeOf(const QByteArray& id) { return id == "zk-semaphore" ? Mode::Permit : Mode::Exclusive; }
    bool watched(const QByteArray& path) { return run(m_server.ask("wchp")).contains(path + '\n'); }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() { m_server.resume(); }

    void writerThatGoesOnReadingKeepsTheNextWriterOut() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe("zk-rw", name), theirs = b.recipe("zk-rw", name);
        const auto writing = take(*ours);
        VERIFY_OK(writing);
        const auto next = begin(m_runtime, *theirs);
        QVERIFY(eventually([&] { return watched((*writing)->value); })); // it waits for the writer alone
        const auto reading = take(*ours, request(1s, "1", Mode::Shared));
        VERIFY_OK(reading);
        QCOMPARE(run(ours->release(**writing, {})).value(), 0);
        QVERIFY(eventually([&] { return next->done || watched((*reading)->value); }));
        QVERIFY(!next->done);
        QCOMPARE(run(ours->release(**reading, {})).value(), 0);
        QVERIFY(eventually([&] { return next->done; }));
        VERIFY_OK(next->taken);
        QCOMPARE(run(theirs->release(**next->taken, {})).value(), 0);
    }

    void writerThatAsksToReadAsItsSessionEndsLeavesNothing() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a", 900ms), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe("zk-rw", name);
        VERIFY_OK(take(*ours));
        proxy.deaf = true;
        proxy.cutAll();
        QVERIFY(eventually([&] { return a.driver.session().state == zookeeper::Session::State::Suspended; }));
        const auto reading = begin(m_runtime, *ours, request(kNever, "1", Mode::Shared));
        QVERIFY(eventually([&] { return a.driver.session().generation == 2; }));
        QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 0; }));
        proxy.deaf = false;
        proxy.cutAll(); // the next session comes while it still asks
        QVERIFY(eventually([&] { return reading->done; }));
        QVERIFY(!reading->taken);
        VERIFY_OK(run(a.driver.sync("/")));
        QCOMPARE(ephemerals(b.driver, '/' + name), 0);
    }

    void placeThatSomebodyWroteIntoIsWatchedAgain() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh(), path = '/' + name;
        const auto holder = a.recipe("zk-mutex", name), waiter = b.recipe("zk-mutex", name);
        const auto held = take(*holder);
        VERIFY_OK(held);
        const auto waiting = begin(m_runtime, *waiter);
        QByteArray place;
        QVERIFY(eventually([&] {
            for (const QByteArray& child : childrenOf(a.driver, path))
                if (zookeeper::childOf(path, child) != (*held)->value) place = zookeeper::childOf(path, child);
            return !place.isEmpty() && watched(place);
        }));
        VERIFY_OK(run(a.driver.set(place, "asked to leave"))); // as Curator's Revoker does
        VERIFY_OK(run(b.driver.sync("/")));
        VERIFY_OK(run(a.driver.remove(place)));
        QCOMPARE(run(holder->release(**held, {})).value(), 0);
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        QVERIFY(run(a.driver.exists((*waiting->taken)->value)).value()); // a hold has a node
        QCOMPARE(run(waiter->release(**waiting->taken, {})).value(), 0);
    }

    void placeRemovedBeforeItIsWatchedIsNoTurn() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh(), path = '/' + name;
        const auto holder = a.recipe("zk-mutex", name);
        const auto held = take(*holder);
        VERIFY_OK(held);
        MeddlingPort port(b.driver);
        const auto waiter = over(port, "zk-mutex", name);
        int removed = 0;
        port.beforeExists = [&]() -> QCoro::Task<> {
            const auto list = co_await a.driver.children(path);
            for (const QByteArray& child : list->names) {
                const QByteArray node = zookeeper::childOf(path, child);
                if (node == (*held)->value) continue;
                const auto gone = co_await a.driver.remove(node);
                if (gone) ++removed;
            }
        };
        const auto waiting = begin(m_runtime, *waiter);
        QVERIFY(eventually([&] { return removed == 1 && watched((*held)->value); }));
        QCOMPARE(run(holder->release(**held, {})).value(), 0);
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        QVERIFY(run(a.driver.exists((*waiting->taken)->value)).value()); // a hold has a node
        QCOMPARE(run(waiter->release(**waiting->taken, {})).value(), 0);
    }

    void releaseAfterAForcedOneThatNobodyToldHarmsNobody() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe("zk-ephemeral", name), theirs = b.recipe("zk-ephemeral", name);
        const auto held = take(*ours);
        VERIFY_OK(held);
        QCOMPARE(run(theirs->forceRelease({})).value(), true);
        const auto next = take(*theirs, request(5s));
        VERIFY_OK(next);
        QVERIFY(run(ours->release(**held, {})).error().kind == Kind::NotOwner);
        QCOMPARE(ephemerals(b.driver, '/' + name), 1);
        QCOMPARE(run(theirs->release(**next, {})).value(), 0);
    }

    void removalThatComesInTheNextSessionHarmsNobody() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        MeddlingPort port(a.driver);
        const auto ours = over(port, "zk-ephemeral", name), theirs = b.recipe("zk-ephemeral", name);
        const auto held = take(*ours);
        VERIFY_OK(held);
        std::expected<std::optional<Grant>, LockError> next;
        // Between the look whose node it is and the removal.
        port.afterExists = [&]() -> QCoro::Task<> {
            port.inNextSession = true;
            const auto gone = co_await theirs->forceRelease({});
            if (gone) next = co_await theirs->acquire(request(5s), {});
        };
        QVERIFY(run(ours->release(**held, {})).error().kind == Kind::NotOwner);
        VERIFY_OK(next);
        QVERIFY(next->has_value());
        QCOMPARE(ephemerals(b.driver, '/' + name), 1);
        QCOMPARE(run(theirs->release(**next, {})).value(), 0);
    }

    void removalThatWaitsForTheNextSessionIsNotSent() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a", 900ms), b(m_runtime, m_server, "b");
        const QByteArray name = fresh(), path = '/' + name;
        const auto ours = a.recipe("zk-sequential", name), theirs = b.recipe("zk-sequential", name);
        const auto held = take(*ours);
        VERIFY_OK(held);
        proxy.deaf = true;
        proxy.cutAll();
        QVERIFY(eventually([&] { return a.driver.session().state == zookeeper::Session::State::Suspended; }));
        const auto releasing = beside(ours->release(**held, {}));
        QVERIFY(eventually([&] { return childrenOf(b.driver, path).empty(); }));
        VERIFY_OK(run(b.driver.remove(path))); // so that its numbers begin again, as when an empty container goes
        const auto next = take(*theirs, request(5s));
        VERIFY_OK(next);
        QCOMPARE((*next)->value, (*held)->value);
        proxy.deaf = false;
        proxy.cutAll();
        QVERIFY(ends(releasing, 10s));
        QVERIFY(releasing->result->error().kind == Kind::NotOwner);
        VERIFY_OK(run(a.driver.sync("/")));
        QVERIFY(run(b.driver.exists((*next)->value)).value());
        QCOMPARE(run(theirs->release(**next, {})).value(), 0);
    }

    void nodeOfThePreviousSessionIsNoGrant() {
        Client a(m_runtime, m_server, "a"), before(m_runtime, m_server, "a");
        const QByteArray name = fresh();
        MeddlingPort port(a.driver);
        const auto recipe = over(port, "zk-ephemeral", name);
        port.createsThrough = &before.driver;
        const auto taken = take(*recipe, request(300ms));
        VERIFY_OK(taken);
        QVERIFY(!taken->has_value()); // it ends with that session, whatever becomes of ours
        QCOMPARE(port.createsThrough, nullptr);
    }

    void timedTriesEndInTimeWhenTheServerHangs() {
        constexpr std::array kIds{"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"};
        Client b(m_runtime, m_server, "b");
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        std::vector<QByteArray> names;
        for (const char* id : kIds) {
            names.push_back(fresh());
            clients.push_back(std::make_unique<Client>(m_runtime, m_server, "a", 20s));
            recipes.push_back(clients.back()->recipe(id, names.back()));
            const auto first = take(*recipes.back(), request(5s, "1", modeOf(id))); // it knows its queue
            VERIFY_OK(first);
            QCOMPARE(run(recipes.back()->release(**first, {})).value(), 0);
        }
        VERIFY_OK(run(b.driver.connected()));
        pauseWholly(m_server);
        for (const Nanos wait : {Nanos(0), Nanos(300ms)}) {
            const Nanos begun = m_runtime.monotonic();
            std::vector<std::shared_ptr<TakeEnding>> tries;
            for (std::size_t i = 0; i < kIds.size(); ++i)
                tries.push_back(begin(m_runtime, *recipes[i], request(wait, "1", modeOf(kIds[i]))));
            for (std::size_t i = 0; i < kIds.size(); ++i) {
                QVERIFY2(eventually([&] { return tries[i]->done; }), kIds[i]);
                QVERIFY2(!tries[i]->cancelled, kIds[i]);
                QVERIFY2(!tries[i]->taken, kIds[i]); // silence does not say that somebody else has it
                QVERIFY2(tries[i]->taken.error().kind == LockError::Kind::OutcomeUnknown, kIds[i]);
                QVERIFY2(tries[i]->at - begun < wait + 2s, kIds[i]); // the sessions go on
            }
        }
        m_server.resume();
        for (const QByteArray& name : names) // what the server has done since is taken back
            QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 0; }));
        for (const auto& client : clients)
            VERIFY_OK(run(client->driver.sync("/")));
        for (const QByteArray& name : names)
            QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 0; }));
    }

    void permitsThatAreGivenUpTogetherTakeTheTimeOfOne() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a", 20s), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe("zk-semaphore", name, 10), theirs = b.recipe("zk-semaphore", name, 10);
        const auto one = take(*theirs, request(5s, "1", Mode::Permit, 1));
        VERIFY_OK(one);
        VERIFY_OK(run(a.driver.connected()));
        const Nanos begun = m_runtime.monotonic();
        const auto asking = begin(m_runtime, *ours, request(1s, "1", Mode::Permit, 10));
        QVERIFY(eventually([&] { return childrenOf(b.driver, '/' + name + "/leases").size() == 11; }));
        proxy.deaf = true;
        QVERIFY(eventually([&] { return asking->done; }, 20s));
        QVERIFY(!asking->taken);
        QVERIFY(asking->taken.error().kind == LockError::Kind::OutcomeUnknown);
        QVERIFY(asking->at - begun < 4s);
        proxy.deaf = false;
        proxy.cutAll();
        QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 1; })); // the other's
        QCOMPARE(run(theirs->release(**one, {})).value(), 0);
    }

    void signalOfAWaiterThatGivesUpUnheardIsPassedOn() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        VERIFY_OK(run(b.driver.makeContainers('/' + name)));
        MeddlingPort port(a.driver);
        ZkCondition waiters(ZkLock{port, lockPath(name).value(), "a"});
        ZkCondition signaller(ZkLock{b.driver, lockPath(name).value(), "b"});
        VERIFY_OK(run(waiters.enlist("1", {})));
        VERIFY_OK(run(waiters.enlist("2", {})));
        std::stop_source stop;
        const auto first = beside(waiters.awaitSignal("1", kNever, stop.get_token()));
        const auto second = beside(waiters.awaitSignal("2", kNever, {}));
        int signalled = 0;
        port.atRemoval = [&]() -> QCoro::Task<> { // as the first waiter withdraws
            const auto woken = co_await signaller.signal(1, {});
            signalled = woken.value_or(-1);
        };
        stop.request_stop();
        QVERIFY(ends(first, 5s));
        QCOMPARE(first->cancelled, std::optional(Cancelled::Why::Stopped));
        QCOMPARE(signalled, 1);
        QVERIFY(ends(second, 5s));
        QCOMPARE(second->result->value(), true);
    }

    void signalOfAWaiterThatFailsIsPassedOn() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        VERIFY_OK(run(b.driver.makeContainers('/' + name)));
        MeddlingPort port(a.driver);
        ZkCondition waiters(ZkLock{port, lockPath(name).value(), "a"});
        ZkCondition signaller(ZkLock{b.driver, lockPath(name).value(), "b"});
        VERIFY_OK(run(waiters.enlist("1", {})));
        VERIFY_OK(run(waiters.enlist("2", {})));
        int signalled = 0;
        port.atRemoval = [&]() -> QCoro::Task<> { // as the first waiter withdraws
            const auto woken = co_await signaller.signal(1, {});
            signalled = woken.value_or(-1);
        };
        port.lookFails = Trouble::NoAuth;
        QVERIFY(run(waiters.awaitSignal("1", kNever, {})).error().kind == Kind::Refused);
        QCOMPARE(signalled, 1);
        const auto second = beside(waiters.awaitSignal("2", kNever, {}));
        QVERIFY(ends(second, 5s));
        QCOMPARE(second->result->value(), true);
    }

    void waiterThatIsStoppedAsItEntersLeavesNothing() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        VERIFY_OK(run(b.driver.makeContainers('/' + name)));
        MeddlingPort port(a.driver);
        ZkCondition waiters(ZkLock{port, lockPath(name).value(), "a"});
        ZkCondition others(ZkLock{b.driver, lockPath(name).value(), "a"});
        VERIFY_OK(run(others.enlist("1", {}))); // of the same name and thread, and nobody else's all the same
        std::stop_source stop;
        port.loseCreation = true;
        port.lagging = true;
        port.atSync = [&] { stop.request_stop(); };
        const auto entering = beside(waiters.enlist("1", stop.get_token()));
        QVERIFY(ends(entering, 5s));
        QCOMPARE(entering->cancelled, std::optional(Cancelled::Why::Stopped));
        QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 1; }));
        VERIFY_OK(run(a.driver.sync("/")));
        const auto other = beside(others.awaitSignal("1", kNever, {}));
        QCOMPARE(run(waiters.signal(1, {})).value(), 1);
        QVERIFY(ends(other, 5s));
        QCOMPARE(other->result->value(), true);
    }

    void waitsForASignalEndInTimeWhenTheServerHangs() {
        Client a(m_runtime, m_server, "a", 20s), b(m_runtime, m_server, "b", 20s);
        const QByteArray name = fresh();
        VERIFY_OK(run(b.driver.makeContainers('/' + name)));
        ZkCondition waiters(ZkLock{a.driver, lockPath(name).value(), "a"});
        VERIFY_OK(run(waiters.enlist("1", {})));
        pauseWholly(m_server);
        const Nanos begun = m_runtime.monotonic();
        const auto waiting = beside(waiters.awaitSignal("1", 300ms, {}));
        QVERIFY(ends(waiting, 10s));
        QCOMPARE(waiting->result->value(), false);
        QVERIFY(m_runtime.monotonic() - begun < 4s); // the session goes on
        m_server.resume();
        QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 0; }));
    }

    void nothingIsAskedOnceTheSessionHasEnded() {
        Client a(m_runtime, m_server, "a");
        MeddlingPort port(a.driver);
        const auto recipe = over(port, "zk-mutex", fresh());
        const auto held = take(*recipe);
        VERIFY_OK(held);
        port.removalEndsSession = true; // its driver may be gone by then
        QVERIFY(run(recipe->release(**held, {})).error().kind == Kind::NotOwner);
        QCOMPARE(port.usedAfterEnd, 0);
    }

    void driverMayGoDuringARelease_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"})
            QTest::newRow(id) << QByteArray(id);
    }
    void driverMayGoDuringARelease() {
        QFETCH(QByteArray, id);
        auto client = std::make_unique<Client>(m_runtime, m_server, "a", 1s);
        const QByteArray name = fresh();
        const auto recipe = client->recipe(id, name);
        const auto held = take(*recipe, request(kNever, "1", id == "zk-semaphore" ? Mode::Permit : Mode::Exclusive));
        VERIFY_OK(held);
        auto releasing = recipe->release(**held, {});
        client.reset();
        QVERIFY(run(std::move(releasing)).error().kind == Kind::NotOwner);
        Client b(m_runtime, m_server, "b");
        QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 0; })); // gone with its session
    }

    void ownNodeThatNobodyHeardOfIsTakenAway_data() {
        QTest::addColumn<QByteArray>("mishap");
        for (const char* mishap : {"out of time", "unreachable", "stopped as it looks", "stopped as it creates"})
            QTest::newRow(mishap) << QByteArray(mishap);
    }
    void ownNodeThatNobodyHeardOfIsTakenAway() {
        QFETCH(QByteArray, mishap);
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        MeddlingPort port(a.driver);
        const auto recipe = over(port, "zk-ephemeral", name);
        std::stop_source stop;
        const bool stops = mishap.startsWith("stopped");
        port.loseCreation = mishap != "stopped as it creates";
        port.stopInCreation = !port.loseCreation;
        if (mishap == "out of time") port.lookFails = Trouble::ConnectionLoss;
        if (mishap == "unreachable") port.lookFails = Trouble::Unreachable;
        if (mishap == "stopped as it looks") port.atLook = [&] { stop.request_stop(); };
        const auto ending = begin(m_runtime, *recipe, request(stops ? kNever : Nanos(0)), stop.get_token());
        QVERIFY(eventually([&] { return ending->done; }));
        QCOMPARE(ending->cancelled.has_value(), stops);
        if (!stops) QVERIFY(!ending->taken || !*ending->taken);
        QCOMPARE(ephemerals(b.driver, '/' + name), 0);
    }

    void orphanIsSweptAlsoWhereTheServerLagsBehind_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::newRow("queue") << QByteArray("zk-mutex");
        QTest::newRow("queue of plain names") << QByteArray("zk-sequential");
        QTest::newRow("one node") << QByteArray("zk-ephemeral");
    }
    void orphanIsSweptAlsoWhereTheServerLagsBehind() {
        QFETCH(QByteArray, id);
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        MeddlingPort port(a.driver);
        const auto recipe = over(port, id, name);
        const auto first = take(*recipe); // so that the path is there
        VERIFY_OK(first);
        QCOMPARE(run(recipe->release(**first, {})).value(), 0);
        std::stop_source stop;
        port.loseCreation = true;
        const auto lag = [&] {
            stop.request_stop();
            port.lagging = true;
        };
        if (id != "zk-ephemeral") port.atSync = [&] { stop.request_stop(); };
        if (id == "zk-ephemeral") port.atLook = lag;
        const auto ending = begin(m_runtime, *recipe, request(), stop.get_token());
        port.lagging = true;
        QVERIFY(eventually([&] { return ending->done; }));
        QCOMPARE(ending->cancelled, std::optional(Cancelled::Why::Stopped));
        QCOMPARE(ephemerals(b.driver, '/' + name), 0);
    }

    void serverThatComesBackAfterTheSessionsEndIsWaitedFor() {
        ZooKeeperServer server(m_runtime);
        VERIFY_STARTED(server);
        zookeeper::DriverOptions options = sessionOf(1s);
        options.connect = 300ms;
        ZooKeeperDriver driver(m_runtime, urlOf(server.url()), options);
        VERIFY_OK(run(driver.connected()));
        std::vector<std::unique_ptr<Recipe>> recipes;
        std::vector<Request> wishes;
        for (const char* id : {"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"}) {
            recipes.push_back(makeZooKeeperRecipe(id, {driver, lockPath(id).value(), "a", 1}));
            const bool permits = QByteArray(id) == "zk-semaphore";
            wishes.push_back(request(60s, "1", permits ? Mode::Permit : Mode::Exclusive));
        }
        const std::uint64_t before = driver.session().generation;
        server.kill();
        QVERIFY(eventually([&] { return driver.session().generation != before; }, 30s));
        std::vector<std::shared_ptr<TakeEnding>> waiting;
        for (std::size_t i = 0; i < recipes.size(); ++i)
            waiting.push_back(begin(m_runtime, *recipes[i], wishes[i]));
        for (std::size_t i = 0; i < recipes.size(); ++i) {
            Request shorter = wishes[i];
            shorter.thread = "2";
            shorter.wait = i == 0 ? Nanos(1s) : Nanos(0);
            const Taken late = take(*recipes[i], shorter);
            QVERIFY(!late && late.error().kind == Kind::Unreachable); // and not: somebody else has it
        }
        for (const auto& one : waiting)
            QVERIFY2(!one->done, "gave up with nearly all of its time left");
        VERIFY_STARTED(server);
        for (std::size_t i = 0; i < recipes.size(); ++i) {
            QVERIFY(eventually([&] { return waiting[i]->done; }, 30s));
            VERIFY_OK(waiting[i]->taken);
            QVERIFY(*waiting[i]->taken);
            VERIFY_OK(run(recipes[i]->release(**waiting[i]->taken, {})));
        }
    }

    void requestThatIsNotSentDisturbsNoOther() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()), sessionOf(5s));
        VERIFY_OK(run(driver.create("/sent", {}, NodeMode::Ephemeral)));
        const std::uint64_t before = driver.requestsSent();
        auto removing = driver.remove("/sent");
        const auto refused = run(driver.create("/unsent", {}, NodeMode::Ttl, Nanos(0))); // the C client wants more
        QVERIFY(refused.error().kind == Trouble::BadArguments);
        VERIFY_OK(run(std::move(removing)));
        QCOMPARE(driver.requestsSent(), before + 1);
    }

    void closingBlocksNobodyWhenTheServerHangs() {
        ZooKeeperDriver driver(m_runtime, urlOf(m_server.url()), sessionOf(20s));
        VERIFY_OK(run(driver.connected()));
        m_server.pause();
        pass(50ms); // all of its threads
        Nanos longest{}, last = m_runtime.monotonic();
        const auto look = [&] {
            const Nanos now = m_runtime.monotonic();
            longest = std::max(longest, now - std::exchange(last, now));
        };
        QTimer beat;
        QObject::connect(&beat, &QTimer::timeout, this, look);
        beat.start(5);
        run(driver.close());
        look();
        m_server.resume();
        QVERIFY2(longest < 1s, qPrintable(QString::number(longest.count())));
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    int m_names = 0;
};

QTEST_GUILESS_MAIN(TestZooKeeperMishaps)
#include "tst_zookeeper_mishaps.moc"
