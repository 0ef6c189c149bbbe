// SPDX-License-Identifier: Apache-2.0
#include "fault_proxy.h"
#include "recipes/zookeeper/zk_condition.h"
#include "zookeeper_client.h"

#include <array>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using zookeeper::NodeMode;
using Kind = LockError::Kind;

namespace {
constexpr std::array kRecipes{"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"};

Mode modeOf(const QByteArray& id) {
    return id == "zk-semaphore" ? Mode::Permit : Mode::Exclusive;
}

/// One that holds, over a connection of its own that goes wrong, and another that comes after it.
struct Rivals {
    Rivals(Runtime& runtime, const ZooKeeperServer& server, const char* recipe, const QByteArray& lock)
        : id(recipe),
          proxy(runtime, server.port()),
          a(runtime, proxy.url(), "a"),
          b(runtime, server, "b"),
          ours(a.recipe(id, lock)),
          theirs(b.recipe(id, lock)) {}
    Request wish(Nanos wait = kNever) const { return request(wait, "1", modeOf(id)); }
    const char* id;
    FaultProxy proxy;
    Client a, b;
    std::unique_ptr<Recipe> ours, theirs;
    Taken held, next;
};

std::vector<zookeeper::Port::Reply<void>> syncs(const std::vector<std::unique_ptr<Rivals>>& all) {
    std::vector<zookeeper::Port::Reply<void>> begun;
    for (const auto& rivals : all)
        begun.push_back(rivals->a.driver.sync("/"));
    return begun;
}
} // namespace

class TestZooKeeperLockFaults : public QObject {
    Q_OBJECT
private:
    QByteArray fresh() { return "lock" + QByteArray::number(++m_names); }
    HoldNews nextNews(Recipe& recipe, const Grant& grant) { return run(recipe.news(grant, {})).value(); }
    /// The news that a hold is lost; the latest ones when it was not in time.
    QCoro::Task<HoldNews> lossOf(Recipe& recipe, Grant grant) {
        const Nanos end = m_runtime.monotonic() + 10s;
        HoldNews news;
        while (news.kind != HoldNews::Kind::Lost && m_runtime.monotonic() < end) {
            const auto next = co_await recipe.news(grant, {});
            news = next.value();
        }
        co_return news;
    }
    /// Somebody waits for what becomes of that node.
    bool watched(const QByteArray& path) { return run(m_server.ask("wchp")).contains(path + '\n'); }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() {
        m_server.resume();
        if (!m_server.running()) VERIFY_STARTED(m_server);
    }

