// SPDX-License-Identifier: Apache-2.0
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
    std::unique_ptr<Peer> peer(const QByteArray& path, const char* kind) {
        const QStringList arguments{QStringLiteral("-Xmx128m"),
                                    QStringLiteral("-XX:+UseSerialGC"),
                                    QStringLiteral("-XX:TieredStopAtLevel=1"),
                                    QStringLiteral("-cp"),
                                    classPath(),
                                    QStringLiteral("CuratorPeer"),
                                    m_server.url().section(u'/', 2),
                                    QString::fromLatin1(path),
                                    QString::fromLatin1(kind)};
        return std::make_unique<Peer>(QStringLiteral("java"), arguments);
    }

private Q_SLOTS:
    void initTestCase() {
        VERIFY_STARTED(m_server);
        const QStringList arguments{
            QStringLiteral("-cp"), classPath(), QStringLiteral("-d"), m_workspace.path(),
            QStringLiteral(LOCKSCOPE_SOURCE_DIR "/tests/live/interop/curator/CuratorPeer.java")};
        const auto compiled = run(sandbox::run(m_runtime, QStringLiteral("javac"), arguments, m_workspace.path()));
        QVERIFY2(compiled, compiled ? "" : qPrintable(compiled.error()));
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
        const QByteArray name = "one" + QByteArray::number(++m_names);
        const Request wish = request(20s, "1", Mode(mode));
        Client a(m_runtime, m_server, "a");
        const auto curator = peer('/' + name, kind.constData());
        QCOMPARE(curator->hear(), QByteArray("ready"));
        QVERIFY(curator->ask("acquire 5").startsWith("acquired"));
        const auto ours = a.recipe(id, name);
        QVERIFY(!take(*ours, request(Nanos(0), "1", Mode(mode))).value());
        const auto waiting = begin(m_runtime, *ours, wish);
        pass(200ms);
        QVERIFY(!waiting->done);
        curator->tell("release");
        QVERIFY(eventually([&] { return waiting->done; }));
        const Nanos got = machineTime() - (m_runtime.monotonic() - waiting->at);
        QVERIFY(got - instantIn(curator->hear()) < 200ms);
        VERIFY_OK(waiting->taken);
        QVERIFY(waiting->taken->has_value());
        QCOMPARE(curator->ask("acquire 0.3"), QByteArray("timeout"));
        curator->tell("acquire 10");
        pass(300ms);
        const Nanos released = machineTime();
        VERIFY_OK(run(ours->release(**waiting->taken, {})));
        const QByteArray answer = curator->hear();
        QVERIFY(answer.startsWith("acquired"));
        QVERIFY(instantIn(answer) - released < 1s);
        curator->kill(); // its session lasts 2 s
        const auto freed = take(*ours, wish);
        VERIFY_OK(freed);
        QVERIFY(freed->has_value());
        VERIFY_OK(run(ours->release(**freed, {})));
    }
    void readersOfBothTogether() {
        Client a(m_runtime, m_server, "a");
        const auto ours = a.recipe("zk-rw", "together");
        const auto held = take(*ours, request(5s, "1", Mode::Shared));
        VERIFY_OK(held);
        const auto curator = peer("/together", "read");
        QCOMPARE(curator->hear(), QByteArray("ready"));
        QVERIFY(curator->ask("acquire 5").startsWith("acquired"));
        VERIFY_OK(run(ours->release(**held, {})));
        QVERIFY(!take(*ours, request(200ms)).value()); // it reads on
        QVERIFY(curator->ask("release").startsWith("released"));
        const auto writing = take(*ours, request(5s));
        QVERIFY(writing.value());
        VERIFY_OK(run(ours->release(**writing, {})));
    }
    void tenOfEachCountExactly_data() {
        QTest::addColumn<QByteArray>("id");
        QTest::addColumn<int>("mode");
        QTest::addColumn<QByteArray>("kind");
        QTest::newRow("mutex") << QByteArray("zk-mutex") << int(Mode::Exclusive) << QByteArray("mutex");
        QTest::newRow("writers") << QByteArray("zk-rw") << int(Mode::Exclusive) << QByteArray("write");
        QTest::newRow("semaphore") << QByteArray("zk-semaphore") << int(Mode::Permit) << QByteArray("semaphore:1");
    }
    void tenOfEachCountExactly() {
        QFETCH(QByteArray, id);
        QFETCH(int, mode);
        QFETCH(QByteArray, kind);
        const QByteArray name = "ten" + QByteArray::number(++m_names), counter = "/counter-" + name;
        Client a(m_runtime, m_server, "a");
        VERIFY_OK(run(a.driver.create(counter, "0", NodeMode::Persistent)));
        const auto curator = peer('/' + name, kind.constData());
        QCOMPARE(curator->hear(), QByteArray("ready"));
        const int seconds = id == "zk-mutex" ? 5 : 1;
        curator->tell("contend " + counter + ' ' + QByteArray::number(seconds) + " 10");
        Contenders ours(m_runtime, m_server.url(), id, name, counter, Mode(mode), std::chrono::seconds(seconds));
        QVERIFY(eventually([&] { return ours.done(); }, 60s));
        QVERIFY2(ours.failure.isEmpty(), qPrintable(ours.failure));
        const QByteArray answer = curator->hear(60s);
        QVERIFY2(answer.startsWith("added "), answer.constData());
        const int theirs = answer.split(' ').last().toInt();
        QVERIFY2(ours.added() > 10 && theirs > 10, answer.constData());
        QCOMPARE(run(a.driver.get(counter))->data.toInt(), ours.added() + theirs);
    }

private:
    EventLoopRuntime m_runtime;
    ZooKeeperServer m_server{m_runtime};
    sandbox::Workspace m_workspace;
    int m_names = 0;
};

QTEST_GUILESS_MAIN(TestInteropCurator)
#include "tst_interop_curator.moc"
