// SPDX-License-Identifier: Apache-2.0
// Servers that can not be asked for a while: whoever tries hears of it, whoever waits goes on waiting.
#include "recipe_bench.h"
#include "recipes/redis/redis_condition.h"

using namespace lockscope;
using namespace lockscope::test;
using sandbox::RedisServer;
using Taken = std::expected<std::optional<Grant>, LockError>;

namespace {
const QByteArray kName = "orders";

bool taken(const Taken& grant) {
    return grant.has_value() && grant->has_value();
}

/// The server could not be asked, or did not answer: the connection may not know yet that it is gone.
bool isAway(const Taken& grant) {
    return !grant && (grant.error().kind == LockError::Kind::Unreachable ||
                      grant.error().kind == LockError::Kind::OutcomeUnknown);
}

/// Why it did not get the lock; empty when it did.
QString complaint(const std::shared_ptr<Ending<Taken>>& waiting) {
    if (!ends(waiting, 20s)) return QStringLiteral("still waits");
    if (!waiting->result) return QStringLiteral("was stopped");
    if (!*waiting->result) return waiting->result->error().message;
    return taken(*waiting->result) ? QString() : QStringLiteral("not in time");
}
} // namespace

class TestRedisOutages : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() {
        m_server = std::make_unique<RedisServer>(m_runtime);
        VERIFY_STARTED(*m_server);
        m_a = std::make_unique<Process>(m_runtime, *m_server);
        m_b = std::make_unique<Process>(m_runtime, *m_server);
    }

    void aServerThatComesBackIsWaitedFor_data() { everyRecipe(); }
    void aServerThatComesBackIsWaitedFor() {
        QFETCH(QByteArray, id);
        const auto b = m_b->recipe(id, kName);
        QVERIFY(call(m_b->driver, {"PING"}));
        run(m_server->stop());
        QVERIFY(isAway(run(b->acquire(requestFor(*b, 0s), {}))));

        const auto waiting = beside(b->acquire(requestFor(*b, 30s), {}));
        const auto late = run(b->acquire(requestFor(*b, 300ms), {}));
        QVERIFY(isAway(late)); // and not: somebody else has it
        QVERIFY2(!waiting->done, "gave up with nearly all of its time left");
        VERIFY_STARTED(*m_server);
        VERIFY_EMPTY(complaint(waiting));
        QCOMPARE(run(b->release(***waiting->result, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_b->driver), QStringList());
    }

    void aRestartInTheMiddleOfAWaitCostsTheWaiterNothing_data() { everyRecipe(); }
    void aRestartInTheMiddleOfAWaitCostsTheWaiterNothing() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        QVERIFY(taken(run(a->acquire(requestFor(*a, 0s, 500ms), {}))));
        const auto waiting = beside(b->acquire(requestFor(*b, 30s), {}));
        const auto other = run(b->acquire(requestFor(*b, 50ms), {}));
        QVERIFY(other && !*other);
        m_server->kill();
        const auto late = run(m_a->recipe(id, kName)->acquire(requestFor(*a, 700ms), {}));
        QVERIFY(!late);
        QVERIFY2(!waiting->done, "gave up with nearly all of its time left");
        VERIFY_STARTED(*m_server);
        VERIFY_EMPTY(complaint(waiting));
        QCOMPARE(run(b->release(***waiting->result, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_b->driver), QStringList());
    }

    void aStopInAnOutageIsHeardAtOnce_data() { everyRecipe(); }
    void aStopInAnOutageIsHeardAtOnce() {
        QFETCH(QByteArray, id);
        const auto b = m_b->recipe(id, kName);
        QVERIFY(call(m_b->driver, {"PING"}));
        run(m_server->stop());
        std::stop_source stop;
        const auto waiting = beside(b->acquire(requestFor(*b), stop.get_token()));
        QVERIFY(!run(b->acquire(requestFor(*b, 300ms), {})));
        const Nanos asked = m_runtime.monotonic();
        stop.request_stop();
        QVERIFY(ends(waiting, 20s));
        QVERIFY(waiting->cancelled == Cancelled::Why::Stopped);
        QVERIFY(m_runtime.monotonic() - asked < 2s);
        VERIFY_STARTED(*m_server);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    /// Nobody makes it a master by waiting; drivers that know of several servers look for the master themselves.
    void aReplicaIsRefusedAtOnce_data() { everyRecipe(); }
    void aReplicaIsRefusedAtOnce() {
        QFETCH(QByteArray, id);
        const auto b = m_b->recipe(id, kName);
        QVERIFY(call(m_a->driver, {"REPLICAOF", "127.0.0.1", "1"}));
        const auto tried = run(b->acquire(requestFor(*b, 0s), {}));
        const auto waited = run(b->acquire(requestFor(*b, 60s), {}));
        QVERIFY(call(m_a->driver, {"REPLICAOF", "NO", "ONE"}));
        for (const auto& refused : {tried, waited}) {
            QVERIFY(!refused && refused.error().kind == LockError::Kind::Refused);
            QVERIFY2(refused.error().message.contains(u"replica"_qs), qPrintable(refused.error().message));
        }
        const auto taken = run(b->acquire(requestFor(*b, 0s), {}));
        QVERIFY(taken && *taken);
        QVERIFY(run(b->release(**taken, {})).has_value());
    }

    void aBusyServerIsWaitedFor() {
        QVERIFY(call(m_a->driver, {"CONFIG", "SET", "busy-reply-threshold", "20"}));
        QVERIFY(call(m_b->driver, {"PING"}));
        Process other(m_runtime, *m_server);
        const auto script = beside(other.driver.call({"EVAL", "while true do end", "0"}));
        QVERIFY(comesTrue([&] { return !call(m_a->driver, {"GET", "any"}); }));
        const auto b = m_b->recipe("redis-set", kName);
        const auto tried = run(b->acquire(requestFor(*b, 0s), {}));
        QVERIFY(!tried && tried.error().kind == LockError::Kind::Unreachable);
        const auto waiting = beside(b->acquire(requestFor(*b, 30s), {}));
        QVERIFY(!run(b->acquire(requestFor(*b, 200ms), {})));
        QVERIFY(!waiting->done);
        QVERIFY(call(m_a->driver, {"SCRIPT", "KILL"}));
        QVERIFY(ends(script, 5s));
        VERIFY_EMPTY(complaint(waiting));
    }

    void whoWaitsForASignalWaitsForItsServer() {
        recipes::RedisCondition waiter(m_a->lock(kName)), signaller(m_b->lock(kName));
        QVERIFY(run(waiter.enlist("1", {})).has_value());
        QVERIFY(call(m_a->driver, {"CONFIG", "SET", "busy-reply-threshold", "20"}));
        QVERIFY(call(m_b->driver, {"PING"}));
        Process other(m_runtime, *m_server);
        const auto script = beside(other.driver.call({"EVAL", "while true do end", "0"}));
        QVERIFY(comesTrue([&] { return !call(m_b->driver, {"GET", "any"}); }));
        const auto waiting = beside(waiter.awaitSignal("1", 60s, {}));
        const auto b = m_b->recipe("redis-set", kName);
        QVERIFY(isAway(run(b->acquire(requestFor(*b, 300ms), {})))); // by when both have been refused
        QVERIFY2(!waiting->done, "gave up with nearly all of its time left");
        QVERIFY(call(m_b->driver, {"SCRIPT", "KILL"}));
        QVERIFY(ends(script, 5s));
        QCOMPARE(run(signaller.signal(1, {})).value_or(-1), 1);
        QVERIFY(ends(waiting, 5s)); // sooner than it would look again without having listened
        QVERIFY(waiting->result->value_or(false));
        QCOMPARE(keysLeft(m_b->driver), QStringList());
    }

    /// As for some seconds after a failover, where a master that has no replicas is not to be written to.
    void aMasterThatMayNotWriteYetIsWaitedFor() {
        QVERIFY(call(m_a->driver, {"CONFIG", "SET", "min-replicas-to-write", "1"}));
        const auto b = m_b->recipe("redis-set", kName), c = m_b->recipe("redis-reentrant", "others");
        QVERIFY(isAway(run(b->acquire(requestFor(*b, 0s), {}))));
        const auto waiting = beside(b->acquire(requestFor(*b, 30s), {}));
        const auto another = beside(c->acquire(requestFor(*c, 30s), {}));
        QVERIFY(isAway(run(b->acquire(requestFor(*b, 300ms), {}))));
        QVERIFY(!waiting->done && !another->done);
        QVERIFY(call(m_a->driver, {"CONFIG", "SET", "min-replicas-to-write", "0"}));
        VERIFY_EMPTY(complaint(waiting));
        VERIFY_EMPTY(complaint(another));
    }

    void aWrongLoginIsNot() {
        QVERIFY(call(m_a->driver, {"CONFIG", "SET", "requirepass", "secret"}));
        Process stranger(m_runtime, *m_server);
        for (const QByteArray& id :
             {QByteArray("redis-set"), QByteArray("redis-reentrant"), QByteArray("redis-setnx")}) {
            const auto lock = stranger.recipe(id, kName);
            const auto refused = run(lock->acquire(requestFor(*lock), {}));
            QVERIFY2(!refused && refused.error().kind == LockError::Kind::Refused, id);
        }
    }

private:
    EventLoopRuntime m_runtime;
    std::unique_ptr<RedisServer> m_server;
    std::unique_ptr<Process> m_a, m_b;
};

QTEST_GUILESS_MAIN(TestRedisOutages)
#include "tst_redis_outages.moc"