    void lostReplyIsFoundAgain_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<bool>("kazoo");
        for (const char* id : kRecipes)
            QTest::newRow(id) << QByteArray(id) << false;
        QTest::newRow("zk-mutex as kazoo") << QByteArray("zk-mutex") << true;
        QTest::newRow("zk-rw as kazoo") << QByteArray("zk-rw") << true;
    }
    void lostReplyIsFoundAgain() {
        QFETCH(QByteArray, id);
        QFETCH(bool, kazoo);
        const Mode mode = modeOf(id);
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a");
        if (kazoo) a.layout = zookeeper::Layout::Kazoo;
        const QByteArray name = fresh();
        const auto recipe = a.recipe(id, name);
        const auto first = take(*recipe, request(kNever, "1", mode)); // so that the path is there
        VERIFY_OK(first);
        run(recipe->release(**first, {}));
        QVERIFY(eventually([&] { return ephemerals(a.driver, '/' + name) == 0; }));
        proxy.fault = FaultProxy::Fault::LoseAnswer; // that of the creation: it is what is asked first
        const auto held = take(*recipe, request(kNever, "1", mode));
        VERIFY_OK(held);
        QVERIFY(held.value());
        QCOMPARE(proxy.connections, 2);
        QVERIFY(eventually([&] { return ephemerals(a.driver, '/' + name) == 1; }));
        QVERIFY((*held)->token > (*first)->token);
        QCOMPARE(run(recipe->release(**held, {})).value(), 0);
        QCOMPARE(ephemerals(a.driver, '/' + name), 0);
    }
    void lostReplyIsFoundAgainAmongNamesLikeIt() {
        FaultProxy proxy(m_runtime, m_server.port());
        const QByteArray name = fresh(), path = '/' + name;
        Client a(m_runtime, proxy.url(), "twin"), b(m_runtime, m_server, "b");
        VERIFY_OK(run(b.driver.makeContainers(path)));
        std::vector<QByteArray> before;
        for (int i = 0; i < 10; ++i) { // of the same client's name: only what else a node contains tells whose it is
            const auto made = run(b.driver.create(path + "/lock-", "lockscope:twin:1:" + QByteArray::number(i),
                                                  NodeMode::EphemeralSequential));
            QVERIFY(made.has_value());
            before.push_back(made->path);
        }
        const auto recipe = a.recipe("zk-sequential", name);
        QVERIFY(!take(*recipe, request(Nanos(0))).value()); // it knows whose queue that is: next it creates
        proxy.fault = FaultProxy::Fault::LoseAnswer;
        const auto waiting = begin(m_runtime, *recipe);
        QVERIFY(eventually([&] { return watched(before.back()); }));
        QCOMPARE(proxy.connections, 2);
        QCOMPARE(childrenOf(b.driver, path).size(), 11u);
        for (const QByteArray& node : before) {
            QVERIFY(!waiting->done);
            VERIFY_OK(run(b.driver.remove(node)));
        }
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        QCOMPARE(run(recipe->release(**waiting->taken, {})).value(), 0);
        QCOMPARE(ephemerals(b.driver, path), 0);
    }
    void suspendedInsideTheSessionIsNotLost() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto recipe = a.recipe("zk-mutex", name), other = b.recipe("zk-mutex", name);
        const auto held = take(*recipe);
        auto listening = recipe->news(**held, {});
        pass(100ms);
        proxy.cutAll();
        HoldNews news = run(std::move(listening)).value();
        while (news.kind == HoldNews::Kind::Kept)
            news = nextNews(*recipe, **held);
        QVERIFY(news.kind == HoldNews::Kind::Suspended);
        QVERIFY(*news.reason);
        QVERIFY(nextNews(*recipe, **held).kind == HoldNews::Kind::Kept);
        QVERIFY(!take(*other, request(100ms)).value());
        QCOMPARE(run(recipe->release(**held, {})).value(), 0);
    }
    void timedTriesEndInTimeWithoutAServer() {
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        for (const char* id : kRecipes) {
            clients.push_back(std::make_unique<Client>(m_runtime, m_server, "a", 20s));
            recipes.push_back(clients.back()->recipe(id, fresh()));
            VERIFY_OK(run(clients.back()->driver.connected()));
        }
        m_server.kill();
        const auto suspended = [](const auto& client) {
            return client->driver.session().state == zookeeper::Session::State::Suspended;
        };
        QVERIFY(eventually([&] { return std::ranges::all_of(clients, suspended); }));
        for (const Nanos wait : {Nanos(0), Nanos(300ms)}) {
            const Nanos begun = m_runtime.monotonic();
            std::vector<std::shared_ptr<TakeEnding>> tries;
            for (const auto& recipe : recipes)
                tries.push_back(begin(m_runtime, *recipe, request(wait, "1", modeOf(recipe->info().id))));
            for (std::size_t i = 0; i < tries.size(); ++i) {
                const char* const id = kRecipes[i];
                QVERIFY2(eventually([&] { return tries[i]->done; }), id);
                QVERIFY2(!tries[i]->taken && tries[i]->taken.error().kind == Kind::Unreachable, id);
                QVERIFY2(tries[i]->at - begun >= wait, id);
                QVERIFY2(tries[i]->at - begun < wait + 2s, id); // the sessions go on
            }
        }
    }
    void stoppedWhileDisconnectedIsTidiedUpLater() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, m_server, "a"), b(m_runtime, proxy.url(), "b", 8s);
        const QByteArray name = fresh();
        const auto holder = a.recipe("zk-mutex", name), waiter = b.recipe("zk-mutex", name);
        const auto held = take(*holder);
        std::stop_source stop;
        const auto waiting = begin(m_runtime, *waiter, request(), stop.get_token());
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2; }));
        proxy.deaf = true;
        stop.request_stop();
        QVERIFY(eventually([&] { return waiting->done; }, 3s));
        QCOMPARE(waiting->cancelled, std::optional(Cancelled::Why::Stopped));
        QCOMPARE(childrenOf(a.driver, '/' + name).size(), 2u);
        proxy.deaf = false;
        proxy.cutAll();
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 1; }));
        run(holder->release(**held, {}));
    }
    void killedHolderFreesInItsSessionTime() {
        const QByteArray name = fresh();
        Client b(m_runtime, m_server, "b");
        const auto other = b.recipe("zk-mutex", name);
        {
            EventLoopRuntime client;
            Client a(client, m_server, "a", 800ms);
            const auto recipe = a.recipe("zk-mutex", name);
            QVERIFY(take(*recipe).value());
            client.kill();
        }
        QVERIFY(!take(*other, request(Nanos(0))).value()); // a dead process does not end its session
        const auto taken = take(*other, request(10s));
        VERIFY_OK(taken);
        QVERIFY(taken.value());
        run(other->release(**taken, {}));
    }
    void releaseWithoutAConnectionIsDoneLater() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a", 5s), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto recipe = a.recipe("zk-mutex", name);
        const auto held = take(*recipe);
        proxy.fault = FaultProxy::Fault::LoseAnswer;
        const auto released = run(recipe->release(**held, {}));
        QVERIFY(released.error().kind == Kind::OutcomeUnknown);
        QVERIFY(eventually([&] { return childrenOf(b.driver, '/' + name).empty(); }));
        const auto again = take(*recipe, request(5s)); // nothing of the old hold is counted on
        VERIFY_OK(again);
        QCOMPARE((*again)->holds, 1);
        run(recipe->release(**again, {}));
    }
    void aSessionGivenUpEndsOnTheServerToo() {
        // Servers end sessions at the end of a tick: with long ones they count on, after the client has given up.
        sandbox::ZooKeeperServerOptions slow;
        slow.tick = 3s;
        ZooKeeperServer server(m_runtime, slow);
        VERIFY_STARTED(server);
        constexpr Nanos kSession = 6s;
        Client a(m_runtime, server, "a", kSession), b(m_runtime, server, "b", 30s);
        const QByteArray name = fresh();
        const auto recipe = a.recipe("zk-mutex", name), other = b.recipe("zk-mutex", name);
        const auto held = take(*recipe);
        VERIFY_OK(held);
        const auto waiting = begin(m_runtime, *other);
        QVERIFY(eventually([&] { return ephemerals(b.driver, '/' + name) == 2; }));
        pauseWholly(server);
        QVERIFY(run(lossOf(*recipe, **held)).kind == HoldNews::Kind::Lost);
        server.resume();
        const Nanos back = m_runtime.monotonic();
        QVERIFY(eventually([&] { return waiting->done; }, 20s));
        VERIFY_OK(waiting->taken);
        QVERIFY2(waiting->at - back < kSession / 2, QByteArray::number(double((waiting->at - back).count()) / 1e9));
        QCOMPARE(run(other->release(**waiting->taken, {})).value(), 0);
    }
    void ownNodeRemovedWhileWaitingMeansQueueingAnew() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto holder = a.recipe("zk-mutex", name), waiter = b.recipe("zk-mutex", name);
        const auto held = take(*holder);
        const auto waiting = begin(m_runtime, *waiter);
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2; }));
        pass(50ms);
        QByteArray waiters;
        for (const QByteArray& child : childrenOf(a.driver, '/' + name))
            if ('/' + name + '/' + child != (*held)->value) waiters = child;
        VERIFY_OK(run(a.driver.remove('/' + name + '/' + waiters)));
        QVERIFY(eventually([&] {
            const auto now = childrenOf(a.driver, '/' + name);
            return now.size() == 2 && std::ranges::find(now, waiters) == now.end();
        }));
        QVERIFY(!waiting->done);
        run(holder->release(**held, {}));
        QVERIFY(eventually([&] { return waiting->done; }));
        run(waiter->release(**waiting->taken, {}));
    }

    void lossHeardLateHarmsNobody() { // of each recipe, all at once
        std::vector<std::unique_ptr<Rivals>> all;
        std::vector<QCoro::Task<HoldNews>> losing;
        for (const char* id : kRecipes) {
            all.push_back(std::make_unique<Rivals>(m_runtime, m_server, id, fresh()));
            Rivals& rivals = *all.back();
            rivals.held = take(*rivals.ours, rivals.wish());
            VERIFY_OK(rivals.held);
            losing.push_back(lossOf(*rivals.ours, **rivals.held));
        }
        for (const auto& rivals : all)
            QVERIFY2(eventually([&] { return watched((*rivals->held)->value); }), rivals->id);
        for (const auto& rivals : all) {
            rivals->proxy.delay = 300ms;
            QCOMPARE(run(rivals->theirs->forceRelease({})).value(), true);
            rivals->next = take(*rivals->theirs, rivals->wish(5s));
            VERIFY_OK(rivals->next);
            QVERIFY2(rivals->next.value(), rivals->id);
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            Rivals& rivals = *all[i];
            QVERIFY2(run(std::move(losing[i])).kind == HoldNews::Kind::Lost, rivals.id);
            QVERIFY2(run(rivals.ours->release(**rivals.held, {})).error().kind == Kind::NotOwner, rivals.id);
        }
        auto behind = syncs(all); // whatever they did about that
        for (auto& sync : behind)
            VERIFY_OK(run(std::move(sync)));
        for (const auto& rivals : all)
            QCOMPARE(run(rivals->theirs->release(**rivals->next, {})).value(), 0);
    }
    void releaseWithoutAnAnswerHarmsNobody() { // of each recipe, all at once
        std::vector<std::unique_ptr<Rivals>> all;
        std::vector<std::shared_ptr<TakeEnding>> waiting;
        for (const char* id : kRecipes) {
            all.push_back(std::make_unique<Rivals>(m_runtime, m_server, id, fresh()));
            Rivals& rivals = *all.back();
            rivals.held = take(*rivals.ours, rivals.wish());
            VERIFY_OK(rivals.held);
            waiting.push_back(begin(m_runtime, *rivals.theirs, rivals.wish()));
        }
        std::vector<Outcome<int>> releasing;
        for (const auto& rivals : all) {
            rivals->proxy.delay = 300ms; // the next holder is there before the connection is back
            rivals->proxy.fault = FaultProxy::Fault::LoseAnswer;
            releasing.push_back(rivals->ours->release(**rivals->held, {}));
        }
        for (std::size_t i = 0; i < all.size(); ++i) {
            QVERIFY2(run(std::move(releasing[i])).error().kind == Kind::OutcomeUnknown, all[i]->id);
            QVERIFY2(eventually([&] { return waiting[i]->done; }), all[i]->id);
            VERIFY_OK(waiting[i]->taken);
        }
        for (const auto& rivals : all)
            VERIFY_OK(run(rivals->a.driver.connected()));
        for (int i = 0; i < 2; ++i) {
            auto behind = syncs(all);
            for (auto& sync : behind)
                VERIFY_OK(run(std::move(sync)));
        }
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(run(all[i]->theirs->release(**waiting[i]->taken, {})).value(), 0);
    }
    void nextHolderOfTheSameNameIsNotTakenForOurs() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe("zk-ephemeral", name), theirs = b.recipe("zk-ephemeral", name);
        const auto held = take(*ours);
        auto losing = lossOf(*ours, **held);
        QVERIFY(eventually([&] { return watched((*held)->value); }));
        proxy.deaf = true;
        QCOMPARE(run(theirs->forceRelease({})).value(), true);
        const auto next = take(*theirs, request(5s));
        VERIFY_OK(next);
        proxy.deaf = false;
        proxy.cutAll(); // and back in the same session, to a node of that name
        QVERIFY(run(std::move(losing)).kind == HoldNews::Kind::Lost);
        QCOMPARE(a.driver.session().generation, 1u);
        VERIFY_OK(run(a.driver.sync("/")));
        QCOMPARE(run(theirs->release(**next, {})).value(), 0);
    }

    void conditionWakesInOrder() {
        const QByteArray name = fresh();
        Client a(m_runtime, m_server, "a");
        const auto mutex = a.recipe("zk-mutex", name);
        const ZkLock lock{a.driver, lockPath(name).value(), "a"};
        ZkCondition condition(lock);
        const auto held = take(*mutex);
        QCOMPARE(run(condition.signal(1, {})).value(), 0);
        VERIFY_OK(run(condition.enlist("1", {})));
        VERIFY_OK(run(condition.enlist("2", {})));
        VERIFY_OK(run(condition.enlist("3", {})));
        VERIFY_OK(run(condition.enlist("4", {})));
        QCOMPARE(run(condition.signal(1, {})).value(), 1); // before anybody waits: not lost
        QCOMPARE(run(condition.awaitSignal("1", 5s, {})).value(), true);
        QCOMPARE(run(condition.awaitSignal("2", 50ms, {})).value(), false);
        std::stop_source stop;
        auto stopped = howCancelled(condition.awaitSignal("3", kNever, stop.get_token()));
        pass(20ms);
        stop.request_stop();
        QCOMPARE(run(std::move(stopped)), std::optional(Cancelled::Why::Stopped));
        QCOMPARE(ephemerals(a.driver, '/' + name), 2); // the lock and the fourth
        auto last = condition.awaitSignal("4", kNever, {});
        QCOMPARE(run(condition.signal(INT_MAX, {})).value(), 1);
        QCOMPARE(run(std::move(last)).value(), true);
        QCOMPARE(run(mutex->release(**held, {})).value(), 0);
        QCOMPARE(ephemerals(a.driver, '/' + name), 0);
    }

    void lostReplyLeavesNobodyWhoEatsASignal() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, proxy.url(), "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh(), path = lockPath(name).value();
        VERIFY_OK(run(a.driver.makeContainers(path)));
        ZkCondition ours(ZkLock{a.driver, path, "a"}), theirs(ZkLock{b.driver, path, "b"});
        proxy.fault = FaultProxy::Fault::LoseAnswer;
        VERIFY_OK(run(ours.enlist("1", {})));
        QCOMPARE(proxy.connections, 2);
        QCOMPARE(ephemerals(b.driver, path), 1);
        VERIFY_OK(run(theirs.enlist("1", {})));
        QCOMPARE(run(theirs.signal(1, {})).value(), 1);
        QCOMPARE(run(ours.awaitSignal("1", 5s, {})).value(), true);
        QCOMPARE(run(theirs.awaitSignal("1", Nanos(0), {})).value(), false);
        QCOMPARE(ephemerals(b.driver, path), 0);
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    int m_names = 0;
};

QTEST_GUILESS_MAIN(TestZooKeeperLockFaults)
#include "tst_zookeeper_lock_faults.moc"
