// SPDX-License-Identifier: Apache-2.0
#include "watching.h"
#include "zookeeper_peer.h"

using namespace lockscope;
using namespace lockscope::test;
using zookeeper::NodeMode;

/// Our recipes in Curator's layouts, beside Curator itself.
class TestInteropCurator : public QObject {
    Q_OBJECT
private:
    QString classPath() const {
        QStringList jars{m_workspace.path()};
        for (const char* jar : {"curator-recipes", "curator-framework", "curator-client", "zookeeper", "zookeeper-jute",
                                "guava", "slf4j-api", "slf4j-nop"})
            jars << QStringLiteral("/usr/share/java/%1.jar").arg(QLatin1String(jar));
        return jars.join(u':');
    }
    /// One Java process for all but its end: it takes longer to start than most of what it is to do.
    std::unique_ptr<Peer> startPeer() {
        const QStringList arguments{QStringLiteral("-Xmx128m"),
                                    QStringLiteral("-XX:+UseSerialGC"),
                                    QStringLiteral("-XX:TieredStopAtLevel=1"),
                                    QStringLiteral("-cp"),
                                    classPath(),
                                    QStringLiteral("CuratorPeer"),
                                    m_server.url().section(u'/', 2)};
        return std::make_unique<Peer>(QStringLiteral("java"), arguments);
    }
    QByteArray open(const QByteArray& name, const QByteArray& kind) {
        return m_peer->ask("open " + name + " /" + name + ' ' + kind);
    }
    /// One that holds locks of all kinds is killed: each is free when its session has ended.
    void killHolder(Client& a) {
        struct Row {
            const char* id;
            Mode mode;
            const char* kind;
        };
        const std::vector<Row> rows{{"zk-mutex", Mode::Exclusive, "mutex"},
                                    {"zk-rw", Mode::Exclusive, "read"},
                                    {"zk-rw", Mode::Shared, "write"},
                                    {"zk-semaphore", Mode::Permit, "semaphore:1"}};
        std::vector<std::unique_ptr<Recipe>> recipes;
        std::vector<std::shared_ptr<TakeEnding>> endings;
        for (const Row& row : rows) {
            const QByteArray name = "killed" + QByteArray::number(recipes.size());
            QCOMPARE(open(name, row.kind), QByteArray("ready"));
            QVERIFY(m_peer->ask("acquire " + name + " 5").startsWith("acquired"));
            recipes.push_back(a.recipe(row.id, name));
            QVERIFY(!take(*recipes.back(), request(Nanos(0), "1", row.mode)).value());
            endings.push_back(begin(m_runtime, *recipes.back(), request(20s, "1", row.mode)));
        }
        const Nanos killed = m_runtime.monotonic();
        m_peer->kill();
        for (std::size_t i = 0; i < rows.size(); ++i) {
            QVERIFY(eventually([&] { return endings[i]->done; }, 20s));
            VERIFY_OK(endings[i]->taken);
            QVERIFY2(endings[i]->at - killed < kFreedWithin, rows[i].id);
            QVERIFY(endings[i]->taken->has_value());
            VERIFY_OK(run(recipes[i]->release(**endings[i]->taken, {})));
        }
    }

private Q_SLOTS:
    void initTestCase() {
        const QStringList arguments{
            QStringLiteral("-J-XX:+UseSerialGC"),
            QStringLiteral("-J-XX:TieredStopAtLevel=1"),
            QStringLiteral("-proc:none"),
            QStringLiteral("-cp"),
            classPath(),
            QStringLiteral("-d"),
            m_workspace.path(),
            QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/curator/CuratorPeer.java")};
        auto compiling = sandbox::run(m_runtime, QStringLiteral("javac"), arguments, m_workspace.path());
        VERIFY_STARTED(m_server); // both take their time
        const auto compiled = run(std::move(compiling));
        QVERIFY2(compiled, compiled ? "" : qPrintable(compiled.error()));
        m_peer = startPeer();
        m_contender = startPeer();
    }

    void aWatcherSeesItsLocks_data() {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("node"); ///< above the holders' nodes
        QTest::addColumn<QByteArray>("format");
        QTest::addColumn<QByteArray>("mode");
        QTest::newRow("mutex") << QByteArray("mutex") << QByteArray() << QByteArray("curator-mutex")
                               << QByteArray("exclusive");
        QTest::newRow("write") << QByteArray("write") << QByteArray() << QByteArray("curator-rw")
                               << QByteArray("exclusive");
        QTest::newRow("read") << QByteArray("read") << QByteArray() << QByteArray("curator-rw") << QByteArray("shared");
        QTest::newRow("semaphore") << QByteArray("semaphore:2") << QByteArray("/leases")
                                   << QByteArray("curator-semaphore") << QByteArray("permit");
    }
    /// The watcher names the session, the mode and the layout that the server has.
    void aWatcherSeesItsLocks() {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, node);
        QFETCH(QByteArray, format);
        QFETCH(QByteArray, mode);
        Client a(m_runtime, m_server, "a");
        const QByteArray name = "seen-" + kind.split(':').front();
        QCOMPARE(open(name, kind), QByteArray("ready"));
        QVERIFY(m_peer->ask("acquire " + name + " 5").startsWith("acquired"));
        const QByteArray path = '/' + name + node;
        const auto children = childrenOf(a.driver, path);
        QCOMPARE(children.size(), 1u);
        const auto held = run(a.driver.get(path + '/' + children.front()));
        VERIFY_OK(held);
        const auto watcher = watcherOf(m_runtime, m_server.url());
        const LockReport report = run(watcher->once());
        const LockRow* row = rowOf(report, name);
        QVERIFY(row);
        QCOMPARE(row->format, format);
        QCOMPARE(row->mode, mode);
        QCOMPARE(clientsOf(row->holders),
                 QByteArrayList{"session 0x" + QByteArray::number(qulonglong(held->stat.ephemeralOwner), 16)});
        // Its host's address by its own words, and where its session comes from by the server's.
        QVERIFY(row->holders.front().about.startsWith(held->data + ", 127.0.0.1:"));
        QCOMPARE(*row->waiterCount, 0);
        QVERIFY(m_peer->ask("release " + name).startsWith("released"));
        const LockReport after = run(watcher->once());
        QVERIFY(!rowOf(after, name) || rowOf(after, name)->holders.empty());
    }

