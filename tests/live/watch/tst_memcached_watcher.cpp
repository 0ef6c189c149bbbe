// SPDX-License-Identifier: Apache-2.0
#include "connections/connection.h"
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

    void aServerThatComesBackIsReadAgain() {
        VERIFY_OK(run(m_client->driver.add("before", "x", 60, false)));
        Watching watch(m_runtime, m_server.url(), QStringLiteral("before"));
        QVERIFY(comesTrue([&] { return watch.row("before") != nullptr; }));
        m_server.kill();
        QVERIFY(comesTrue([&] { return watch.outages == 1; }, 20s));
        VERIFY_STARTED(m_server);
        QVERIFY(comesTrue([&] { return watch.row("before") == nullptr; }, 20s)); // it keeps nothing
    }

private:
    EventLoopRuntime m_runtime;
    sandbox::MemcachedServer m_server{m_runtime};
    std::unique_ptr<MemcachedClient> m_client;
};

QTEST_GUILESS_MAIN(TestMemcachedWatcher)
#include "tst_memcached_watcher.moc"
