// SPDX-License-Identifier: Apache-2.0
// Operations and questions of other clients about a lock, against the simulated server, which runs the same scripts as
// a real one.
#include "lock_bench_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::recipes;
using tests::LockWorld;

namespace {

const QByteArray kName = "orders";

using Freed = std::expected<bool, LockError>;
using Held = std::expected<bool, LockError>;

QCoro::Task<> takeIt(Recipe& recipe, bool& taken) {
    Request request;
    if (!recipe.info().exclusive) request.mode = Mode::Permit;
    auto grant = co_await recipe.acquire(request, {});
    taken = grant && *grant;
}

QCoro::Task<> holdFor(Recipe& recipe, Runtime& runtime, Request request, Nanos time) {
    auto grant = co_await recipe.acquire(request, {});
    if (!grant || !*grant) co_return;
    co_await runtime.sleep(time);
    co_await recipe.release(**grant, {});
}

QCoro::Task<> lookAt(Recipe& recipe, std::vector<Held>& seen) {
    auto outcome = co_await recipe.isLocked({});
    seen.push_back(std::move(outcome));
}

/// Somebody who asks whether a lock is held, and has never held it.
struct Onlooker {
    Onlooker(LockWorld& w, const QByteArray& id)
        : world(w), process(w, "onlooker"), recipe(makeRedisRecipe(id, {process.wire, kName, process.uuid})) {}
    Held look() {
        process.runtime.spawn([this] { return lookAt(*recipe, seen); });
        world.run(10ms);
        return seen.empty() ? Held(std::unexpected(LockError{})) : std::exchange(seen, {}).front();
    }
    LockWorld& world;
    LockWorld::Process process;
    std::unique_ptr<Recipe> recipe;
    std::vector<Held> seen;
};

QCoro::Task<> forceIt(Recipe& recipe, std::vector<Freed>& freed) {
    auto outcome = co_await recipe.forceRelease({});
    freed.push_back(std::move(outcome));
}

} // namespace

class TestRedisForce : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void onlyTheLockIsFreed_data() {
        QTest::addColumn<QByteArray>("id");
        for (const RecipeInfo& info : allRecipes()) {
            if (info.backend == "redis" && info.simulated && info.id != "redis-redlock" && info.exclusive)
                QTest::newRow(info.id) << QByteArray(info.id);
        }
    }
    void onlyTheLockIsFreed() {
        QFETCH(QByteArray, id);
        LockWorld world(kName);
        LockWorld::Process ours(world, "ours"), theirs(world, "theirs");
        const auto holder = makeRedisRecipe(id, {ours.wire, kName, ours.uuid});
        const auto other = makeRedisRecipe(id, {theirs.wire, kName, theirs.uuid});
        bool taken = false;
        std::vector<Freed> freed;
        ours.runtime.spawn([&] { return takeIt(*holder, taken); });
        world.run(1s);
        QVERIFY(taken);
        const auto force = [&] {
            theirs.runtime.spawn([&] { return forceIt(*other, freed); });
            world.run(1s);
            return freed.back();
        };
        QCOMPARE(force().value_or(false), true);
        QCOMPARE(world.ask({"EXISTS", kName}).integer, 0);
        QCOMPARE(force().value_or(true), false); // nobody has it

        world.ask({"RPUSH", kName, "something of somebody's"});
        const Freed foreign = force();
        QVERIFY(!foreign && foreign.error().kind == LockError::Kind::ForeignFormat);
        QVERIFY2(foreign.error().message.contains(QStringLiteral("a list")), qPrintable(foreign.error().message));
        QCOMPARE(world.ask({"LLEN", kName}).integer, 1);
        const Held unknown = Onlooker(world, id).look();
        QVERIFY(!unknown && unknown.error().kind == LockError::Kind::ForeignFormat);
    }

    void whetherItIsHeld_data() {
        QTest::addColumn<QByteArray>("id");
        for (const RecipeInfo& info : allRecipes()) {
            if (info.backend == "redis" && info.id != "redis-redlock") QTest::newRow(info.id) << QByteArray(info.id);
        }
    }
    void whetherItIsHeld() {
        QFETCH(QByteArray, id);
        LockWorld world(kName);
        LockWorld::Process ours(world, "ours"), theirs(world, "theirs");
        const auto holder = makeRedisRecipe(id, {ours.wire, kName, ours.uuid});
        const auto waiter = makeRedisRecipe(id, {theirs.wire, kName, theirs.uuid});
        Onlooker onlooker(world, id);
        Request request;
        if (!holder->info().exclusive) request.mode = Mode::Permit;
        QCOMPARE(onlooker.look().value_or(true), false);

        ours.runtime.spawn([&] { return holdFor(*holder, ours.runtime, request, 2s); });
        world.run(1s);
        QCOMPARE(onlooker.look().value_or(false), true);
        QCOMPARE(onlooker.look().value_or(false), true); // asking changes nothing
        theirs.runtime.spawn([&] { return holdFor(*waiter, theirs.runtime, request, 2s); });
        world.run(2s);
        QCOMPARE(onlooker.look().value_or(false), true); // whoever waited has it now
        world.run(2s);
        QCOMPARE(onlooker.look().value_or(true), false);

        // One that is never given back: until its lease has ended by the server's clock.
        request.lease = 5s;
        ours.runtime.spawn([&] { return holdFor(*holder, ours.runtime, request, 1h); });
        world.run(4900ms);
        QCOMPARE(onlooker.look().value_or(false), true);
        world.run(200ms);
        QCOMPARE(onlooker.look().value_or(true), false);

        bool taken = false;
        std::vector<Freed> freed;
        theirs.runtime.spawn([&] { return takeIt(*waiter, taken); });
        world.run(1s);
        QVERIFY(taken);
        QCOMPARE(onlooker.look().value_or(false), true);
        ours.runtime.spawn([&] { return forceIt(*holder, freed); });
        world.run(100ms);
        QCOMPARE(freed.back().value_or(false), true);
        QCOMPARE(onlooker.look().value_or(true), false);
    }

    void readersHoldIt() {
        LockWorld world(kName);
        LockWorld::Process ours(world, "ours"), theirs(world, "theirs");
        const auto one = makeRedisRecipe("redis-rw", {ours.wire, kName, ours.uuid});
        const auto two = makeRedisRecipe("redis-rw", {theirs.wire, kName, theirs.uuid});
        Onlooker onlooker(world, "redis-rw");
        Request request;
        request.mode = Mode::Shared;
        ours.runtime.spawn([&] { return holdFor(*one, ours.runtime, request, 1s); });
        request.lease = 4s; // of one that dies
        theirs.runtime.spawn([&] { return holdFor(*two, theirs.runtime, request, 1h); });
        world.run(2s);
        QCOMPARE(onlooker.look().value_or(false), true);
        world.run(2500ms);
        QCOMPARE(onlooker.look().value_or(true), false);
    }
};

QTEST_GUILESS_MAIN(TestRedisForce)
#include "tst_redis_force.moc"
