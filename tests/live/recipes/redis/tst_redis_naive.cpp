// SPDX-License-Identifier: Apache-2.0
// The naive recipes fail as their sources say, on a real server: what happens between two of their commands goes
// unseen. Where a safe recipe is in the same table, the same happens to it, and does no harm. When a naive recipe is
// mended, its row here fails.
#include "between_port.h"
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
const QByteArray kName = "orders";
constexpr Nanos kLong = 10s;

bool taken(const std::expected<std::optional<Grant>, LockError>& grant) {
    return grant.has_value() && grant->has_value();
}
} // namespace

class TestRedisNaive : public QObject {
    Q_OBJECT

    redis::Result ask(redis::Args args) { return call(m_b->driver, std::move(args)); }
    QByteArray value() { return ask({"GET", kName}).value().text; }
    /// Over the port on which something can happen.
    std::unique_ptr<recipes::Recipe> meddledWith(const QByteArray& id) {
        return recipes::makeRedisRecipe(id, {*m_between, kName, m_a->uuid, {}, m_a->doubts});
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_a = std::make_unique<Process>(m_runtime, m_server);
        m_b = std::make_unique<Process>(m_runtime, m_server);
        m_between = std::make_unique<BetweenPort>(m_a->driver);
        QVERIFY(ask({"FLUSHALL"}));
    }

    void deathBeforeTheExpiryLeavesItForEver_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<bool>("forEver");
        QTest::newRow("redis-setnx-expire") << QByteArray("redis-setnx-expire") << true;
        QTest::newRow("redis-set") << QByteArray("redis-set") << false;
    }
    void deathBeforeTheExpiryLeavesItForEver() {
        QFETCH(QByteArray, id);
        QFETCH(bool, forEver);
        constexpr Nanos kLease = 200ms;
        // As soon as the lock is there, and before its holder does anything else.
        m_between->answered = [this](redis::Args) -> QCoro::Task<> {
            const redis::Result there = co_await m_b->driver.call(redis::argsOf("EXISTS", kName));
            m_between->dead = there && there->integer == 1;
        };
        const auto dying = meddledWith(id);
        const auto died = run(howCancelled(dying->acquire(requestFor(*dying, 0s, kLease), {})));
        QCOMPARE(died, std::optional(Cancelled::Why::Killed));
        const auto next = m_b->recipe(id, kName);
        if (forEver) {
            QCOMPARE(value(), m_a->uuid + ":1");
            QCOMPARE(ask({"PTTL", kName}).value().integer, -1);
        }
        const auto grant = run(next->acquire(requestFor(*next, forEver ? 3 * kLease : kLong), {}));
        QCOMPARE(taken(grant), !forEver);
    }

    void aLockThatChangesHandsBeforeTheDeleteIsDeleted_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<bool>("deletes");
        QTest::newRow("redis-set-getdel") << QByteArray("redis-set-getdel") << true;
        QTest::newRow("redis-set") << QByteArray("redis-set") << false;
    }
    void aLockThatChangesHandsBeforeTheDeleteIsDeleted() {
        QFETCH(QByteArray, id);
        QFETCH(bool, deletes);
        const auto first = meddledWith(id), second = m_b->recipe(id, kName), third = m_b->recipe(id, kName);
        const auto held = run(first->acquire(requestFor(*first, 0s), {}));
        QVERIFY(taken(held));
        // The first answer to its release: by now its lease has ended, and the next has the lock.
        QByteArray theirs;
        m_between->answered = [&](redis::Args) -> QCoro::Task<> {
            m_between->answered = nullptr;
            co_await m_b->driver.call(redis::argsOf("PEXPIRE", kName, "1"));
            const Request request = requestFor(*second, kLong);
            const auto grant = co_await second->acquire(request, {});
            if (taken(grant)) theirs = (*grant)->value;
        };
        const auto released = run(first->release(**held, {}));
        QVERIFY(!theirs.isEmpty());
        if (deletes) QCOMPARE(released.value_or(-1), 0); // and it does not even know
        QCOMPARE(value(), deletes ? QByteArray() : theirs);
        QCOMPARE(taken(run(third->acquire(requestFor(*third, 0s), {}))), deletes); // two holders
    }

    void whoLosesTheRaceForAnExpiredOneOverwritesTheWinnersTime() {
        const auto winner = m_b->recipe("redis-setnx", kName), loser = meddledWith("redis-setnx");
        QVERIFY(ask({"SET", kName, QByteArray::number(qlonglong(m_runtime.wallMs() - 1000))}));
        // It has seen that the lock has expired, and meanwhile another has taken it over.
        QByteArray theirs;
        m_between->answered = [&](redis::Args asked) -> QCoro::Task<> {
            if (asked.front() != "GET") co_return;
            m_between->answered = nullptr;
            const Request request = requestFor(*winner, 0s, 20s);
            const auto grant = co_await winner->acquire(request, {});
            if (taken(grant)) theirs = (*grant)->value;
        };
        const auto lost = run(loser->acquire(requestFor(*loser, 0s, 60s), {}));
        QVERIFY2(lost.has_value() && !taken(lost), lost ? "both hold it" : qPrintable(lost.error().message));
        QVERIFY(!theirs.isEmpty());
        // It knows that it has lost; but the lock of the other ends when its own would have.
        const std::int64_t longer = value().toLongLong() - theirs.toLongLong();
        QVERIFY2(std::abs(longer - 40'000) < 5000, qPrintable(QString::number(longer)));
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_a, m_b;
    std::unique_ptr<BetweenPort> m_between;
};

QTEST_GUILESS_MAIN(TestRedisNaive)
#include "tst_redis_naive.moc"
