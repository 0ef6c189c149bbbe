// SPDX-License-Identifier: Apache-2.0
#include "lock/distributed_condition.h"
#include "redis_of_two.h"
#include <lockscope/condition.h>

#include <deque>
#include <future>
#include <thread>

using namespace lockscope;
using namespace lockscope::test;
using namespace std::chrono_literals;

namespace {
using Awaited = std::optional<std::expected<bool, LockError>>;

/// One client that waits for the condition as soon as it has the lock.
struct Waiting {
    Waiting(Connection& connection, Runtime& runtime, QByteArray thread, Nanos wait = kNever, int holds = 1,
            LockOptions options = {})
        : mutex(connection, "orders", std::move(options)), condition(mutex) {
        runtime.spawn([this, thread, wait, holds]() -> QCoro::Task<> {
            for (int i = 0; i < holds; ++i)
                guards.push_back((co_await mutex.lock(thread)).value());
            try {
                outcome = co_await condition.await(wait, thread, stop.get_token());
            } catch (const Cancelled&) {
                cancelled = true;
            }
            heldAfter = mutex.holdCount(thread);
            for (LockGuard& guard : guards)
                co_await guard.unlock();
            done = true;
        });
    }
    DistributedMutex mutex;
    DistributedCondition condition;
    std::deque<LockGuard> guards;
    std::stop_source stop;
    Awaited outcome;
    bool cancelled = false;
    int heldAfter = -1;
    bool done = false;
};
} // namespace

class TestRedisCondition : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    RedisOfTwo m_redis{m_runtime};

    redis::Reply ask(redis::Args args) { return m_redis.ask(std::move(args)); }
    qint64 entered() { return ask({"LLEN", "lockscope_condition:{orders}"}).integer; }
    int signal(int most, LockOptions options = {}) {
        DistributedMutex mutex(m_redis.b(), "orders", std::move(options));
        DistributedCondition condition(mutex);
        auto guard = run(mutex.lock("99"));
        if (!guard) return -1;
        const auto woken = most == 1 ? run(condition.signal("99")) : run(condition.signalAll("99"));
        run(guard->unlock());
        return woken.value_or(-1);
    }
    /// The connection of a user that may do everything except subscribe.
    std::unique_ptr<Connection> connectionOfTheDeaf() {
        ask({"ACL", "SETUSER", "deaf", "on", ">hush", "~*", "&*", "+@all", "-subscribe"});
        return connectionTo(m_runtime, QStringLiteral("redis://deaf:hush@127.0.0.1:%1").arg(m_redis->port()));
    }
    /// Nothing of any condition is left on the server.
    bool clean() { return ask({"KEYS", "lockscope_condition*"}).items.empty(); }

