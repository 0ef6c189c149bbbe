// SPDX-License-Identifier: Apache-2.0
// Every Redis recipe against a real server: what each operation does, and what it leaves there.
#include "recipe_bench.h"

using namespace lockscope;
using namespace lockscope::test;
using sandbox::RedisServer;

namespace {
const QByteArray kName = "orders";

bool taken(const std::expected<std::optional<Grant>, LockError>& grant) {
    return grant.has_value() && grant->has_value();
}

QCoro::Task<> releaseLater(Runtime& runtime, recipes::Recipe& recipe, Grant grant, Nanos after) {
    co_await runtime.sleep(after);
    co_await recipe.release(grant, {});
}
} // namespace

class TestRedisRecipes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }
    void init() {
        m_a = std::make_unique<Process>(m_runtime, m_server);
        m_b = std::make_unique<Process>(m_runtime, m_server);
        QVERIFY(call(m_a->driver, {"FLUSHALL"}));
    }

    void oneTakesItTheOtherWaits_data() { everyRecipe(); }
    void oneTakesItTheOtherWaits() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        QCOMPARE(run(b->isLocked({})).value_or(true), false);
        const auto grant = run(a->acquire(requestFor(*a), {}));
        QVERIFY2(taken(grant), grant ? "not taken" : qPrintable(grant.error().message));
        QCOMPARE((*grant)->holds, 1);
        QCOMPARE((*grant)->lease, Nanos(30s));
        QCOMPARE(run(b->isLocked({})).value_or(false), true);

        const auto tried = run(b->acquire(requestFor(*b, 0s), {}));
        QVERIFY(tried.has_value() && !tried->has_value());
        const Nanos begun = m_runtime.monotonic();
        const auto timed = run(b->acquire(requestFor(*b, 120ms), {}));
        QVERIFY(timed.has_value() && !timed->has_value());
        QVERIFY(m_runtime.monotonic() - begun >= 120ms);
        QVERIFY(m_runtime.monotonic() - begun < 10s); // the lease is 30 s

        m_runtime.spawn([this, &a, held = **grant] { return releaseLater(m_runtime, *a, held, 50ms); });
        const auto other = run(b->acquire(requestFor(*b, 10s), {}));
        QVERIFY2(taken(other), other ? "not taken" : qPrintable(other.error().message));
        QCOMPARE(run(b->release(**other, {})).value_or(-1), 0);
        QCOMPARE(run(a->isLocked({})).value_or(true), false);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
        QTRY_COMPARE(call(m_a->driver, {"PUBSUB", "CHANNELS"}).value().items.size(), std::size_t(0));
    }

    /// A person may keep everybody out for good: nanoseconds cannot count so far.
    void aLockThatEndsInTheYear3000IsWaitedFor_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::newRow("redis-set") << QByteArray("redis-set");
        QTest::newRow("redis-reentrant") << QByteArray("redis-reentrant");
    }
    void aLockThatEndsInTheYear3000IsWaitedFor() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        const auto grant = run(a->acquire(requestFor(*a), {}));
        QVERIFY(taken(grant));
        QVERIFY(call(m_a->driver, {"PEXPIREAT", kName, "32503680000000"}));
        const auto holders = run(b->holders({}));
        QVERIFY(holders && holders->size() == 1);
        QVERIFY(holders->front().left > 365 * 24h);
        const std::uint64_t before = m_b->driver.commandsSent();
        const auto waited = run(b->acquire(requestFor(*b, 500ms), {}));
        QVERIFY(waited && !*waited);
        const std::uint64_t sent = m_b->driver.commandsSent() - before;
        QVERIFY2(sent < 100, qPrintable(QString::number(sent))); // it rests between its tries
        QVERIFY(run(a->release(**grant, {})));
    }

    /// Nobody looks by itself here: what brings the waiter on is the message.
    void aReleaseWakesWhoWaits_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<bool>("forced");
        for (const char* id : {"redis-set", "redis-reentrant"}) {
            QTest::addRow("%s", id) << QByteArray(id) << false;
            QTest::addRow("%s, forced", id) << QByteArray(id) << true;
        }
    }
    void aReleaseWakesWhoWaits() {
        QFETCH(QByteArray, id);
        QFETCH(bool, forced);
        const auto a = m_a->recipe(id, kName);
        recipes::RedisLock spec = m_b->lock(kName);
        spec.polling = {1h, 1h};
        const auto b = recipes::makeRedisRecipe(id, std::move(spec));
        const auto grant = run(a->acquire(requestFor(*a), {}));
        QVERIFY(taken(grant));
        auto waiting = b->acquire(requestFor(*b), {});
        QTRY_COMPARE(call(m_a->driver, {"PUBSUB", "CHANNELS"}).value().items.size(), std::size_t(1));
        const Nanos begun = m_runtime.monotonic();
        QVERIFY(forced ? run(a->forceRelease({})).value_or(false) : run(a->release(**grant, {})).has_value());
        const auto other = run(std::move(waiting));
        QVERIFY2(taken(other), other ? "not taken" : qPrintable(other.error().message));
        QVERIFY(m_runtime.monotonic() - begun < 5s);
        QCOMPARE(run(b->release(**other, {})).value_or(-1), 0);
    }

    /// For string locks, messages are a help only: the lock does not depend on them.
    void whoMayUseNoChannelWaitsAllTheSame() {
        QVERIFY(call(m_a->driver, {"ACL", "SETUSER", "keys", "on", ">secret", "~" + kName, "resetchannels", "+@all"}));
        ConnectionUrl url = urlOf(m_server);
        url.user = QStringLiteral("keys");
        url.password = QStringLiteral("secret");
        redis::RedisDriver first(m_runtime, url), second(m_runtime, url);
        const auto a = recipes::makeRedisRecipe("redis-set", {first, kName, "a"});
        const auto b = recipes::makeRedisRecipe("redis-set", {second, kName, "b"});
        const auto grant = run(a->acquire(requestFor(*a), {}));
        QVERIFY2(taken(grant), grant ? "not taken" : qPrintable(grant.error().message));
        m_runtime.spawn([this, &a, held = **grant] { return releaseLater(m_runtime, *a, held, 50ms); });
        const auto other = run(b->acquire(requestFor(*b, 10s), {}));
        QVERIFY2(taken(other), other ? "not taken" : qPrintable(other.error().message));
        QCOMPARE(run(b->forceRelease({})).value_or(false), true);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    /// As a user of Redis 7 is made by default.
    void whoMayUseNoChannelGivesBackAllTheSame_data() { everySafeRecipe(); }
    void whoMayUseNoChannelGivesBackAllTheSame() {
        QFETCH(QByteArray, id);
        QVERIFY(call(m_a->driver, {"ACL", "SETUSER", "mute", "on", ">secret", "~*", "resetchannels", "+@all"}));
        ConnectionUrl url = urlOf(m_server);
        url.user = QStringLiteral("mute");
        url.password = QStringLiteral("secret");
        redis::RedisDriver driver(m_runtime, url);
        const auto a = recipes::makeRedisRecipe(id, {driver, kName, m_runtime.randomUuid()});
        for (const bool forced : {false, true}) {
            const auto grant = run(a->acquire(requestFor(*a), {}));
            QVERIFY2(taken(grant), grant ? "not taken" : qPrintable(grant.error().message));
            if (forced) {
                QCOMPARE(run(a->forceRelease({})).value_or(false), true);
            } else {
                const auto left = run(a->release(**grant, {}));
                QVERIFY2(left.has_value(), left ? "" : qPrintable(left.error().message));
                QCOMPARE(*left, 0);
            }
            QCOMPARE(keysLeft(m_a->driver), QStringList());
        }
    }

    void whoMayUseItsKeyOnlyGivesBackWhatItTook_data() {
        QTest::addColumn<QByteArray>("id");
        for (const char* id : {"redis-set", "redis-reentrant"})
            QTest::newRow(id) << QByteArray(id);
    }
    void whoMayUseItsKeyOnlyGivesBackWhatItTook() {
        QFETCH(QByteArray, id);
        QVERIFY(call(m_a->driver, {"ACL", "SETUSER", "narrow", "on", ">secret", "~" + kName, "allchannels", "+@all"}));
        ConnectionUrl url = urlOf(m_server);
        url.user = QStringLiteral("narrow");
        url.password = QStringLiteral("secret");
        redis::RedisDriver driver(m_runtime, url);
        const auto recipe = recipes::makeRedisRecipe(id, {driver, kName, m_runtime.randomUuid()});
        const auto grant = run(recipe->acquire(requestFor(*recipe), {}));
        QVERIFY2(taken(grant), grant ? "not taken" : qPrintable(grant.error().message));
        const auto left = run(recipe->release(**grant, {}));
        QVERIFY2(left.has_value(), left ? "" : qPrintable(left.error().message));
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void aThreadReenters_data() { everySafeRecipe(); }
    void aThreadReenters() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName);
        const auto first = run(a->acquire(requestFor(*a), {}));
        QVERIFY(taken(first));
        Request again = requestFor(*a, 0s);
        again.held = 1;
        const auto second = run(a->acquire(again, {}));
        QVERIFY(second.has_value());
        QCOMPARE(second->has_value(), a->info().reentrant);
        Request anotherThread = requestFor(*a, 0s);
        anotherThread.thread = "2";
        QVERIFY(!taken(run(a->acquire(anotherThread, {}))));
        if (a->info().reentrant) {
            QCOMPARE((*second)->holds, 2);
            const auto left = run(a->release(**second, {}));
            QCOMPARE(left.value_or(-1), 1);
            QVERIFY(!taken(run(m_b->recipe(id, kName)->acquire(requestFor(*a, 0s), {}))));
            Grant rest = **second;
            rest.holds = 1;
            QCOMPARE(run(a->release(rest, {})).value_or(-1), 0);
        } else {
            QCOMPARE(run(a->release(**first, {})).value_or(-1), 0);
        }
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void whoDoesNotOwnItCannotReleaseIt_data() { everySafeRecipe(); }
    void whoDoesNotOwnItCannotReleaseIt() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        const auto old = run(a->acquire(requestFor(*a, 0s, 60ms), {}));
        QVERIFY(taken(old));
        const auto grant = run(b->acquire(requestFor(*b, 5s), {})); // when the lease has ended
        QVERIFY(taken(grant));
        const auto released = run(a->release(**old, {}));
        QVERIFY(!released && released.error().kind == LockError::Kind::NotOwner);
        QVERIFY(!released.error().message.isEmpty());
        QCOMPARE(run(a->renew(**old, {})).value_or(true), false);
        QVERIFY(!taken(run(a->acquire(requestFor(*a, 0s), {})))); // the other's hold was not touched
        QCOMPARE(run(b->renew(**grant, {})).value_or(false), true);
        QCOMPARE(run(b->release(**grant, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void aForcedReleaseFreesIt_data() { everyRecipe(); }
    void aForcedReleaseFreesIt() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        QCOMPARE(run(b->forceRelease({})).value_or(true), false);
        const auto grant = run(a->acquire(requestFor(*a), {}));
        QVERIFY(taken(grant));
        auto waiting = b->acquire(requestFor(*b, 10s), {});
        QTest::qWait(50);
        QCOMPARE(run(m_b->recipe(id, kName)->forceRelease({})).value_or(false), true);
        const auto other = run(std::move(waiting));
        QVERIFY(taken(other));
        if (!a->info().naive) {
            QCOMPARE(run(a->renew(**grant, {})).value_or(true), false);
            QVERIFY(!run(a->release(**grant, {})).has_value());
        }
        QCOMPARE(run(b->release(**other, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
        QVERIFY(taken(run(a->acquire(requestFor(*a, 0s), {}))));
        QCOMPARE(run(b->forceRelease({})).value_or(false), true);
        QCOMPARE(run(b->isLocked({})).value_or(true), false);
    }

    void aLeaseEnds_data() { everyRecipe(); }
    void aLeaseEnds() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        QVERIFY(taken(run(a->acquire(requestFor(*a, 0s, 200ms), {}))));
        const Nanos begun = m_runtime.monotonic();
        const auto other = run(b->acquire(requestFor(*b, 10s), {}));
        QVERIFY(taken(other));
        const Nanos waited = m_runtime.monotonic() - begun;
        QVERIFY2(waited > 150ms && waited < 2s, qPrintable(QString::number(waited / 1ms)));
        QCOMPARE(run(b->release(**other, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
        QVERIFY(taken(run(a->acquire(requestFor(*a, 0s, 50ms), {}))));
        QTRY_COMPARE(run(b->isLocked({})).value_or(true), false); // nobody came who would have tidied up
    }

    void renewalsKeepIt_data() { everySafeRecipe(); }
    void renewalsKeepIt() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        QVERIFY(a->info().watchdog);
        const auto grant = run(a->acquire(requestFor(*a, 0s, 250ms), {}));
        QVERIFY(taken(grant));
        for (int i = 0; i < 5; ++i) {
            QTest::qWait(60);
            QCOMPARE(run(a->renew(**grant, {})).value_or(false), true);
            QVERIFY(!taken(run(b->acquire(requestFor(*b, 0s), {}))));
        }
        QCOMPARE(run(a->release(**grant, {})).value_or(-1), 0);
        QCOMPARE(run(a->renew(**grant, {})).value_or(true), false);
    }

    void aKilledWaiterOrHolderStandsInNobodysWay_data() { everyRecipe(); }
    void aKilledWaiterOrHolderStandsInNobodysWay() {
        QFETCH(QByteArray, id);
        const auto b = m_b->recipe(id, kName);
        {
            EventLoopRuntime other;
            Process holder(other, m_server), waiter(other, m_server);
            const auto first = holder.recipe(id, kName);
            auto spec = waiter.lock(kName);
            spec.patience = 100ms;
            const auto second = recipes::makeRedisRecipe(id, spec);
            QVERIFY(taken(run(first->acquire(requestFor(*first, 0s, 200ms), {}))));
            const Request request = requestFor(*second);
            other.spawn([&second, request]() -> QCoro::Task<> { co_await second->acquire(request, {}); });
            QTest::qWait(30);
            other.kill(); // cleans nothing up
        }
        const Nanos begun = m_runtime.monotonic();
        const auto grant = run(b->acquire(requestFor(*b, 10s), {}));
        QVERIFY2(taken(grant), grant ? "not taken" : qPrintable(grant.error().message));
        QVERIFY2(m_runtime.monotonic() - begun < 3s, "the dead stood in the way");
        QCOMPARE(run(b->release(**grant, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    void aConnectionThatBreaksInTheMiddleCostsAWaiterNothing_data() { everyRecipe(); }
    void aConnectionThatBreaksInTheMiddleCostsAWaiterNothing() {
        QFETCH(QByteArray, id);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        const auto grant = run(a->acquire(requestFor(*a, 0s, 2s), {}));
        QVERIFY(taken(grant));
        auto waiting = b->acquire(requestFor(*b, 10s), {});
        QTest::qWait(40);
        QVERIFY(call(m_a->driver, {"CLIENT", "KILL", "TYPE", "pubsub"}));
        QTest::qWait(20);
        QVERIFY(run(a->release(**grant, {})).has_value());
        const auto other = run(std::move(waiting));
        QVERIFY2(taken(other), other ? "not taken" : qPrintable(other.error().message));
        QCOMPARE(run(b->release(**other, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    /// The waiter was told of the longest hold, which is then given up: the holds that are left end sooner.
    void aWriterWaitsNoLongerThanTheReadersThatAreLeft() {
        const auto dead = m_a->recipe("redis-rw", kName), alive = m_b->recipe("redis-rw", kName);
        Request reading = requestFor(*dead, 0s, 500ms);
        reading.mode = Mode::Shared;
        QVERIFY(taken(run(dead->acquire(reading, {}))));
        reading.lease = 30s;
        const auto grant = run(alive->acquire(reading, {}));
        QVERIFY(taken(grant));
        Process c(m_runtime, m_server);
        const auto writer = c.recipe("redis-rw", kName);
        const auto writing = beside(writer->acquire(requestFor(*writer, 60s), {}));
        QTRY_COMPARE(call(m_a->driver, {"PUBSUB", "NUMSUB", "redisson_rwlock:{orders}"}).value().items[1].integer, 1);
        const auto other = run(writer->acquire(requestFor(*writer, 50ms), {})); // by when the first has looked again
        QVERIFY(other && !*other);
        QCOMPARE(run(alive->release(**grant, {})).value_or(-1), 0);
        QVERIFY(ends(writing, 10s));
        QVERIFY(taken(*writing->result));
        QCOMPARE(run(writer->release(***writing->result, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
    }

    /// As when a replica is promoted that has never heard of a release: its holder was told that it is free.
    void aReleaseThatWasForgottenIsMadeGoodByTheNextOne_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<Mode>("mode");
        for (const char* id : {"redis-reentrant", "redis-fenced", "redis-fair", "redis-rw"})
            QTest::newRow(id) << QByteArray(id) << Mode::Exclusive;
        QTest::newRow("redis-rw, reading") << QByteArray("redis-rw") << Mode::Shared;
    }
    void aReleaseThatWasForgottenIsMadeGoodByTheNextOne() {
        QFETCH(QByteArray, id);
        QFETCH(Mode, mode);
        const auto a = m_a->recipe(id, kName), b = m_b->recipe(id, kName);
        Request request = requestFor(*a, 0s);
        request.mode = mode;
        const auto first = run(a->acquire(request, {}));
        QVERIFY(taken(first));
        std::map<QByteArray, QByteArray> before;
        const redis::Result keys = call(m_b->driver, {"KEYS", "*orders*"});
        for (const redis::Reply& key : keys->items) {
            if (!key.text.startsWith("redisson_lock_token:"))
                before[key.text] = call(m_b->driver, {"DUMP", key.text}).value().text;
        }
        QCOMPARE(run(a->release(**first, {})).value_or(-1), 0);
        for (const auto& [key, value] : before)
            QVERIFY(call(m_b->driver, {"RESTORE", key, "30000", value}));

        const auto second = run(a->acquire(request, {}));
        QVERIFY(taken(second));
        QCOMPARE((*second)->holds, 1);
        request.held = 1;
        const auto third = run(a->acquire(request, {}));
        QVERIFY(taken(third));
        QCOMPARE((*third)->holds, 2);
        QVERIFY(run(a->renew(**third, {})).value_or(false));
        QCOMPARE(run(a->release(**third, {})).value_or(-1), 1);
        QVERIFY(!run(b->acquire(requestFor(*b, 0s), {})).value().has_value());
        QCOMPARE(run(a->release(**second, {})).value_or(-1), 0);
        QCOMPARE(keysLeft(m_a->driver), QStringList());
        // Without another hold in between it is made good as well.
        for (const auto& [key, value] : before)
            QVERIFY(call(m_b->driver, {"RESTORE", key, "30000", value}));
        request.held = 0;
        const auto last = run(a->acquire(request, {}));
        QVERIFY(taken(last));
        QCOMPARE(run(a->release(**last, {})).value_or(-1), 0);
        QVERIFY(taken(run(b->acquire(requestFor(*b, 0s), {}))));
    }

    void aServerThatIsGoneIsSaid() {
        RedisServer server(m_runtime);
        VERIFY_STARTED(server);
        redis::DriverOptions impatient;
        impatient.commandTimeout = 150ms;
        Process process(m_runtime, server, impatient);
        struct Held {
            std::unique_ptr<recipes::Recipe> recipe;
            Grant grant;
        };
        std::vector<Held> held;
        for (const QByteArray& id : oneServerRecipes()) {
            Held one{process.recipe(id, id), {}};
            const auto grant = run(one.recipe->acquire(requestFor(*one.recipe), {}));
            QVERIFY2(taken(grant), id);
            one.grant = **grant;
            held.push_back(std::move(one));
        }
        run(server.stop());
        for (const Held& one : held) {
            const auto again = run(one.recipe->acquire(requestFor(*one.recipe, 1s), {}));
            QVERIFY2(!again, one.recipe->info().id);
            QVERIFY(again.error().kind == LockError::Kind::Unreachable ||
                    again.error().kind == LockError::Kind::OutcomeUnknown);
            QVERIFY2(!run(one.recipe->isLocked({})).has_value(), one.recipe->info().id);
            QVERIFY(!run(one.recipe->release(one.grant, {})).has_value());
        }
    }

private:
    EventLoopRuntime m_runtime;
    RedisServer m_server{m_runtime};
    std::unique_ptr<Process> m_a, m_b;
};

QTEST_GUILESS_MAIN(TestRedisRecipes)
#include "tst_redis_recipes.moc"
