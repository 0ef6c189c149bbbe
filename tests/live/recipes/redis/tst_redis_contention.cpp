// SPDX-License-Identifier: Apache-2.0
// Real contention: clients on connections of their own read a counter, think, and write it back one higher.
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
const QByteArray kName = "orders";
constexpr int kClients = 8;
constexpr int kRounds = 10;

redis::Args getCount() {
    return redis::argsOf("GET", "count");
}
redis::Args setCount(const redis::Result& was) {
    return redis::argsOf("SET", "count", QByteArray::number(qlonglong(was->text.toLongLong() + 1)));
}

/// The counts of a contention.
struct Tally {
    int done = 0, inside = 0, most = 0, writersInside = 0, readersTogether = 0;
    QStringList wrong;
    QList<int> order; ///< who got it, one after the other
};

struct Worker {
    Runtime& runtime;
    Process& process;
    std::unique_ptr<recipes::Recipe> recipe;
    int number;
};

/// One thread at a time: an exact counter proves it.
QCoro::Task<> countUp(Worker& worker, Tally& tally, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        const Request request = requestFor(*worker.recipe);
        const auto grant = co_await worker.recipe->acquire(request, {});
        if (!grant || !*grant) {
            tally.wrong += grant ? QStringLiteral("not taken") : grant.error().message;
            break;
        }
        tally.most = std::max(tally.most, ++tally.inside);
        tally.order += worker.number;
        const redis::Args get = getCount();
        const redis::Result was = co_await worker.process.driver.call(get);
        const redis::Args set = setCount(was);
        co_await worker.process.driver.call(set);
        --tally.inside;
        const auto left = co_await worker.recipe->release(**grant, {});
        if (!left) tally.wrong += left.error().message;
    }
    ++tally.done;
}

/// Readers beside readers, writers alone.
QCoro::Task<> readOrWrite(Worker& worker, Tally& tally, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        Request request = requestFor(*worker.recipe);
        const bool writes = (i + worker.number) % 5 == 0;
        request.mode = writes ? Mode::Exclusive : Mode::Shared;
        const auto grant = co_await worker.recipe->acquire(request, {});
        if (!grant || !*grant) {
            tally.wrong += grant ? QStringLiteral("not taken") : grant.error().message;
            break;
        }
        ++tally.inside;
        tally.writersInside += writes ? 1 : 0;
        if (tally.writersInside > 0 && tally.inside > 1) tally.wrong += QStringLiteral("a writer in company");
        if (tally.inside > 1) ++tally.readersTogether;
        co_await worker.runtime.sleep(2ms);
        if (writes) {
            const redis::Args get = getCount();
            const redis::Result was = co_await worker.process.driver.call(get);
            const redis::Args set = setCount(was);
            co_await worker.process.driver.call(set);
        }
        if (tally.writersInside > 0 && tally.inside > 1) tally.wrong += QStringLiteral("a writer in company");
        --tally.inside;
        tally.writersInside -= writes ? 1 : 0;
        const auto left = co_await worker.recipe->release(**grant, {});
        if (!left) tally.wrong += left.error().message;
    }
    ++tally.done;
}

/// Never more permits out than there are.
QCoro::Task<> borrow(Worker& worker, Tally& tally, int rounds) {
    for (int i = 0; i < rounds; ++i) {
        Request request = requestFor(*worker.recipe);
        request.permits = 1 + (i + worker.number) % 2;
        const auto grant = co_await worker.recipe->acquire(request, {});
        if (!grant || !*grant) {
            tally.wrong += grant ? QStringLiteral("not taken") : grant.error().message;
            break;
        }
        tally.inside += (*grant)->permits;
        tally.most = std::max(tally.most, tally.inside);
        co_await worker.runtime.sleep(2ms);
        tally.inside -= (*grant)->permits;
        const auto left = co_await worker.recipe->release(**grant, {});
        if (!left) tally.wrong += left.error().message;
    }
    ++tally.done;
}
} // namespace

class TestRedisContention : public QObject {
    Q_OBJECT

