// SPDX-License-Identifier: Apache-2.0
// The locks behind sentinels and on a cluster, watched as a whole while their masters change.
#include "group_watch.h"
#include "inspect/releaser.h"
#include "ports/redis/cluster_keys.h"
#include "sandbox/redis_cluster.h"
#include "sandbox/redis_sentinel.h"

using namespace lockscope;
using namespace lockscope::test;
using inspect::ServerEvent;
using inspect::ServerIdentity;
using What = LockChange::What;

namespace {

constexpr int kFailoverLimit = 30'000; ///< two seconds; many times that on a busy machine
const QByteArray kHolder = "285475da-9152-4c83-822a-67ee2f116a79:1";

sandbox::RedisClusterOptions withReplicas() {
    sandbox::RedisClusterOptions options;
    options.replicas = 1;
    return options;
}

} // namespace

class TestRedisGroupWatcher : public QObject {
    Q_OBJECT

    std::unique_ptr<redis::Client> clientAt(std::uint16_t port) {
        const auto url = parseConnectionUrl(QStringLiteral("redis://127.0.0.1:%1").arg(port));
        return realDiallers().redis(m_runtime, *url, {});
    }
    /// Takes a lock as Redisson does.
    void hold(redis::Client& client, const QByteArray& name) {
        QVERIFY(run(client.call({"HSET", name, kHolder, "1"})));
        QVERIFY(run(client.call({"PEXPIRE", name, "600000"})));
    }
    /// … and waits until a replica has it, too.
    void take(redis::Client& client, const QByteArray& name) {
        hold(client, name);
        const auto copied = run(client.call({"WAIT", "1", "5000"}));
        QVERIFY(copied && copied->integer >= 1);
    }
    /// A name whose lock lies on that master of the cluster.
    QByteArray nameOn(int master) const {
        for (int i = 0;; ++i)
            if (QByteArray name = "lock-" + QByteArray::number(i); m_cluster.firstOwner(redis::keySlot(name)) == master)
                return name;
    }

    EventLoopRuntime m_runtime;
    sandbox::RedisSentinels m_sentinels{m_runtime};
    mutable sandbox::RedisCluster m_cluster{m_runtime, withReplicas()};

private Q_SLOTS:
    void initTestCase() {
        auto first = m_sentinels.start(), second = m_cluster.start();
        const auto started = run(std::move(first)), startedToo = run(std::move(second));
        QVERIFY2(started, started ? "" : qPrintable(started.error()));
        QVERIFY2(startedToo, startedToo ? "" : qPrintable(startedToo.error()));
    }

