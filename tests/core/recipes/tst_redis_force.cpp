// SPDX-License-Identifier: Apache-2.0
// Forced releases against the simulated server, which runs the same scripts as a real one.
#include "lock_bench_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::recipes;
using tests::LockWorld;

namespace {

const QByteArray kName = "orders";

using Freed = std::expected<bool, LockError>;

QCoro::Task<> takeIt(Recipe& recipe, bool& taken) {
    Request request;
    if (!recipe.info().exclusive) request.mode = Mode::Permit;
    auto grant = co_await recipe.acquire(request, {});
    taken = grant && *grant;
}

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
    }
};

QTEST_GUILESS_MAIN(TestRedisForce)
#include "tst_redis_force.moc"
