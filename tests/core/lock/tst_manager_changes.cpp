// SPDX-License-Identifier: Apache-2.0
// A manager's users change and drop its parts while it is at work: its configuration, its locks, itself.
#include "manager_world.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>

using namespace lockscope;
using namespace lockscope::tests;

namespace {
/// A wait for a lock, and how it ended.
struct Waiting {
    bool ended = false;
    bool taken = false;
};
std::shared_ptr<Waiting> waitFor(Process& process) {
    auto waiting = std::make_shared<Waiting>();
    process.runtime.spawn([&process, waiting]() -> QCoro::Task<> {
        auto guard = co_await process.lock->lock();
        waiting->taken = guard && *guard;
        waiting->ended = true;
    });
    return waiting;
}
} // namespace

class TestManagerChanges : public QObject {
    Q_OBJECT
    /// The first process reads too few of the record's servers, and uses no engine.
    static void cutFirst(World& world) {
        for (const char* host : {"two", "three"})
            world.backends.cut.insert({"A", QLatin1String(host)});
        world.run(1200ms);
    }

private Q_SLOTS:
    void aWaitForAnEngineEndsWithItsLock() {
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        cutFirst(world);
        QVERIFY(!world.status(0).usable);
        const auto waiting = waitFor(process);
        world.run(100ms);
        QVERIFY(!waiting->ended);
        process.lock.reset();
        world.backends.cut.clear();
        world.run(2s);
        QVERIFY(world.status(0).usable);
        QVERIFY(waiting->ended && !waiting->taken);
    }

    void aWaitForAHolderEndsWithItsLock() {
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        Process& holder = *world.processes[1];
        holder.runtime.spawn([&]() -> QCoro::Task<> { holder.guard = (co_await holder.lock->lock()).value(); });
        world.run(100ms);
        QVERIFY(holder.guard.stillMine());
        const auto waiting = waitFor(process);
        world.run(100ms);
        QVERIFY(!waiting->ended);
        process.lock.reset();
        world.run(100ms);
        QVERIFY(waiting->ended && !waiting->taken);
        QVERIFY(holder.guard.stillMine());
    }

    void aWaitEndsWithItsManager() {
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        cutFirst(world);
        const auto waiting = waitFor(process);
        world.run(100ms);
        QVERIFY(!waiting->ended);
        process.manager.reset();
        world.run(100ms);
        QVERIFY(waiting->ended && !waiting->taken);
        const auto late = waitFor(process);
        world.run(100ms);
        QVERIFY(late->ended && !late->taken);
    }

    /// Its recorder may go with it, whatever is still under way.
    void aManagerThatIsGoneWritesNoHistory() {
        World world("drain", 1, 0);
        const auto trace = std::make_shared<trace::Trace>();
        trace::Recorder recorder(trace, [&] { return world.scheduler.now(); });
        Process process(world.scheduler, world.backends, "A", 1, world.config, &recorder);
        process.start();
        world.run(2s);
        for (const char* host : {"one", "two", "three"})
            world.backends.down.insert(QLatin1String(host));
        Told<void> switched;
        process.runtime.spawn(
            [&]() -> QCoro::Task<> { switched.emplace(co_await process.manager->switchTo("shop", 1)); });
        process.lock.reset();
        process.manager.reset();
        const std::size_t written = trace->size();
        world.run(10s);
        QVERIFY(fails(switched, LockError::Kind::Unreachable));
        QCOMPARE(trace->size(), written);
    }

    void aClosedManagerSwitchesNothing() {
        World world("drain");
        world.run(2s);
        LockManager& manager = *world.processes[0]->manager;
        world.processes[0]->runtime.spawn([&]() -> QCoro::Task<> { co_await manager.close(); });
        world.run(100ms);
        const auto switched = world.soon<void>(0, [&] { return manager.switchTo("shop", 1); });
        QVERIFY(fails(switched, LockError::Kind::Unreachable));
        world.run(10s);
        QCOMPARE(world.status(1).epoch, std::int64_t(1));
    }

