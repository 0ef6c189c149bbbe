// SPDX-License-Identifier: Apache-2.0
#include "fault_proxy.h"
#include "recipes/zookeeper/zk_condition.h"
#include "zookeeper_client.h"

#include <array>

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using Kind = LockError::Kind;

namespace {
/// A way to hold a lock or to wait for one.
struct Way {
    const char* name;
    const char* id;
    Mode mode = Mode::Exclusive;
    Mode holders = Mode::Exclusive; ///< in which one keeps it waiting
    bool behind = false;            ///< behind another one who waits
    int places = 1;                 ///< nodes that one who waits has
};
constexpr std::array kWays{
    Way{.name = "herd", .id = "zk-ephemeral", .places = 0},
    Way{.name = "sequential", .id = "zk-sequential"},
    Way{.name = "mutex", .id = "zk-mutex"},
    Way{.name = "writer", .id = "zk-rw"},
    Way{.name = "writer-behind-reader", .id = "zk-rw", .holders = Mode::Shared},
    Way{.name = "reader", .id = "zk-rw", .mode = Mode::Shared},
    Way{.name = "permit", .id = "zk-semaphore", .mode = Mode::Permit, .holders = Mode::Permit, .places = 2},
    // These clients wait in the semaphore's queue, not for room.
    Way{.name = "permit-behind", .id = "zk-semaphore", .mode = Mode::Permit, .holders = Mode::Permit, .behind = true},
};

/// One lock of each way: somebody holds it, maybe another one waits, and so do we.
struct Queue {
    Queue(const Way& ofWay, Client& holds, Client& waits, Client& between, const QByteArray& test)
        : way(ofWay),
          lock(test + '-' + way.name),
          holder(holds.recipe(way.id, lock)),
          waiter(waits.recipe(way.id, lock)),
          other(between.recipe(way.id, lock)) {}
    Request wish() const { return request(kNever, "1", way.mode); }
    int others() const { return way.behind ? 3 : 1; } // its two nodes, and the holder's

    const Way& way;
    QByteArray lock;
    std::unique_ptr<Recipe> holder, waiter, other;
    Taken held;
    std::shared_ptr<TakeEnding> before, waiting;
};
} // namespace

