// SPDX-License-Identifier: Apache-2.0
#include "every_recipe/ground.h"
#include "managed_process.h"

using namespace lockscope;
using namespace lockscope::test;

namespace {
struct EngineOf {
    const char* ground;
    const char* recipe;
};
} // namespace

/// A namespace whose engines are of different kinds, each with its own way of holding and of ending a hold: work goes
/// on across every switch, and nobody is inside together.
class TestManagedEngines : public QObject {
    Q_OBJECT
    EventLoopRuntime m_runtime;
    sandbox::RedisServer m_witness{m_runtime};

private Q_SLOTS:
    void init() {
        if (!m_witness.running()) VERIFY_STARTED(m_witness);
        redis::RedisDriver driver(m_runtime, urlOf(m_witness));
        call(driver, {"FLUSHALL"});
    }

    void workGoesOnFromKindToKind_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<std::vector<EngineOf>>("engines");
        const auto row = [](const char* text, const std::vector<EngineOf>& engines) {
            QTest::addRow("%s, drain", text) << int(SwitchMode::Drain) << engines;
            QTest::addRow("%s, immediate", text) << int(SwitchMode::Immediate) << engines;
        };
        row("Redis, ZooKeeper, PostgreSQL",
            {{"redis", "redis-fair"}, {"zookeeper", "zk-mutex"}, {"postgresql", "sql-advisory"}});
        row("MariaDB, etcd, memcached",
            {{"mariadb", "sql-for-update"}, {"etcd", "etcd-lease"}, {"memcached", "memcached-lease"}});
        row("Redlock, SQLite, Redis", {{"redlock", "redis-redlock"}, {"sqlite", "sql-lease"}, {"redis", "redis-set"}});
    }
    void workGoesOnFromKindToKind() {
        QFETCH(int, mode);
        QFETCH(std::vector<EngineOf>, engines);
        NamespaceConfig space;
        std::vector<std::unique_ptr<Ground>> grounds;
        for (const EngineOf& engine : engines) {
            const auto kind = std::ranges::find(groundKinds(), QByteArray(engine.ground), &GroundKind::name);
            QVERIFY(kind != groundKinds().end());
            grounds.push_back(kind->make(m_runtime));
            VERIFY_EMPTY(grounds.back()->start());
            space.engines.push_back({urlOf(grounds.back()->url()), engine.recipe});
        }
        space.name = "shop";
        space.witnesses.push_back(urlOf(m_witness));
        space.mode = SwitchMode(mode);
        space.confirmFor = 1500ms;
        space.drainFor = 1s;
        space.options.lease = 2s;
        space.options.watchdog = 500ms;
        ManagerConfig config;
        config.namespaces.push_back(space);

        ManagedProcess a(m_runtime, config), b(m_runtime, config);
        VERIFY_OK(run(a.manager->prepare()));
        QVERIFY(a.start() && b.start());
        Inside inside;
        int clashes = 0;
        bool stop = false;
        const bool toldFirst = space.mode == SwitchMode::Immediate;
        a.work(inside, clashes, stop, toldFirst);
        b.work(inside, clashes, stop, toldFirst);
        std::int64_t epoch = 1;
        for (const std::size_t next : {1U, 2U, 0U}) {
            const int beforeA = a.grants, beforeB = b.grants;
            const bool both = soon([&] { return a.grants > beforeA + 5 && b.grants > beforeB + 5; }, 30'000);
            QVERIFY2(both, qPrintable(QStringLiteral("%1: %2 and %3 grants; %4 %5")
                                          .arg(epoch)
                                          .arg(a.grants - beforeA)
                                          .arg(b.grants - beforeB)
                                          .arg(a.trouble, b.trouble)));
            ++epoch;
            VERIFY_OK(run((epoch % 2 == 0 ? a : b).manager->switchTo("shop", int(next))));
            const auto there = [&](const ManagedProcess& process) {
                const auto status = process.manager->status("shop");
                return status.usable && status.epoch == epoch && status.engine == space.engines[next].id();
            };
            QVERIFY(soon([&] { return there(a) && there(b); }, 30'000));
        }
        const int beforeA = a.grants, beforeB = b.grants;
        QVERIFY(soon([&] { return a.grants > beforeA + 5 && b.grants > beforeB + 5; }, 30'000));
        stop = true;
        QVERIFY(soon([&] { return a.ended && b.ended; }, 30'000));
        QCOMPARE(clashes, 0);
        QVERIFY(std::ranges::is_sorted(a.tokens) && std::ranges::is_sorted(b.tokens));
        QCOMPARE(a.tokens.back() >> 48, epoch);
    }
};

QTEST_GUILESS_MAIN(TestManagedEngines)
#include "tst_managed_engines.moc"
