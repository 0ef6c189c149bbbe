// SPDX-License-Identifier: Apache-2.0
// The way back to the primary, by hand and by itself; switches in a mode of their own; and what a look from outside
// says.
#include "lock/manager/engine_survey.h"
#include "manager_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;

namespace {
constexpr Nanos kWait = 20s; ///< of a switch that drains, 6.6 s, some times over

ManagerConfig returning(Nanos after) {
    ManagerConfig config = readManagerConfig(configText("drain")).value();
    config.namespaces[0].failBackAfter = after;
    return config;
}
} // namespace

class TestManagerFailBack : public QObject {
    Q_OBJECT
    /// All on the fallback, because the primary died; it is back.
    static void fallBack(World& world) {
        world.run(2s);
        world.backends.down.insert(QStringLiteral("one"));
        for (int i = 0; i < 40 && !world.allUse("two"); ++i)
            world.run(500ms);
        QVERIFY(world.allUse("two"));
        world.backends.down.clear();
    }
    /// How long it takes until all use that engine; kNever when they do not within `most`.
    static Nanos until(World& world, const char* host, Nanos most) {
        const Nanos begun = world.scheduler.now();
        while (world.scheduler.now() < begun + most) {
            if (world.allUse(host)) return world.scheduler.now() - begun;
            world.run(100ms);
        }
        return kNever;
    }
    static EngineReport look(World& world) {
        VirtualRuntime outside(world.scheduler, 99);
        EngineSurvey survey(
            outside, world.config.namespaces[0], [&world](Runtime& made, ConnectionUrl url, QByteArray client) {
                return std::make_unique<PretendConnection>(made, world.backends, std::move(url), client);
            });
        std::optional<EngineReport> report;
        outside.spawn([&]() -> QCoro::Task<> { report = co_await survey.look(); });
        world.run(1s);
        outside.kill();
        return report.value();
    }

private Q_SLOTS:
    void byHand() {
        World world("drain");
        fallBack(world);
        const auto back = world.soon<void>(1, [&] { return world.processes[1]->manager->failBack("shop"); });
        QVERIFY(back && back->has_value());
        QVERIFY(until(world, "one", 8s) < kNever);
        QCOMPARE(world.status(0).reason, detail::sentenceOf(detail::SwitchReason::Hand));
        QVERIFY(world.status(2).sinceMs > world.processes[2]->runtime.wallMs() - 8000);
    }

    void byItselfWhenThePrimaryWasHealthyForLongEnough() {
        World world(returning(kWait));
        fallBack(world);
        QCOMPARE(until(world, "one", kWait), kNever);
        const Nanos taken = until(world, "one", 10s); // a switch, and the checks
        QVERIFY(taken < kNever);
        QCOMPARE(world.status(0).reason, detail::sentenceOf(detail::SwitchReason::FailBack));
        for (const auto& process : world.processes)
            QCOMPARE(process->returns(), 1);
    }

