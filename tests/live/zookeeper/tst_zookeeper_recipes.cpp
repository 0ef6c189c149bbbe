// SPDX-License-Identifier: Apache-2.0
#include "meddling_port.h"
#include "zookeeper_client.h"

using namespace lockscope;
using namespace lockscope::recipes;
using namespace lockscope::test;
using sandbox::ZooKeeperServer;
using zookeeper::NodeMode;
using zookeeper::ZooKeeperDriver;
using Kind = LockError::Kind;

class TestZooKeeperRecipes : public QObject {
    Q_OBJECT
private:
    void eachRecipe() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"})
            QTest::newRow(id) << QByteArray(id);
    }
    void eachRecipeAndReaders() {
        eachRecipe();
        QTest::newRow("readers") << QByteArray("readers");
    }
    static Mode modeOf(const QByteArray& id) { return id == "zk-semaphore" ? Mode::Permit : Mode::Exclusive; }
    QByteArray fresh() { return "lock" + QByteArray::number(++m_names); }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void takenTriedTimedAndGivenBack_data() { eachRecipe(); }
    void takenTriedTimedAndGivenBack() {
        QFETCH(QByteArray, id);
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const Mode mode = modeOf(id);
        QCOMPARE(run(theirs->isLocked({})).value(), false);
        const auto held = take(*ours, request(kNever, "1", mode));
        VERIFY_OK(held);
        QVERIFY(held.value());
        QCOMPARE(run(theirs->isLocked({})).value(), true);
        QVERIFY((*held)->token > 0);
        QCOMPARE((*held)->lease, Nanos(5s));
        const auto tried = take(*theirs, request(Nanos(0), "1", mode));
        VERIFY_OK(tried);
        QVERIFY(!tried.value());
        const Nanos begun = m_runtime.monotonic();
        const auto timed = take(*theirs, request(150ms, "1", mode));
        VERIFY_OK(timed);
        QVERIFY(!timed.value());
        QVERIFY(m_runtime.monotonic() - begun >= 150ms);
        QCOMPARE(ephemerals(a.driver, '/' + name), 1); // only the holder's
        const auto waiting = begin(m_runtime, *theirs, request(kNever, "1", mode));
        pass(50ms);
        QVERIFY(!waiting->done);
        QCOMPARE(run(ours->release(**held, {})).value(), 0);
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        QVERIFY((*waiting->taken)->token > (*held)->token);
        // It is no longer ours, whatever we still believe.
        QVERIFY(run(ours->release(**held, {})).error().kind == Kind::NotOwner);
        QCOMPARE(run(theirs->release(**waiting->taken, {})).value(), 0);
        QCOMPARE(run(ours->isLocked({})).value(), false);
        QCOMPARE(ephemerals(a.driver, '/' + name), 0);
    }

    void interruptedAnywhereLeavesNothing_data() { eachRecipeAndReaders(); }
    void interruptedAnywhereLeavesNothing() {
        QFETCH(QByteArray, id);
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const bool reads = id == "readers"; // they wait for a writer
        if (reads) id = "zk-rw";
        const Mode mode = modeOf(id);
        int stopped = 0;
        for (const bool contended : {false, true}) {
            const QByteArray name = fresh();
            const auto holder = a.recipe(id, name);
            Taken held;
            if (contended) held = take(*holder, request(kNever, "1", mode));
            // Stopped a little later each time, so that every point of waiting has its turn.
            for (int step = 0; step < 40; ++step) {
                const auto recipe = b.recipe(id, name);
                std::stop_source stop;
                const Request wish = request(kNever, "1", reads ? Mode::Shared : mode);
                const auto ending = begin(m_runtime, *recipe, wish, stop.get_token());
                const Nanos until = m_runtime.monotonic() + step * 100us;
                while (m_runtime.monotonic() < until)
                    QCoreApplication::processEvents();
                stop.request_stop();
                QVERIFY(eventually([&] { return ending->done; }));
                if (ending->cancelled) {
                    QCOMPARE(ending->cancelled, std::optional(Cancelled::Why::Stopped));
                    ++stopped;
                } else {
                    VERIFY_OK(ending->taken);
                    run(recipe->release(**ending->taken, {}));
                }
                VERIFY_OK(run(b.driver.sync("/")));
                QVERIFY(eventually([&] { return ephemerals(a.driver, '/' + name) == (contended ? 1 : 0); }));
            }
            if (contended) QCOMPARE(run(holder->release(**held, {})).value(), 0);
        }
        QVERIFY2(stopped >= 40, qPrintable(QString::number(stopped)));
    }

    void reentrantWhereItSaysSo_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"zk-ephemeral", "zk-sequential", "zk-mutex", "zk-rw"})
            QTest::newRow(id) << QByteArray(id);
    }
    void reentrantWhereItSaysSo() {
        QFETCH(QByteArray, id);
        Client a(m_runtime, m_server, "a");
        const QByteArray name = fresh();
        const auto recipe = a.recipe(id, name);
        const auto first = take(*recipe);
        VERIFY_OK(first);
        const auto second = take(*recipe, request(200ms));
        VERIFY_OK(second);
        QCOMPARE(second->has_value(), recipe->info().reentrant);
        const auto other = take(*recipe, request(50ms, "2"));
        VERIFY_OK(other);
        QVERIFY(!other.value()); // another thread
        if (recipe->info().reentrant) {
            QCOMPARE((*second)->holds, 2);
            QCOMPARE((*second)->token, (*first)->token);
            QCOMPARE(run(recipe->release(**second, {})).value(), 1);
            QCOMPARE(ephemerals(a.driver, '/' + name), 1);
        }
        QCOMPARE(run(recipe->release(**first, {})).value(), 0);
        QCOMPARE(ephemerals(a.driver, '/' + name), 0);
    }

    void forcedReleaseIsLearntAtOnce_data() { eachRecipeAndReaders(); }
    void forcedReleaseIsLearntAtOnce() {
        QFETCH(QByteArray, id);
        const Mode mode = id == "readers" ? Mode::Shared : modeOf(id);
        if (id == "readers") id = "zk-rw";
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const QByteArray name = fresh();
        const auto ours = a.recipe(id, name), theirs = b.recipe(id, name);
        const auto nothing = run(theirs->forceRelease({}));
        VERIFY_OK(nothing);
        QVERIFY(!*nothing);
        const auto held = take(*ours, request(kNever, "1", mode));
        VERIFY_OK(held);
        auto listening = ours->news(**held, {});
        pass(200ms); // its node is watched by now
        const Nanos forced = m_runtime.monotonic();
        const auto freed = run(theirs->forceRelease({}));
        VERIFY_OK(freed);
        QVERIFY(*freed);
        QCOMPARE(run(theirs->isLocked({})).value(), false);
        auto news = run(std::move(listening));
        while (news && news->kind == HoldNews::Kind::Kept)
            news = run(ours->news(**held, {}));
        VERIFY_OK(news);
        QVERIFY(news->kind == HoldNews::Kind::Lost);
        QVERIFY(m_runtime.monotonic() - forced < 1s); // not at the next heartbeat
        QVERIFY(run(ours->release(**held, {})).error().kind == Kind::NotOwner);
        const auto again = take(*theirs, request(1s, "1", mode));
        VERIFY_OK(again);
        QVERIFY(again.value());
        const auto left = run(theirs->release(**again, {}));
        VERIFY_OK(left);
        QCOMPARE(*left, 0);
    }

    void forcedReleaseFreesAllReadersAndNobodyWhoWaits() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c"),
            d(m_runtime, m_server, "d");
        const QByteArray name = fresh();
        const auto one = a.recipe("zk-rw", name), two = b.recipe("zk-rw", name), writer = c.recipe("zk-rw", name),
                   late = d.recipe("zk-rw", name);
        const auto reading = take(*one, request(1s, "1", Mode::Shared)),
                   too = take(*two, request(1s, "1", Mode::Shared));
        VERIFY_OK(reading);
        VERIFY_OK(too);
        const auto writing = begin(m_runtime, *writer);
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 3; }));
        const auto behind = begin(m_runtime, *late, request(kNever, "1", Mode::Shared));
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 4; }));
        const auto freed = run(late->forceRelease({}));
        VERIFY_OK(freed);
        QVERIFY(*freed);
        for (const auto& [recipe, held] : {std::pair(one.get(), &reading), {two.get(), &too}}) {
            auto news = run(recipe->news(***held, {}));
            const Nanos end = m_runtime.monotonic() + 10s;
            while (news && news->kind == HoldNews::Kind::Kept && m_runtime.monotonic() < end)
                news = run(recipe->news(***held, {}));
            VERIFY_OK(news);
            QVERIFY(news->kind == HoldNews::Kind::Lost);
        }
        QVERIFY(eventually([&] { return writing->done; }));
        VERIFY_OK(writing->taken);
        QVERIFY(!behind->done);
        QCOMPARE(run(writer->release(**writing->taken, {})).value(), 0);
        QVERIFY(eventually([&] { return behind->done; }));
        VERIFY_OK(behind->taken);
        QCOMPARE(run(late->release(**behind->taken, {})).value(), 0);
        QCOMPARE(ephemerals(a.driver, '/' + name), 0);
    }

    void newsKeepComingWhileTheSessionLives() {
        Client a(m_runtime, m_server, "a", 800ms);
        const auto recipe = a.recipe("zk-mutex", fresh());
        const auto held = take(*recipe);
        VERIFY_OK(held);
        Nanos until = (*held)->askedAt + (*held)->lease;
        for (int i = 0; i < 4; ++i) {
            const auto news = run(recipe->news(**held, {}));
            VERIFY_OK(news);
            QVERIFY(news->kind == HoldNews::Kind::Kept);
            QVERIFY(news->until > until);
            until = news->until;
        }
        std::stop_source stop;
        auto stopped = recipe->news(**held, stop.get_token());
        stop.request_stop();
        QCOMPARE(run(howCancelled(std::move(stopped))), std::optional(Cancelled::Why::Stopped));
        QCOMPARE(run(recipe->release(**held, {})).value(), 0);
    }

    void queuesAreFirstComeFirstServed_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"zk-sequential", "zk-mutex", "zk-rw", "zk-semaphore"})
            QTest::newRow(id) << QByteArray(id);
    }
    void queuesAreFirstComeFirstServed() {
        QFETCH(QByteArray, id);
        const QByteArray name = fresh();
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        for (int i = 0; i < 10; ++i) {
            clients.push_back(std::make_unique<Client>(m_runtime, m_server, "client"));
            recipes.push_back(clients.back()->recipe(id, name));
            VERIFY_OK(run(clients.back()->driver.connected()));
        }
        std::vector<std::shared_ptr<TakeEnding>> endings;
        for (std::size_t i = 0; i < 10; ++i) {
            endings.push_back(begin(m_runtime, *recipes[i], request(kNever, "1", modeOf(id))));
            // The client that is next for a permit has its place in the queue and a lease that does not count yet.
            const int twice = id == "zk-semaphore" && i > 0 ? 1 : 0;
            QVERIFY(eventually([&] { return ephemerals(clients[0]->driver, '/' + name) == int(i) + 1 + twice; }));
        }
        std::int64_t token = 0;
        for (std::size_t i = 0; i < 10; ++i) {
            QVERIFY(eventually([&] { return endings[i]->done; }));
            for (std::size_t later = i + 1; later < 10; ++later)
                QVERIFY(!endings[later]->done);
            VERIFY_OK(endings[i]->taken);
            QVERIFY((*endings[i]->taken)->token > token);
            token = (*endings[i]->taken)->token;
            QCOMPARE(run(recipes[i]->release(**endings[i]->taken, {})).value(), 0);
        }
    }

    void whoGivesUpInTheMiddleHoldsNobodyUp() {
        const QByteArray name = fresh();
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c");
        const auto first = a.recipe("zk-mutex", name), middle = b.recipe("zk-mutex", name),
                   last = c.recipe("zk-mutex", name);
        const auto held = take(*first);
        std::stop_source stop;
        const auto gaveUp = begin(m_runtime, *middle, request(), stop.get_token());
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2u; }));
        const auto waiting = begin(m_runtime, *last);
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 3u; }));
        stop.request_stop();
        QVERIFY(eventually([&] { return gaveUp->done; }));
        QVERIFY(!waiting->done); // its predecessor is gone, the holder is not
        run(first->release(**held, {}));
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        run(last->release(**waiting->taken, {}));
    }

    void countersStayExactUnderContention_data() { eachRecipe(); }
    void countersStayExactUnderContention() {
        QFETCH(QByteArray, id);
        const QByteArray name = fresh();
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        int inside = 0, most = 0, rounds = 0, ended = 0;
        constexpr int kClients = 6, kRounds = 15;
        const auto work = [&](Recipe& recipe) -> QCoro::Task<> {
            for (int i = 0; i < kRounds; ++i) {
                Request wish = request(kNever, "1", modeOf(id));
                const auto grant = co_await recipe.acquire(wish, {});
                most = std::max(most, ++inside);
                co_await m_runtime.sleep(1ms);
                --inside;
                ++rounds;
                const Grant held = grant.value().value();
                (void)co_await recipe.release(held, {});
            }
            ++ended;
        };
        for (int i = 0; i < kClients; ++i) {
            clients.push_back(std::make_unique<Client>(m_runtime, m_server, "client"));
            recipes.push_back(clients.back()->recipe(id, name));
        }
        for (const auto& recipe : recipes)
            m_runtime.spawn([&work, &recipe] { return work(*recipe); });
        QVERIFY(eventually([&] { return ended == kClients; }, 30s));
        QCOMPARE(rounds, kClients * kRounds);
        QCOMPARE(most, 1);
        QCOMPARE(ephemerals(clients[0]->driver, '/' + name), 0);
    }

    void readersTogetherWritersAlone() {
        const QByteArray name = fresh();
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c");
        const auto one = a.recipe("zk-rw", name), two = b.recipe("zk-rw", name), three = c.recipe("zk-rw", name);
        const auto reading = take(*one, request(1s, "1", Mode::Shared));
        const auto too = take(*two, request(1s, "1", Mode::Shared));
        QVERIFY(reading.value() && too.value());
        const auto writing = begin(m_runtime, *three);
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 3u; }));
        QVERIFY(!take(*one, request(100ms, "9", Mode::Shared)).value());          // behind the writer
        QVERIFY(take(*one, request(1s, "1")).error().kind == Kind::NotSupported); // a reader can not begin to write
        run(one->release(**reading, {}));
        pass(50ms);
        QVERIFY(!writing->done);
        run(two->release(**too, {}));
        QVERIFY(eventually([&] { return writing->done; }));
        VERIFY_OK(writing->taken);
        // The writer reads as well, another one queues up, the first stops writing: it goes on reading, alone.
        const auto downgraded = take(*three, request(1s, "1", Mode::Shared));
        VERIFY_OK(downgraded);
        const auto next = begin(m_runtime, *one);
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 3u; }));
        run(three->release(**writing->taken, {}));
        pass(100ms);
        QVERIFY(!next->done);
        run(three->release(**downgraded, {}));
        QVERIFY(eventually([&] { return next->done; }));
        run(one->release(**next->taken, {}));
        QCOMPARE(ephemerals(a.driver, '/' + name), 0);
    }

    void permitsAllOrNone() {
        const QByteArray name = fresh();
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        const auto ours = a.recipe("zk-semaphore", name, 3), theirs = b.recipe("zk-semaphore", name, 3);
        const auto two = take(*ours, request(1s, "1", Mode::Permit, 2));
        VERIFY_OK(two);
        QVERIFY(two.value());
        QVERIFY(!take(*theirs, request(100ms, "1", Mode::Permit, 2)).value());
        QCOMPARE(childrenOf(a.driver, '/' + name + "/leases").size(), 2u); // none of the two is left
        QCOMPARE(childrenOf(a.driver, '/' + name + "/locks").size(), 0u);
        const auto one = take(*theirs, request(1s, "1", Mode::Permit, 1));
        QVERIFY(one.value());
        QVERIFY(!take(*theirs, request(Nanos(0), "2", Mode::Permit, 1)).value());
        QVERIFY(take(*ours, request(1s, "2", Mode::Permit, 4)).error().kind == Kind::Refused);
        const auto waiting = begin(m_runtime, *theirs, request(kNever, "3", Mode::Permit, 2));
        pass(50ms);
        QVERIFY(!waiting->done);
        QCOMPARE(run(ours->release(**two, {})).value(), 0);
        QVERIFY(eventually([&] { return waiting->done; }));
        run(theirs->release(**waiting->taken, {}));
        run(theirs->release(**one, {}));
        QVERIFY(eventually([&] { return ephemerals(a.driver, '/' + name) == 0; }));
    }

    void herdAgainstQueue_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("woken");
        QTest::newRow("herd") << QByteArray("zk-ephemeral") << kWaiters;
        QTest::newRow("queue") << QByteArray("zk-sequential") << 1;
    }
    void herdAgainstQueue() {
        QFETCH(QByteArray, id);
        QFETCH(int, woken);
        const QByteArray name = fresh(), path = '/' + name;
        Client holder(m_runtime, m_server, "holder");
        const auto recipe = holder.recipe(id, name);
        const auto held = take(*recipe);
        std::vector<std::unique_ptr<Client>> clients;
        std::vector<std::unique_ptr<Recipe>> recipes;
        std::vector<std::shared_ptr<TakeEnding>> endings;
        for (int i = 0; i < kWaiters; ++i) {
            clients.push_back(std::make_unique<Client>(m_runtime, m_server, "client", 20s));
            recipes.push_back(clients.back()->recipe(id, name));
            endings.push_back(begin(m_runtime, *recipes.back()));
        }
        const auto queued = [&] {
            return id == "zk-ephemeral" || childrenOf(holder.driver, path).size() == kWaiters + 1u;
        };
        QVERIFY(eventually(queued));
        const QByteArray watched = (*held)->value;
        const auto watchers = [&] { // of the holder's node: those whom its end wakes
            const QByteArray all = run(m_server.ask("wchp"));
            const qsizetype at = all.indexOf(watched + '\n');
            if (at < 0) return 0;
            return int(all.mid(at + watched.size() + 1).split('/').front().count("0x"));
        };
        QVERIFY(eventually([&] { return watchers() == woken; }, 30s));
        run(recipe->release(**held, {}));
        int had = 0;
        const auto serve = [&] {
            for (std::size_t i = 0; i < endings.size(); ++i) {
                if (!endings[i]->done || !endings[i]->taken.value()) continue;
                run(recipes[i]->release(**endings[i]->taken, {}));
                endings[i]->taken = Taken(std::nullopt);
                ++had;
            }
            return had == kWaiters;
        };
        QVERIFY(eventually(serve, 60s));
    }

    /// The writing is freed by force as its thread asks to read beside it, and the next writer is in.
    void nobodyReadsBesideAWriterThatCameMeanwhile() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b"), c(m_runtime, m_server, "c");
        const QByteArray name = fresh();
        MeddlingPort port(a.driver);
        const auto ours = makeZooKeeperRecipe("zk-rw", {port, lockPath(name).value(), "a", 1});
        const auto theirs = b.recipe("zk-rw", name);
        const auto writing = take(*ours);
        VERIFY_OK(writing);
        const auto next = begin(m_runtime, *theirs);
        QVERIFY(eventually([&] { return childrenOf(c.driver, '/' + name).size() == 2; }));
        port.beforeCreate = [&]() -> QCoro::Task<> {
            co_await c.driver.remove((*writing)->value);
            while (!next->done)
                co_await m_runtime.sleep(1ms);
        };
        const auto reading = take(*ours, request(2s, "1", Mode::Shared));
        QVERIFY(next->done && next->taken.value());
        QVERIFY(!reading || !*reading);
        QVERIFY(eventually([&] { return childrenOf(c.driver, '/' + name).size() == 1; })); // the writer's alone
    }

private:
    static constexpr int kWaiters = 100;
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    int m_names = 0;
};

QTEST_GUILESS_MAIN(TestZooKeeperRecipes)
#include "tst_zookeeper_recipes.moc"
