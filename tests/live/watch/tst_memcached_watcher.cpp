// SPDX-License-Identifier: Apache-2.0
#include "connections/connection.h"
#include "inspect/memcached/watcher.h"
#include "inspect/releaser.h"
#include "live_memcached.h"
#include "watching.h"

#include <set>

using namespace lockscope;
using namespace lockscope::test;

/// A watcher is given a reader, over which a write does not compile.
template <typename P>
concept Writes = requires(P& port, QByteArray name) {
    port.remove(name);
};
static_assert(Writes<memcached::Port> && !Writes<memcached::Reader>);
static_assert(Writes<etcd::Port> && !Writes<etcd::Reader>);
static_assert(Writes<zookeeper::Port> && !Writes<zookeeper::Reader>);

/// A watched memcached: named keys only, against what the server itself says of them.
class TestMemcachedWatcher : public QObject {
    Q_OBJECT
private:
    static constexpr std::int64_t kOthers = 20'000;
    /// Keys that are no locks, as small as locks are.
    static void fill(MemcachedClient& client, std::int64_t count) {
        std::vector<memcached::Result<memcached::Change>> writes;
        for (std::int64_t i = 0; i < count; ++i)
            writes.push_back(client.driver.add("other:" + QByteArray::number(i), "value", 0, false));
        for (auto& write : writes)
            VERIFY_OK(run(std::move(write)));
    }
    /// A server that throws nothing out.
    static sandbox::MemcachedServerOptions roomy() {
        sandbox::MemcachedServerOptions options;
        options.megabytes = 64;
        return options;
    }
    /// One of the locks that does not lie on the server of that port.
    static QByteArray nameOnTheFirst(const QStringList& names, const LockReport& report, int port) {
        for (const QString& name : names)
            if (const LockRow* row = rowOf(report, name.toUtf8());
                row && !row->server.endsWith(QByteArray::number(port)))
                return row->name;
        return {};
    }
    static bool has(const LockReport& report, inspect::WatchNote::Kind kind) {
        return std::ranges::find(report.notes, kind, &inspect::WatchNote::kind) != report.notes.end();
    }
    QByteArray onServer(const QByteArray& key) {
        const auto item = run(m_client->driver.get(key));
        return item && *item ? (*item)->value : QByteArray();
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        m_client = std::make_unique<MemcachedClient>(m_runtime, urlOf(m_server));
    }