/// Holds and waits of each recipe when the connection or the session ends under them.
class TestZooKeeperSessions : public QObject {
    Q_OBJECT
private:
    HoldNews nextNews(Recipe& recipe, const Grant& grant) { return run(recipe.news(grant, {})).value(); }
    bool watched(const QByteArray& path) { return run(m_server.ask("wchp")).contains(path + '\n'); }
    /// It has its place in the queue and waits.
    bool inQueue(zookeeper::Port& port, const Queue& queue) {
        if (queue.way.places == 0) return watched((*queue.held)->value);
        return ephemerals(port, '/' + queue.lock) == queue.others() + queue.way.places;
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void holderHearsOfItsSessionsEnd() {
        EventLoopRuntime client;
        Client a(client, m_server, "a", 1500ms), b(m_runtime, m_server, "b");
        std::vector<std::unique_ptr<Queue>> all;
        for (const Way& way : kWays) {
            if (way.behind) continue;
            all.push_back(std::make_unique<Queue>(way, a, b, b, "holder"));
            Queue& queue = *all.back();
            queue.held = take(*queue.holder, request(kNever, "1", way.mode));
            VERIFY_OK(queue.held);
        }
        Nanos deadline{};
        for (const auto& queue : all)
            deadline = std::max(deadline, (*queue->held)->askedAt + (*queue->held)->lease);
        client.pause(); // the server ends the session of who does not beat
        for (const auto& queue : all) {
            const Mode rival = queue->way.mode == Mode::Shared ? Mode::Exclusive : queue->way.mode;
            const auto taken = take(*queue->waiter, request(10s, "1", rival));
            VERIFY_OK(taken);
            QVERIFY2(taken->has_value(), queue->way.name);
            QVERIFY2((*taken)->token > (*queue->held)->token, queue->way.name);
            QVERIFY2(client.monotonic() >= deadline, queue->way.name); // not before the holder could know
        }
        client.resume();
        for (const auto& queue : all) {
            HoldNews news = nextNews(*queue->holder, **queue->held);
            const Nanos end = m_runtime.monotonic() + 10s;
            while (news.kind != HoldNews::Kind::Lost && m_runtime.monotonic() < end)
                news = nextNews(*queue->holder, **queue->held);
            QVERIFY2(news.kind == HoldNews::Kind::Lost, queue->way.name);
            QVERIFY2(*news.reason, queue->way.name);
            QVERIFY2(run(queue->holder->release(**queue->held, {})).error().kind == Kind::NotOwner, queue->way.name);
        }
    }

    void waiterWhoseSessionEndsQueuesUpAgain() {
        EventLoopRuntime client;
        Client a(m_runtime, m_server, "a"), b(client, m_server, "b", 1500ms), c(m_runtime, m_server, "c");
        std::vector<std::unique_ptr<Queue>> all;
        beginWaiting(client, a, b, c, "waiter", all);
        if (QTest::currentTestFailed()) return;
        client.pause();
        for (const auto& queue : all) // the server has ended its session
            QVERIFY2(eventually([&] { return ephemerals(a.driver, '/' + queue->lock) == queue->others(); }),
                     queue->way.name);
        QVERIFY(eventually([&] { return !watched((*all.front()->held)->value); }));
        client.resume();
        for (const auto& queue : all) {
            QVERIFY2(eventually([&] { return inQueue(a.driver, *queue); }), queue->way.name);
            QVERIFY2(!queue->waiting->done, queue->way.name);
        }
        QCOMPARE(b.driver.session().generation, 2u);
        endWaiting(a.driver, all);
    }

    void deadWaitersHoldNobodyUp_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("dies");
        for (const QByteArray id : {"zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"}) {
            QTest::addRow("%s/head", id.constData()) << id << 0;
            QTest::addRow("%s/middle", id.constData()) << id << 1;
            QTest::addRow("%s/tail", id.constData()) << id << 2;
        }
    }
    // One of three who queue dies: whoever watched it must neither sleep on nor take its end for the holder's.
    void deadWaitersHoldNobodyUp() {
        QFETCH(QByteArray, id);
        QFETCH(int, dies);
        const Mode mode = id == "zk-semaphore" ? Mode::Permit : Mode::Exclusive;
        const QByteArray name = QByteArray(QTest::currentDataTag()).replace('/', '-'), path = '/' + name;
        EventLoopRuntime mortal;
        Client holds(m_runtime, m_server, "holds");
        const auto holder = holds.recipe(id, name);
        const auto held = take(*holder, request(kNever, "1", mode));
        VERIFY_OK(held);
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        std::vector<std::shared_ptr<TakeEnding>> endings;
        for (int i = 0; i < 3; ++i) {
            Runtime& runtime = i == dies ? mortal : m_runtime;
            clients.push_back(std::make_unique<Client>(runtime, m_server, "waits", i == dies ? 1500ms : 5s));
            recipes.push_back(clients.back()->recipe(id, name));
            endings.push_back(begin(runtime, *recipes.back(), request(kNever, "1", mode)));
            // The head of a semaphore's queue has a place and a permit to be.
            const int nodes = 2 + i + (mode == Mode::Permit ? 1 : 0);
            QVERIFY(eventually([&] { return ephemerals(holds.driver, path) == nodes; }));
        }
        const int before = ephemerals(holds.driver, path);
        pass(50ms); // all of them watch by now whom they wait for
        mortal.kill();
        QVERIFY(endings[std::size_t(dies)]->cancelled == Cancelled::Why::Killed);
        QCOMPARE(ephemerals(holds.driver, path), before); // a dead process does not end its session
        QVERIFY(eventually([&] { return ephemerals(holds.driver, path) == before - 1; }));
        pass(50ms);
        for (std::size_t i = 0; i < endings.size(); ++i)
            QVERIFY(int(i) == dies || !endings[i]->done); // the holder is still there
        VERIFY_OK(run(holder->release(**held, {})));
        for (std::size_t i = 0; i < endings.size(); ++i) {
            if (int(i) == dies) continue;
            QVERIFY(eventually([&] { return endings[i]->done; }));
            VERIFY_OK(endings[i]->taken);
            pass(50ms);
            for (std::size_t later = i + 1; later < endings.size(); ++later)
                QVERIFY(int(later) == dies || !endings[later]->done);
            VERIFY_OK(run(recipes[i]->release(**endings[i]->taken, {})));
        }
        QVERIFY(eventually([&] { return ephemerals(holds.driver, path) == 0; }));
    }