private Q_SLOTS:
    void initTestCase() { VERIFY_EMPTY(m_redis.start()); }
    void init() { m_redis.empty(); }
    void cleanupTestCase() { m_redis.stop(); }

    void aSignalWakesTheOneThatHasWaitedLongest() {
        Waiting first(m_redis.a(), m_runtime, "1");
        QVERIFY(soon([&] { return entered() == 1; }));
        Waiting second(m_redis.b(), m_runtime, "2");
        QVERIFY(soon([&] { return entered() == 2; }));
        QCOMPARE(signal(1), 1);
        QVERIFY(soon([&] { return first.done; }));
        QVERIFY(first.outcome && first.outcome->value());
        QCOMPARE(first.heldAfter, 1);
        QVERIFY(!second.outcome);
        QCOMPARE(signal(1), 1);
        QVERIFY(soon([&] { return second.done; }));
        QCOMPARE(signal(1), 0); // nobody waits: signals are not kept
        QVERIFY(clean());
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void everyLockThatOffersThemHasThem_data() {
        QTest::addColumn<QByteArray>("id");
        for (const recipes::RecipeInfo& info : recipes::allRecipes())
            if (info.backend == "redis" && info.condition) QTest::newRow(info.id.constData()) << info.id;
    }
    void everyLockThatOffersThemHasThem() {
        QFETCH(QByteArray, id);
        LockOptions options;
        options.recipe = id;
        Waiting first(m_redis.a(), m_runtime, "1", kNever, 1, options);
        QVERIFY(soon([&] { return entered() == 1; }));
        Waiting second(m_redis.b(), m_runtime, "2", kNever, 1, options);
        QVERIFY(soon([&] { return entered() == 2; }));
        // A waiter gives it up just after it has entered, so that it misses no signal.
        QVERIFY(soon([&] { return ask({"EXISTS", "orders"}).integer == 0; }));
        QCOMPARE(signal(1, options), 1);
        QVERIFY(soon([&] { return first.done; }));
        QVERIFY(first.outcome && first.outcome->value());
        QCOMPARE(first.heldAfter, 1);
        QVERIFY(!second.outcome);
        QCOMPARE(signal(2, options), 1);
        QVERIFY(soon([&] { return second.done; }));
        QVERIFY(second.outcome && second.outcome->value());
        QCOMPARE(second.heldAfter, 1);

        Waiting late(m_redis.a(), m_runtime, "3", 300ms, 1, options); // for a signal that nobody gives
        QVERIFY(soon([&] { return late.done; }));
        QVERIFY(late.outcome && !late.outcome->value());
        QCOMPARE(late.heldAfter, 1);
        QVERIFY(clean());
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0);
    }

    void whoDiedGetsNoSignal() {
        EventLoopRuntime dying;
        auto connection = connectionTo(dying, m_redis.url());
        auto first = std::make_unique<Waiting>(*connection, dying, "1");
        QVERIFY(soon([&] { return entered() == 1; }));
        Waiting second(m_redis.a(), m_runtime, "2");
        QVERIFY(soon([&] { return entered() == 2; }));
        dying.kill();
        first.reset();
        connection.reset();
        const auto listening = [&] {
            const auto reply = ask({"PUBSUB", "CHANNELS", "lockscope_condition_channel:*"});
            return reply.items.size();
        };
        QVERIFY(soon([&] { return listening() == 1; }));
        QCOMPARE(signal(1), 1);
        QVERIFY(soon([&] { return second.done; }));
        QVERIFY(second.outcome && second.outcome->value());
    }

    void allAreWokenAndHoldTheLockOneAfterTheOther() {
        std::vector<std::unique_ptr<Waiting>> waiting;
        for (int i = 0; i < 6; ++i) {
            waiting.push_back(std::make_unique<Waiting>(i % 2 == 0 ? m_redis.a() : m_redis.b(), m_runtime,
                                                        QByteArray::number(i + 1)));
            QVERIFY(soon([&] { return entered() == i + 1; }));
        }
        QCOMPARE(signal(INT_MAX), 6);
        for (const auto& one : waiting) {
            QVERIFY(soon([&] { return one->done; }));
            QVERIFY(one->outcome && one->outcome->value());
            QCOMPARE(one->heldAfter, 1);
        }
        QVERIFY(clean());
    }

    void allHoldsAreGivenUpAndTakenAgain() {
        Waiting waiting(m_redis.a(), m_runtime, "1", kNever, 3);
        QVERIFY(soon([&] { return entered() == 1; }));
        QVERIFY(soon([&] { return ask({"EXISTS", "orders"}).integer == 0; }));
        QVERIFY(!waiting.guards[0].stillMine());
        QCOMPARE(signal(1), 1);
        QVERIFY(soon([&] { return waiting.done; }));
        QCOMPARE(waiting.heldAfter, 3);
        QCOMPARE(ask({"EXISTS", "orders"}).integer, 0); // the guards gave back what they know
    }

    void aWaitWithoutSignalEndsInTimeWithTheLockHeld() {
        Waiting waiting(m_redis.a(), m_runtime, "1", 200ms);
        QVERIFY(soon([&] { return waiting.done; }));
        QVERIFY(waiting.outcome && waiting.outcome->has_value() && !waiting.outcome->value());
        QCOMPARE(waiting.heldAfter, 1);
        QVERIFY(clean());
    }

    void anInterruptedWaiterHoldsTheLockAgain() {
        Waiting waiting(m_redis.a(), m_runtime, "1");
        QVERIFY(soon([&] { return entered() == 1; }));
        waiting.stop.request_stop();
        QVERIFY(soon([&] { return waiting.done; }));
        QVERIFY(waiting.cancelled && !waiting.outcome);
        QCOMPARE(waiting.heldAfter, 1);
        QVERIFY(clean());
    }

    void aSignalToOneThatIsInterruptedGoesToTheNext() {
        Waiting first(m_redis.a(), m_runtime, "1");
        QVERIFY(soon([&] { return entered() == 1; }));
        Waiting second(m_redis.b(), m_runtime, "2");
        QVERIFY(soon([&] { return entered() == 2; }));
        DistributedMutex mutex(m_redis.b(), "orders");
        DistributedCondition condition(mutex);
        auto guard = run(mutex.lock("99"));
        QVERIFY(guard.has_value());
        m_runtime.spawn([&]() -> QCoro::Task<> {
            co_await condition.signal("99"); // its message and the stop arrive at about the same time
            first.stop.request_stop();
            co_await guard->unlock();
        });
        QVERIFY(soon([&] { return first.done; }));
        // Either the first one took the signal, or it was handed on: exactly one was used.
        if (first.cancelled) {
            QVERIFY(soon([&] { return second.done; }));
        } else {
            QVERIFY(!second.done);
            QCOMPARE(signal(1), 1);
            QVERIFY(soon([&] { return second.done; }));
        }
        QVERIFY(clean());
    }

    void aSignalToOneThatFailsGoesToTheNext() {
        const auto deaf = connectionOfTheDeaf();
        QVERIFY(deaf);
        const auto failing = deaf->makeCondition("redis-reentrant", {"orders", 1});
        const auto next = m_redis.b().makeCondition("redis-reentrant", {"orders", 1});
        QVERIFY(failing && next);
        QVERIFY(run((*failing)->enlist("1", {})).has_value());
        QVERIFY(run((*next)->enlist("2", {})).has_value());
        QCOMPARE(signal(1), 1);
        const auto failed = run((*failing)->awaitSignal("1", 5s, {}));
        QVERIFY(!failed && failed.error().kind == LockError::Kind::Refused);
        const auto signalled = run((*next)->awaitSignal("2", 5s, {}));
        QVERIFY(signalled && *signalled);
        QVERIFY(clean());
    }

    void aSignalThatIsPassedOnGoesToOneThatListens() {
        const auto deaf = connectionOfTheDeaf();
        QVERIFY(deaf);
        const auto failing = deaf->makeCondition("redis-reentrant", {"orders", 1});
        const auto died = m_redis.b().makeCondition("redis-reentrant", {"orders", 1});
        QVERIFY(failing && died);
        QVERIFY(run((*failing)->enlist("1", {})).has_value());
        QCOMPARE(signal(1), 1);
        QVERIFY(run((*died)->enlist("2", {})).has_value()); // and never comes to wait
        Waiting listens(m_redis.a(), m_runtime, "3");
        QVERIFY(soon([&] { return ask({"PUBSUB", "CHANNELS", "lockscope_condition_channel:*"}).items.size() == 1; }));
        const auto failed = run((*failing)->awaitSignal("1", 5s, {}));
        QVERIFY(!failed && failed.error().kind == LockError::Kind::Refused);
        QVERIFY(soon([&] { return listens.done; }));
        QVERIFY(listens.outcome && listens.outcome->value());
        QCOMPARE(entered(), 1); // who died still stands in the line
    }

    /// As with releases: what counts is on the server, the message only says so sooner.
    void aSignalOfOneWhoMayNotSendMessagesIsNotLost() {
        ask({"ACL", "SETUSER", "mute", "on", ">hush", "~*", "resetchannels", "+@all"});
        const auto mute =
            connectionTo(m_runtime, QStringLiteral("redis://mute:hush@127.0.0.1:%1").arg(m_redis->port()));
        QVERIFY(mute);
        const auto signals = mute->makeCondition("redis-reentrant", {"orders", 1}).value();
        const auto first = m_redis.a().makeCondition("redis-reentrant", {"orders", 1}).value();
        const auto second = m_redis.a().makeCondition("redis-reentrant", {"orders", 1}).value();
        QVERIFY(run(first->enlist("1", {})).has_value());
        QVERIFY(run(second->enlist("2", {})).has_value());
        QCOMPARE(run(signals->signal(1, {})).value_or(-1), 1);
        QVERIFY(run(first->awaitSignal("1", 5s, {})).value_or(false));
        QCOMPARE(entered(), 1); // the second one has kept its place
        QCOMPARE(signal(1), 1);
        QVERIFY(run(second->awaitSignal("2", 5s, {})).value_or(false));
        QVERIFY(clean());
    }

    void aDeadWaiterGetsNoSignal() {
        ask({"RPUSH", "lockscope_condition:{orders}", "dead:1"}); // its state has ended with its life
        Waiting alive(m_redis.a(), m_runtime, "1");
        QVERIFY(soon([&] { return entered() == 2; }));
        QCOMPARE(signal(1), 1);
        QVERIFY(soon([&] { return alive.done; }));
        QVERIFY(alive.outcome->value());
        QVERIFY(clean());
    }

    void aLostMessageLosesNoSignal() {
        // The lock is taken and given up between entering and waiting: the signal comes before anybody listens.
        DistributedMutex waiter(m_redis.a(), "orders"), signaller(m_redis.b(), "orders");
        DistributedCondition condition(waiter);
        auto recipe = m_redis.a().makeCondition("redis-reentrant", {"orders", 1});
        QVERIFY(recipe.has_value());
        QVERIFY(run((*recipe)->enlist("7", {})).has_value());
        QCOMPARE(signal(1), 1);
        QVERIFY(run((*recipe)->awaitSignal("7", 5s, {})).value());
        QVERIFY(clean());
    }

    void theLongestTimeIsNoShortOne() {
        blocking::Client client(m_redis.url().toStdString());
        bool ready = false; // guarded by the mutex
        auto waiter = std::async(std::launch::async, [&] {
            blocking::Mutex mutex(client, "orders");
            blocking::Condition changed(mutex);
            std::unique_lock lock(mutex);
            return changed.wait_for(lock, std::chrono::hours::max(), [&] { return ready; });
        });
        QVERIFY2(soon([&] { return entered() == 1; }), "it did not wait");
        {
            blocking::Mutex mutex(client, "orders");
            blocking::Condition changed(mutex);
            const std::lock_guard lock(mutex);
            ready = true;
            QCOMPARE(changed.notify_one(), 1);
        }
        QVERIFY(waiter.get());
        QVERIFY(clean());
    }

    void onlyAHolderMayWaitOrSignal() {
        DistributedMutex mutex(m_redis.a(), "orders");
        DistributedCondition condition(mutex);
        const auto signalled = run(condition.signal());
        QVERIFY(!signalled && signalled.error().kind == LockError::Kind::NotOwner);
        const auto waited = run(condition.await(1s));
        QVERIFY(!waited && waited.error().kind == LockError::Kind::NotOwner);
        QVERIFY(clean());
    }

    void blockedThreadsHandABufferOverAndLoseNothing() {
        constexpr int kItems = 120;
        const std::string url = m_redis.url().toStdString();
        blocking::Client producers(url), consumers(url);
        std::deque<int> buffer; // guarded by the distributed mutex and nothing else
        std::vector<int> got;
        const auto produce = [&](int from) {
            blocking::Mutex mutex(producers, "buffer");
            blocking::Condition changed(mutex);
            for (int i = from; i < kItems; i += 2) {
                std::unique_lock lock(mutex);
                changed.wait(lock, [&] { return buffer.size() < 3; });
                buffer.push_back(i);
                changed.notify_all();
            }
        };
        const auto consume = [&] {
            blocking::Mutex mutex(consumers, "buffer");
            blocking::Condition changed(mutex);
            for (;;) {
                std::unique_lock lock(mutex);
                changed.wait(lock, [&] { return !buffer.empty() || got.size() == kItems; });
                if (got.size() == kItems) return;
                got.push_back(buffer.front());
                buffer.pop_front();
                changed.notify_all();
            }
        };
        {
            std::vector<std::jthread> threads;
            threads.emplace_back(produce, 0);
            threads.emplace_back(produce, 1);
            threads.emplace_back(consume);
            threads.emplace_back(consume);
        }
        QCOMPARE(got.size(), std::size_t(kItems));
        std::ranges::sort(got);
        for (int i = 0; i < kItems; ++i)
            QCOMPARE(got[std::size_t(i)], i);
        blocking::Mutex mutex(producers, "buffer");
        blocking::Condition changed(mutex);
        std::unique_lock lock(mutex);
        QVERIFY(!changed.wait_for(lock, 100ms));
        QVERIFY(mutex.stillMine());
        QVERIFY(clean());
    }
};

QTEST_GUILESS_MAIN(TestRedisCondition)
#include "tst_redis_condition.moc"