    void namesAreWanted() {
        const auto watcher = watcherOf(m_runtime, m_server.url());
        const LockReport report = run(watcher->once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QVERIFY(report.locks.empty());
        QCOMPARE(report.notes.size(), 1u);
        QVERIFY(report.notes.front().kind == inspect::WatchNote::Kind::NamesWanted);
    }

    void namedLocksAreFound() {
        const auto lease = m_client->recipe("orders"), naive = m_client->recipe("stock", "memcached-add");
        recipes::Request request;
        request.thread = "1";
        request.lease = 20s;
        const auto one = run(lease->acquire(request, {}));
        VERIFY_OK(one);
        const auto two = run(naive->acquire(request, {}));
        VERIFY_OK(two);
        VERIFY_OK(
            run(m_client->driver.add("shedlock:default:mail", "ADDED:2026-11-24T10:00:00.000Z@host-1", 60, false)));
        VERIFY_OK(run(m_client->driver.add("theirs", "anything", 60, false)));
        const auto watcher =
            watcherOf(m_runtime, m_server.url(), QStringLiteral("orders,stock,shedlock:default:mail,theirs,missing"));
        const LockReport report = run(watcher->once());
        QCOMPARE(report.locks.size(), 4u);
        const LockRow *orders = rowOf(report, "orders"), *stock = rowOf(report, "stock"),
                      *mail = rowOf(report, "shedlock:default:mail"), *theirs = rowOf(report, "theirs");
        QVERIFY(orders && stock && mail && theirs);
        QCOMPARE(orders->format, QByteArray("memcached-lease"));
        QCOMPARE(clientsOf(orders->holders), QByteArrayList{m_client->uuid});
        QCOMPARE(orders->raw.front().value.json().toString().toUtf8(), onServer("orders"));
        QCOMPARE(stock->format, QByteArray("memcached-add"));
        QCOMPARE(mail->format, QByteArray("shedlock"));
        QCOMPARE(clientsOf(mail->holders), QByteArrayList{"host-1"});
        QCOMPARE(clientsOf(theirs->holders), QByteArrayList{"anything"});
        QVERIFY(theirs->certainty == inspect::Certainty::Likely);
        VERIFY_OK(run(lease->release(**one, {})));
        VERIFY_OK(run(naive->release(**two, {})));
        const LockReport after = run(watcher->once());
        QVERIFY(!rowOf(after, "orders") && !rowOf(after, "stock") && rowOf(after, "theirs"));
    }

    void endsAreToldInWholeSeconds() {
        VERIFY_OK(run(m_client->driver.add("ends", "x", 20, false)));
        VERIFY_OK(run(m_client->driver.add("endless", "x", 0, false)));
        Watching watch(m_runtime, m_server.url(), QStringLiteral("ends,endless"));
        QVERIFY(comesTrue([&] { return watch.row("ends") && watch.row("endless"); }));
        QVERIFY(watch.row("endless")->expires() == LockRow::Expires::Never);
        const LockRow row = *watch.row("ends");
        QVERIFY(row.ttlMs && row.ends);
        QVERIFY2(*row.ttlMs > 10'000 && *row.ttlMs <= 20'000, qPrintable(QString::number(*row.ttlMs)));
        QCOMPARE(*row.ttlMs % 1000, 0);
        QVERIFY(row.ends->toMs - row.ends->fromMs >= 1000); // no more exactly than the server says it
        QVERIFY(has(watch.last(), inspect::WatchNote::Kind::EndsInSeconds));
        // While nothing happens, no look takes the tick of the server's clock for a renewal.
        const int before = watch.reports;
        QVERIFY(comesTrue([&] { return watch.row("ends") && *watch.row("ends")->ttlMs <= *row.ttlMs - 3000; }, 30s));
        QVERIFY(watch.reports > before);
        QCOMPARE(watch.happened["ends"], std::vector{LockChange::What::Found});
        // A hold that another one follows has an end of its own.
        const auto now = run(m_client->driver.get("ends"));
        VERIFY_OK(now);
        QVERIFY(*now);
        VERIFY_OK(run(m_client->driver.compareAndSet("ends", "x", 100, (*now)->mark, false)));
        QVERIFY(comesTrue([&] { return watch.row("ends") && *watch.row("ends")->ttlMs > 90'000; }, 30s));
        QCOMPARE(watch.happened["ends"].back(), LockChange::What::Renewed);
    }

    void anEndThatNobodyTellsIsNotKnown() {
        sandbox::MemcachedServerOptions options;
        options.sasl = true; // the binary protocol has no such question
        options.logins = "ann:hunter2\n";
        sandbox::MemcachedServer server(m_runtime, options);
        VERIFY_STARTED(server);
        const QString url = QStringLiteral("memcached://ann:hunter2@127.0.0.1:%1").arg(server.port());
        MemcachedClient client(m_runtime, *parseConnectionUrl(url));
        VERIFY_OK(run(client.driver.add("theirs", "anything", 60, false)));
        const auto watcher = watcherOf(m_runtime, url, QStringLiteral("theirs"));
        for (int looks = 0; looks < 2; ++looks) {
            const LockReport report = run(watcher->once());
            QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
            QVERIFY(rowOf(report, "theirs"));
            QVERIFY(rowOf(report, "theirs")->expires() == LockRow::Expires::Unknown);
            QVERIFY(!has(report, inspect::WatchNote::Kind::EndsInSeconds));
        }
    }

    /// Connections of one runtime share a socket: a list that was asked for comes although its watcher is gone.
    void aListComesAfterItsWatcherIsGone() {
        sandbox::MemcachedServer server(m_runtime, roomy());
        VERIFY_STARTED(server);
        // On a busy machine the list alone takes longer than an answer may by default.
        MemcachedClient client(m_runtime,
                               urlOf(QStringLiteral("memcached://127.0.0.1:%1?timeout=120s").arg(server.port())));
        fill(client, kOthers);
        inspect::WatchOptions options;
        options.listKeys = true;
        auto watcher =
            std::make_unique<inspect::MemcachedWatcher>(client.driver, QStringLiteral("a shared socket"), options);
        std::stop_source stop;
        const std::uint64_t before = client.driver.commandsSent();
        auto look = howCancelled(watcher->once(stop.get_token()));
        QVERIFY(comesTrue([&] { return client.driver.commandsSent() > before; }));
        stop.request_stop();
        QVERIFY(run(std::move(look))); // before the list has come
        watcher.reset();
        VERIFY_OK(run(client.driver.version())); // its answer follows the list
    }

    void aRingIsWatchedAsAWhole() {
        sandbox::MemcachedServer second(m_runtime);
        VERIFY_STARTED(second);
        const QString url =
            QStringLiteral("memcached://127.0.0.1:%1,127.0.0.1:%2").arg(m_server.port()).arg(second.port());
        const auto connection = makeConnectionOver(m_runtime, realDiallers(), urlOf(url));
        VERIFY_OK(run(connection->open({})));
        std::vector<std::unique_ptr<recipes::Recipe>> locks;
        QStringList names;
        recipes::Request request;
        request.thread = "1";
        request.lease = 60s;
        for (int i = 0; i < 20; ++i) {
            names << QStringLiteral("ring-%1").arg(i);
            auto recipe = connection->makeRecipe("memcached-lease", {names.back().toUtf8()});
            QVERIFY(recipe);
            locks.push_back(std::move(*recipe));
            VERIFY_OK(run(locks.back()->acquire(request, {})));
        }
        const auto watcher = watcherOf(m_runtime, url, names.join(u','));
        const LockReport report = run(watcher->once());
        QCOMPARE(report.locks.size(), 20u);
        MemcachedClient there(m_runtime, urlOf(second));
        std::set<QByteArray> servers;
        for (const LockRow& row : report.locks) {
            servers.insert(row.server);
            QCOMPARE(clientsOf(row.holders), QByteArrayList{connection->client()});
            const bool onSecond = row.server.endsWith(QByteArray::number(second.port()));
            const auto item = run((onSecond ? there : *m_client).driver.get(row.name));
            QVERIFY2(item && *item, row.name); // it lies where the row says
        }
        QCOMPARE(servers.size(), 2u);
        // Each server lists its own: keys that the ring looks for elsewhere are none of them.
        VERIFY_OK(run(there.driver.add(nameOnTheFirst(names, report, second.port()), "stray", 60, false)));
        // An item that the server moves between its lists while it walks through them may be missing from one walk.
        LockReport listed;
        QVERIFY(comesTrue([&] {
            listed = run(watcherOf(m_runtime, url + QStringLiteral("?list=metadump"))->once());
            return std::ranges::count_if(listed.locks,
                                         [](const LockRow& row) { return row.name.startsWith("ring-"); }) == 20;
        }));
        for (const LockRow& row : listed.locks)
            QVERIFY2(clientsOf(row.holders) != QByteArrayList{"stray"}, row.name);
        const auto releaser = inspect::makeReleaser(m_runtime, urlOf(url), realDiallers());
        QVERIFY(releaser);
        for (const LockRow& row : report.locks)
            QVERIFY(run((*releaser)->free(row)) == inspect::Freed::Freed);
        QTRY_VERIFY_WITH_TIMEOUT(run(watcher->once()).locks.empty(), 5000);
        // Without one of them, nobody knows what is locked there.
        second.kill();
        const LockReport away = run(watcher->once());
        QVERIFY(away.trouble);
        QVERIFY2(away.trouble->message.contains(QString::number(second.port())), qPrintable(away.trouble->message));
    }

    void locksAreFoundInAListOfAllKeys() {
        sandbox::MemcachedServer server(m_runtime, roomy());
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, urlOf(server));
        fill(client, kOthers);
        const QByteArray odd = "锁:%41"; // a list has it in percent-encoding
        const auto orders = client.recipe("orders"), strange = client.recipe(odd);
        const auto one = run(orders->acquire(asked(0ns, 60s), {}));
        VERIFY_OK(one);
        const auto two = run(strange->acquire(asked(0ns, 60s), {}));
        VERIFY_OK(two);
        VERIFY_OK(run(client.driver.add("shedlock:a:mail", "ADDED:2026-11-24T10:00:00.000Z@host-1", 60, false)));
        VERIFY_OK(run(client.driver.add("lock:jobs", "anything", 60, false)));
        VERIFY_OK(run(client.driver.add("theirs", "anything", 60, false)));
        // A lock's value, but as large as none.
        VERIFY_OK(run(client.driver.add("large", QByteArray(2000, 'x') + ":1", 60, false)));
        const QString url = server.url() + QStringLiteral("?list=metadump");
        const auto watcher = watcherOf(m_runtime, url);
        const LockReport report = run(watcher->once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QCOMPARE(report.locks.size(), 4u);
        QVERIFY(rowOf(report, "orders") && rowOf(report, odd) && rowOf(report, "shedlock:a:mail"));
        const LockRow* jobs = rowOf(report, "lock:jobs");
        QVERIFY(jobs && jobs->format == "string");
        QVERIFY(report.complete);
        QCOMPARE(report.keysThere, kOthers + 6);
        QVERIFY(report.keysSeen < kOthers + 6); // the large one was not read
        QVERIFY(has(report, inspect::WatchNote::Kind::KeysListed));
        // A key that was no lock is not read again as long as it does not change.
        const LockReport again = run(watcher->once());
        QCOMPARE(again.locks.size(), 4u);
        QVERIFY2(again.keysSeen < 10, qPrintable(QString::number(again.keysSeen)));
        VERIFY_OK(run(orders->release(**one, {})));
        QVERIFY(!rowOf(run(watcher->once()), "orders"));

        // By name: any value, and nothing else.
        const auto named = run(watcherOf(m_runtime, url, QStringLiteral("the*,lock:jobs"))->once());
        QCOMPARE(named.locks.size(), 2u);
        QVERIFY(rowOf(named, "theirs") && rowOf(named, "lock:jobs"));
        QVERIFY(named.keysSeen <= 2);
    }

    void aWatchFindsNewLocksByLists() {
        sandbox::MemcachedServer server(m_runtime, roomy());
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, urlOf(server));
        fill(client, kOthers);
        Watching watch(m_runtime, server.url() + QStringLiteral("?list=metadump"));
        QVERIFY(
            comesTrue([&] { return watch.last().complete; }, 2min)); // a tenth of the server's time, on a busy machine
        const auto lock = client.recipe("orders");
        const auto hold = run(lock->acquire(asked(0ns, 60s), {}));
        VERIFY_OK(hold);
        QVERIFY(comesTrue([&] { return watch.row("orders") != nullptr; }, 1min));
        // Its key is known now, and looked at as a named one.
        VERIFY_OK(run(lock->release(**hold, {})));
        QVERIFY(comesTrue([&] { return watch.row("orders") == nullptr; }, 30s));
        VERIFY_OK(run(lock->acquire(asked(0ns, 60s), {})));
        QVERIFY(comesTrue([&] { return watch.row("orders") != nullptr; }, 30s));
    }

    void aServerThatListsNothingIsNamed_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("words");
        QTest::newRow("forbidden") << QStringList{QStringLiteral("-X")} << QStringLiteral("metadump not allowed");
        QTest::newRow("no crawler") << QStringList{QStringLiteral("-o"), QStringLiteral("no_lru_crawler")}
                                    << QStringLiteral("lru crawler disabled");
    }
    void aServerThatListsNothingIsNamed() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, words);
        sandbox::MemcachedServerOptions options;
        options.extra = arguments;
        sandbox::MemcachedServer server(m_runtime, options);
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, urlOf(server));
        VERIFY_OK(run(client.driver.add("theirs", "anything", 60, false)));
        const auto watcher =
            watcherOf(m_runtime, server.url() + QStringLiteral("?list=metadump"), QStringLiteral("theirs,orders:*"));
        const LockReport report = run(watcher->once());
        QVERIFY(!report.trouble);
        QVERIFY(rowOf(report, "theirs")); // named keys are watched all the same
        const auto refused =
            std::ranges::find(report.notes, inspect::WatchNote::Kind::ListRefused, &inspect::WatchNote::kind);
        QVERIFY(refused != report.notes.end());
        QVERIFY2(textOf(*refused).contains(words), qPrintable(textOf(*refused)));
    }

    void theBinaryProtocolHasNoLists() {
        sandbox::MemcachedServerOptions options;
        options.sasl = true;
        options.logins = "ann:hunter2\n";
        sandbox::MemcachedServer server(m_runtime, options);
        VERIFY_STARTED(server);
        const QString url = QStringLiteral("memcached://ann:hunter2@127.0.0.1:%1?list=metadump").arg(server.port());
        MemcachedClient client(m_runtime, *parseConnectionUrl(url));
        VERIFY_OK(run(client.driver.add("theirs", "anything", 60, false)));
        const LockReport report = run(watcherOf(m_runtime, url, QStringLiteral("theirs,orders:*"))->once());
        QVERIFY2(!report.trouble, report.trouble ? qPrintable(report.trouble->message) : "");
        QVERIFY(rowOf(report, "theirs"));
        QVERIFY(has(report, inspect::WatchNote::Kind::ListRefused));
    }

    /// A server forgets what it reads together with a list's command: nobody who shares the connection may wait for it.
    void commandsBehindAListAreAnswered() {
        sandbox::MemcachedServer server(m_runtime, roomy());
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, urlOf(server));
        fill(client, kOthers);
        const auto all = [](const QByteArray&, std::uint64_t) { return true; };
        for (int times = 0; times < 5; ++times) { // alone each is lost in most tries
            auto before = client.driver.get("other:0");
            auto first = client.driver.list(all);
            auto between = client.driver.get("other:1");
            auto second = client.driver.list(all);
            auto after = client.driver.version();
            VERIFY_OK(run(std::move(before)));
            const auto listed = run(std::move(first));
            VERIFY_OK(listed);
            QVERIFY(std::int64_t(listed->keys.size()) > kOthers / 2); // the crawler misses what is read meanwhile
            VERIFY_OK(run(std::move(between)));
            VERIFY_OK(run(std::move(second))); // maybe busy
            VERIFY_OK(run(std::move(after)));
        }
    }

    void aListWaitsForABusyServer() {
        sandbox::MemcachedServer server(m_runtime, roomy());
        VERIFY_STARTED(server);
        MemcachedClient client(m_runtime, urlOf(server)), other(m_runtime, urlOf(server));
        fill(client, kOthers);
        VERIFY_OK(run(client.driver.add("lock:jobs", "anything", 60, false)));
        const auto all = [](const QByteArray&, std::uint64_t) { return true; };
        VERIFY_OK(run(other.driver.version()));
        auto first = other.driver.list(all);
        const LockReport report = run(watcherOf(m_runtime, server.url() + QStringLiteral("?list=metadump"))->once());
        QVERIFY(rowOf(report, "lock:jobs"));
        const auto listed = run(std::move(first));
        VERIFY_OK(listed);
        QVERIFY(listed->busy || std::int64_t(listed->keys.size()) == kOthers + 1);
    }

    void aServerThatComesBackIsReadAgain() {
        VERIFY_OK(run(m_client->driver.add("before", "x", 60, false)));
        Watching watch(m_runtime, m_server.url(), QStringLiteral("before"));
        QVERIFY(comesTrue([&] { return watch.row("before") != nullptr; }));
        m_server.kill();
        QVERIFY(comesTrue([&] { return watch.outages == 1; }, 20s));
        VERIFY_STARTED(m_server);
        QVERIFY(comesTrue([&] { return watch.row("before") == nullptr; }, 20s)); // it keeps nothing
        QCOMPARE(watch.events, std::vector{inspect::ServerEvent::Restarted});
        QCOMPARE(watch.happened["before"].back(), LockChange::What::Lost);
    }

    /// As above, too fast for a look to fail; and all items may be thrown away while the server runs on.
    void whatIsLostWithItsServerIsNobodysRelease() {
        using What = LockChange::What;
        VERIFY_OK(run(m_client->driver.add("jobs", "x", 60, false)));
        Watching watch(m_runtime, m_server.url(), QStringLiteral("jobs"));
        QVERIFY(comesTrue([&] { return watch.row("jobs") != nullptr; }));
        QTcpSocket someone;
        someone.connectToHost(QStringLiteral("127.0.0.1"), m_server.port());
        someone.write("flush_all\r\n");
        QVERIFY(comesTrue([&] { return watch.row("jobs") == nullptr; }, 20s));
        QCOMPARE(watch.events, std::vector{inspect::ServerEvent::Emptied});
        QCOMPARE(watch.happened["jobs"].back(), What::Lost);
        VERIFY_OK(run(m_client->driver.add("jobs", "x", 60, false)));
        QVERIFY(comesTrue([&] { return watch.row("jobs") != nullptr; }, 20s));
        VERIFY_OK(run(m_client->driver.remove("jobs")));
        QVERIFY(comesTrue([&] { return watch.row("jobs") == nullptr; }, 20s));
        QCOMPARE(watch.happened["jobs"].back(), What::Released); // and this is one
        QCOMPARE(watch.events.size(), 1u);
        QVERIFY(watch.last().server && !watch.last().server->version.isEmpty());
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::MemcachedServer m_server{m_runtime};
    std::unique_ptr<MemcachedClient> m_client;
};

QTEST_GUILESS_MAIN(TestMemcachedWatcher)
#include "tst_memcached_watcher.moc"
