// SPDX-License-Identifier: Apache-2.0
// What the record's servers may lack, keep and forget without harm.
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
    /// Whether all processes may grant locks all the time.
    static bool allUsableFor(World& world, Nanos duration) {
        for (const Nanos end = world.scheduler.now() + duration; world.scheduler.now() < end; world.run(10ms)) {
            for (std::size_t i = 0; i < world.processes.size(); ++i)
                if (!world.status(i).usable) return false;
        }
        return true;
    }

private Q_SLOTS:
    /// The one server that keeps the proposal which did not win is no worse than another when a third one dies.
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

    /// Whoever settled it reached one server only, and is gone, as is that server later.
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
};

QTEST_GUILESS_MAIN(TestEngineRecord)
#include "tst_engine_record.moc"