    void timesThatOthersCountOnAreNotReloaded_data() {
        QTest::addColumn<int>("what");
        QTest::newRow("mode") << 0;
        QTest::newRow("drain-for") << 1;
        QTest::newRow("confirm-for") << 2;
        QTest::newRow("lease") << 3;
    }
    void timesThatOthersCountOnAreNotReloaded() {
        QFETCH(int, what);
        World world("drain");
        world.run(2s);
        ManagerConfig changed = world.config;
        NamespaceConfig& space = changed.namespaces[0];
        if (what == 0) space.mode = SwitchMode::Immediate;
        if (what == 1) space.drainFor = 1s;
        if (what == 2) space.confirmFor = 500ms;
        if (what == 3) space.options.lease = 1s;
        const auto refused = world.processes[1]->manager->reload(changed);
        QVERIFY(refused && refused->contains(QStringLiteral("confirm-for")));
        QVERIFY(!world.processes[1]->manager->reload(world.config));
    }

    /// If a URL with another password were taken for the same one, the record would keep the old password, and the
    /// engine would have a connection that nobody has opened.
    void anotherPasswordIsNotTakenForTheSame_data() {
        QTest::addColumn<bool>("witness");
        QTest::newRow("of an engine") << false;
        QTest::newRow("of a witness") << true;
    }
    void anotherPasswordIsNotTakenForTheSame() {
        QFETCH(bool, witness);
        World world("drain", 1, 0);
        ManagerConfig config = world.config;
        NamespaceConfig& space = config.namespaces[0];
        space.witnesses.push_back(parseConnectionUrl(QStringLiteral("redis://four")).value());
        Process process(world.scheduler, world.backends, "A", 1, config);
        process.start();
        world.run(2s);
        ConnectionUrl& url = witness ? space.witnesses[0] : space.engines[1].url;
        url.password = QStringLiteral("secret");
        const QString refused = process.manager->reload(config).value_or(QString());
        QVERIFY2(refused.contains(QStringLiteral("password")), qPrintable(refused));
        QVERIFY(!refused.contains(QStringLiteral("secret")));
        url.password.clear();
        QVERIFY(!process.manager->reload(config));
    }