    void oneHoldsTheOtherWaits_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("mode");
        QTest::addColumn<QByteArray>("kind");
        QTest::newRow("mutex") << QByteArray("zk-mutex") << int(Mode::Exclusive) << QByteArray("mutex");
        QTest::newRow("we write, it reads") << QByteArray("zk-rw") << int(Mode::Exclusive) << QByteArray("read");
        QTest::newRow("we read, it writes") << QByteArray("zk-rw") << int(Mode::Shared) << QByteArray("write");
        QTest::newRow("semaphore") << QByteArray("zk-semaphore") << int(Mode::Permit) << QByteArray("semaphore:1");
    }
    void oneHoldsTheOtherWaits() {
        QFETCH(QByteArray, id);
        QFETCH(int, mode);
        QFETCH(QByteArray, kind);
        const QByteArray name = "one-" + kind.split(':').front() + id;
        const Request wish = request(20s, "1", Mode(mode));
        Client a(m_runtime, m_server, "a");
        QCOMPARE(open(name, kind), QByteArray("ready"));
        QVERIFY(m_peer->ask("acquire " + name + " 5").startsWith("acquired"));
        const auto ours = a.recipe(id, name);
        QVERIFY(!take(*ours, request(Nanos(0), "1", Mode(mode))).value());
        const auto waiting = begin(m_runtime, *ours, wish);
        pass(100ms);
        QVERIFY(!waiting->done);
        m_peer->tell("release " + name);
        QVERIFY(eventually([&] { return waiting->done; }));
        const Nanos got = machineTime() - (m_runtime.monotonic() - waiting->at);
        QVERIFY(got - instantIn(m_peer->hear()) < kAtOnce);
        VERIFY_OK(waiting->taken);
        QVERIFY(waiting->taken->has_value());
        QCOMPARE(m_peer->ask("acquire " + name + " 0.1"), QByteArray("timeout"));
        const std::size_t alone = below(a.driver, '/' + name).size();
        m_peer->tell("acquire " + name + " 10");
        QVERIFY(eventually([&] { return below(a.driver, '/' + name).size() > alone; })); // in the queue
        pass(50ms);                                                                      // and waits
        const Nanos released = machineTime();
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        const QByteArray answer = m_peer->hear();
        QVERIFY(answer.startsWith("acquired"));
        QVERIFY(instantIn(answer) - released < kAtOnce);
        QVERIFY(m_peer->ask("release " + name).startsWith("released"));
    }
    void curatorStaysOutOfALockOfBothKinds() { // the test with kazoo has the other half
        Client a(m_runtime, m_server, "a");
        a.layout = zookeeper::Layout::Both;
        QCOMPARE(open("both", "mutex"), QByteArray("ready"));
        QVERIFY(m_peer->ask("acquire both 5").startsWith("acquired"));
        const auto ours = a.recipe("zk-mutex", "both");
        QVERIFY(!take(*ours, request(Nanos(0))).value());
        const auto waiting = begin(m_runtime, *ours);
        pass(100ms);
        QVERIFY(!waiting->done);
        QVERIFY(m_peer->ask("release both").startsWith("released"));
        QVERIFY(eventually([&] { return waiting->done; }));
        VERIFY_OK(waiting->taken);
        QCOMPARE(below(a.driver, "/both").size(), std::size_t(2));
        QCOMPARE(m_peer->ask("acquire both 0.3"), QByteArray("timeout"));
        m_peer->tell("acquire both 10");
        QVERIFY(eventually([&] { return below(a.driver, "/both").size() == 3; }));
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        QVERIFY(m_peer->hear().startsWith("acquired"));
        QVERIFY(m_peer->ask("release both").startsWith("released"));
    }
    void tenOfEachAndTenOfOursInCuratorsFormatCountExactly() { // nobody waits in a circle
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create("/counter-both", "0", NodeMode::Persistent)));
        m_contender->tell("contend /both-count mutex /counter-both 5 10");
        Contenders both(m_runtime, m_server.url(), "zk-mutex", "both-count", "/counter-both", Mode::Exclusive, 5s,
                        zookeeper::Layout::Both);
        Contenders curators(m_runtime, m_server.url(), "zk-mutex", "both-count", "/counter-both", Mode::Exclusive, 5s);
        QVERIFY(eventually([&] { return both.done() && curators.done(); }, 60s));
        QVERIFY2(both.failure.isEmpty() && curators.failure.isEmpty(), qPrintable(both.failure + curators.failure));
        const QByteArray answer = m_contender->hear(60s);
        const int theirs = answer.split(' ').last().toInt();
        QVERIFY2(answer.startsWith("added ") && both.added() > 10 && curators.added() > 10 && theirs > 10,
                 answer.constData());
        QCOMPARE(run(a.driver.get("/counter-both")).value().data.toInt(), both.added() + curators.added() + theirs);
    }
    void readersOfBothTogether() {
        Client a(m_runtime, m_server, "a");
        const auto ours = a.recipe("zk-rw", "together");
        const auto held = take(*ours, request(5s, "1", Mode::Shared));
        VERIFY_OK(held);
        QCOMPARE(open("together", "read"), QByteArray("ready"));
        QVERIFY(m_peer->ask("acquire together 5").startsWith("acquired"));
        VERIFY_OK(run(ours->release(**held, {})));
        QVERIFY(!take(*ours, request(200ms)).value()); // it reads on
        QVERIFY(m_peer->ask("release together").startsWith("released"));
        const auto writing = take(*ours, request(5s));
        QVERIFY(writing.value());
        VERIFY_OK(run(ours->release(**writing, {})));
    }
    void tenOfEachCountExactlyAndOneIsKilledMeanwhile() { // of each kind of lock, all at once
        struct Row {
            const char* id;
            Mode mode;
            const char* kind;
            QByteArray counter{};
            std::unique_ptr<Contenders> ours{};
            int theirs = 0;
        };
        std::vector<Row> rows;
        rows.push_back({"zk-mutex", Mode::Exclusive, "mutex"});
        rows.push_back({"zk-rw", Mode::Exclusive, "write"});
        rows.push_back({"zk-semaphore", Mode::Permit, "semaphore:1"});
        Client a(m_runtime, m_server, "a");
        for (Row& row : rows) {
            const QByteArray name = QByteArray("ten-") + row.id;
            row.counter = "/counter-" + name;
            VERIFY_OK(run(a.driver.create(row.counter, "0", NodeMode::Persistent)));
            m_contender->tell("contend /" + name + ' ' + row.kind + ' ' + row.counter + " 5 10");
            row.ours = std::make_unique<Contenders>(m_runtime, m_server.url(), row.id, name, row.counter, row.mode, 5s);
        }
        killHolder(a);
        for (const Row& row : rows)
            QVERIFY(eventually([&] { return row.ours->done(); }, 60s));
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const QByteArray answer = m_contender->hear(60s);
            const QByteArrayList words = answer.split(' ');
            QVERIFY2(words.size() == 3 && words[0] == "added", answer.constData());
            for (Row& row : rows)
                if (row.counter == words[1]) row.theirs = words[2].toInt();
        }
        for (const Row& row : rows) {
            QVERIFY2(row.ours->failure.isEmpty(), qPrintable(row.ours->failure));
            QVERIFY2(row.ours->added() > 10 && row.theirs > 10, row.id);
            QCOMPARE(run(a.driver.get(row.counter)).value().data.toInt(), row.ours->added() + row.theirs);
        }
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    sandbox::Workspace m_workspace;
    std::unique_ptr<Peer> m_peer, m_contender;
};

QTEST_GUILESS_MAIN(TestInteropCurator)
#include "tst_interop_curator.moc"
