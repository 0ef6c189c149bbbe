// SPDX-License-Identifier: Apache-2.0
#include "lock/manager/hysteresis.h"
#include "lock/manager/switchboard.h"
#include "manager_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;

class TestLockManager : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void allBeginOnThePrimary() {
        World world("drain");
        world.run(2s);
        QVERIFY(world.allUse("one"));
        QCOMPARE(world.status(0).epoch, std::int64_t(1));
        world.work();
        world.run(20s);
        QVERIFY(world.processes[0]->grants + world.processes[1]->grants + world.processes[2]->grants > 5);
    }

    void aSwitchByHandReachesAll_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("drain") << QByteArray("drain");
        QTest::newRow("immediate") << QByteArray("immediate");
    }
    void aSwitchByHandReachesAll() {
        QFETCH(QByteArray, mode);
        World world(mode.constData());
        world.run(2s);
        world.work();
        world.run(5s);
        std::optional<std::expected<void, LockError>> done;
        world.processes[1]->runtime.spawn(
            [&]() -> QCoro::Task<> { done = co_await world.processes[1]->manager->switchTo("shop", 1); });
        world.run(500ms);
        QVERIFY(done && done->has_value());
        world.run(60s); // long enough for each to have had its turn
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.status(2).epoch, std::int64_t(2));
        // Tokens of the new engine are greater than any of the old one.
        for (const auto& process : world.processes) {
            QVERIFY(std::ranges::is_sorted(process->tokens));
            QVERIFY(process->tokens.back() >> 48 == 2);
        }
    }

    void drainingLetsHoldersEndTheirWork() {
        World world("drain");
        world.run(2s);
        Process& a = *world.processes[0];
        a.runtime.spawn([&]() -> QCoro::Task<> { a.guard = (co_await a.lock->lock()).value(); });
        world.run(100ms);
        QVERIFY(a.guard.stillMine());
        a.runtime.spawn([&]() -> QCoro::Task<> { co_await a.manager->switchTo("shop", 1); });
        world.run(1500ms);
        QVERIFY(a.guard.stillMine() && !a.guard.lost().stop_requested());
        world.run(1s); // longer than it may go on
        QVERIFY(!a.guard.stillMine() && a.guard.lost().stop_requested());
        QVERIFY(!world.status(0).usable);
        world.run(6s);
        QVERIFY(world.allUse("two"));
    }

    void immediateTellsHoldersFirst() {
        World world("immediate");
        world.run(2s);
        Process& a = *world.processes[0];
        a.runtime.spawn([&]() -> QCoro::Task<> { a.guard = (co_await a.lock->lock()).value(); });
        world.run(100ms);
        world.processes[1]->runtime.spawn(
            [&]() -> QCoro::Task<> { co_await world.processes[1]->manager->switchTo("shop", 2); });
        world.run(500ms);
        QVERIFY(a.guard.lost().stop_requested() && !a.guard.stillMine());
        QVERIFY(!world.status(1).usable); // nobody else may have begun by then
        world.run(2s);
        QVERIFY(world.allUse("three"));
    }

    void aDeadPrimaryIsLeftByItself() {
        World world("drain");
        world.run(2s);
        world.work();
        world.run(3s);
        world.backends.down.insert(QStringLiteral("one"));
        world.run(20s);
        QVERIFY(world.allUse("two"));
        QVERIFY(world.processes[0]->heardOf(ManagerEvent::Kind::Unhealthy) > 0);
        world.backends.down.clear();
        world.run(10s);
        QVERIFY(world.allUse("two")); // nobody goes back by himself
        QVERIFY(world.processes[0]->heardOf(ManagerEvent::Kind::Healthy) > 0);
    }

    /// Its fallback is healthy again for it before the primary is, of which it has just heard again.
    void whoWasCutOffChangesNothingForTheOthers() {
        World world("drain");
        world.run(2s);
        for (const char* host : {"one", "two", "three"})
            world.backends.cut.insert({"A", QLatin1String(host)});
        world.run(5s);
        QCOMPARE(world.status(0).healthy, std::vector<bool>(3, false));
        world.backends.cut = {{"A", QStringLiteral("one")}};
        world.run(300ms);
        world.backends.cut.clear();
        world.run(20s);
        QCOMPARE(world.status(0).healthy, std::vector<bool>(3, true));
        QVERIFY(world.allUse("one"));
        QCOMPARE(world.status(1).epoch, std::int64_t(1));
    }

    /// It has not heard yet that others have left the engine that fails for it.
    void whoIsLateLeavesTheOthersWhereTheyAre() {
        for (int late = 0; late < 20; ++late) {
            World world("drain", std::uint64_t(late) * 10 + 1);
            world.run(2s);
            for (const char* host : {"one", "three"})
                world.backends.cut.insert({"A", QLatin1String(host)});
            const auto switched = world.soon<void>(1, [&] { return world.processes[1]->manager->switchTo("shop", 2); });
            QVERIFY(switched && switched->has_value());
            world.run(15s + late * 10ms);
            QCOMPARE(world.status(0).epoch, std::int64_t(1));
            QCOMPARE(world.status(0).healthy, std::vector<bool>({false, true, false}));
            world.backends.cut.erase({"A", QStringLiteral("three")});
            world.run(10s);
            QVERIFY(world.allUse("three"));
            QCOMPARE(world.status(0).epoch, std::int64_t(2));
        }
    }

    /// One cannot reach the first engine, another not the second one: they end on the third.
    void whoReachDifferentEnginesFindOneForAll() {
        World world("drain");
        world.run(2s);
        world.backends.cut = {{"A", QStringLiteral("one")}, {"B", QStringLiteral("two")}};
        world.run(30s);
        QVERIFY(world.allUse("three"));
        const std::int64_t epoch = world.status(2).epoch;
        world.run(60s);
        QVERIFY(world.allUse("three"));
        QCOMPARE(world.status(2).epoch, epoch);
    }

    void whoCannotReadTheRecordGrantsNothing() {
        World world("drain");
        world.run(2s);
        for (const char* host : {"two", "three"})
            world.backends.cut.insert({"A", QLatin1String(host)});
        world.run(1200ms);
        QVERIFY(!world.status(0).usable); // though it reaches the engine in use
        QVERIFY(world.status(1).usable);
        world.backends.cut.clear();
        world.run(1s);
        QVERIFY(world.status(0).usable);
    }

    void aSwitchWithoutAQuorumIsRefused() {
        World world("drain");
        world.run(2s);
        world.backends.down.insert(QStringLiteral("two"));
        world.backends.down.insert(QStringLiteral("three"));
        std::optional<std::expected<void, LockError>> done;
        world.processes[0]->runtime.spawn(
            [&]() -> QCoro::Task<> { done = co_await world.processes[0]->manager->switchTo("shop", 1); });
        world.run(10s);
        QVERIFY(done && !done->has_value() && done->error().kind == LockError::Kind::Unreachable);
    }

    void anotherOrderOfEnginesIsASwitch() {
        World world("drain");
        world.run(2s);
        ManagerConfig other = world.config;
        std::swap(other.namespaces[0].engines[0], other.namespaces[0].engines[2]);
        for (const auto& process : world.processes)
            QVERIFY(!process->manager->reload(other));
        world.run(15s);
        QVERIFY(world.allUse("three"));
        ManagerConfig elsewhere = world.config;
        elsewhere.namespaces[0].engines[0].url = parseConnectionUrl(QStringLiteral("redis://four")).value();
        QVERIFY(world.processes[0]->manager->reload(elsewhere));
    }

    void anotherRecipeOnTheSameServerIsRefused() {
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        ManagerConfig changed = world.config;
        changed.namespaces[0].engines[0].recipe = "redis-fair";
        QVERIFY(process.manager->reload(changed).has_value());
        changed = world.config;
        changed.namespaces[0].engines.pop_back(); // an engine becomes a witness: same servers
        changed.namespaces[0].witnesses.push_back(parseConnectionUrl(QStringLiteral("redis://three")).value());
        QVERIFY(process.manager->reload(changed).has_value());
        const auto other = process.manager->lock("shop", "other");
        bool taken = false;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            auto guard = co_await other->tryLockFor(1s);
            taken = guard && *guard;
        });
        world.run(2s);
        QVERIFY(taken);
    }

    void aNameThatTheEngineRefusesSpoilsNothing() {
        World world("immediate");
        world.run(2s);
        Process& process = *world.processes[0];
        const auto odd = process.manager->lock("shop", "a//b");
        std::optional<LockError::Kind> refused;
        process.runtime.spawn([&]() -> QCoro::Task<> {
            const auto guard = co_await odd->tryLockFor(1s);
            if (!guard) refused = guard.error().kind;
        });
        world.run(2s);
        QVERIFY(refused == LockError::Kind::Refused);
        odd->listen([](DistributedLock::Event, const QByteArray&, const QString&) {});
        process.runtime.spawn([&]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", 1); });
        world.run(5s);
        QVERIFY(world.allUse("two"));
    }

    void aSwitchThatWasStoppedIsNoSwitchUnderWay() {
        World world("immediate");
        world.run(2s);
        world.processes.resize(1); // nobody else who would do it
        Process& process = *world.processes[0];
        std::stop_source stop;
        process.runtime.spawn(
            [&]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", 1, stop.get_token()); });
        world.run(1us);
        stop.request_stop();
        world.run(2s);
        QVERIFY(world.allUse("one"));
        world.backends.down.insert(QStringLiteral("one"));
        world.run(20s);
        QVERIFY(world.allUse("two"));
    }

    void manyWhoSwitchAtOnceAgreeSoon_data() {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<int>("count");
        for (const int count : {3, 12, 40}) {
            QTest::addRow("a server dies, %d processes", count) << QByteArray("dies") << count;
            QTest::addRow("two proposals are left, %d processes", count) << QByteArray("split") << count;
            QTest::addRow("all by hand, %d processes", count) << QByteArray("hand") << count;
        }
    }
    /// Two of three servers answer, so that each proposal needs both; all processes have reason to propose at once.
    void manyWhoSwitchAtOnceAgreeSoon() {
        QFETCH(QByteArray, how);
        QFETCH(int, count);
        std::int64_t mostEpochs = 0;
        Nanos longest{};
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            World world("immediate", seed * 100, count);
            world.run(2s);
            QVERIFY(world.allUse("one"));
            if (how == "split") {
                world.backends.down.insert(QStringLiteral("three"));
                for (const char* host : {"one", "two"}) {
                    EngineRecord record;
                    record.epoch = 2;
                    record.engine = world.config.namespaces[0].engines[1].id();
                    record.by = QByteArray("somebody on ") + host;
                    auto& server = world.backends.servers[QLatin1String(host)];
                    server.record = {true, record.text(), QByteArray::number(++server.version)};
                }
            } else if (how == "dies") {
                world.backends.down.insert(QStringLiteral("one"));
            } else {
                world.backends.down.insert(QStringLiteral("three"));
                for (const auto& process : world.processes) {
                    process->runtime.spawn(
                        [one = process.get()]() -> QCoro::Task<> { co_await one->manager->switchTo("shop", 1); });
                }
            }
            Nanos took{};
            while (!world.allUse("two") && took < 120s) {
                world.run(50ms);
                took += 50ms;
            }
            const std::int64_t epoch = world.status(0).epoch;
            mostEpochs = std::max(mostEpochs, epoch);
            longest = std::max(longest, took);
        }
        // Not one for each process: whoever finds decided what it wants leaves it at that.
        QVERIFY2(mostEpochs >= 2 && mostEpochs <= 4 + count / 4, QByteArray::number(qlonglong(mostEpochs)).constData());
        QVERIFY2(longest <= 3s, QByteArray::number(qlonglong(longest / 1ms)).constData());
    }

    void ofTwoProposalsTheDecidedOneIsSeen_data() {
        QTest::addColumn<int>("odd");
        for (int odd = 0; odd < 3; ++odd)
            QTest::addRow("server %d has the other", odd) << odd;
    }
    void ofTwoProposalsTheDecidedOneIsSeen() {
        QFETCH(int, odd);
        VirtualScheduler scheduler;
        VirtualRuntime runtime(scheduler, 1);
        PretendBackends backends;
        std::vector<std::unique_ptr<PretendRecords>> records;
        std::vector<RecordStore*> stores;
        for (int i = 0; i < 3; ++i) {
            const QString host = QString::number(i);
            EngineRecord record;
            record.epoch = 2;
            record.engine = record.by = i == odd ? "A" : "B";
            backends.servers[host].record = {true, record.text(), "1"};
            stores.push_back(
                records.emplace_back(std::make_unique<PretendRecords>(runtime, backends, "client", host)).get());
        }
        Switchboard board(runtime, "shop", stores);
        Switchboard::View view;
        runtime.spawn([&]() -> QCoro::Task<> { view = co_await board.look(1s, {}); });
        scheduler.runUntil(1s);
        QCOMPARE(view.answered, 3);
        QVERIFY(view.split);
        QCOMPARE(view.latest.by, QByteArray("B"));
        QCOMPARE(view.having, 2);
        runtime.kill();
    }

    /// Servers die and come back, processes are cut off from some of them or stopped for a while, people switch by
    /// hand: whatever happens, at most one process believes to hold the lock at a time.
    void noTwoHoldersWhateverIsCut_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::addColumn<int>("returnsAfter"); // seconds; 0 = never by themselves
        QTest::newRow("drain") << QByteArray("drain") << 0;
        QTest::newRow("drain and return") << QByteArray("drain") << 7;
        QTest::newRow("immediate") << QByteArray("immediate") << 0;
        QTest::newRow("immediate and return") << QByteArray("immediate") << 2;
    }
    void noTwoHoldersWhateverIsCut() {
        QFETCH(QByteArray, mode);
        QFETCH(int, returnsAfter);
        int switches = 0, grants = 0, returns = 0;
        for (std::uint64_t seed = 1; seed <= 15; ++seed) {
            ManagerConfig config = readManagerConfig(configText(mode)).value();
            config.namespaces[0].failBackAfter = Nanos(1s) * returnsAfter;
            World world(config, seed * 10);
            std::mt19937_64 random(seed);
            world.work();
            const QStringList hosts{QStringLiteral("one"), QStringLiteral("two"), QStringLiteral("three")};
            for (int step = 0; step < 120; ++step) {
                const QString host = hosts[qsizetype(random() % 3)];
                Process& process = *world.processes[random() % 3];
                // Returns need some peace, and that nobody has chosen an engine.
                const auto strike = returnsAfter == 0 ? random() % 10 : step % 60 < 10 ? random() % 3 : 4;
                switch (strike) {
                case 0:
                    world.backends.down.insert(host);
                    break;
                case 1:
                case 2:
                    world.backends.cut.insert({process.name, host});
                    break;
                case 6:
                    if (process.runtime.life() == Runtime::Life::Running) process.runtime.pause();
                    break;
                case 7:
                    for (const auto& stopped : world.processes)
                        if (stopped->runtime.life() == Runtime::Life::Paused) stopped->runtime.resume();
                    break;
                case 3:
                    process.runtime.spawn([&process, engine = int(random() % 3)]() -> QCoro::Task<> {
                        co_await process.manager->switchTo("shop", engine, SwitchMode::Immediate);
                    });
                    break;
                case 8:
                    process.runtime.spawn([&process, engine = int(random() % 3)]() -> QCoro::Task<> {
                        co_await process.manager->switchTo("shop", engine);
                    });
                    break;
                case 4:
                case 5:
                    world.backends.cut.clear();
                    world.backends.down.clear();
                    break;
                default:
                    break;
                }
                for (int look = 0; look < 50; ++look) {
                    world.run(10ms);
                    QVERIFY2(world.holders() <= 1, qPrintable(QStringLiteral("seed %1 step %2").arg(seed).arg(step)));
                }
            }
            for (const auto& process : world.processes) {
                grants += process->grants;
                switches += process->heardOf(ManagerEvent::Kind::InUse);
                returns += process->returns();
            }
        }
        QCOMPARE(returns > 0, returnsAfter > 0);
        QVERIFY2(grants > 40, qPrintable(QString::number(grants)));
        QVERIFY2(switches > 60, qPrintable(QString::number(switches)));
    }

    void checksNeedSeveralInARowToChangeAnything() {
        Hysteresis health(3, 2);
        QVERIFY(!health.enter(false) && !health.enter(false));
        QVERIFY(!health.enter(true)); // begins anew
        QVERIFY(!health.enter(false) && !health.enter(false) && health.healthy());
        QVERIFY(health.enter(false) && !health.healthy());
        QVERIFY(!health.enter(false) && !health.enter(true) && !health.enter(false) && !health.enter(true));
        QVERIFY(health.enter(true) && health.healthy());
    }
};

QTEST_GUILESS_MAIN(TestLockManager)
#include "tst_lock_manager.moc"