    void makeWorkers(const QByteArray& id, int permits = 1) {
        m_workers.clear();
        m_processes.clear();
        for (int i = 0; i < kClients; ++i) {
            m_processes.push_back(std::make_unique<Process>(m_runtime, m_server));
            Process& process = *m_processes.back();
            recipes::RedisLock spec = process.lock(kName);
            spec.permits = permits;
            spec.polling = {2ms, 6ms};
            m_workers.push_back(
                std::make_unique<Worker>(Worker{m_runtime, process, recipes::makeRedisRecipe(id, std::move(spec)), i}));
        }
        QVERIFY(call(m_processes.front()->driver, {"FLUSHALL"}));
    }
    void release() {
        m_workers.clear();
        m_processes.clear();
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void cleanup() { release(); }

    void oneAtATime_data() { everyRecipe(); }
    void oneAtATime() {
        QFETCH(QByteArray, id);
        makeWorkers(id);
        Tally tally;
        const int rounds = recipes::findRecipe(id)->naive ? 3 : kRounds;
        for (const auto& worker : m_workers)
            m_runtime.spawn([&, rounds] { return countUp(*worker, tally, rounds); });
        QTRY_COMPARE_WITH_TIMEOUT(tally.done, kClients, 60'000);
        QCOMPARE(tally.wrong, QStringList());
        QCOMPARE(tally.most, 1);
        redis::RedisDriver& driver = m_processes.front()->driver;
        QCOMPARE(call(driver, {"GET", "count"}).value().text, QByteArray::number(kClients * rounds));
        QVERIFY(call(driver, {"DEL", "count"}));
        QCOMPARE(keysLeft(driver), QStringList());
    }

    void whoQueuesIsServedInTurn() {
        makeWorkers("redis-fair");
        // It is taken until all of them queue: one whose connection is slow would come in when others had their second
        // turn.
        Process first(m_runtime, m_server);
        const auto opener = first.recipe("redis-fair", kName);
        const auto held = run(opener->acquire(requestFor(*opener), {}));
        QVERIFY(held && *held);
        Tally tally;
        for (const auto& worker : m_workers)
            m_runtime.spawn([&] { return countUp(*worker, tally, kRounds); });
        QVERIFY(comesTrue([&] {
            return call(first.driver, {"LLEN", "redisson_lock_queue:{orders}"}).value().integer == kClients;
        }));
        VERIFY_OK(run(opener->release(**held, {})));
        QTRY_COMPARE_WITH_TIMEOUT(tally.done, kClients, 60'000);
        QCOMPARE(tally.wrong, QStringList());
        // Everybody asks again as soon as it has released, long before the next one does, which works first: between
        // two turns of one, every other one has its own.
        const qsizetype middle = tally.order.size() - 3 * kClients; // in the end fewer and fewer compete
        for (qsizetype i = kClients; i + kClients < middle; ++i) {
            const QSet<int> round(tally.order.begin() + i, tally.order.begin() + i + kClients);
            QVERIFY2(round.size() == kClients, qPrintable(QString::number(i)));
        }
    }

    void readersTogetherWritersAlone() {
        makeWorkers("redis-rw");
        Tally tally;
        for (const auto& worker : m_workers)
            m_runtime.spawn([&] { return readOrWrite(*worker, tally, kRounds); });
        QTRY_COMPARE_WITH_TIMEOUT(tally.done, kClients, 60'000);
        QCOMPARE(tally.wrong, QStringList());
        QVERIFY2(tally.readersTogether > 3, qPrintable(QString::number(tally.readersTogether)));
        int writes = 0;
        for (int client = 0; client < kClients; ++client)
            for (int i = 0; i < kRounds; ++i)
                writes += (i + client) % 5 == 0 ? 1 : 0;
        redis::RedisDriver& driver = m_processes.front()->driver;
        QCOMPARE(call(driver, {"GET", "count"}).value().text, QByteArray::number(writes));
        QVERIFY(call(driver, {"DEL", "count"}));
        QCOMPARE(keysLeft(driver), QStringList());
    }

    void neverMorePermitsThanThereAre() {
        constexpr int kPermits = 3;
        makeWorkers("redis-semaphore", kPermits);
        Tally tally;
        for (const auto& worker : m_workers)
            m_runtime.spawn([&] { return borrow(*worker, tally, kRounds); });
        QTRY_COMPARE_WITH_TIMEOUT(tally.done, kClients, 60'000);
        QCOMPARE(tally.wrong, QStringList());
        QCOMPARE(tally.most, kPermits);
        redis::RedisDriver& driver = m_processes.front()->driver;
        QCOMPARE(call(driver, {"GET", kName}).value().text, QByteArray::number(kPermits));
        QCOMPARE(keysLeft(driver, kPermits), QStringList());
    }

    void crossedOrdersOfSeveralLocksGetThrough() {
        m_processes.clear();
        for (int i = 0; i < 2; ++i)
            m_processes.push_back(std::make_unique<Process>(m_runtime, m_server));
        QVERIFY(call(m_processes.front()->driver, {"FLUSHALL"}));
        Tally tally;
        const char* const names[] = {"a,b,c", "c, b ,a"};
        for (int i = 0; i < 2; ++i) {
            Process& process = *m_processes[std::size_t(i)];
            m_workers.push_back(
                std::make_unique<Worker>(Worker{m_runtime, process, process.recipe("redis-multi", names[i]), i}));
        }
        for (const auto& worker : m_workers)
            m_runtime.spawn([&] { return countUp(*worker, tally, 30); });
        QTRY_COMPARE_WITH_TIMEOUT(tally.done, 2, 30'000);
        QCOMPARE(tally.wrong, QStringList());
        redis::RedisDriver& driver = m_processes.front()->driver;
        QCOMPARE(call(driver, {"GET", "count"}).value().text, QByteArray("60"));
        QVERIFY(call(driver, {"DEL", "count"}));
        QCOMPARE(keysLeft(driver), QStringList());
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::vector<std::unique_ptr<Process>> m_processes;
    std::vector<std::unique_ptr<Worker>> m_workers;
};

QTEST_GUILESS_MAIN(TestRedisContention)
#include "tst_redis_contention.moc"