    void theRightsThatAreNamedSuffice_data() {
        QTest::addColumn<bool>("cluster");
        QTest::addColumn<QByteArray>("besides");
        QTest::newRow("sentinels") << false << QByteArray("+role");
        QTest::newRow("cluster") << true << QByteArray("+cluster|slots");
    }
    /// The rights are those of app/README.md, word by word. Without the one that sentinels want besides, what cannot be
    /// read is trouble, and not an empty list of locks.
    void theRightsThatAreNamedSuffice() {
        QFETCH(bool, cluster);
        QFETCH(QByteArray, besides);
        const QByteArrayList rights{"%R~*",
                                    "&*",
                                    "-@all",
                                    "+@read",
                                    "+ping",
                                    "+info",
                                    "+time",
                                    "+pubsub",
                                    "+config|get",
                                    "+client|id",
                                    "+client|list",
                                    "+client|setname",
                                    "+client|tracking",
                                    "+client|caching",
                                    "+subscribe",
                                    "+psubscribe",
                                    "+memory|usage",
                                    "+cluster|nodes"};
        QFile readme(QStringLiteral(LOCKSCOPE_SOURCE_DIR "/app/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        const QByteArray written = readme.readAll().replace("\\|", "|");
        for (const QByteArray& right : rights)
            QVERIFY2(right == "-@all" || written.contains(right), right);
        QVERIFY2(written.contains(besides), besides);

        const int servers = cluster ? m_cluster.count() : m_sentinels.group().count();
        const auto portOf = [&](int i) { return cluster ? m_cluster.at(i).port() : m_sentinels.group().at(i).port(); };
        const auto allow = [&](const QByteArray& name, const QByteArrayList& these) {
            redis::Args order{"ACL", "SETUSER", name, "reset", "on", ">secret"};
            order.insert(order.end(), these.begin(), these.end());
            for (int i = 0; i < servers; ++i)
                QVERIFY(run(clientAt(portOf(i))->call(order)));
        };
        const auto seenBy = [&](const char* name) {
            ConnectionUrl url = urlOf(cluster ? m_cluster.url() : m_sentinels.url());
            url.user = QLatin1String(name);
            url.password = QStringLiteral("secret");
            return run((*inspect::makeWatcher(m_runtime, url, realDiallers(), {}))->once());
        };
        allow("watcher", rights + QByteArrayList{besides});
        allow("lesser", rights);
        const int master = cluster ? 1 : run(m_sentinels.group().master());
        const QByteArray name = cluster ? nameOn(1) : QByteArray("by-rights");
        take(*clientAt(portOf(master)), name);
        const LockReport seen = seenBy("watcher");
        QVERIFY2(!seen.trouble, seen.trouble ? qPrintable(seen.trouble->message) : "");
        QVERIFY(seen.complete && seen.keysRefused == 0);
        QVERIFY(rowOf(seen, name) && rowOf(seen, name)->state == LockRow::State::Held);
        QCOMPARE(rowOf(seen, name)->waiterCount.has_value(), !cluster);
        QVERIFY(!seen.servers.empty());
        for (const inspect::WatchedServerState& server : seen.servers) {
            QVERIFY2(server.trouble.isEmpty() && server.identity, server.address);
            QCOMPARE(server.identity->role, ServerIdentity::Role::Master);
            QVERIFY(!server.identity->persistence.isEmpty() && !server.identity->evicts.isEmpty());
        }
        if (!cluster) { // a cluster's map can be read from its list of nodes, too
            const LockReport less = seenBy("lesser");
            QVERIFY(less.trouble && !rowOf(less, name));
        }
        QVERIFY(run(clientAt(portOf(master))->call({"DEL", name})));
    }

    void aHoldThroughAFailoverBehindSentinelsMayExistTwice() {
        const int master = run(m_sentinels.group().master());
        const auto client = clientAt(m_sentinels.group().at(master).port());
        take(*client, "orders");
        const QByteArray old = "127.0.0.1:" + QByteArray::number(m_sentinels.group().at(master).port());
        GroupWatch watch(m_runtime, m_sentinels.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.row("orders"), 10'000);
        QCOMPARE(watch.row("orders")->server, old);
        QCOMPARE(watch.last.servers.size(), 1u);
        const auto& server = watch.last.servers.front();
        QCOMPARE(server.address, old);
        QVERIFY(server.identity);
        QCOMPARE(server.identity->role, ServerIdentity::Role::Master);
        QCOMPARE(server.identity->runId.size(), 40);
        QCOMPARE(server.identity->replicas.size(), 2u);
        QVERIFY(!server.identity->persistence.isEmpty());
        QCOMPARE(server.identity->evicts, QByteArray("noeviction"));
        const QString line = textOf(server);
        QVERIFY2(line.contains(QStringLiteral("master")) && line.contains(QStringLiteral("replicas: 127.0.0.1:")),
                 qPrintable(line));
        QCOMPARE(watch.watcher->status().state, inspect::WatchStatus::State::Connected);

        m_sentinels.group().at(master).kill();
        QTRY_VERIFY_WITH_TIMEOUT(watch.saw("orders", What::FailedOver), kFailoverLimit);
        QVERIFY(watch.outages > 0); // nobody knew meanwhile
        QCOMPARE(watch.events, std::vector<ServerEvent>{ServerEvent::FailedOver});
        QVERIFY(watch.row("orders"));
        QVERIFY(watch.row("orders")->server != old);
        QCOMPARE(watch.row("orders")->holders.at(0).client + ':' + *watch.row("orders")->holders.at(0).thread, kHolder);
        QVERIFY(!watch.saw("orders", What::Lost) && !watch.saw("orders", What::Renewed));
        const auto raised = watch.alerts.check(m_runtime.monotonic());
        QCOMPARE(raised.size(), 1u);
        QCOMPARE(raised.front().lock, QByteArray("orders"));

        // The new master is the one on which it is freed.
        const auto after = clientAt(watch.row("orders")->server.split(':').back().toUShort());
        QVERIFY(run(after->call({"DEL", "orders"})));
        QTRY_VERIFY_WITH_TIMEOUT(watch.saw("orders", What::Released), 10'000);
    }

    /// A client that renews at the next time it can is not late: its server was away.
    void aFailoverIsNoLateRenewal() {
        const int master = run(m_sentinels.group().master());
        auto client = clientAt(m_sentinels.group().at(master).port());
        take(*client, "renewed");
        GroupWatch watch(m_runtime, m_sentinels.url());
        watch.alerts.setRules({*inspect::parseAlertRule(QStringLiteral("renewal-late>200ms"))});
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.row("renewed"), 10'000);
        // A client's own pace, which the watch learns: every 700 ms, whatever is seen of it.
        const auto renewFor = [&](Nanos time) {
            const Nanos end = m_runtime.monotonic() + time;
            while (m_runtime.monotonic() < end) {
                (void)run(client->call({"PEXPIRE", "renewed", "600000"}));
                run(m_runtime.sleep(700ms));
                (void)watch.alerts.check(m_runtime.monotonic()); // a busy machine may be late
            }
        };
        renewFor(5s);
        QVERIFY(watch.saw("renewed", What::Renewed));
        (void)run(client->call({"PEXPIRE", "renewed", "600000"}));
        watch.late.clear();
        m_sentinels.group().at(master).kill();
        QTRY_VERIFY_WITH_TIMEOUT(watch.outages > 0, 10'000);
        QTRY_VERIFY_WITH_TIMEOUT(watch.saw("renewed", What::FailedOver), kFailoverLimit);
        QVERIFY(watch.late.empty());
        QVERIFY(watch.alerts.check(m_runtime.monotonic()).empty());
        // One that does not come back is late all the same.
        QTRY_VERIFY_WITH_TIMEOUT(!watch.late.empty(), 10'000);
        const auto isRaised = [&] {
            (void)watch.alerts.check(m_runtime.monotonic());
            return watch.alerts.raised() == 1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isRaised(), 10'000);
        client = clientAt(watch.row("renewed")->server.split(':').back().toUShort());
        QVERIFY(run(client->call({"DEL", "renewed"})));
    }

    void onACloseLookAllMastersLocksAreSeen() {
        QByteArrayList names;
        for (int master = 0; master < m_cluster.masters(); ++master) {
            names << nameOn(master);
            take(*clientAt(m_cluster.at(master).port()), names.back());
        }
        const auto watcher = watcherOf(m_runtime, m_cluster.url());
        const auto report = run(watcher->once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QVERIFY(report.complete);
        QCOMPARE(report.locks.size(), 3u);
        QVERIFY(std::ranges::is_sorted(report.locks, {}, &LockRow::name));
        for (int master = 0; master < 3; ++master)
            QCOMPARE(rowOf(report, names[master])->server,
                     "127.0.0.1:" + QByteArray::number(m_cluster.at(master).port()));
        QCOMPARE(report.servers.size(), 3u);
        int slots = 0;
        for (const auto& server : report.servers)
            slots += server.identity->slots;
        QCOMPARE(slots, 16'384);
        QVERIFY(std::ranges::none_of(report.notes, [](const inspect::WatchNote& note) {
            return note.kind == inspect::WatchNote::Kind::ClusterNode;
        }));

        // The cost of the first look stays counted.
        const std::uint64_t spent = watcher->load().requests;
        QVERIFY(spent > 0);
        // A forced release goes to the server that has the lock.
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(m_cluster.url()), realDiallers());
        QVERIFY(releaser);
        const auto freed = run((*releaser)->free(*rowOf(report, names[1])));
        QVERIFY2(freed, freed ? "" : qPrintable(freed.error()));
        QVERIFY(*freed == inspect::Freed::Freed);
        const auto left = run(watcher->once());
        QCOMPARE(left.locks.size(), 2u);
        QVERIFY(!rowOf(left, names[1]));
        QVERIFY(watcher->load().requests > spent);
    }

    void aReportNamesTheLocksThatMayHaveChanged() {
        constexpr int kOfEach = 20;
        const auto nameOf = [&](int master, int i) { return '{' + nameOn(master) + "}:" + QByteArray::number(i); };
        for (int master = 0; master < m_cluster.masters(); ++master) {
            const auto client = clientAt(m_cluster.at(master).port());
            for (int i = 0; i < kOfEach; ++i)
                take(*client, nameOf(master, i));
        }
        inspect::WatchOptions options;
        options.partsFrom = 1; // each master is looked at once, and from then on where it has changed
        options.wholeAgain = 1h;
        options.shortestPeriod = 10ms;
        options.longestPeriod = 50ms;
        options.share = options.firstShare = 0.5;
        GroupWatch watch(m_runtime, m_cluster.url(), options);
        const auto all = std::size_t(m_cluster.masters()) * kOfEach;
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.last.locks.size() >= all && watch.inParts, 30'000);
        watch.again.clear();
        const QByteArray gone = nameOf(0, 3), taken = nameOf(1, 99);
        QVERIFY(run(clientAt(m_cluster.at(0).port())->call({"DEL", gone})));
        take(*clientAt(m_cluster.at(1).port()), taken);
        QTRY_VERIFY_WITH_TIMEOUT(!watch.row(gone) && watch.row(taken), 30'000);
        QCOMPARE(watch.untold, QByteArray());
        QVERIFY(watch.again.contains(gone) && watch.again.contains(taken));
        QVERIFY2(watch.again.size() < all / 2, qPrintable(QString::number(watch.again.size())));
        QVERIFY(run(clientAt(m_cluster.at(1).port())->call({"DEL", taken})));
        for (int master = 0; master < m_cluster.masters(); ++master) {
            const auto client = clientAt(m_cluster.at(master).port());
            for (int i = 0; i < kOfEach; ++i)
                QVERIFY(run(client->call({"DEL", nameOf(master, i)})));
        }
    }

    /// A master that is away takes only its own locks out of sight.
    void theOtherMastersLocksStayInSight() {
        sandbox::RedisClusterOptions options;
        options.wantFullCoverage = false;
        sandbox::RedisCluster cluster(m_runtime, options);
        VERIFY_STARTED(cluster);
        const QByteArray there = nameOn(0), elsewhere = nameOn(2);
        hold(*clientAt(cluster.at(0).port()), there);
        hold(*clientAt(cluster.at(2).port()), elsewhere);
        GroupWatch watch(m_runtime, cluster.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.row(there) && watch.row(elsewhere), 10'000);
        cluster.at(0).kill();
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(there)->state == LockRow::State::NotKnown, 10'000);
        QVERIFY(watch.watcher->status().partial);
        QCOMPARE(std::ranges::count_if(watch.last.servers, [](const auto& one) { return !one.trouble.isEmpty(); }), 1);
        const QByteArray fresh = nameOn(1);
        hold(*clientAt(cluster.at(1).port()), fresh); // and new ones are found
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(fresh) && watch.row(fresh)->state == LockRow::State::Held, 10'000);
        QVERIFY(watch.row(elsewhere)->state == LockRow::State::Held);
        QCOMPARE(watch.outages, 0);
        inspect::AlertWatch alerts({*inspect::parseAlertRule(QStringLiteral("unreachable>1s"))});
        alerts.observe(watch.last);
        QCOMPARE(alerts.check(watch.last.at + 2s).size(), 1u); // a shard without any server
        const auto once = inspect::makeWatcher(m_runtime, urlOf(cluster.url()), realDiallers(), {});
        QVERIFY(once.has_value());
        const LockReport look = run((*once)->once());
        QVERIFY(!look.trouble && !look.complete && rowOf(look, elsewhere) && !rowOf(look, there));
        VERIFY_STARTED(cluster);
        QTRY_VERIFY_WITH_TIMEOUT(watch.row(there) == nullptr || watch.row(there)->state != LockRow::State::NotKnown,
                                 20'000);
        QVERIFY(!watch.watcher->status().partial);
    }

    void aFailoverInAClusterConcernsThatServersLocks() {
        const QByteArray there = nameOn(0), elsewhere = nameOn(2);
        take(*clientAt(m_cluster.at(0).port()), there);
        take(*clientAt(m_cluster.at(2).port()), elsewhere);
        GroupWatch watch(m_runtime, m_cluster.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.row(there) && watch.row(elsewhere), 10'000);
        m_cluster.at(0).kill();
        QTRY_VERIFY_WITH_TIMEOUT(watch.saw(there, What::FailedOver), kFailoverLimit);
        QCOMPARE(watch.row(there)->server, "127.0.0.1:" + QByteArray::number(m_cluster.at(3).port()));
        QVERIFY(watch.row(elsewhere));
        QVERIFY(!watch.saw(elsewhere, What::FailedOver) && !watch.saw(elsewhere, What::Lost));
        const auto raised = watch.alerts.check(m_runtime.monotonic());
        QCOMPARE(raised.size(), 1u);
        QCOMPARE(raised.front().lock, there);
    }

    /// … also where the others tell for a moment that nobody has its slots: they have forgotten the dead master's, and
    /// the replica is not promoted yet.
    void nobodysSlotsAreNotTakenForReleases() {
        constexpr int kMaster = 1, kReplica = 4;
        const QByteArray there = nameOn(kMaster);
        take(*clientAt(m_cluster.at(kMaster).port()), there);
        GroupWatch watch(m_runtime, m_cluster.url());
        QTRY_VERIFY_WITH_TIMEOUT(watch.last.complete && watch.row(there), 10'000);
        int first = 0;
        while (m_cluster.firstOwner(first) != kMaster)
            ++first;
        int last = first;
        while (m_cluster.firstOwner(last + 1) == kMaster)
            ++last;
        m_cluster.at(kMaster).kill();
        for (const int node : {2, 3, 5})
            VERIFY_OK(
                run(clientAt(m_cluster.at(node).port())
                        ->call({"CLUSTER", "DELSLOTSRANGE", QByteArray::number(first), QByteArray::number(last)})));
        QTRY_VERIFY_WITH_TIMEOUT(watch.saw(there, What::FailedOver), kFailoverLimit);
        QCOMPARE(watch.row(there)->server, "127.0.0.1:" + QByteArray::number(m_cluster.at(kReplica).port()));
        for (const What what : {What::Released, What::Expired, What::Lost, What::Gone, What::Taken})
            QVERIFY2(!watch.saw(there, what), inspect::nameOf(what));
        QCOMPARE(watch.told(trace::EventKind::RecordFreed), 0);
    }
};

QTEST_GUILESS_MAIN(TestRedisGroupWatcher)
#include "tst_redis_group_watcher.moc"