    void connectionLostWhileWaiting() {
        FaultProxy proxy(m_runtime, m_server.port());
        Client a(m_runtime, m_server, "a"), b(m_runtime, proxy.url(), "b"), c(m_runtime, m_server, "c");
        std::vector<std::unique_ptr<Queue>> all;
        beginWaiting(m_runtime, a, b, c, "cut", all);
        if (QTest::currentTestFailed()) return;
        std::vector<std::vector<QByteArray>> places;
        for (const auto& queue : all)
            places.push_back(below(a.driver, '/' + queue->lock));
        for (int cut = 1; cut <= 3; ++cut) {
            proxy.cutAll();
            QVERIFY(eventually([&] {
                return proxy.connections > cut && b.driver.session().state == zookeeper::Session::State::Connected;
            }));
            for (const auto& queue : all) {
                QVERIFY2(eventually([&] { return inQueue(a.driver, *queue); }), queue->way.name);
                QVERIFY2(!queue->waiting->done, queue->way.name);
            }
        }
        QCOMPARE(b.driver.session().generation, 1u);
        for (std::size_t i = 0; i < all.size(); ++i)
            QCOMPARE(below(a.driver, '/' + all[i]->lock), places[i]);
        endWaiting(a.driver, all);
    }

    void waiterForASignalWhoseSessionEndsWakesUp() {
        EventLoopRuntime client;
        Client a(client, m_server, "a", 1500ms), b(m_runtime, m_server, "b");
        VERIFY_OK(run(b.driver.makeContainers("/signal")));
        ZkCondition condition(ZkLock{a.driver, lockPath("signal").value(), "a"});
        VERIFY_OK(run(condition.enlist("1", {})));
        const auto waiting = beside(condition.awaitSignal("1", kNever, {}));
        QCOMPARE(ephemerals(b.driver, "/signal"), 1);
        client.pause();
        QVERIFY(eventually([&] { return ephemerals(b.driver, "/signal") == 0; }));
        QVERIFY(!waiting->done);
        client.resume();
        QVERIFY(ends(waiting, 10s));
        QCOMPARE(waiting->result->value(), true); // whoever signalled since has not found it
    }

private:
    void beginWaiting(Runtime& runtime, Client& holding, Client& waiting, Client& between, const QByteArray& test,
                      std::vector<std::unique_ptr<Queue>>& all) {
        for (const Way& way : kWays) {
            all.push_back(std::make_unique<Queue>(way, holding, waiting, between, test));
            Queue& queue = *all.back();
            queue.held = take(*queue.holder, request(kNever, "1", way.holders));
            VERIFY_OK(queue.held);
            if (way.behind) {
                queue.before = begin(m_runtime, *queue.other, queue.wish());
                const auto queued = [&] { return ephemerals(holding.driver, '/' + queue.lock) == queue.others(); };
                QVERIFY2(eventually(queued), way.name);
            }
            queue.waiting = begin(runtime, *queue.waiter, queue.wish());
            QVERIFY2(eventually([&] { return inQueue(holding.driver, queue); }), way.name);
        }
    }
    /// Each is released, and whoever waits has its turn and leaves nothing.
    void endWaiting(zookeeper::Port& port, const std::vector<std::unique_ptr<Queue>>& all) {
        for (const auto& queue : all) {
            QCOMPARE(run(queue->holder->release(**queue->held, {})).value(), 0);
            if (queue->before) {
                QVERIFY2(eventually([&] { return queue->before->done; }), queue->way.name);
                VERIFY_OK(queue->before->taken);
                QVERIFY2(!queue->waiting->done, queue->way.name);
                QCOMPARE(run(queue->other->release(**queue->before->taken, {})).value(), 0);
            }
            QVERIFY2(eventually([&] { return queue->waiting->done; }), queue->way.name);
            VERIFY_OK(queue->waiting->taken);
            QCOMPARE(run(queue->waiter->release(**queue->waiting->taken, {})).value(), 0);
            QVERIFY2(eventually([&] { return ephemerals(port, '/' + queue->lock) == 0; }), queue->way.name);
        }
    }
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestZooKeeperSessions)
#include "tst_zookeeper_sessions.moc"
