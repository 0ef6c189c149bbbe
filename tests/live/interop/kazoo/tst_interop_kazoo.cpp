// SPDX-License-Identifier: Apache-2.0
#include "client/connect.h"
#include "zookeeper_peer.h"

using namespace lockscope;
using namespace lockscope::test;
using zookeeper::Layout;
using zookeeper::NodeMode;

/// zk-mutex and kazoo's Lock: in kazoo's own format, which zk-mutex joins, and has by itself with layout=kazoo; and in
/// Curator's, of which kazoo has to be told by extra_lock_patterns. zk-rw and kazoo's ReadLock and WriteLock.
class TestInteropKazoo : public QObject {
    Q_OBJECT
private:
    static std::unique_ptr<Peer> peerOf(const ZooKeeperServer& server, const QByteArray& path,
                                        const QStringList& kindAndPatterns) {
        QStringList arguments{QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/kazoo/kazoo_peer.py"),
                              server.url().section(u'/', 2), QString::fromLatin1(path)};
        arguments += kindAndPatterns;
        // Debian's, which has Debian's kazoo: there may be another one in the path.
        return std::make_unique<Peer>(QStringLiteral("/usr/bin/python3"), arguments);
    }
    std::unique_ptr<Peer> peer(const QByteArray& path, bool patterns) {
        QStringList kindAndPatterns{QStringLiteral("Lock")};
        if (patterns) kindAndPatterns << QStringLiteral("lock-");
        return peerOf(m_server, path, kindAndPatterns);
    }
    /// We release the lock; kazoo, which waits for it, is to have it at once.
    static void handOver(Peer& kazoo, Recipe& ours, const Grant& held) {
        const Nanos released = machineTime();
        VERIFY_OK(run(ours.release(held, {})));
        const QByteArray answer = kazoo.hear();
        QVERIFY2(answer.startsWith("acquired"), answer.constData());
        QVERIFY(instantIn(answer) - released < kAtOnce);
    }
    /// Nobody came in between anybody's reading and writing, and neither side was shut out.
    static void countedExactly(Client& a, Peer& kazoo, Contenders& ours, const QByteArray& counter) {
        QVERIFY(eventually([&] { return ours.done(); }, 60s));
        QVERIFY2(ours.failure.isEmpty(), qPrintable(ours.failure));
        const QByteArray answer = kazoo.hear(60s);
        QVERIFY2(answer.startsWith("added "), answer.constData());
        const int theirs = answer.split(' ').last().toInt();
        QVERIFY2(ours.added() > 10 && theirs > 10, answer.constData());
        QCOMPARE(run(a.driver.get(counter)).value().data.toInt(), ours.added() + theirs);
    }
    /// A node below which nothing is any more, made and gone: the server has looked for such.
    static void letTheServerSweep(Client& a, const QByteArray& container) {
        VERIFY_OK(run(a.driver.makeContainers(container)));
        VERIFY_OK(run(a.driver.create(container + "/child", {}, NodeMode::Ephemeral)));
        VERIFY_OK(run(a.driver.remove(container + "/child")));
        QVERIFY(eventually([&] { return !run(a.driver.exists(container)).value(); }, 30s));
    }

private Q_SLOTS:
    void initTestCase() { VERIFY_STARTED(m_server); }

