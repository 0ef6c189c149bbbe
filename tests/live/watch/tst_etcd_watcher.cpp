// SPDX-License-Identifier: Apache-2.0
#include "inspect/topology_words.h"
#include "live_etcd.h"
#include "recipes/etcd/etcd_lease.h"
#include "watching.h"

using namespace lockscope;
using namespace lockscope::test;
using etcd::EtcdDriver;
using recipes::EtcdLease;
using sandbox::EtcdServer;
using What = inspect::LockChange::What;

/// A watched etcd: what the watcher says of etcdctl's locks and ours, against the keys that the server has.
class TestEtcdWatcher : public QObject {
    Q_OBJECT
private:
    /// `etcdctl lock NAME`, or `etcdctl elect NAME VALUE`, until it goes.
    std::unique_ptr<QProcess> etcdctl(const QStringList& words) {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("ETCDCTL_API"), QStringLiteral("3"));
        process->setProcessEnvironment(environment);
        process->start(QStringLiteral("etcdctl"),
                       QStringList{QStringLiteral("--endpoints"), m_server.endpoint()} + words);
        return process;
    }
    static void end(QProcess& process) {
        process.kill();
        process.waitForFinished();
    }
    /// The leases of the keys below a name, the oldest key first, as the server tells.
    QByteArrayList leasesBelow(const QByteArray& name) {
        QByteArrayList leases;
        for (const etcd::KeyValue& key : keysUnder(*m_own, name + '/'))
            leases << QByteArray::number(qulonglong(key.lease), 16);
        return leases;
    }
    LockReport look() {
        const auto watcher = watcherOf(m_runtime, m_server.url());
        return run(watcher->once());
    }
    recipes::Request asked(Nanos wait, Nanos lease = 10s) {
        recipes::Request request;
        request.wait = wait;
        request.lease = lease;
        return request;
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        m_own = std::make_unique<EtcdDriver>(m_runtime, urlOf(m_server));
    }
    void cleanup() { VERIFY_OK(run(m_own->deleteRange(QByteArray(1, '\0'), QByteArray(1, '\0')))); }

    void theMembersSayWhoLeads() {
        const LockReport report = look();
        QCOMPARE(report.servers.size(), 1u);
        QCOMPARE("http://" + report.servers.front().address, m_server.endpoint().toUtf8());
        QVERIFY(report.servers.front().identity->role == inspect::ServerIdentity::Role::Leader);
        QVERIFY(report.server && report.server->version.startsWith("3."));
    }

    /// A login that may read the locks' keys, and nothing else, sees what root sees.
    void theRightToReadSuffices() {
        sandbox::EtcdServerOptions options;
        options.rootPassword = QStringLiteral("root");
        EtcdServer server(m_runtime, options);
        VERIFY_STARTED(server);
        for (const char* line :
             {"user add looker:look", "role add reader", "role grant-permission reader --prefix=true read jobs",
              "user grant-role looker reader"})
            QVERIFY2(test::etcdctl(server, QString::fromLatin1(line)), line);
        EtcdDriver driver(m_runtime, urlOf(server));
        EtcdLease one({driver, "jobs"}), other({driver, "jobs"});
        const auto held = run(one.acquire(asked(5s), {}));
        VERIFY_OK(held);
        const auto second = beside(other.acquire(asked(60s), {}));
        QTRY_COMPARE(keysUnder(driver, "jobs/").size(), 2U);
        QUrl url(server.url());
        url.setUserName(QStringLiteral("looker"));
        url.setPassword(QStringLiteral("look"));
        const auto reader = watcherOf(m_runtime, url.toString(), QStringLiteral("jobs"));
        const auto root = watcherOf(m_runtime, server.url(), QStringLiteral("jobs"));
        const LockReport seen = run(reader->once()), all = run(root->once());
        QVERIFY2(!seen.trouble, seen.trouble ? qPrintable(seen.trouble->message) : "");
        const LockRow *its = rowOf(seen, "jobs"), *row = rowOf(all, "jobs");
        QVERIFY(its && row);
        QCOMPARE(clientsOf(its->holders), clientsOf(row->holders));
        QCOMPARE(waitersOf(*its), waitersOf(*row));
        QCOMPARE(its->waiters->size(), 1U);
        // One look follows the other, after any time on a busy machine; etcd tells whole seconds.
        const std::int64_t apart = (all.at - seen.began) / 1ms;
        QVERIFY(its->ttlMs && row->ttlMs && std::abs(*its->ttlMs - *row->ttlMs) <= 1000 + apart);
        VERIFY_OK(run(one.release(**held, {})));
        QTRY_VERIFY(second->done);
    }

    /// Each member tells of itself, unless it stands still.
    void theMembersSayHowFarTheyAreBehind() {
        sandbox::EtcdCluster cluster(m_runtime);
        VERIFY_STARTED(cluster);
        const auto stateOf = [](const LockReport& report, const EtcdServer& server) {
            for (const inspect::WatchedServerState& each : report.servers)
                if ("http://" + each.address == server.endpoint().toUtf8()) return each;
            return inspect::WatchedServerState{};
        };
        const auto watcher = watcherOf(m_runtime, cluster.url());
        const LockReport whole = run(watcher->once());
        QCOMPARE(whole.servers.size(), 3u);
        int followers = 0, stopped = -1;
        for (int i = 0; i < cluster.size(); ++i) {
            const inspect::WatchedServerState its = stateOf(whole, cluster.member(i));
            QVERIFY(its.identity);
            const bool leads = its.identity->role == inspect::ServerIdentity::Role::Leader;
            QCOMPARE(its.identity->entriesBehind >= 0, !leads); // nobody is behind itself
            followers += !leads;
            // Not the one that answers us: the driver would go on to another one.
            if (!leads && i > 0) stopped = i;
            QCOMPARE(textOf(its).contains(QLatin1String("behind")), !leads);
        }
        QCOMPARE(followers, 2);
        cluster.member(stopped).pause();
        const auto first = watcherOf(m_runtime, cluster.url());
        const LockReport without = run(first->once());
        cluster.member(stopped).resume();
        QVERIFY(!stateOf(without, cluster.member(stopped)).identity); // it does not tell
    }

    /// It has no role any more, and is none of the quorum that answers.
    void aDeadMemberIsTold() {
        sandbox::EtcdCluster cluster(m_runtime);
        VERIFY_STARTED(cluster);
        const auto watcher = watcherOf(m_runtime, cluster.url());
        const LockReport whole = run(watcher->once());
        QCOMPARE(whole.servers.size(), 3u);
        QVERIFY(std::ranges::all_of(whole.servers, [](const auto& one) { return one.identity.has_value(); }));
        QVERIFY(!watcher->status().partial);
        // Not the one that answers us: then another one has to be found first.
        const QByteArray dead = cluster.member(2).endpoint().toUtf8();
        cluster.member(2).kill();
        LockReport without;
        QTRY_VERIFY_WITH_TIMEOUT(
            (without = run(watcherOf(m_runtime, cluster.url())->once()),
             !without.trouble && std::ranges::any_of(without.servers,
                                                     [](const auto& one) {
                                                         return one.identity &&
                                                                one.identity->role ==
                                                                    inspect::ServerIdentity::Role::Leader;
                                                     })),
            20'000);
        QCOMPARE(without.servers.size(), 3u);
        for (const inspect::WatchedServerState& server : without.servers)
            QCOMPARE(server.identity.has_value(), "http://" + server.address != dead);
        const QString words = inspect::topologyText(without.servers, false);
        QVERIFY2(words.endsWith(QStringLiteral("quorum: 2 of 3 answer")), qPrintable(words));
        // Connected is not all that there is to say.
        QVERIFY(!run(watcher->once()).trouble);
        QVERIFY(watcher->status().partial);
        QVERIFY2(watcher->status().text.contains(u"2 of 3 servers answer"), qPrintable(watcher->status().text));
    }

    void manyKeysAreReadTogether() {
        constexpr int kKeys = 1000, kLeases = 300; // more leases than one look of a watch asks about
        for (int lease = 1; lease <= kLeases; ++lease)
            VERIFY_OK(run(m_own->grantLease(lease, 600s)));
        for (int key = 0; key < kKeys;) {
            etcd::Transaction puts;
            for (int i = 0; i < 100; ++i, ++key) {
                const std::int64_t lease = key % kLeases + 1;
                const QByteArray name = "many-" + QByteArray::number(key);
                puts.then.push_back(
                    etcd::Operation::put(name + '/' + QByteArray::number(qulonglong(lease), 16), name, lease));
            }
            VERIFY_OK(run(m_own->run(std::move(puts))));
        }
        const LockReport report = look();
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QCOMPARE(report.locks.size(), std::size_t(kKeys));
        for (const LockRow& row : report.locks) {
            QVERIFY(row.ttlMs.value_or(0) > 500'000); // of every lease
            QCOMPARE(row.holders.front().about, row.name);
        }
        // Each lease is asked about by itself, since etcd has no other way; everything else goes together.
        QVERIFY2(report.commands < kLeases + 60, qPrintable(QString::number(report.commands)));
        for (int lease = 1; lease <= kLeases; ++lease)
            VERIFY_OK(run(m_own->revokeLease(lease)));
    }

    void aQueueOfEtcdctlIsTheServersOwn() {
        const auto first =
            etcdctl({QStringLiteral("lock"), QStringLiteral("--ttl"), QStringLiteral("20"), QStringLiteral("jobs")});
        QVERIFY(comesTrue([&] { return leasesBelow("jobs").size() == 1; }));
        const auto second = etcdctl({QStringLiteral("lock"), QStringLiteral("jobs")});
        QVERIFY(comesTrue([&] { return leasesBelow("jobs").size() == 2; }));
        const auto third = etcdctl({QStringLiteral("lock"), QStringLiteral("jobs")});
        QVERIFY(comesTrue([&] { return leasesBelow("jobs").size() == 3; }));
        const LockReport report = look();
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        const LockRow* row = rowOf(report, "jobs");
        QVERIFY(row);
        QCOMPARE(row->format, QByteArray("etcd-mutex"));
        QCOMPARE(row->backend, QByteArray("etcd"));
        QCOMPARE(clientsOf(row->holders) + waitersOf(*row), leasesBelow("jobs"));
        QCOMPARE(row->holders.size(), 1u);
        const auto keys = keysUnder(*m_own, "jobs/");
        QCOMPARE(row->token, std::optional<std::int64_t>(keys.front().createRevision));
        const auto lease = run(m_own->timeToLive(keys.front().lease));
        VERIFY_OK(lease);
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(lease->ttl).count();
        QVERIFY(row->ttlMs && std::abs(*row->ttlMs - left) <= 1100); // whole seconds, and one may have passed
        for (QProcess* process : {first.get(), second.get(), third.get()})
            end(*process);
    }

    void electionsReadWriteLocksAndShedLock() {
        const auto candidate = etcdctl({QStringLiteral("elect"), QStringLiteral("leader"), QStringLiteral("me")});
        QVERIFY(comesTrue([&] { return leasesBelow("leader").size() == 1; }));
        const auto lease = [&](std::int64_t id) { VERIFY_OK(run(m_own->grantLease(id, 60s))); };
        const auto put = [&](const QByteArray& key, const QByteArray& value, std::int64_t id) {
            VERIFY_OK(run(m_own->put(key, value, id)));
        };
        for (const std::int64_t id : {101, 102, 103, 104})
            lease(id);
        put("rw/read/1700000000000000001", "", 101);
        put("rw/read/1700000000000000002", "", 102);
        put("rw/write/1700000000000000003", "", 103);
        put("rw/read/1700000000000000004", "", 104);
        put("shedlock:default:report", "ADDED:2026-11-24T10:00:00.000Z@host-1", 101);
        put("config/a", "some value", 0);
        put("services/web/1", "leased, but no lock", 101);
        const LockReport report = look();
        QCOMPARE(report.locks.size(), 3u);
        const LockRow *leader = rowOf(report, "leader"), *rw = rowOf(report, "rw"),
                      *shed = rowOf(report, "shedlock:default:report");
        QVERIFY(leader && rw && shed);
        QCOMPARE(leader->format, QByteArray("etcd-election"));
        QCOMPARE(leader->holders.front().about, QByteArray("me"));
        QCOMPARE(rw->format, QByteArray("etcd-rw"));
        QCOMPARE(clientsOf(rw->holders), (QByteArrayList{"65", "66"})); // in hex
        QCOMPARE(waitersOf(*rw), (QByteArrayList{"67", "68"}));
        QCOMPARE(shed->format, QByteArray("shedlock"));
        QCOMPARE(clientsOf(shed->holders), QByteArrayList{"host-1"});
        QVERIFY(shed->ttlMs.value_or(0) > 50'000);
        end(*candidate);
    }

    void aLockBelowTheNameIsWaitedFor() {
        VERIFY_OK(run(m_own->grantLease(0x11, 60s)));
        VERIFY_OK(run(m_own->grantLease(0x12, 60s)));
        VERIFY_OK(run(m_own->put("jobs/sub/11", "", 0x11)));
        VERIFY_OK(run(m_own->put("jobs/12", "", 0x12)));
        const auto watcher = watcherOf(m_runtime, m_server.url());
        const LockReport report = run(watcher->once());
        const LockRow *outer = rowOf(report, "jobs"), *inner = rowOf(report, "jobs/sub");
        QVERIFY(outer && inner);
        QVERIFY(inner->state == LockRow::State::Held);
        QVERIFY(outer->state == LockRow::State::Queued);
        QCOMPARE(waitersOf(*outer), QByteArrayList{"12"});
        // The next look is a new one.
        VERIFY_OK(run(m_own->remove("jobs/sub/11")));
        const LockReport after = run(watcher->once());
        QCOMPARE(after.locks.size(), 1u);
        QCOMPARE(clientsOf(after.locks.front().holders), QByteArrayList{"12"});
    }

    void changesAndRenewalsAreTold() {
        Watching watch(m_runtime, m_server.url());
        QVERIFY(comesTrue([&] { return watch.last().complete; }));
        EtcdDriver a(m_runtime, urlOf(m_server)), b(m_runtime, urlOf(m_server));
        EtcdLease one({a, "stock"}), two({b, "stock"});
        auto held = run(one.acquire(asked(5s, 20s), {}));
        VERIFY_OK(held);
        const Nanos taken = m_runtime.monotonic();
        QVERIFY(comesTrue([&] { return watch.row("stock") != nullptr; }));
        QVERIFY(m_runtime.monotonic() - taken < 1s);
        QCOMPARE(clientsOf(watch.row("stock")->holders), leasesBelow("stock"));
        const auto waiting = beside(two.acquire(asked(30s), {}));
        QVERIFY(comesTrue([&] { return watch.row("stock") && watch.row("stock")->waiterCount == 1; }));

        // The lease runs down for seconds, and then begins anew.
        QVERIFY(comesTrue([&] { return watch.row("stock")->ttlMs.value_or(20000) < 16000; }));
        const auto renewed = run(one.renew(**held, {}));
        VERIFY_OK(renewed);
        QVERIFY(*renewed);
        QVERIFY(comesTrue([&] { return watch.row("stock")->ttlMs.value_or(0) > 16500; }));
        const auto& told = watch.happened["stock"];
        QVERIFY(std::ranges::find(told, What::Renewed) != told.end());

        const QByteArrayList queue = leasesBelow("stock");
        VERIFY_OK(run(one.release(**held, {})));
        QVERIFY(comesTrue([&] {
            return watch.row("stock") && clientsOf(watch.row("stock")->holders) == QByteArrayList{queue.last()};
        }));
        QVERIFY(ends(waiting, 10s));
        VERIFY_OK(*waiting->result);
        VERIFY_OK(run(two.release(***waiting->result, {})));
        QVERIFY(comesTrue([&] { return !watch.row("stock"); }));
    }

    void aServerThatComesBackIsReadAgain() {
        VERIFY_OK(run(m_own->grantLease(0x21, 600s)));
        VERIFY_OK(run(m_own->put("before/21", "", 0x21)));
        Watching watch(m_runtime, m_server.url());
        QVERIFY(comesTrue([&] { return watch.row("before"); }));
        m_server.kill();
        QVERIFY(comesTrue([&] { return watch.outages == 1; }, 30s));
        VERIFY_STARTED(m_server);
        VERIFY_OK(run(m_own->put("after/21", "", 0x21)));
        QVERIFY(comesTrue([&] { return watch.row("after") && watch.row("before"); }, 30s));
        QTRY_COMPARE(watch.events, std::vector{inspect::ServerEvent::Restarted});
    }

    /// Its locks outlive it, and lose their holders by leases that end only: one that is gone meanwhile is not lost.
    void aRestartIsTold() {
        EtcdServer server(m_runtime);
        VERIFY_STARTED(server);
        EtcdDriver own(m_runtime, urlOf(server));
        for (const std::int64_t lease : {0x31, 0x32}) {
            VERIFY_OK(run(own.grantLease(lease, 600s)));
            const QByteArray number = QByteArray::number(qlonglong(lease), 16); // as keys of locks end in it
            VERIFY_OK(run(own.put("hold" + number + '/' + number, "", lease)));
        }
        Watching watch(m_runtime, server.url());
        QVERIFY(comesTrue([&] { return watch.row("hold31") && watch.row("hold32"); }));
        run(server.stop());
        VERIFY_STARTED(server);
        VERIFY_OK(run(own.revokeLease(0x32)));
        QVERIFY(comesTrue([&] { return watch.row("hold31") && !watch.row("hold32") && !watch.events.empty(); }, 30s));
        QCOMPARE(watch.events, std::vector{inspect::ServerEvent::Restarted});
        QCOMPARE(watch.happened["hold32"].back(), What::Released);
    }

    void nothingIsWritten() {
        const auto before = run(m_own->open());
        VERIFY_OK(before);
        {
            Watching watch(m_runtime, m_server.url());
            QVERIFY(comesTrue([&] { return watch.reports >= 3; }));
        }
        const auto after = run(m_own->open());
        VERIFY_OK(after);
        QCOMPARE(*after, *before); // the store's revision grows with each write
    }

private:
    EventLoopRuntime m_runtime;
    EtcdServer m_server{m_runtime};
    std::unique_ptr<EtcdDriver> m_own; ///< asks the server what there is
};

QTEST_GUILESS_MAIN(TestEtcdWatcher)
#include "tst_etcd_watcher.moc"
