// SPDX-License-Identifier: Apache-2.0
#include "live_etcd.h"
#include "recipes/etcd/etcd_lease.h"
#include "runtime/completion.h"

#include <numeric>

using namespace lockscope;
using namespace lockscope::etcd;
using namespace lockscope::test;
using recipes::EtcdLease;
using recipes::Request;
using sandbox::EtcdServer;

namespace {

Request patient() {
    Request request;
    request.lease = 10s;
    return request;
}

/// A client process of its own: connection, identity and lock.
struct EtcdUser {
    EtcdUser(Runtime& runtime, const ConnectionUrl& url, const QByteArray& name)
        : driver(runtime, url), recipe({driver, name}) {}
    EtcdDriver driver;
    EtcdLease recipe;
};

/// The counter that all clients write to in two steps, between which another client could come.
struct Counter {
    int value = 0, inside = 0, most = 0;
    std::vector<int> order;
    std::vector<std::int64_t> tokens;
};

QCoro::Task<QString> work(Runtime& runtime, EtcdUser& client, int number, int rounds, Counter& counter) {
    for (int round = 0; round < rounds; ++round) {
        const auto grant = co_await client.recipe.acquire(patient(), {});
        if (!grant) co_return grant.error().message;
        counter.most = std::max(counter.most, ++counter.inside);
        counter.tokens.push_back((*grant)->token);
        counter.order.push_back(number);
        const int seen = counter.value;
        co_await runtime.sleep(500us);
        counter.value = seen + 1;
        --counter.inside;
        const auto left = co_await client.recipe.release(**grant, {});
        if (!left) co_return left.error().message;
    }
    co_return QString();
}

} // namespace

class TestEtcdContention : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void counterIsExactUnderContention() {
        constexpr int kClients = 8, kRounds = 15;
        Counter counter;
        std::vector<std::unique_ptr<EtcdUser>> clients;
        std::vector<std::shared_ptr<Ending<QString>>> endings;
        for (int i = 0; i < kClients; ++i) {
            clients.push_back(std::make_unique<EtcdUser>(m_runtime, urlOf(m_server), "counter"));
            endings.push_back(beside(work(m_runtime, *clients.back(), i, kRounds, counter)));
        }
        for (const auto& ending : endings) {
            QTRY_VERIFY_WITH_TIMEOUT(ending->done, 60'000);
            QCOMPARE(ending->result.value(), QString());
        }
        QCOMPARE(counter.value, kClients * kRounds);
        QCOMPARE(counter.most, 1);
        QVERIFY(std::ranges::is_sorted(counter.tokens, std::ranges::less_equal()));
        QCOMPARE(leaseCount(m_server), 0);
    }
    void firstComeFirstServed() {
        constexpr int kWaiters = 10;
        EtcdUser holder(m_runtime, urlOf(m_server), "queue");
        const auto held = run(holder.recipe.acquire(patient(), {}));
        QVERIFY(held.has_value());
        Counter counter;
        std::vector<std::unique_ptr<EtcdUser>> clients;
        std::vector<std::shared_ptr<Ending<QString>>> endings;
        for (int i = 0; i < kWaiters; ++i) {
            clients.push_back(std::make_unique<EtcdUser>(m_runtime, urlOf(m_server), "queue"));
            endings.push_back(beside(work(m_runtime, *clients.back(), i, 1, counter)));
            QTRY_COMPARE(keysUnder(holder.driver, "queue/").size(), std::size_t(i) + 2);
        }
        QTRY_COMPARE(watchCount(m_server), kWaiters);
        QVERIFY(run(holder.recipe.release(**held, {})));
        for (const auto& ending : endings)
            QTRY_VERIFY(ending->done);
        std::vector<int> expected(kWaiters);
        std::iota(expected.begin(), expected.end(), 0);
        QCOMPARE(counter.order, expected);
    }
    void theNextInLineLeaves() {
        // When a waiter gives up, the next waiter waits for the one before it, and does not go ahead.
        EtcdUser a(m_runtime, urlOf(m_server), "gap"), b(m_runtime, urlOf(m_server), "gap"),
            c(m_runtime, urlOf(m_server), "gap");
        const auto held = run(a.recipe.acquire(patient(), {}));
        QVERIFY(held.has_value());
        std::stop_source stop;
        auto second = beside(b.recipe.acquire(patient(), stop.get_token()));
        QTRY_COMPARE(watchCount(m_server), 1);
        auto third = beside(c.recipe.acquire(patient(), {}));
        QTRY_COMPARE(watchCount(m_server), 2);
        stop.request_stop();
        QTRY_VERIFY(second->done);
        QTRY_COMPARE(watchCount(m_server), 1);
        QVERIFY(!third->done);
        QVERIFY(run(a.recipe.release(**held, {})));
        QTRY_VERIFY(third->done);
        QVERIFY(run(c.recipe.release(**third->result.value(), {})));
    }
    void handOffIsQuick_data() {
        QTest::addColumn<int>("afterMs");
        QTest::newRow("while the waiter arrives") << 0;
        QTest::newRow("10 ms later") << 10;
        QTest::newRow("50 ms later") << 50;
        QTest::newRow("90 ms later") << 90;
    }
    void handOffIsQuick() {
        QFETCH(int, afterMs);
        EtcdUser one(m_runtime, urlOf(m_server), "wake"), other(m_runtime, urlOf(m_server), "wake");
        std::vector<Nanos> latencies, alone; // alone: a request and its release, with nobody waiting
        for (int round = 0; round < 20; ++round) {
            const Nanos begun = m_runtime.monotonic();
            const auto first = run(one.recipe.acquire(patient(), {}));
            QVERIFY(first && *first);
            QVERIFY(run(one.recipe.release(**first, {})));
            alone.push_back(m_runtime.monotonic() - begun);
            const auto held = run(one.recipe.acquire(patient(), {}));
            QVERIFY(held && *held);
            const Completion<Nanos> got; // waited for by the loop itself: QTRY sleeps between its looks
            auto waiting = timed(other, got);
            if (afterMs > 0) run(m_runtime.sleep(std::chrono::milliseconds(afterMs)));
            const Nanos asked = m_runtime.monotonic();
            QVERIFY(run(one.recipe.release(**held, {})));
            const auto at = run(got.wait(m_runtime, 10s));
            QVERIFY(at);
            latencies.push_back(std::max(*at - asked, Nanos(0)));
            QVERIFY(run(std::move(waiting)));
        }
        std::ranges::sort(latencies);
        std::ranges::sort(alone);
        const Nanos median = latencies[latencies.size() / 2], usual = alone[alone.size() / 2];
        qInfo("release → granted: median %.2f ms, worst %.2f ms", double(median.count()) / 1e6,
              double(latencies.back().count()) / 1e6);
        QVERIFY(median < 20ms + 2 * usual); // on a slow disk each write takes its time
    }

private:
    QCoro::Task<bool> timed(EtcdUser& client, Completion<Nanos> got) {
        const auto grant = co_await client.recipe.acquire(patient(), {});
        got.complete(m_runtime.monotonic());
        if (!grant || !*grant) co_return false;
        const auto left = co_await client.recipe.release(**grant, {});
        co_return left.has_value();
    }
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestEtcdContention)
#include "tst_etcd_contention.moc"