    /// The first one's switch is not over when the second one comes, or not even proposed.
    void ofTwoReloadsTheLastOneCounts_data() {
        QTest::addColumn<int>("between");
        for (const int between : {0, 2, 5, 10, 300, 1000})
            QTest::addRow("%d ms between them", between) << between;
    }
    void ofTwoReloadsTheLastOneCounts() {
        QFETCH(int, between);
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            World world("drain", seed * 10);
            world.run(2s);
            ManagerConfig other = world.config;
            std::swap(other.namespaces[0].engines[0], other.namespaces[0].engines[1]);
            for (const auto& process : world.processes)
                QVERIFY(!process->manager->reload(other));
            world.run(between * 1ms);
            QCOMPARE(world.status(0).epoch, std::int64_t(1));
            for (const auto& process : world.processes)
                QVERIFY(!process->manager->reload(world.config));
            world.run(60s);
            QVERIFY2(world.allUse("one"), QByteArray::number(qlonglong(seed)).constData());
        }
    }

    void aLinkThatNamesAnotherFileIsAChange() {
        World world("drain", 1, 1);
        world.run(2s);
        const QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& content) {
            QFile file(folder.filePath(QLatin1String(name)));
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        QByteArray changed = configText("drain");
        changed.replace("//one", "//four").replace("//two", "//one").replace("//four", "//two");
        QVERIFY(write("first.json", configText("drain")) && write("second.json", changed));
        const QString link = folder.filePath(QStringLiteral("locks.json"));
        QVERIFY(QFile::link(QStringLiteral("first.json"), link));
        QVERIFY(!world.processes[0]->manager->watchFile(link));
        const QString next = folder.filePath(QStringLiteral("next.json"));
        QVERIFY(QFile::link(QStringLiteral("second.json"), next));
        std::filesystem::rename(next.toStdString(), link.toStdString());
        QTRY_VERIFY_WITH_TIMEOUT((world.run(1s), world.allUse("two")), 30'000);
    }

    void whoeverIsInAHurryWaitsForTheOthersAllTheSame() {
        World world("drain");
        world.run(2s);
        Process& slow = *world.processes[0];
        Process& hasty = *world.processes[1];
        slow.runtime.spawn([&]() -> QCoro::Task<> { slow.guard = (co_await slow.lock->lock()).value(); });
        world.run(100ms);
        QVERIFY(slow.guard.stillMine());
        for (const char* host : {"two", "three"})
            world.backends.cut.insert({"A", QLatin1String(host)});
        ManagerConfig changed = world.config;
        changed.namespaces[0].mode = SwitchMode::Immediate;
        changed.namespaces[0].confirmFor = 200ms;
        std::swap(changed.namespaces[0].engines[0], changed.namespaces[0].engines[1]);
        (void)hasty.manager->reload(changed);
        hasty.runtime.spawn([&]() -> QCoro::Task<> {
            co_await hasty.manager->switchTo("shop", 1);
            hasty.guard = (co_await hasty.lock->lock()).value();
        });
        for (int i = 0; i < 2000 && !hasty.guard.stillMine(); ++i)
            world.run(10ms);
        QVERIFY(hasty.guard.stillMine());
        QVERIFY(!slow.guard.stillMine());
        QVERIFY(slow.guard.lost().stop_requested());
    }

    void otherHealthChecksAreReloaded() {
        World world("drain", 1, 1);
        world.run(2s);
        ManagerConfig patient = world.config;
        patient.namespaces[0].failures = 100;
        QVERIFY(!world.processes[0]->manager->reload(patient));
        world.backends.down.insert(QStringLiteral("one"));
        world.run(10s);
        QVERIFY(world.status(0).healthy[0]);
        QVERIFY(world.allUse("one"));
        QVERIFY(!world.processes[0]->manager->reload(world.config));
        world.run(10s);
        QVERIFY(!world.status(0).healthy[0]);
        QVERIFY(world.allUse("two"));
    }

    void whatIsRefusedAtFirstIsRefusedLater() {
        World world("drain", 1, 1);
        world.run(1s);
        ManagerConfig none = world.config;
        none.namespaces.clear();
        QVERIFY(world.processes[0]->manager->reload(none).value_or(QString()).contains(QStringLiteral("/namespaces")));
        ManagerConfig other = world.config;
        other.namespaces[0].name = "market";
        QVERIFY(world.processes[0]->manager->reload(other).value_or(QString()).contains(QStringLiteral("shop")));
        ManagerConfig two = world.config;
        two.namespaces[0].engines.pop_back();
        two.namespaces[0].onFailure = false;
        Process small(world.scheduler, world.backends, "S", 7, two);
        two.namespaces[0].onFailure = true;
        QVERIFY(small.manager->reload(two).value_or(QString()).contains(QStringLiteral("witness")));
    }

    void startingTwiceIsStartingOnce() {
        World world("drain", 1, 1);
        world.processes[0]->start();
        world.run(10s);
        QVERIFY(world.allUse("one"));
        const int pings = world.backends.servers[QStringLiteral("one")].pings;
        QVERIFY2(pings > 40 && pings <= 51, QByteArray::number(pings).constData());
    }

    void whoIsToldOfAFailureMayReload() {
        World world("drain");
        world.run(2s);
        Process& process = *world.processes[0];
        int told = 0;
        process.manager->listen([&](const ManagerEvent& event) {
            if (event.kind != ManagerEvent::Kind::Unhealthy) return;
            ++told;
            QVERIFY(!process.manager->reload(world.config));
        });
        world.backends.down.insert(QStringLiteral("one"));
        world.run(20s);
        QCOMPARE(told, 1);
        QVERIFY(world.allUse("two"));
    }

    void whoIsToldMayStopListening() {
        World world("immediate");
        world.run(2s);
        Process& process = *world.processes[0];
        int told = 0;
        process.manager->listen([&told, &process, much = QByteArray(4096, 'x')](const ManagerEvent&) {
            process.manager->listen({});
            told += static_cast<int>(much.count('x')) / 4096;
        });
        process.runtime.spawn([&]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", 1); });
        world.run(5s);
        QCOMPARE(told, 1);
        QVERIFY(world.allUse("two"));
    }

    void aSwitchToTheEngineInUseChangesNothing() {
        World world("immediate");
        world.run(2s);
        Process& process = *world.processes[0];
        process.runtime.spawn([&]() -> QCoro::Task<> { process.guard = (co_await process.lock->lock()).value(); });
        world.run(100ms);
        std::optional<std::expected<void, LockError>> done;
        process.runtime.spawn([&]() -> QCoro::Task<> { done = co_await process.manager->switchTo("shop", 0); });
        world.run(2s);
        QVERIFY(done && done->has_value());
        QVERIFY(process.guard.stillMine());
        QCOMPARE(world.status(0).epoch, std::int64_t(1));
        QCOMPARE(process.heardOf(ManagerEvent::Kind::Leaving), 0);
    }

    void everybodyHearsWhyAnEngineIsLeft() {
        World world("immediate");
        world.run(2s);
        Process& process = *world.processes[0];
        process.runtime.spawn([&]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", 1); });
        world.run(5s);
        for (const auto& one : world.processes) {
            for (const auto kind : {ManagerEvent::Kind::Leaving, ManagerEvent::Kind::InUse}) {
                const auto last = std::ranges::find(one->heard.rbegin(), one->heard.rend(), kind, &ManagerEvent::kind);
                QVERIFY(last != one->heard.rend());
                QCOMPARE(last->reason, QStringLiteral("switched by hand"));
            }
        }
    }

    void aListenerThatThrowsKeepsNoHoldersOnTheOldEngine() {
        World world("immediate");
        world.run(2s);
        Process& careless = *world.processes[0];
        careless.manager->listen([](const ManagerEvent& event) {
            if (event.kind == ManagerEvent::Kind::Leaving) throw std::runtime_error("a careless listener");
        });
        careless.runtime.spawn([&]() -> QCoro::Task<> { careless.guard = (co_await careless.lock->lock()).value(); });
        world.run(100ms);
        QVERIFY(careless.guard.stillMine());
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("a careless listener")));
        world.processes[1]->runtime.spawn(
            [&]() -> QCoro::Task<> { co_await world.processes[1]->manager->switchTo("shop", 1); });
        world.run(2s);
        QVERIFY(!careless.guard.stillMine());
        QVERIFY(world.allUse("two"));
    }

    void whoIsToldOfALossMayDropOtherLocks() {
        World world("immediate");
        world.run(2s);
        Process& process = *world.processes[0];
        std::array<std::unique_ptr<ManagedLock>, 2> locks;
        std::array<LockGuard, 2> guards;
        int told = 0;
        for (std::size_t i = 0; i < 2; ++i) {
            locks[i] = process.manager->lock("shop", "lock-" + QByteArray::number(qulonglong(i)));
            locks[i]->listen([&, i](DistributedLock::Event event, const QByteArray&, const QString&) {
                if (event != DistributedLock::Event::Lost) return;
                ++told;
                locks[1 - i].reset();
            });
            process.runtime.spawn([&, i]() -> QCoro::Task<> { guards[i] = (co_await locks[i]->lock()).value(); });
        }
        world.run(100ms);
        QVERIFY(guards[0].stillMine() && guards[1].stillMine());
        process.runtime.spawn([&]() -> QCoro::Task<> { co_await process.manager->switchTo("shop", 1); });
        world.run(5s);
        QCOMPARE(told, 1);
        QVERIFY(!guards[0].stillMine() && !guards[1].stillMine());
        QVERIFY(world.allUse("two"));
    }

    void aSwitchThatMayStillHappenIsNotCalledImpossible() {
        // By hand only: with engines away for so long, another process would switch for its own reasons.
        ManagerConfig config = readManagerConfig(configText("immediate")).value();
        config.namespaces[0].onFailure = false;
        World world(config);
        world.run(2s);
        world.backends.down.insert(QStringLiteral("three"));
        // Only one of the two that answer gets to know of it: the other one goes first.
        world.backends.written = [&world](const QString& host) {
            world.backends.down.insert(host == u"one" ? QStringLiteral("two") : QStringLiteral("one"));
        };
        std::optional<std::expected<void, LockError>> done;
        Process& process = *world.processes[0];
        process.runtime.spawn([&]() -> QCoro::Task<> { done = co_await process.manager->switchTo("shop", 1); });
        world.run(10s);
        world.backends.written = nullptr;
        QVERIFY(done && !done->has_value());
        QVERIFY2(done->error().kind == LockError::Kind::OutcomeUnknown, qPrintable(done->error().message));
        world.backends.down.clear();
        world.run(10s);
        QVERIFY(world.allUse("two")); // it happened
        QCOMPARE(world.status(1).epoch, std::int64_t(2));
    }
};

QTEST_GUILESS_MAIN(TestManagerChanges)
#include "tst_manager_changes.moc"
