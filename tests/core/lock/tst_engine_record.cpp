// SPDX-License-Identifier: Apache-2.0
// The record's servers may lack, keep and forget records without harm.
#include "lock/manager/switchboard.h"
#include "manager_world.h"

#include <QTest>

using namespace lockscope;
using namespace lockscope::tests;

class TestEngineRecord : public QObject {
    Q_OBJECT
    /// A switch to that engine, as a process proposed it that is there no more.
    static EngineRecord proposal(const World& world, std::size_t engine, const QByteArray& by, bool settled) {
        EngineRecord record;
        record.epoch = 2;
        record.engine = world.config.namespaces[0].engines[engine].id();
        record.by = by;
        record.settled = settled;
        return record;
    }
    static void put(World& world, const char* host, const EngineRecord& record) {
        PretendBackends::Server& server = world.backends.servers[QLatin1String(host)];
        server.record = {true, record.text(), QByteArray::number(++server.version)};
    }
    static EngineRecord recordOn(World& world, const char* host) {
        return EngineRecord::read(world.backends.servers[QLatin1String(host)].record.value);
    }
    /// Whether all processes may grant locks all the time.
    static bool allUsableFor(World& world, Nanos duration) {
        for (const Nanos end = world.scheduler.now() + duration; world.scheduler.now() < end; world.run(10ms)) {
            for (std::size_t i = 0; i < world.processes.size(); ++i)
                if (!world.status(i).usable) return false;
        }
        return true;
    }

private Q_SLOTS:
    /// A server that keeps a proposal which did not win counts like any other when a third server dies.
    void whatDidNotWinDoesNoHarmLater() {
        World world("drain");
        world.run(2s);
        put(world, "one", proposal(world, 1, "X", true));
        put(world, "two", proposal(world, 1, "X", true));
        put(world, "three", proposal(world, 2, "Y", false));
        world.run(3s);
        QVERIFY(world.allUse("two"));
        world.backends.down.insert(QStringLiteral("one"));
        QVERIFY(allUsableFor(world, 10s));
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.status(0).epoch, std::int64_t(2));
    }

    /// Servers that had forgotten took one of somebody who is gone; nobody is left who would settle it.
    void whatIsKnownToBeSettledReplacesWhatIsNot() {
        World world("drain");
        world.run(2s);
        for (const char* host : {"one", "two", "three"})
            put(world, host, proposal(world, 1, "X", true));
        world.run(3s);
        QVERIFY(world.allUse("two"));
        world.backends.down.insert(QStringLiteral("three"));
        for (const char* host : {"one", "two"})
            put(world, host, proposal(world, 0, "Y", false));
        QVERIFY(allUsableFor(world, 30s));
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.status(0).epoch, std::int64_t(2));
    }

    /// The process that settled the record reached one server only, and is gone, as is that server later.
    void allServersLearnThatItIsSettled() {
        World world("drain");
        world.run(2s);
        put(world, "one", proposal(world, 1, "X", false));
        put(world, "two", proposal(world, 1, "X", false));
        put(world, "three", proposal(world, 1, "X", true));
        world.run(3s);
        QVERIFY(world.allUse("two"));
        world.backends.down.insert(QStringLiteral("three"));
        QVERIFY(allUsableFor(world, 10s));
    }

    /// Not even the process that proposed it is left to tell the servers, but others have seen it.
    void whoKnowsThatItIsSettledTellsTheServers() {
        World world("drain");
        world.run(2s);
        for (const char* host : {"two", "three"})
            put(world, host, proposal(world, 1, "X", true));
        put(world, "one", proposal(world, 2, "Y", false));
        world.run(3s);
        QVERIFY(world.allUse("two"));
        put(world, "two", proposal(world, 1, "X", false));
        world.backends.down.insert(QStringLiteral("three"));
        QVERIFY(allUsableFor(world, 10s));
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.status(0).epoch, std::int64_t(2));
    }

    /// Databases without persistence are all started anew: whoever runs knows what they knew.
    void whatAllServersForgetTheyAreTold_data() {
        QTest::addColumn<bool>("older");
        QTest::newRow("they know nothing") << false;
        QTest::newRow("they know what was before") << true;
    }
    void whatAllServersForgetTheyAreTold() {
        QFETCH(bool, older);
        World world("drain");
        world.run(2s);
        const EngineRecord before = recordOn(world, "one");
        for (const char* host : {"one", "two", "three"})
            put(world, host, proposal(world, 1, "X", true));
        world.run(3s);
        QVERIFY(world.allUse("two"));
        Process& holder = *world.processes[0];
        Process& other = *world.processes[1];
        holder.runtime.spawn([&]() -> QCoro::Task<> { holder.guard = (co_await holder.lock->lock()).value(); });
        world.run(100ms);
        QVERIFY(holder.guard.stillMine());
        other.runtime.spawn([&]() -> QCoro::Task<> { other.guard = (co_await other.lock->lock()).value(); });
        for (const char* host : {"one", "two", "three"}) {
            if (older)
                put(world, host, before);
            else
                world.backends.servers[QLatin1String(host)].record = {};
        }
        for (int i = 0; i < 1000; ++i) {
            world.run(10ms);
            QVERIFY(world.holders() == 1);
        }
        QVERIFY(holder.guard.stillMine());
        QVERIFY(world.allUse("two"));
        QCOMPARE(world.status(1).epoch, std::int64_t(2));
        QVERIFY(recordOn(world, "one").settled && recordOn(world, "one").epoch == 2);
    }

    /// And others, who knew nothing, have agreed on something else by the same number.
    void twoAgreementsOfOneNumberBecomeOne() {
        World world("drain");
        world.run(2s);
        for (const char* host : {"one", "two", "three"})
            put(world, host, proposal(world, 1, "X", true));
        world.run(3s);
        QVERIFY(world.allUse("two"));
        for (const char* host : {"one", "two", "three"})
            put(world, host, proposal(world, 2, "Y", true));
        world.run(10s);
        QVERIFY(world.allUse("three"));
        QVERIFY(world.status(0).epoch > 2);
    }

    /// More than any promise is about: several servers forget at once, or know what they knew long ago. Once they are
    /// well again, all processes use one engine, and one at a time holds the lock.
    void whateverServersForgetAllAgreeInTheEnd_data() {
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("drain") << QByteArray("drain");
        QTest::newRow("immediate") << QByteArray("immediate");
    }
    void whateverServersForgetAllAgreeInTheEnd() {
        QFETCH(QByteArray, mode);
        const QStringList hosts{QStringLiteral("one"), QStringLiteral("two"), QStringLiteral("three")};
        for (std::uint64_t seed = 1; seed <= 25; ++seed) {
            World world(mode.constData(), seed * 10);
            std::mt19937_64 random(seed);
            world.work();
            std::vector<Record> known;
            for (int step = 0; step < 80; ++step) {
                const QString host = hosts[qsizetype(random() % 3)];
                Process& process = *world.processes[random() % 3];
                Record& record = world.backends.servers[host].record;
                known.push_back(record);
                switch (random() % 10) {
                case 0:
                    world.backends.down.insert(host);
                    break;
                case 1:
                    world.backends.cut.insert({process.name, host});
                    break;
                case 2:
                case 3:
                    for (const QString& one : hosts)
                        if (random() % 4 != 0) world.backends.servers[one].record = {};
                    break;
                case 4:
                    record = known[random() % known.size()];
                    record.version = QByteArray::number(++world.backends.servers[host].version);
                    break;
                case 5:
                    process.runtime.spawn([&process, engine = int(random() % 3)]() -> QCoro::Task<> {
                        co_await process.manager->switchTo("shop", engine);
                    });
                    break;
                case 6:
                    world.backends.cut.clear();
                    world.backends.down.clear();
                    break;
                default:
                    break;
                }
                world.run(500ms);
            }
            world.backends.cut.clear();
            world.backends.down.clear();
            world.run(60s);
            for (std::size_t i = 0; i < world.processes.size(); ++i) {
                QVERIFY2(world.status(i).usable, QByteArray::number(qlonglong(seed)).constData());
                QCOMPARE(world.status(i).epoch, world.status(0).epoch);
                QCOMPARE(world.status(i).engine, world.status(0).engine);
            }
            for (int look = 0; look < 500; ++look) {
                world.run(10ms);
                QVERIFY2(world.holders() <= 1, QByteArray::number(qlonglong(seed)).constData());
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestEngineRecord)
#include "tst_engine_record.moc"