    /// One check in a thousand that fails does not count for health, but it does here.
    void aPrimaryThatFailsNowAndThenIsNotReturnedTo() {
        World world(returning(kWait));
        fallBack(world);
        for (int i = 0; i < 12; ++i) {
            QCOMPARE(until(world, "one", kWait / 2), kNever);
            world.backends.down.insert(QStringLiteral("one"));
            world.run(300ms); // a check or two
            world.backends.down.clear();
        }
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.processes[0]->returns(), 0);
        QVERIFY(until(world, "one", kWait + 10s) < kNever);
    }

    void eachReturnThatWasWrongDoublesTheNextWait() {
        World world(returning(kWait));
        fallBack(world);
        Nanos before{};
        for (int i = 0; i < 3; ++i) {
            const Nanos taken = until(world, "one", 10min);
            QVERIFY2(taken < kNever && taken > before + before / 2, QByteArray::number(i).constData());
            before = taken;
            world.backends.down.insert(QStringLiteral("one"));
            QVERIFY(until(world, "two", 20s) < kNever);
            world.backends.down.clear();
        }
        // A return that lasts makes good for them.
        QVERIFY(until(world, "one", 10min) < kNever);
        world.run(1h);
        world.backends.down.insert(QStringLiteral("one"));
        QVERIFY(until(world, "two", 20s) < kNever);
        world.backends.down.clear();
        QVERIFY(until(world, "one", kWait + 10s) < kNever);
    }

    /// It alone finds the primary failing: the others would return at once, and it would leave again.
    void oneThatIsCutOffFromThePrimaryMakesNobodyChangeAllTheTime() {
        World world(returning(kWait));
        world.run(2s);
        world.backends.cut.insert({"A", QStringLiteral("one")});
        world.run(30min);
        QVERIFY2(world.status(1).epoch < 16, QByteArray::number(qlonglong(world.status(1).epoch)).constData());
        QVERIFY(world.status(1).epoch > 3);
    }

    void whatAPersonChoseStays() {
        World world(returning(kWait));
        world.run(2s);
        const auto switched = world.soon<void>(0, [&] { return world.processes[0]->manager->switchTo("shop", 1); });
        QVERIFY(switched && switched->has_value());
        world.run(10min);
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.status(0).epoch, std::int64_t(2));
    }

    void anImmediateSwitchWhereOneDrainsTellsHoldersAtOnceAndWaitsAllTheSame() {
        World world("drain", 1, 3, "redis-rw");
        world.run(2s);
        Process& a = *world.processes[0];
        Process& b = *world.processes[1];
        LockRequest reader; // both hold it
        reader.mode = recipes::Mode::Shared;
        const auto ours = a.manager->lockAs("shop", "prices", reader.mode).value();
        const auto other = b.manager->lockAs("shop", "prices", reader.mode).value();
        LockGuard cutOff;
        a.runtime.spawn([&]() -> QCoro::Task<> { a.guard = (co_await ours->acquire(reader)).value(); });
        b.runtime.spawn([&]() -> QCoro::Task<> { cutOff = (co_await other->acquire(reader)).value(); });
        world.run(100ms);
        QVERIFY(a.guard.stillMine() && cutOff.stillMine());
        // One that cannot read the record lets its holder finish: that is what the others wait for.
        for (const char* host : {"two", "three"})
            world.backends.cut.insert({"B", QLatin1String(host)});
        const auto switched = world.soon<void>(
            2, [&] { return world.processes[2]->manager->switchTo("shop", 1, SwitchMode::Immediate); });
        QVERIFY(switched && switched->has_value());
        QVERIFY(!a.guard.stillMine() && a.guard.lost().stop_requested());
        QVERIFY(cutOff.stillMine());
        world.run(4s);
        QVERIFY(!cutOff.stillMine());
        QVERIFY(!world.status(0).usable);
        world.run(3s);
        QVERIFY(world.status(0).usable && world.status(2).usable);
        b.runtime.kill();
        a.guard = LockGuard();
        cutOff = LockGuard();
    }

    void nobodyDrainsWhereTheOthersDoNotWait() {
        World world("immediate");
        world.run(2s);
        const auto refused =
            world.soon<void>(0, [&] { return world.processes[0]->manager->switchTo("shop", 1, SwitchMode::Drain); });
        QVERIFY(fails<void>(refused, LockError::Kind::Refused));
        QVERIFY(refused->error().message.contains(QStringLiteral("drain")));
        QVERIFY(world.allUse("one"));
    }

    void aLookFromOutsideSaysHowItStands() {
        World world("drain");
        world.run(2s);
        EngineReport report = look(world);
        QCOMPARE(int(report.state), int(EngineReport::State::InUse));
        QCOMPARE(report.record.epoch, std::int64_t(1));
        QCOMPARE(report.indexOf(report.record.engine), 0);
        QCOMPARE(report.agreeing, 3);
        const auto switched = world.soon<void>(0, [&] { return world.processes[0]->manager->switchTo("shop", 1); });
        QVERIFY(switched && switched->has_value());
        report = look(world);
        QCOMPARE(int(report.state), int(EngineReport::State::Switching));
        QCOMPARE(report.indexOf(report.record.from), 0);
        QCOMPARE(report.switchEndsMs(), report.record.beganMs + 6600);
        world.run(8s);
        world.backends.down.insert(QStringLiteral("three"));
        report = look(world);
        QCOMPARE(int(report.state), int(EngineReport::State::InUse));
        QCOMPARE(report.indexOf(report.record.engine), 1);
        QVERIFY(report.record.settledMs >= report.record.beganMs + 6600);
        QCOMPARE(report.switchEndsMs(), std::int64_t(0));
        QCOMPARE(report.answered, 2);
        QVERIFY(!report.engines[1].trouble && report.engines[2].trouble && report.copies[2].trouble);
        world.backends.down.insert(QStringLiteral("two"));
        QCOMPARE(int(look(world).state), int(EngineReport::State::Unreadable));
    }

    void aLookFromOutsideWritesNothing() {
        World world("drain", 1, 0); // nobody
        const EngineReport report = look(world);
        QCOMPARE(int(report.state), int(EngineReport::State::NotBegun));
        for (const auto& [host, server] : world.backends.servers)
            QVERIFY(!server.record.there);
        QCOMPARE(report.answered, 3);
    }
};

QTEST_GUILESS_MAIN(TestManagerFailBack)
#include "tst_manager_fail_back.moc"