    void kazooHoldsAndWeWait() {
        Client a(m_runtime, m_server, "a");
        const auto kazoo = peer("/first", false);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
        const auto ours = a.recipe("zk-mutex", "first");
        QVERIFY(!take(*ours, request(Nanos(0))).value());
        const auto waiting = begin(m_runtime, *ours);
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/first").size() == 2; }));
        for (const QByteArray& child : childrenOf(a.driver, "/first"))
            QVERIFY2(child.contains("__lock__"), child.constData()); // ours too
        pass(100ms);
        QVERIFY(!waiting->done);
        kazoo->tell("release");
        QVERIFY(eventually([&] { return waiting->done; }));
        const Nanos got = machineTime() - (m_runtime.monotonic() - waiting->at);
        QVERIFY(got - instantIn(kazoo->hear()) < kAtOnce);
        VERIFY_OK(waiting->taken);
        // And now the other way round.
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/first").size() == 2; }));
        handOver(*kazoo, *ours, **waiting->taken);
        kazoo->kill();
        const auto freed = take(*ours, request(kFreedWithin));
        VERIFY_OK(freed);
        QVERIFY(freed.value());
        VERIFY_OK(run(ours->release(**freed, {})));
    }
    void weHoldInCuratorsFormatAndKazooWaits() {
        Client a(m_runtime, m_server, "a");
        const auto ours = a.recipe("zk-mutex", "second");
        const auto held = take(*ours);
        VERIFY_OK(held);
        QVERIFY((*held)->value.contains("-lock-"));
        const auto kazoo = peer("/second", true);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/second").size() == 2; }));
        handOver(*kazoo, *ours, **held);
        const auto waiting = begin(m_runtime, *ours);
        pass(100ms);
        QVERIFY(!waiting->done);
        kazoo->tell("release");
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        const Nanos got = machineTime() - (m_runtime.monotonic() - waiting->at);
        QVERIFY(got - instantIn(kazoo->hear()) < kAtOnce);
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
        kazoo->kill();
        const auto freed = take(*ours, request(kFreedWithin));
        VERIFY_OK(freed);
        QVERIFY(freed.value());
        VERIFY_OK(run(ours->release(**freed, {})));
    }
    void tenOfEachCountExactly() {
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create("/counter", "0", NodeMode::Persistent)));
        const auto kazoo = peer("/third", true);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        kazoo->tell("contend /counter 5 10");
        Contenders ours(m_runtime, m_server.url(), "zk-mutex", "third", "/counter", Mode::Exclusive, 5s);
        countedExactly(a, *kazoo, ours, "/counter");
    }
    void weHoldFirstInKazoosFormatAndKazooWaits() { // as a URL says it
        const auto url = parseConnectionUrl(m_server.url() + QStringLiteral("?layout=kazoo&session=5s")).value();
        const auto connection = makeConnection(m_runtime, url);
        VERIFY_OK(run(connection->open()));
        const auto ours = connection->makeRecipe("zk-mutex", LockSpec{"fourth"}).value();
        const auto held = take(*ours);
        VERIFY_OK(held);
        QVERIFY2((*held)->value.contains("__lock__"), (*held)->value.constData());
        const auto kazoo = peer("/fourth", false);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        Client a(m_runtime, m_server, "a");
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/fourth").size() == 2; }));
        handOver(*kazoo, *ours, **held);
        kazoo->kill();
        const auto freed = take(*ours, request(kFreedWithin));
        VERIFY_OK(freed);
        QVERIFY(freed.value());
        VERIFY_OK(run(ours->release(**freed, {})));
        // That URL offers no recipe that kazoo would not see.
        for (const char* id : {"zk-ephemeral", "zk-sequential", "zk-semaphore"}) {
            const auto refused = connection->makeRecipe(id, LockSpec{"fourth"});
            QVERIFY2(!refused && refused.error().kind == LockError::Kind::NotSupported, id);
        }
    }
    void tenOfEachCountExactlyFromAnEmptyQueueInKazoosFormat() {
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create("/counter5", "0", NodeMode::Persistent)));
        const auto kazoo = peer("/fifth", false);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        Contenders ours(m_runtime, m_server.url(), "zk-mutex", "fifth", "/counter5", Mode::Exclusive, 5s,
                        Layout::Kazoo);
        QVERIFY(eventually([&] { return !childrenOf(a.driver, "/fifth").empty(); }));
        for (const QByteArray& child : childrenOf(a.driver, "/fifth"))
            QVERIFY2(child.contains("__lock__"), child.constData()); // ours came first
        kazoo->tell("contend /counter5 5 10");
        countedExactly(a, *kazoo, ours, "/counter5");
    }
    void kazooStaysOutOfALockOfBothKinds() { // as a URL says it; CuratorPeer's test has the other half
        const auto url = parseConnectionUrl(m_server.url() + QStringLiteral("?layout=both&session=5s")).value();
        const auto connection = makeConnection(m_runtime, url);
        VERIFY_OK(run(connection->open()));
        Client a(m_runtime, m_server, "a");
        const auto ours = connection->makeRecipe("zk-mutex", LockSpec{"both"}).value();
        const auto held = take(*ours);
        VERIFY_OK(held);
        QVERIFY((*held)->token > 0);
        std::vector<QByteArray> nodes = childrenOf(a.driver, "/both");
        std::ranges::sort(nodes, {}, [](const QByteArray& name) { return name.right(10); });
        QCOMPARE(nodes.size(), std::size_t(2));
        QVERIFY2(nodes[0].contains("-lock-") && nodes[1].contains("__lock__"), nodes[0] + ' ' + nodes[1]);
        QCOMPARE(nodes[1].right(10).toInt(), nodes[0].right(10).toInt() + 1);
        const auto kazoo = peer("/both", false);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/both").size() == 3; }));
        handOver(*kazoo, *ours, **held);
        // And now the other way round.
        QVERIFY(!take(*ours, request(Nanos(0))).value());
        const auto waiting = begin(m_runtime, *ours);
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/both").size() == 3; }));
        pass(100ms);
        QVERIFY(!waiting->done);
        QVERIFY(kazoo->ask("release").startsWith("released"));
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        // Freed by force, nothing of it is left; its holder hears of it.
        VERIFY_OK(run(ours->forceRelease({})));
        QVERIFY(childrenOf(a.driver, "/both").empty());
        QVERIFY(!run(ours->release(**waiting->taken, {})));
        for (const char* id : {"zk-rw", "zk-sequential", "zk-semaphore"}) {
            const auto refused = connection->makeRecipe(id, LockSpec{"both"});
            QVERIFY2(!refused && refused.error().kind == LockError::Kind::NotSupported, id);
        }
    }
    void tenOfEachAndTenOfOursInKazoosFormatCountExactly() { // nobody waits in a circle
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create("/counter-both", "0", NodeMode::Persistent)));
        const auto kazoo = peer("/both-count", false);
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        kazoo->tell("contend /counter-both 5 10");
        Contenders both(m_runtime, m_server.url(), "zk-mutex", "both-count", "/counter-both", Mode::Exclusive, 5s,
                        Layout::Both);
        Contenders kazoos(m_runtime, m_server.url(), "zk-mutex", "both-count", "/counter-both", Mode::Exclusive, 5s,
                          Layout::Kazoo);
        QVERIFY(eventually([&] { return both.done() && kazoos.done(); }, 60s));
        QVERIFY2(both.failure.isEmpty() && kazoos.failure.isEmpty(), qPrintable(both.failure + kazoos.failure));
        const QByteArray answer = kazoo->hear(60s);
        const int theirs = answer.split(' ').last().toInt();
        QVERIFY2(both.added() > 10 && kazoos.added() > 10 && theirs > 10, answer.constData());
        QCOMPARE(run(a.driver.get("/counter-both")).value().data.toInt(), both.added() + kazoos.added() + theirs);
        QVERIFY(childrenOf(a.driver, "/both-count").empty());
    }
    void othersInAnEmptyQueueAreMetInKazoosFormatAgain() {
        Client curator(m_runtime, m_server, "curator"), a(m_runtime, m_server, "a");
        a.layout = Layout::Kazoo;
        VERIFY_OK(run(a.driver.makeContainers("/sixth")));
        const QByteArray name = "/sixth/_c_3c9e9b2a-93a4-4a5f-8a3c-0b2f0e7c1a11-lock-";
        const auto theirs = run(curator.driver.create(name, "10.0.0.1", NodeMode::EphemeralSequential));
        QVERIFY(theirs.has_value());
        const auto ours = a.recipe("zk-mutex", "sixth");
        const auto waiting = begin(m_runtime, *ours);
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/sixth").size() == 2; }));
        for (const QByteArray& child : childrenOf(a.driver, "/sixth"))
            QVERIFY2(child.contains("-lock-"), child.constData()); // Curator would not see kazoo's name
        VERIFY_OK(run(curator.driver.remove(theirs->path)));
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        const auto again = take(*ours);
        VERIFY_OK(again);
        QVERIFY2((*again)->value.contains("__lock__"), (*again)->value.constData());
        VERIFY_OK(run(ours->release(**again, {})));
    }
    void pathStaysForKazooWhenItIsEmpty() {
        sandbox::ZooKeeperServerOptions options;
        options.javaOptions << QStringLiteral("-Dznode.container.checkIntervalMs=100");
        ZooKeeperServer server(m_runtime, options);
        VERIFY_STARTED(server);
        Client a(m_runtime, server, "a");
        a.layout = Layout::Kazoo;
        const auto ours = a.recipe("zk-mutex", "seventh");
        const auto held = take(*ours);
        VERIFY_OK(held);
        const auto kazoo = peerOf(server, "/seventh", {QStringLiteral("Lock")});
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        kazoo->tell("acquire 10"); // from now on it knows that the path is there
        QVERIFY(eventually([&] { return childrenOf(a.driver, "/seventh").size() == 2; }));
        VERIFY_OK(run(ours->release(**held, {})));
        QVERIFY(kazoo->hear().startsWith("acquired"));
        QVERIFY(kazoo->ask("release").startsWith("released"));
        letTheServerSweep(a, "/swept");
        letTheServerSweep(a, "/swept"); // all of the round before is over
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
    }
    void readersAndWriters_data() {
        QTest::addColumn<int>("mode");
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("we write, kazoo reads")
            << int(Mode::Exclusive) << QStringLiteral("ReadLock") << QByteArray("wr");
        QTest::newRow("we write, kazoo writes")
            << int(Mode::Exclusive) << QStringLiteral("WriteLock") << QByteArray("ww");
        QTest::newRow("we read, kazoo writes") << int(Mode::Shared) << QStringLiteral("WriteLock") << QByteArray("rw");
    }
    void readersAndWriters() {
        QFETCH(int, mode);
        QFETCH(QString, kind);
        QFETCH(QByteArray, name);
        Client a(m_runtime, m_server, "a");
        a.layout = Layout::Kazoo;
        const auto ours = a.recipe("zk-rw", name);
        const auto held = take(*ours, request(5s, "1", Mode(mode)));
        VERIFY_OK(held);
        const auto kazoo = peerOf(m_server, '/' + name, {kind});
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QCOMPARE(kazoo->ask("acquire 0.3"), QByteArray("timeout"));
        kazoo->tell("acquire 10");
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2; }));
        handOver(*kazoo, *ours, **held);
        // And now the other way round.
        QVERIFY(!take(*ours, request(Nanos(0), "1", Mode(mode))).value());
        const auto waiting = begin(m_runtime, *ours, request(20s, "1", Mode(mode)));
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2; }));
        pass(100ms);
        QVERIFY(!waiting->done);
        kazoo->tell("release");
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        QVERIFY(waiting->taken->has_value());
        const Nanos got = machineTime() - (m_runtime.monotonic() - waiting->at);
        QVERIFY(got - instantIn(kazoo->hear()) < kAtOnce);
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        // A peer that is killed has it for as long as its session lasts, which is 2 s from what the server last heard.
        const Nanos asked = m_runtime.monotonic();
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
        const auto next = begin(m_runtime, *ours, request(20s, "1", Mode(mode)));
        QVERIFY(eventually([&] { return childrenOf(a.driver, '/' + name).size() == 2; }));
        const Nanos killed = m_runtime.monotonic();
        kazoo->kill();
        QVERIFY(eventually([&] { return next->done; }));
        VERIFY_OK(next->taken);
        QVERIFY(next->taken->has_value());
        QVERIFY(next->at - asked > 1990ms); // the server counts whole milliseconds
        QVERIFY(next->at - killed < kFreedWithin);
        VERIFY_OK(run(ours->release(**next->taken, {})));
    }
    // Writers alone: with a reader that waits while a writer queues, Debian's kazoo 2.8 waits for itself (2.9 mended
    // it).
    void tenWritersOfEachCountExactly() {
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create("/counter-rw", "0", NodeMode::Persistent)));
        const auto kazoo = peerOf(m_server, "/writers", {QStringLiteral("WriteLock")});
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        kazoo->tell("contend /counter-rw 5 10");
        Contenders ours(m_runtime, m_server.url(), "zk-rw", "writers", "/counter-rw", Mode::Exclusive, 5s,
                        Layout::Kazoo);
        countedExactly(a, *kazoo, ours, "/counter-rw");
    }
    void readersOfBothTogetherAndOfTheWriterToo() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        a.layout = b.layout = Layout::Kazoo;
        const auto ours = a.recipe("zk-rw", "together"), next = b.recipe("zk-rw", "together");
        const auto kazoo = peerOf(m_server, "/together", {QStringLiteral("ReadLock")});
        QCOMPARE(kazoo->hear(), QByteArray("ready"));
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
        const auto reading = take(*ours, request(5s, "1", Mode::Shared));
        VERIFY_OK(reading);
        QVERIFY(reading.value());
        QVERIFY(kazoo->ask("release").startsWith("released"));
        VERIFY_OK(run(ours->release(**reading, {})));
        // A writer reads on in its place, which kazoo's readers share and the next writer does not.
        const auto writing = take(*ours, request(5s));
        VERIFY_OK(writing);
        const auto readingOn = take(*ours, request(5s, "1", Mode::Shared));
        VERIFY_OK(readingOn);
        QVERIFY((*readingOn)->value.contains("__rlock__"));
        VERIFY_OK(run(ours->release(**writing, {})));
        QVERIFY(kazoo->ask("acquire 5").startsWith("acquired"));
        QVERIFY(!take(*next, request(200ms)).value());
        QVERIFY(kazoo->ask("release").startsWith("released"));
        QVERIFY(!take(*next, request(200ms)).value());
        VERIFY_OK(run(ours->release(**readingOn, {})));
        const auto last = take(*next, request(5s));
        VERIFY_OK(last);
        QVERIFY(last.value());
        VERIFY_OK(run(next->release(**last, {})));
    }
    void eachLayoutRefusesTheOthersReaders() {
        Client a(m_runtime, m_server, "a"), b(m_runtime, m_server, "b");
        a.layout = Layout::Kazoo;
        const auto kazoos = a.recipe("zk-rw", "refused"), curators = b.recipe("zk-rw", "refused");
        for (const auto& [first, second] : {std::pair(kazoos.get(), curators.get()), {curators.get(), kazoos.get()}}) {
            const auto held = take(*first, request(5s, "1", Mode::Shared));
            VERIFY_OK(held);
            const auto refused = take(*second, request(1s, "1", Mode::Shared));
            QVERIFY(!refused && refused.error().kind == LockError::Kind::ForeignFormat);
            QVERIFY2(refused.error().message.contains(u"layout="), qPrintable(refused.error().message));
            VERIFY_OK(run(first->release(**held, {})));
        }
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
};

QTEST_GUILESS_MAIN(TestInteropKazoo)
#include "tst_interop_kazoo.moc"
